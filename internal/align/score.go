package align

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/contrary"
)

// What evidence weighs. Wording can give four points; what surrounds it gives
// six at most, so that two messages of one place with the same keys, values and
// counts can be one without a word in common, but only if all of it agrees.
const (
	wordPoints     = 4.0
	functionPoints = 1.2
	filePoints     = 0.9 // the same file name in another folder
	loggerPoints   = 0.8
	keyPoints      = 1.5
	valuePoints    = 1.2
	countPoints    = 0.6
	levelPoints    = 0.3
	apart          = -0.6 // another function, another logger
	denied         = -3.0 // the wording says the opposite
)

// What is asked of a pair, by how much of the wording agrees, and how far
// ahead of any other pair of either it must be.
const (
	mostWords              = 0.65 // from here on counts need not agree
	likeWords, likeScore   = 0.5, 3.6
	someWords, someScore   = 0.25, 4.4
	otherScore             = 4.4
	likeMargin, someMargin = 0.5, 0.8
	likeCounts             = 0.5
	otherKeys, otherCounts = 0.75, 0.6
	// Equal counts of fewer records may be chance.
	manyRecords = 20
)

// A weighing compares kinds of two builds by how rare what they share is.
type weighing struct {
	kinds               float64
	words, keys, values map[string]int // number of kinds that hold it
	// places are functions of the candidate by those of the deployed build that
	// messages with the same words moved from.
	places map[[2]string]bool
	// neighbours are the kinds of a logger, or a function, of both builds.
	neighbours map[place]*neighbourhood
}

// A place is a logger or a function.
type place struct{ logger, function string }

type neighbourhood struct {
	kinds int
	words map[string]int // number of kinds that hold it
}

// fewNeighbours are too few to tell what they have in common.
const fewNeighbours = 4

func placesOf(k *Kind) []place {
	var out []place
	if k.Logger != "" {
		out = append(out, place{logger: k.Logger})
	}
	if k.Function != "" {
		out = append(out, place{function: k.Function})
	}
	return out
}

func newWeighing(sides ...[]*Kind) *weighing {
	w := &weighing{words: map[string]int{}, keys: map[string]int{}, values: map[string]int{}, places: map[[2]string]bool{}, neighbours: map[place]*neighbourhood{}}
	add := func(k *Kind) {
		w.kinds++
		countOnce(w.words, k.words)
		countOnce(w.keys, k.keys)
		countOnce(w.values, k.values)
	}
	for _, side := range sides {
		for _, k := range side {
			add(k)
			for _, p := range placesOf(k) {
				n := w.neighbours[p]
				if n == nil {
					n = &neighbourhood{words: map[string]int{}}
					w.neighbours[p] = n
				}
				n.kinds++
				countOnce(n.words, k.words)
			}
			for _, s := range k.said {
				add(s)
			}
		}
	}
	return w
}

func countOnce(in map[string]int, list []string) {
	for i, s := range list {
		if !slices.Contains(list[:i], s) {
			in[s]++
		}
	}
}

func (w *weighing) rarity(in map[string]int, s string) float64 {
	return math.Log(1 + w.kinds/float64(max(in[s], 1)))
}

func (w *weighing) word(s string) float64 {
	r := w.rarity(w.words, s)
	if little[s] {
		return 0.2 * r
	}
	return r
}

// among returns what words weigh between two kinds. Where they have one logger
// or function, a word that its other kinds have too says little: that place is
// about nothing else.
func (w *weighing) among(d, c *Kind) func(string) float64 {
	var shared []*neighbourhood
	for _, p := range placesOf(d) {
		if slices.Contains(placesOf(c), p) && w.neighbours[p] != nil && w.neighbours[p].kinds-2 >= fewNeighbours {
			shared = append(shared, w.neighbours[p])
		}
	}
	return func(s string) float64 {
		weight := w.word(s)
		for _, n := range shared {
			others, with := n.kinds-2, n.words[s]
			for _, k := range []*Kind{d, c} {
				if k.Field == "" && slices.Contains(k.words, s) {
					with--
				}
			}
			if with > 0 {
				weight = min(weight, math.Log(1+float64(others)/float64(with)))
			}
		}
		return weight
	}
}

// A likeness is the evidence for and against two kinds being one message.
type likeness struct {
	words, keys, values, counts float64 // 0 to 1
	function, logger            float64 // points
	level                       bool    // the same
	opposed                     bool
	// unique says that a key or value is shared that no other kind has.
	unique bool
	// exact says that they were written equally often, many times, at one level,
	// with the same fields and the same telling values in them.
	exact bool
	score float64
}

func (w *weighing) compare(d, c *Kind) likeness {
	l := likeness{
		words: w.wording(d.words, c.words, w.among(d, c)), keys: w.dice(w.keys, d.keys, c.keys),
		values: w.overlap(d.values, c.values), counts: sameCounts(d, c),
		function: samePlace(d.Function, c.Function, functionPoints, filePoints),
		logger:   samePlace(d.Logger, c.Logger, loggerPoints, 0),
		level:    d.Level == c.Level,
	}
	if sameTokens(d.tokens, c.tokens) {
		l.words = 1
	}
	if l.function < 0 && w.places[[2]string{d.Function, c.Function}] {
		l.function = functionPoints
	}
	if d.Function == "" && c.Function == "" && d.Logger == "" && c.Logger == "" {
		// Nobody says who wrote it; the stream at least tells the process.
		l.function = streamPoints(d, c)
	}
	l.opposed = l.words < 1 && contrary.Opposed(d.words, c.words)
	l.unique = w.sharesUnique(w.keys, d.keys, c.keys) || w.sharesUnique(w.values, d.values, c.values)
	l.exact = l.level && d.Verbosity == c.Verbosity && l.counts == 1 && min(d.Count, c.Count) >= manyRecords &&
		slices.Equal(d.keys, c.keys) && slices.Equal(d.values, c.values) && len(d.values) > 0
	l.score = wordPoints*l.words + l.function + l.logger + keyPoints*l.keys + valuePoints*l.values + countPoints*l.counts
	if l.level {
		l.score += levelPoints
	}
	if l.opposed {
		l.score += denied
	}
	return l
}

// streamPoints compares the streams in which two kinds were first seen.
func streamPoints(d, c *Kind) float64 {
	if d.First.Stream.String() == c.First.Stream.String() {
		return filePoints
	}
	return apart
}

// sure reports whether the evidence alone is enough, and by how much the pair
// must be ahead of others.
func (l *likeness) sure() (margin float64, ok bool) {
	switch {
	case l.opposed:
		return 0, false
	case l.words == 1:
		// The same words: anything else that agrees will do.
		return likeMargin, l.function > 0 || l.logger > 0 || l.keys >= 0.3 || l.values >= 0.3
	case l.words >= likeWords && (l.words >= mostWords || l.counts >= likeCounts):
		return likeMargin, l.score >= likeScore && (l.function > 0 || l.logger > 0 || l.keys >= 0.5)
	case l.words >= someWords:
		return someMargin, l.score >= someScore && l.counts >= likeCounts
	}
	return someMargin, l.score >= otherScore && l.function > 0 && l.logger >= 0 &&
		l.keys >= otherKeys && l.counts >= otherCounts && (l.unique || l.exact)
}

// wording compares two texts by their words: the weight of the words in both
// against the mean weight of each. Words with a long common beginning, such as
// reserved and reservation, agree by half.
func (w *weighing) wording(a, b []string, weight func(string) float64) float64 {
	var both, all float64
	used := make([]bool, len(b))
	for _, x := range a {
		all += weight(x)
		best, at := 0.0, -1
		for i, y := range b {
			if used[i] {
				continue
			}
			if like := sameWord(x, y); like > best {
				best, at = like, i
			}
		}
		if at >= 0 {
			used[at] = true
			both += best * (weight(x) + weight(b[at])) / 2
		}
	}
	for _, y := range b {
		all += weight(y)
	}
	if all == 0 {
		return 0
	}
	return min(2*both/all, 1)
}

func sameWord(a, b string) float64 {
	if a == b {
		return 1
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	if n >= 5 && 10*n >= 6*max(len(a), len(b)) {
		return 0.5
	}
	return 0
}

// dice is the weight of what two lists share against their mean weight. Of two
// empty lists it is one half: nothing speaks against it.
func (w *weighing) dice(in map[string]int, a, b []string) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 0.5
	}
	var both, all float64
	for _, s := range a {
		r := w.rarity(in, s)
		all += r
		if slices.Contains(b, s) {
			both += r
		}
	}
	for _, s := range b {
		all += w.rarity(in, s)
	}
	return 2 * both / all
}

// overlap is the weight of the values that two kinds share against that of the
// one with fewer: lists of values are cut.
func (w *weighing) overlap(a, b []string) float64 {
	var both, wa, wb float64
	for _, s := range a {
		r := w.rarity(w.values, s)
		wa += r
		if _, ok := slices.BinarySearch(b, s); ok {
			both += r
		}
	}
	for _, s := range b {
		wb += w.rarity(w.values, s)
	}
	if least := min(wa, wb); least > 0 {
		return both / least
	}
	return 0
}

// sharesUnique reports whether two kinds share what no others have.
func (w *weighing) sharesUnique(in map[string]int, a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return in[s] == 2 && slices.Contains(b, s) })
}

// samePlace compares functions or loggers. One that is not known says nothing.
func samePlace(a, b string, same, like float64) float64 {
	switch {
	case a == "" || b == "":
		return 0
	case a == b:
		return same
	case like > 0 && path.Base(a) == path.Base(b):
		return like
	case like == 0 && bare(a) == bare(b):
		return same
	}
	return apart
}

// bare returns a name without what separates its words.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r == '/' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// sameCounts compares how often two kinds were written, by scenario: 1 for
// equal counts, the mean of the smaller over the larger else.
func sameCounts(d, c *Kind) float64 {
	deployed, candidate := perRun(d), perRun(c)
	var sum float64
	n := 0
	for s, x := range deployed {
		y := candidate[s]
		sum += min(x, y) / max(x, y)
		n++
	}
	for s := range candidate {
		if _, ok := deployed[s]; !ok {
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// perRun returns the mean number of records in the runs of a scenario that
// have the kind.
func perRun(k *Kind) map[string]float64 {
	out, runs := map[string]float64{}, map[string]float64{}
	for _, c := range k.Counts {
		out[c.Scenario] += float64(c.Records)
		runs[c.Scenario]++
	}
	for s := range out {
		out[s] /= runs[s]
	}
	return out
}
