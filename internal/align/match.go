package align

import (
	"cmp"
	"slices"
)

// maxLoose bounds the kinds of each build that are compared with all of the
// other; the rarest are left out.
const maxLoose = 300

// A pair is kinds of both builds that are one message.
type pair struct {
	deployed, candidate []*Kind
	like                likeness
	split               bool // several on one side as the message was split or merged
}

// A matching is the state of the search for pairs.
type matching struct {
	*weighing
	pairs               []*pair
	deployed, candidate []*Kind // without partner
	skipped             int     // kinds that were too many to look at
	// renamed are the fields with sentences, by name on each build, that have
	// another name in a message of both.
	renamed map[[2]string]bool
}

// match pairs the kinds of two builds.
func match(deployed, candidate []*Kind) *matching {
	m := &matching{weighing: newWeighing(deployed, candidate), deployed: deployed, candidate: candidate, renamed: map[[2]string]bool{}}
	m.equal()
	m.patterns()
	m.sameText()
	m.loosen()
	m.best(true)
	m.learn()
	m.splits()
	m.best(false)
	return m
}

// learn notes where messages with the same words moved from and to: what else
// was written there may have moved as well.
func (m *matching) learn() {
	for _, p := range m.pairs {
		d, c := p.deployed[0], p.candidate[0]
		if p.like.words == 1 && d.Function != c.Function && d.Function != "" && c.Function != "" {
			m.places[[2]string{d.Function, c.Function}] = true
		}
	}
}

// equal pairs kinds that agree in all but what masks hide and in keys and
// encoding.
func (m *matching) equal() {
	m.each(func(d, c *Kind) bool {
		return d.Logger == c.Logger && d.Function == c.Function && d.Level == c.Level && d.Verbosity == c.Verbosity
	})
}

// each pairs kinds with the same text for which ok holds, in order.
func (m *matching) each(ok func(d, c *Kind) bool) {
	byFirst := map[string][]*Kind{}
	for _, c := range m.candidate {
		byFirst[first(c)] = append(byFirst[first(c)], c)
	}
	taken := map[*Kind]bool{}
	for _, d := range m.deployed {
		lists := [][]*Kind{byFirst[first(d)], byFirst[mask]}
		if first(d) == mask {
			lists = [][]*Kind{m.candidate}
		}
		m.take(d, lists, ok, taken)
	}
	m.drop(taken)
}

// take pairs d with the first kind of the lists that has the same text and
// for which ok holds; equal texts come before those that masks make equal.
func (m *matching) take(d *Kind, lists [][]*Kind, ok func(d, c *Kind) bool, taken map[*Kind]bool) {
	for _, same := range []func(a, b []string) bool{slices.Equal[[]string], sameTokens} {
		for _, list := range lists {
			for _, c := range list {
				if !taken[c] && ok(d, c) && same(d.tokens, c.tokens) {
					taken[c], taken[d] = true, true
					m.pairs = append(m.pairs, &pair{deployed: []*Kind{d}, candidate: []*Kind{c}, like: m.compare(d, c)})
					return
				}
			}
		}
	}
}

func first(k *Kind) string {
	if len(k.tokens) == 0 {
		return mask
	}
	return k.tokens[0]
}

func (m *matching) drop(taken map[*Kind]bool) {
	gone := func(k *Kind) bool { return taken[k] }
	m.deployed = slices.DeleteFunc(slices.Clone(m.deployed), gone)
	m.candidate = slices.DeleteFunc(slices.Clone(m.candidate), gone)
}

// sameText pairs kinds with the same text of which logger, function or level
// changed: first those that differ in least. Then kinds that are left join a
// pair with their text and function, if they are told apart from it only by a
// logger that one build does not name.
func (m *matching) sameText() {
	sameFunction := func(d, c *Kind) bool { return samePlace(d.Function, c.Function, 1, 0.5) >= 0 }
	sameLogger := func(d, c *Kind) bool { return samePlace(d.Logger, c.Logger, 1, 0) >= 0 }
	m.each(func(d, c *Kind) bool {
		return d.Logger == c.Logger && sameFunction(d, c) && d.Level == c.Level && d.Verbosity == c.Verbosity
	})
	m.each(func(d, c *Kind) bool { return sameLogger(d, c) && sameFunction(d, c) && d.Level == c.Level })
	m.each(func(d, c *Kind) bool { return d.Logger == c.Logger && sameFunction(d, c) })
	m.each(func(d, c *Kind) bool { return sameLogger(d, c) && sameFunction(d, c) })
	m.each(func(d, c *Kind) bool { return d.Logger != "" && d.Logger == c.Logger && d.Level == c.Level })
	m.join(func(k, own, other *Kind) bool {
		return (other.Logger == "" || k.Logger == "") && own.Logger != k.Logger && samePlace(other.Function, k.Function, 1, 0.5) >= 0 &&
			other.Level == k.Level && other.Verbosity == k.Verbosity && sameTokens(other.tokens, k.tokens)
	})
}

// patterns adds kinds without partner to the pair that has their place and a
// text with masks which theirs fits: what varies was seen to vary on one build
// only.
func (m *matching) patterns() {
	m.join(func(k, _, other *Kind) bool {
		return other.Logger == k.Logger && other.Function == k.Function && other.Level == k.Level && other.Verbosity == k.Verbosity &&
			fits(other.tokens, k.tokens)
	})
}

// join adds kinds without partner to the first pair for which fit holds, given
// the kind and the first kind of the pair on its own build and on the other.
func (m *matching) join(fit func(k, own, other *Kind) bool) {
	taken := map[*Kind]bool{}
	for _, p := range m.pairs {
		for _, c := range m.candidate {
			if !taken[c] && fit(c, p.candidate[0], p.deployed[0]) {
				p.candidate, taken[c] = append(p.candidate, c), true
			}
		}
		for _, d := range m.deployed {
			if !taken[d] && fit(d, p.deployed[0], p.candidate[0]) {
				p.deployed, taken[d] = append(p.deployed, d), true
			}
		}
	}
	m.drop(taken)
}

// loosen adds the sentences that fields hold to the kinds without partner:
// those of which the other build's partner does not hold the same.
func (m *matching) loosen() {
	for _, p := range m.pairs {
		m.renames(p)
		m.deployed = append(m.deployed, news(p.deployed, p.candidate, m.sameField)...)
		m.candidate = append(m.candidate, news(p.candidate, p.deployed, func(c, d string) bool { return m.sameField(d, c) })...)
	}
	for _, side := range []*[]*Kind{&m.deployed, &m.candidate} {
		others := m.candidate
		if side == &m.candidate {
			others = m.deployed
		}
		for _, k := range slices.Clone(*side) {
			if k.Field == "" {
				k.sayValues(others)
				*side = append(*side, k.said...)
			}
		}
		if n := len(*side) - maxLoose; n > 0 {
			m.skipped += n
			slices.SortStableFunc(*side, func(a, b *Kind) int { return -cmp.Compare(a.Count, b.Count) })
			*side = (*side)[:maxLoose]
		}
		slices.SortFunc(*side, func(a, b *Kind) int { return cmp.Compare(a.identity(), b.identity()) })
	}
}

// renames notes the fields of a pair that hold sentences under another name.
func (m *matching) renames(p *pair) {
	says := func(k *Kind) bool { return len(k.said) > 0 }
	if !slices.ContainsFunc(p.deployed, says) || !slices.ContainsFunc(p.candidate, says) {
		return
	}
	for _, f := range compareFields(p.deployed, p.candidate) {
		if f.Class == FieldRenamed {
			m.renamed[[2]string{f.Name, f.To}] = true
		}
	}
}

// sameField reports whether a field of the deployed build is one of the
// candidate.
func (m *matching) sameField(d, c string) bool { return d == c || m.renamed[[2]string{d, c}] }

// sayValues takes values of a field for what a kind says if they are the texts
// of messages of the other build that have no partner: a text of one word is no
// sentence, but may have moved to a field as one.
func (k *Kind) sayValues(others []*Kind) {
	for i := range k.Keys {
		key := &k.Keys[i]
		if len(key.Texts) > 0 {
			continue
		}
		for _, v := range key.Values {
			o := slices.IndexFunc(others, func(o *Kind) bool { return o.Field == "" && o.Text == v && len(o.words) > 0 })
			if o < 0 || slices.ContainsFunc(k.said, func(s *Kind) bool { return s.Field == key.Name && s.Said == v }) {
				continue
			}
			s := *k
			s.Field, s.Said, s.said, s.tokens, s.words = key.Name, v, nil, tokens(v), wordsOf(v)
			k.said = append(k.said, &s)
		}
	}
}

// news returns the sentences of kinds that the others do not hold in the same
// field, as same tells.
func news(of, others []*Kind, same func(own, other string) bool) []*Kind {
	var out []*Kind
	for _, k := range of {
		for _, s := range k.said {
			if !slices.ContainsFunc(others, func(o *Kind) bool {
				return slices.ContainsFunc(o.said, func(t *Kind) bool { return same(s.Field, t.Field) && sameTokens(t.tokens, s.tokens) })
			}) {
				out = append(out, s)
			}
		}
	}
	return out
}

// A link is one candidate for a pair.
type link struct {
	d, c int
	like likeness
}

// best pairs kinds as long as there is a pair that is sure and well ahead of
// all others of its two kinds; with equal set only pairs with the same words.
func (m *matching) best(equal bool) {
	var links []link
	for d := range m.deployed {
		for c := range m.candidate {
			if !pairable(m.deployed[d], m.candidate[c]) {
				continue
			}
			if l := m.compare(m.deployed[d], m.candidate[c]); l.score > 0 && (!equal || l.words == 1) {
				links = append(links, link{d, c, l})
			}
		}
	}
	slices.SortStableFunc(links, func(a, b link) int { return -cmp.Compare(a.like.score, b.like.score) })
	ofD, ofC := make([][]int, len(m.deployed)), make([][]int, len(m.candidate))
	for i, l := range links {
		ofD[l.d], ofC[l.c] = append(ofD[l.d], i), append(ofC[l.c], i)
	}
	gone, taken := make([]bool, len(links)), map[*Kind]bool{}
	for again := true; again; {
		again = false
		for i, l := range links {
			margin, ok := l.like.sure()
			if gone[i] || !ok || rival(links, gone, ofD[l.d], i, margin) || rival(links, gone, ofC[l.c], i, margin) {
				continue
			}
			again = true
			for _, j := range slices.Concat(ofD[l.d], ofC[l.c]) {
				gone[j] = true
			}
			d, c := m.deployed[l.d], m.candidate[l.c]
			taken[d], taken[c] = true, true
			m.pairs = append(m.pairs, &pair{deployed: []*Kind{d}, candidate: []*Kind{c}, like: l.like})
		}
	}
	m.drop(taken)
}

// pairable reports whether two kinds may be one at all: sentences of fields of
// both builds are paired only within one field or one message.
func pairable(d, c *Kind) bool {
	return d.Field == "" || c.Field == "" || d.Field == c.Field || sameTokens(tokens(d.Text), tokens(c.Text))
}

// rival reports whether another of the links of one kind, the best first, is
// as good as link i, or less than the margin behind.
func rival(links []link, gone []bool, of []int, i int, margin float64) bool {
	l := &links[i].like
	for _, j := range of {
		if j == i || gone[j] {
			continue
		}
		o := &links[j].like
		if o.score <= l.score-margin {
			return false
		}
		if l.words == 1 && o.words < 1 {
			continue // the same words beat all else
		}
		return true
	}
	return false
}
