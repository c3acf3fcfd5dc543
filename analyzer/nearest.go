package analyzer

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/contrary"
	"github.com/stillfires/stillfires/internal/outcome"
)

// What counts as near. A candidate line is shown when its wording is at least
// minSimilarity like the deployed one and shares minShared words with it, and
// is not much worse than the best. A record with the same keys and level as the
// deployed one is likely its successor, so less likeness is asked of it, and of
// a text of two words one may differ.
const (
	maxNearest    = 3
	minSimilarity = 0.4
	minSameKeys   = 0.3
	sameKeys      = 0.1
	minShared     = 2
	nearBest      = 0.75
	// A text that the deployed build writes as well is hardly what became of
	// another one.
	notNew = 0.8
	// Nor is one that says the contrary.
	notContrary = 0.8
	// Nor is one in a stream that the rule does not look at.
	notSelected = 0.8
)

// A catalogue is every kind of record that the candidate wrote in a scenario.
type catalogue struct {
	kinds []kind
	with  map[string]int // number of kinds that hold a word
	// deployed holds the texts, as words, that the deployed build wrote.
	deployed map[string]bool
}

// A kind is one kind of record, or those of one that hold a text in a field,
// with the texts that tell it apart.
type kind struct {
	example  outcome.Evidence
	level    string
	count    int64
	wordings []wording
	keys     string
}

// kindsOf yields the kinds of the records of a message, each with a key. What
// a field says that holds sentences is a kind of its own for each of them.
func kindsOf(m *outcome.Message) iter.Seq2[string, kind] {
	return func(yield func(string, kind) bool) {
		told := map[string]bool{} // fields with kinds of their own
		for i := range m.Keys {
			key := &m.Keys[i]
			for j := range key.Texts {
				t := &key.Texts[j]
				texts := slices.DeleteFunc(wordings(t.First.Line), func(w wording) bool { return w.field != key.Name })
				if len(texts) == 0 {
					continue
				}
				told[key.Name] = true
				id := strings.Join([]string{m.Level, m.Text, key.Name, t.Text}, "\x00")
				if !yield(id, kind{t.First, m.Level, t.Count, texts, keysOf(t.First.Line)}) {
					return
				}
			}
		}
		texts := slices.DeleteFunc(wordings(m.First.Line), func(w wording) bool { return told[w.field] })
		yield(m.Level+"\x00"+m.Text, kind{m.First, m.Level, m.Count, texts, keysOf(m.First.Line)})
	}
}

// newCatalogue merges the messages of several repetitions of the candidate,
// and notes the texts of the deployed build.
func newCatalogue(candidate, deployed []*outcome.Run) *catalogue {
	c := &catalogue{with: map[string]int{}, deployed: map[string]bool{}}
	for _, run := range deployed {
		for _, m := range run.Messages {
			for _, e := range m.Examples() {
				for _, text := range wordings(e.Line) {
					c.deployed[text.key()] = true
				}
			}
		}
	}
	at := map[string]int{}
	for _, run := range candidate {
		for _, m := range run.Messages {
			for key, k := range kindsOf(&m) {
				if i, ok := at[key]; ok {
					c.kinds[i].count += k.count
					continue
				}
				at[key] = len(c.kinds)
				c.kinds = append(c.kinds, k)
			}
		}
	}
	for _, k := range c.kinds {
		seen := map[string]bool{}
		for _, text := range k.wordings {
			for _, w := range text.words {
				if !seen[w] {
					seen[w] = true
					c.with[w]++
				}
			}
		}
	}
	return c
}

// weight is higher the rarer a word is among the kinds of record. A word that
// the candidate never writes weighs as much as one that it writes once.
func (c *catalogue) weight(word string) float64 {
	return math.Log(1 + float64(len(c.kinds))/float64(max(c.with[word], 1)))
}

// similarity compares two texts by their words: the weight of the words in
// both, against the mean weight of each (Dice's coefficient). It also returns
// the number of words in both.
func (c *catalogue) similarity(a, b []string) (float64, int) {
	var both, all float64
	shared := 0
	for _, w := range a {
		all += c.weight(w)
		if slices.Contains(b, w) {
			both += c.weight(w)
			shared++
		}
	}
	for _, w := range b {
		all += c.weight(w)
	}
	if all == 0 {
		return 0, 0
	}
	return 2 * both / all, shared
}

// nearest returns the candidate's lines that are closest to the deployed line
// that the rule matched, and what that one said.
func (c *cell) nearest(p *Parting) (said *wording, found []Near) {
	e := c.matchedLine()
	if e == nil {
		return nil, nil
	}
	return c.nearestTo(e, p)
}

// nearestToOthers returns the closest line to each of the messages that the rule
// lost, but for the one that [cell.nearest] looked at.
func (c *cell) nearestToOthers(p *Parting) (found []Near) {
	e := c.matchedLine()
	for _, lost := range c.lostLines() {
		if sameLine(&lost, e) {
			continue
		}
		if len(found) == maxNearest {
			break
		}
		_, near := c.nearestTo(&lost, p)
		found = append(found, near[:min(len(near), 1)]...)
	}
	return found
}

// nearestTo returns the candidate's lines that are closest to one of deployed,
// and what that one says.
func (c *cell) nearestTo(e *outcome.Evidence, p *Parting) (said *wording, found []Near) {
	cat, ok := c.cmp.catalogues[c.scenario]
	if !ok {
		cat = newCatalogue(c.candidate.runs, c.deployed.runs)
		c.cmp.catalogues[c.scenario] = cat
	}
	said, literals := spoken(wordings(e.Line), c.wanted(p))
	if said == nil {
		return nil, nil
	}
	selected, keys := map[string]bool{}, keysOf(e.Line)
	for _, k := range cat.kinds {
		n, ok := cat.near(said, k, literals, keys)
		if !ok {
			continue
		}
		stream := n.Stream.String()
		if _, ok := selected[stream]; !ok {
			selected[stream] = c.selects(n.Stream)
		}
		if n.Selected = selected[stream]; !n.Selected {
			n.Similarity *= notSelected
		}
		n.Similarity = min(math.Round(n.Similarity*100)/100, 1)
		found = append(found, n)
	}
	slices.SortStableFunc(found, func(a, b Near) int {
		return cmp.Or(-cmp.Compare(a.Similarity, b.Similarity), -cmp.Compare(a.Count, b.Count),
			cmp.Compare(a.Line, b.Line))
	})
	found = oncePerText(found)
	for i := range found {
		if i == maxNearest || found[i].Similarity < nearBest*found[0].Similarity {
			found = found[:i]
			break
		}
		found[i].Diff = wordDiff(said.text, found[i].Diff[0].Text)
		found[i].Evidence = *bounded(&found[i].Evidence)
	}
	return said, c.alignedFirst(found, said, e, cat)
}

// oncePerText merges kinds whose nearest text is the same, whatever else
// stands in the record; the first stays, with the records of all.
func oncePerText(found []Near) []Near {
	at := map[string]int{}
	out := found[:0]
	for _, n := range found {
		text := n.Diff[0].Text
		if i, ok := at[text]; ok {
			out[i].Count += n.Count
			continue
		}
		at[text] = len(out)
		out = append(out, n)
	}
	return out
}

// near compares one kind of record with what the deployed build said, in a
// record with the given keys. Words of the rule's own literals count for a
// little more.
func (c *catalogue) near(said *wording, k kind, literals []string, keys string) (Near, bool) {
	var best wording
	score, least, share := 0.0, minSimilarity, minShared
	alike := keys != "" && k.keys == keys
	if alike {
		least, share = minSameKeys, max(1, len(said.words)-1)
	}
	for _, text := range k.wordings {
		s, shared := c.similarity(said.words, text.words)
		if s < least || shared < min(minShared, share, len(said.words)) {
			continue
		}
		if alike {
			s += sameKeys
		}
		if s > score {
			best, score = text, s
		}
	}
	if score == 0 {
		return Near{}, false
	}
	if wanted := words(strings.Join(literals, " ")); len(wanted) > 0 {
		kept := 0
		for _, w := range wanted {
			if slices.Contains(best.words, w) {
				kept++
			}
		}
		score += 0.1 * float64(kept) / float64(len(wanted))
	}
	if contrary.Opposed(said.words, best.words) {
		score *= notContrary
	}
	if key := best.key(); c.deployed[key] && key != said.key() {
		score *= notNew
	}
	return Near{
		Evidence: k.example, Level: k.level, Count: k.count,
		Similarity: score, Field: best.field,
		Diff: []Edit{{Insert, best.text}},
	}, true
}

// spoken chooses the text of a record that carries what it says: the first of
// several words that the rule looks for, else that of the field in which
// loggers write it, else the one with the most words. It also returns the
// literals that were found in it.
func spoken(texts []wording, wanted []target) (said *wording, literals []string) {
	for _, t := range wanted {
		for i := range texts {
			if t.in(&texts[i]) && (said == nil || len(texts[i].text) < len(said.text)) {
				said = &texts[i]
			}
		}
		if said != nil {
			return said, t.literals
		}
	}
	for _, name := range []string{"msg", "message", "note", "error", "err"} {
		for i := range texts {
			if texts[i].field == name && len(texts[i].words) > 1 {
				return &texts[i], nil
			}
		}
	}
	for i := range texts {
		if said == nil || len(texts[i].words) > len(said.words) {
			said = &texts[i]
		}
	}
	return said, nil
}

// in reports whether a text of several words is what the target looks for.
func (t *target) in(text *wording) bool {
	if len(text.words) < 2 || t.field != "" && t.field != LabelName(text.field) {
		return false
	}
	for _, l := range t.literals {
		if l != "" && strings.Contains(text.text, l) {
			return true
		}
	}
	return false
}

// words returns the candidate's wording: what the diff keeps and inserts.
func (n *Near) words() string {
	var b strings.Builder
	for _, e := range n.Diff {
		if e.Op != Delete {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

// LabelName returns the name that LogQL's json stage gives a field.
func LabelName(field string) string {
	return strings.Map(func(r rune) rune {
		if isWord(r) {
			return r
		}
		return '_'
	}, field)
}
