package messages

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
)

// How many words must have stood in one place of otherwise equal texts before
// they are taken for values. Names have punctuation within; plain words do not,
// and telling ones ("started", "not") are never taken for values.
const (
	manyNames = 4
	manyWords = 24
)

// Finish returns the kinds in the order of [outcome.CompareMessages], for each
// provisional number the index of its kind, and the number of records for
// whose kind there was no room. The catalogue must not be used afterwards.
func (c *Catalogue) Finish() (list []outcome.Message, final []int32, cut int64) {
	c.merge()
	known := c.identifiers()
	for _, k := range c.kinds {
		for i := range k.keys {
			c.mergeTexts(&k.keys[i], known)
		}
	}
	type numbered struct {
		message outcome.Message
		number  int32
	}
	all := make([]numbered, 0, c.live)
	for n, k := range c.kinds {
		if k.into < 0 {
			all = append(all, numbered{k.message(), int32(n)})
		}
	}
	slices.SortFunc(all, func(a, b numbered) int {
		return cmp.Or(outcome.CompareMessages(&a.message, &b.message),
			cmp.Compare(a.message.First.Time, b.message.First.Time),
			cmp.Compare(a.message.First.Line, b.message.First.Line))
	})
	final = make([]int32, len(c.kinds))
	for i := range all {
		list = append(list, all[i].message)
		final[all[i].number] = int32(i)
	}
	for n := range c.kinds {
		final[n] = final[c.find(int32(n))]
	}
	return list, final, c.cut
}

func (k *kind) message() outcome.Message {
	return outcome.Message{
		Text: k.text, Logger: k.logger, Function: k.function, Level: k.level, Verbosity: k.verbosity,
		Encoding: k.encoding, Keys: k.list(k.keys), Heads: k.list(k.heads), Count: k.count, Places: k.listPlaces(),
		First: k.first.evidence(), Last: k.last.evidence(),
	}
}

// A split is a kind with its text as words.
type split struct {
	number int32
	group  uint64
	words  []string
	class  []wordClass
	vary   []bool // words that become masks
}

func newSplit(number int32, group uint64, text string, known map[string]bool) split {
	s := split{number: number, words: strings.Split(text, " ")}
	s.group = mix(group, uint64(len(s.words)))
	s.vary = make([]bool, len(s.words))
	for i, w := range s.words {
		s.words[i] = maskKnown(w, known)
		s.class = append(s.class, classify([]byte(s.words[i])))
	}
	return s
}

// mergeTexts does for the sentences of a field what merge does for kinds.
func (c *Catalogue) mergeTexts(ks *keyStat, known map[string]bool) {
	if len(ks.texts) == 0 {
		return
	}
	splits := make([]split, len(ks.texts))
	for i := range ks.texts {
		splits[i] = newSplit(int32(i), 0, ks.texts[i].text, known)
	}
	c.varyNames(splits)
	c.varyWords(splits)
	at := map[string]int{}
	merged := ks.texts[:0:0]
	for i := range splits {
		t := ks.texts[i]
		t.text = joined(&splits[i])
		if j, ok := at[t.text]; ok {
			merged[j].count += t.count
			merged[j].first.merge(&t.first, true)
			continue
		}
		at[t.text] = len(merged)
		merged = append(merged, t)
	}
	ks.texts = merged
}

// merge masks the words that vary between texts that are otherwise equal, and
// makes one kind of those that become equal.
func (c *Catalogue) merge() {
	known := c.identifiers()
	splits := make([]split, 0, c.live)
	for n, k := range c.kinds {
		if k.into >= 0 {
			continue
		}
		splits = append(splits, newSplit(int32(n), c.groupOf(&k.identity), k.text, known))
	}
	c.varyNames(splits)
	c.varyWords(splits)
	for i := range splits {
		c.unite(&splits[i])
	}
}

// identifiers returns the values of fields that look like names: where they
// stand in a text they are values there too.
func (c *Catalogue) identifiers() map[string]bool {
	known := map[string]bool{}
	for _, k := range c.kinds {
		if k.into >= 0 {
			continue
		}
		for i := range k.keys {
			if k.keys[i].types&(1<<String) == 0 {
				continue
			}
			for _, v := range k.keys[i].values {
				if len(v.text) >= 3 && len(v.text) <= maxWord && strings.ContainsAny(v.text, "-_./") &&
					!strings.ContainsAny(v.text, " \"'(){}<>,;=:") && classify([]byte(v.text)) == named {
					known[v.text] = true
				}
			}
		}
	}
	return known
}

// maskKnown masks a word that is a known identifier between punctuation.
func maskKnown(w string, known map[string]bool) string {
	from, to := leadingMarks([]byte(w)), len(w)
	for to > from && strings.IndexByte(`.,:;!?"')]}`, w[to-1]) >= 0 {
		to--
	}
	if known[w[from:to]] {
		return w[:from] + mask + w[to:]
	}
	return w
}

// varyNames marks names in a place where several stand.
func (c *Catalogue) varyNames(splits []split) {
	groups := map[uint64][]int{}
	for i := range splits {
		h := splits[i].group
		for j, w := range splits[i].words {
			if splits[i].class[j] == named {
				w = "\x00"
			}
			h = mix(h, maphash.String(c.seed, w))
		}
		groups[h] = append(groups[h], i)
	}
	for _, members := range groups {
		if len(members) < manyNames {
			continue
		}
		first := &splits[members[0]]
		for j := range first.words {
			if first.class[j] != named {
				continue
			}
			distinct := map[string]bool{}
			for _, m := range members {
				distinct[splits[m].words[j]] = true
			}
			if len(distinct) < manyNames {
				continue
			}
			for _, m := range members {
				splits[m].vary[j] = true
			}
		}
	}
}

// varyWords marks plain words in a place where very many stand, while all
// other words are the same.
func (c *Catalogue) varyWords(splits []split) {
	type place struct{ split, word int }
	groups := map[uint64][]place{}
	for i := range splits {
		s := &splits[i]
		for j := range s.words {
			if s.class[j] == plain {
				h := s.without(c.seed, j)
				groups[h] = append(groups[h], place{i, j})
			}
		}
	}
	for _, places := range groups {
		if len(places) < manyWords {
			continue
		}
		distinct := map[string]bool{}
		for _, p := range places {
			distinct[splits[p.split].words[p.word]] = true
		}
		if len(distinct) < manyWords {
			continue
		}
		for _, p := range places {
			splits[p.split].vary[p.word] = true
		}
	}
}

// without hashes all words but one; those that vary count as masks.
func (s *split) without(seed maphash.Seed, leave int) uint64 {
	h := mix(s.group, uint64(leave))
	for j, w := range s.words {
		if j == leave || s.vary[j] {
			w = "\x00"
		}
		h = mix(h, maphash.String(seed, w))
	}
	return h
}

// unite gives a kind its new text, and makes it part of the kind that has the
// same one.
func (c *Catalogue) unite(s *split) {
	k := c.kinds[s.number]
	words, generalised := joined(s), false
	for _, v := range s.vary {
		generalised = generalised || v
	}
	key := c.keyOf(&k.identity, words)
	other, ok := c.byKey[key]
	if ok && c.find(other) != s.number {
		into := c.find(other)
		c.kinds[into].absorb(k)
		k.into, k.keys, k.heads, k.places, k.first, k.last = into, nil, nil, nil, held{}, held{}
		c.live--
		return
	}
	k.text = words
	c.byKey[key] = s.number
	if generalised {
		h := mix(c.groupOf(&k.identity), uint64(strings.Count(words, " ")+1))
		c.generalised[h] = append(c.generalised[h], s.number)
	}
}

// joined returns the text with what varies masked.
func joined(s *split) string {
	t := template{}
	for j, w := range s.words {
		if len(t.out) > 0 {
			t.out = append(t.out, ' ')
		}
		if !s.vary[j] && !strings.HasPrefix(w, mask) {
			t.out = append(t.out, w...)
			continue
		}
		t.mask()
		if s.vary[j] {
			t.out = append(t.out, w[len(w)-closing(w):]...)
		} else {
			t.out = append(t.out, w[len(mask):]...)
		}
	}
	return string(t.out)
}

// closing returns the length of the punctuation that parts a word from the
// next.
func closing(w string) int {
	n := 0
	for n < len(w) && strings.IndexByte(".,:;!?", w[len(w)-1-n]) >= 0 {
		n++
	}
	return n
}

// match finds a kind whose text, with the words that were found to vary, fits
// one that comes later.
func (c *Catalogue) match(id *identity, text string) (int32, bool) {
	if len(c.generalised) == 0 {
		return 0, false
	}
	words := strings.Split(text, " ")
	for _, n := range c.generalised[mix(c.groupOf(id), uint64(len(words)))] {
		n = c.find(n)
		if fits(strings.Split(c.kinds[n].text, " "), words) {
			return n, true
		}
	}
	return 0, false
}

func fits(template, words []string) bool {
	if len(template) != len(words) {
		return false
	}
	for i, w := range template {
		if w == words[i] {
			continue
		}
		bare, is := strings.CutPrefix(w, mask)
		if !is || closing(bare) != len(bare) || classify([]byte(words[i])) == fixed || !strings.HasSuffix(words[i], bare) {
			return false
		}
	}
	return true
}
