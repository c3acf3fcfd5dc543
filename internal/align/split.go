package align

import (
	"slices"

	"github.com/stillfires/stillfires/internal/contrary"
)

// What a split asks for: that each part is like the whole, that the parts
// together say what it said, and that the counts fit.
const (
	partWords = 0.35 // wording of a part against the whole
	allWords  = 0.75 // weight of the words of the whole that some part has
	maxParts  = 5
	// A word that most kinds of a place have ties no two of them together.
	tellingWord = 1.0
	nearEqual   = 0.7 // smaller count over larger
)

// splits pairs a kind of one build with several of the other that say in parts
// what it said, or for different cases.
func (m *matching) splits() {
	m.splitOne(m.deployed, m.candidate, func(whole *Kind, parts []*Kind) *pair {
		return &pair{deployed: []*Kind{whole}, candidate: parts, split: true}
	})
	m.splitOne(m.candidate, m.deployed, func(whole *Kind, parts []*Kind) *pair {
		return &pair{deployed: parts, candidate: []*Kind{whole}, split: true}
	})
}

func (m *matching) splitOne(wholes, parts []*Kind, pairOf func(*Kind, []*Kind) *pair) {
	taken := map[*Kind]bool{}
	for _, whole := range wholes {
		if whole.Field != "" || len(whole.words) < 2 {
			continue
		}
		var like []*Kind
		for _, p := range parts {
			if !taken[p] && p.Field == "" && m.partOf(whole, p) && m.closest(whole, p, wholes) {
				like = append(like, p)
			}
		}
		if len(like) < 2 || !m.covers(whole, like) {
			like = m.sameData(whole, parts, wholes, taken)
		}
		if len(like) < 2 || len(like) > maxParts || !countsFit(whole, like) {
			continue
		}
		taken[whole] = true
		for _, p := range like {
			taken[p] = true
		}
		m.pairs = append(m.pairs, pairOf(whole, like))
	}
	m.drop(taken)
}

// sameData returns the parts that hold the fields and values of the whole, as
// often as it was written, and have a word of it: steps of what it told at
// once.
func (m *matching) sameData(whole *Kind, parts, wholes []*Kind, taken map[*Kind]bool) []*Kind {
	var out []*Kind
	for _, p := range parts {
		if taken[p] || p.Field != "" || len(whole.keys) == 0 || !m.closest(whole, p, wholes) {
			continue
		}
		l := m.compare(whole, p)
		weight := m.among(whole, p)
		common := slices.ContainsFunc(whole.words, func(w string) bool {
			return !little[w] && slices.Contains(p.words, w) && weight(w) >= tellingWord
		})
		if common && !l.opposed && l.function >= 0 && l.logger >= 0 && l.keys >= 0.9 && l.values >= 0.8 && l.counts >= 0.9 {
			out = append(out, p)
		}
	}
	return out
}

// closest reports whether no other whole is more like a part: else the part is
// that one in other words.
func (m *matching) closest(whole, part *Kind, wholes []*Kind) bool {
	own := m.wording(whole.words, part.words, m.among(whole, part))
	return !slices.ContainsFunc(wholes, func(o *Kind) bool {
		return o != whole && o.Field == "" && !contrary.Opposed(o.words, part.words) && m.wording(o.words, part.words, m.among(o, part)) > own
	})
}

// partOf reports whether p may be a part of a message: it is written in the
// same place and says part of the same.
func (m *matching) partOf(whole, p *Kind) bool {
	function, logger := samePlace(whole.Function, p.Function, 1, 0.5), samePlace(whole.Logger, p.Logger, 1, 0)
	if m.places[[2]string{whole.Function, p.Function}] || m.places[[2]string{p.Function, whole.Function}] {
		function = 1
	}
	if function < 0 || logger < 0 || function+logger == 0 && m.dice(m.keys, whole.keys, p.keys) < 0.5 {
		return false
	}
	if m.dice(m.keys, whole.keys, p.keys) < 0.3 || contrary.Opposed(whole.words, p.words) {
		return false
	}
	// More words of the part than not are words of the whole.
	var own, all float64
	weight := m.among(whole, p)
	for _, w := range p.words {
		all += weight(w)
		if slices.Contains(whole.words, w) {
			own += weight(w)
		}
	}
	// A message that named its case in the text, and has it in a field now, is
	// written in fewer words.
	general := function > 0 && !slices.ContainsFunc(whole.words, func(w string) bool { return !slices.Contains(p.words, w) })
	return all > 0 && (own/all >= 0.5 || general) && m.wording(whole.words, p.words, weight) >= partWords
}

// covers reports whether the parts have the words of the whole, each some that
// the others lack or for a case of its own.
func (m *matching) covers(whole *Kind, parts []*Kind) bool {
	var own, all float64
	for _, w := range whole.words {
		all += m.word(w)
		if slices.ContainsFunc(parts, func(p *Kind) bool { return slices.Contains(p.words, w) }) {
			own += m.word(w)
		}
	}
	return all > 0 && own/all >= allWords
}

// countsFit reports whether each part was written as often as the whole, or
// all parts together.
func countsFit(whole *Kind, parts []*Kind) bool {
	sum, each := &Kind{}, true
	for _, p := range parts {
		each = each && sameCounts(whole, p) >= nearEqual
		for _, c := range p.Counts {
			i := slices.IndexFunc(sum.Counts, func(o Count) bool { return o.Scenario == c.Scenario && o.Repetition == c.Repetition })
			if i < 0 {
				sum.Counts = append(sum.Counts, c)
				continue
			}
			sum.Counts[i].Records += c.Records
		}
	}
	return each || sameCounts(whole, sum) >= nearEqual
}
