package align

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
)

// A Kind is what one logging call of a build wrote, in all runs.
type Kind struct {
	Text      string // what varies is "<*>"
	Logger    string
	Function  string
	Level     string
	Verbosity int
	// Field is set of a kind that is told apart by a sentence in a field: its
	// name. Said is the sentence.
	Field, Said string

	Encodings   []outcome.Encoding // ordered
	Keys        []outcome.Key      // ordered by name
	Heads       []outcome.Key      // the logger's own fields, ordered by name
	Count       int64
	Counts      []Count         // ordered by scenario and repetition; a run without the kind is absent
	Places      []outcome.Place // of the calls, ordered; of a kind with a Field none
	First, Last outcome.Evidence
	Parts       []Part // what it was merged from, ordered by run

	looked int64 // records whose keys were looked at
	// written are the encodings by scenario, ordered.
	written map[string][]outcome.Encoding
	tokens  []string
	words   []string
	keys    []string
	values  []string
	// said are the kinds that its sentences make, of a kind without a Field.
	said []*Kind
}

// A Count is the number of records in one run.
type Count struct {
	Scenario   string
	Repetition int
	Records    int64
}

// A Part is a message of a run: indices into the runs given and their messages.
type Part struct{ Run, Message int }

// Words returns what the kind says: the sentence in its field, or its text.
func (k *Kind) Words() string {
	if k.Field != "" {
		return k.Said
	}
	return k.Text
}

// In returns the number of records in a scenario, over all repetitions.
func (k *Kind) In(scenario string) int64 {
	var n int64
	for _, c := range k.Counts {
		if c.Scenario == scenario {
			n += c.Records
		}
	}
	return n
}

// Sentences returns the sentences that fields of the kind hold, each as a kind
// with a Field, ordered.
func (k *Kind) Sentences() []*Kind { return k.said }

func (k *Kind) identity() string {
	return strings.Join([]string{k.Text, k.Logger, k.Function, k.Level, strconv.Itoa(k.Verbosity), k.Field, k.Said}, "\x00")
}

// A build is the runs of one build and the kinds in them.
type build struct {
	runs  []*outcome.Run
	kinds []*Kind // without those that [Kind.said] holds
	// structured is by how many the records of a stream that are in an
	// encoding outnumber those of plain text; made when asked for.
	structured map[string]int64
}

// newBuild merges the messages of the runs. Mined texts of two runs can differ
// in what they mask, so texts that are patterns of each other are one.
func newBuild(runs []*outcome.Run) *build {
	b := &build{runs: runs}
	byIdentity := map[string]*Kind{}
	byPlace := map[string][]*Kind{}
	for r, run := range runs {
		for i := range run.Messages {
			m := &run.Messages[i]
			if m.Encoding == outcome.Text && m.Level == "" && m.Panics == m.Count {
				continue // lines of panics, which are told of as what they are
			}
			k := &Kind{Text: m.Text, Logger: m.Logger, Function: m.Function, Level: m.Level, Verbosity: m.Verbosity}
			id := k.identity()
			known := byIdentity[id]
			if known == nil {
				place := strings.Join([]string{m.Logger, m.Function, m.Level, strconv.Itoa(m.Verbosity)}, "\x00")
				k.tokens = tokens(m.Text)
				if known = alike(byPlace[place], k.tokens); known == nil {
					known = k
					byPlace[place] = append(byPlace[place], k)
					b.kinds = append(b.kinds, k)
				}
				byIdentity[id] = known
			}
			known.merge(m, run, Part{r, i})
		}
	}
	for _, k := range b.kinds {
		k.prepare()
	}
	slices.SortFunc(b.kinds, func(a, b *Kind) int { return cmp.Compare(a.identity(), b.identity()) })
	return b
}

// merge adds a message of a run.
func (k *Kind) merge(m *outcome.Message, run *outcome.Run, p Part) {
	if len(k.Parts) == 0 || m.First.Time < k.First.Time {
		k.First = m.First
	}
	if len(k.Parts) == 0 || m.Last.Time > k.Last.Time {
		k.Last = m.Last
	}
	k.Parts = append(k.Parts, p)
	k.Count += m.Count
	k.Counts = addCount(k.Counts, run, m.Count)
	for _, p := range m.Places {
		i, ok := slices.BinarySearchFunc(k.Places, p.At, func(a outcome.Place, at string) int { return strings.Compare(a.At, at) })
		if !ok {
			k.Places = slices.Insert(k.Places, i, outcome.Place{At: p.At})
		}
		k.Places[i].Count += p.Count
	}
	k.encode(run.Scenario, m.Encoding)
	looked := int64(0)
	for i := range m.Keys {
		looked = max(looked, m.Keys[i].Looked)
	}
	if len(m.Keys) == 0 {
		looked = m.Count
	}
	k.looked += looked
	for i := range m.Keys {
		key := &m.Keys[i]
		k.Keys = mergeKey(k.Keys, key)
		for j := range key.Texts {
			k.mergeText(key, &key.Texts[j], m, run, p)
		}
	}
	for i := range m.Heads {
		k.Heads = mergeKey(k.Heads, &m.Heads[i])
	}
}

// encode notes in which encoding records of a scenario are.
func (k *Kind) encode(scenario string, e outcome.Encoding) {
	if i, ok := slices.BinarySearch(k.Encodings, e); !ok {
		k.Encodings = slices.Insert(k.Encodings, i, e)
	}
	if k.written == nil {
		k.written = map[string][]outcome.Encoding{}
	}
	own := k.written[scenario]
	if i, ok := slices.BinarySearch(own, e); !ok {
		k.written[scenario] = slices.Insert(own, i, e)
	}
}

func addCount(counts []Count, run *outcome.Run, n int64) []Count {
	i, ok := slices.BinarySearchFunc(counts, run, func(c Count, run *outcome.Run) int {
		return cmp.Or(cmp.Compare(c.Scenario, run.Scenario), cmp.Compare(c.Repetition, run.Repetition))
	})
	if ok {
		counts[i].Records += n
		return counts
	}
	return slices.Insert(counts, i, Count{run.Scenario, run.Repetition, n})
}

// mergeKey adds what is known of a field to the list of them.
func mergeKey(list []outcome.Key, key *outcome.Key) []outcome.Key {
	i, ok := slices.BinarySearchFunc(list, key.Name, byName)
	if !ok {
		list = slices.Insert(list, i, outcome.Key{Name: key.Name, Role: key.Role})
	}
	own := &list[i]
	own.Count += key.Count
	own.Types = union(own.Types, key.Types)
	own.Values = union(own.Values, key.Values)
	own.Cut = own.Cut || key.Cut
	return list
}

// mergeText adds a sentence that a field of the kind holds.
func (k *Kind) mergeText(key *outcome.Key, t *outcome.KeyText, m *outcome.Message, run *outcome.Run, p Part) {
	words := tokens(t.Text)
	i := slices.IndexFunc(k.said, func(s *Kind) bool { return s.Field == key.Name && sameTokens(s.tokens, words) })
	if i < 0 {
		i = len(k.said)
		k.said = append(k.said, &Kind{
			Text: k.Text, Logger: k.Logger, Function: k.Function, Level: k.Level, Verbosity: k.Verbosity,
			Field: key.Name, Said: t.Text, First: t.First, Last: t.First, tokens: words,
		})
	}
	s := k.said[i]
	if t.First.Time < s.First.Time {
		s.First = t.First
	}
	s.Count += t.Count
	s.Counts = addCount(s.Counts, run, t.Count)
	if !slices.Contains(s.Parts, p) {
		s.Parts = append(s.Parts, p)
	}
	s.encode(run.Scenario, m.Encoding)
}

// prepare computes what kinds are compared by.
func (k *Kind) prepare() {
	for i := range k.Keys {
		k.Keys[i].Looked = max(k.looked, k.Keys[i].Count)
		k.keys = append(k.keys, k.Keys[i].Name)
		for _, v := range k.Keys[i].Values {
			if telling(v) {
				k.values = append(k.values, v)
			}
		}
	}
	slices.Sort(k.values)
	k.values = slices.Compact(k.values)
	if k.tokens == nil {
		k.tokens = tokens(k.Text)
	}
	k.words = wordsOf(k.Words())
	slices.SortFunc(k.said, func(a, b *Kind) int { return cmp.Compare(a.identity(), b.identity()) })
	for _, s := range k.said {
		s.Keys, s.Heads, s.looked = k.Keys, k.Heads, k.looked
		s.keys = slices.DeleteFunc(slices.Clone(k.keys), func(name string) bool { return name == s.Field })
		s.words = wordsOf(s.Said)
		s.values = valuesOf(s.First.Line)
	}
}

// telling reports whether a value can tie two records together: a name, not a
// small number or a flag.
func telling(v string) bool {
	if len(v) < 3 {
		return false
	}
	switch v {
	case "true", "false", "null", "nil", "none", "None":
		return false
	}
	return len(v) > 4 || !digitsOnly(v)
}

func digitsOnly(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

func union(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}
