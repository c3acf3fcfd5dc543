package analyzer

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/prometheus/common/model"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/suggest"
)

// metricViews are the metrics of both builds, over all scenarios in which both
// were scraped. A metric, label or value that one build lacks in one scenario
// may come with the next; one that it lacks in all has gone.
type metricViews struct {
	deployed, candidate metricView
	scenarios           map[string]bool
	// queries holds what each rule needs, as the rules; readers holds the
	// rules that read a metric, by its name.
	queries []promQuery
	readers map[string][]int
}

// A metricView is the metrics of one build by name.
type metricView map[string]*seenMetric

type seenMetric struct {
	name, family string
	kind         string // its type; empty: not known, or not always the same
	labels       map[string]*seenLabel
}

type seenLabel struct {
	values map[string]bool
	cut    bool // there are more
}

// views returns the metrics of both builds.
func (c *comparison) views() *metricViews {
	if c.metrics != nil {
		return c.metrics
	}
	v := &metricViews{deployed: metricView{}, candidate: metricView{}, scenarios: map[string]bool{}, readers: map[string][]int{}}
	for _, s := range c.in.Scenarios {
		if !scraped(c.deployed[s]) || !scraped(c.candidate[s]) {
			continue
		}
		v.scenarios[s] = true
		v.deployed.add(c.deployed[s])
		v.candidate.add(c.candidate[s])
	}
	for i := range c.in.Rules {
		q := promQueryOf(&c.in.Rules[i])
		v.queries = append(v.queries, q)
		for _, r := range q.reads {
			if list := v.readers[r.metric]; len(list) == 0 || list[len(list)-1] != i {
				v.readers[r.metric] = append(list, i)
			}
		}
	}
	c.metrics = v
	return v
}

// scraped reports whether all runs have metrics, and all of them are known.
func scraped(runs []*outcome.Run) bool {
	for _, r := range runs {
		if len(r.Metrics) == 0 || r.MetricsCut {
			return false
		}
	}
	return len(runs) > 0
}

func (v metricView) add(runs []*outcome.Run) {
	for _, r := range runs {
		for i := range r.Metrics {
			v.merge(&r.Metrics[i])
		}
	}
}

func (v metricView) merge(m *outcome.Metric) {
	s := v[m.Name]
	if s == nil {
		s = &seenMetric{name: m.Name, family: m.Family, kind: m.Type, labels: map[string]*seenLabel{}}
		v[m.Name] = s
	}
	if s.kind != m.Type {
		s.kind = ""
	}
	for _, l := range m.Labels {
		known := s.labels[l.Name]
		if known == nil {
			known = &seenLabel{values: map[string]bool{}}
			s.labels[l.Name] = known
		}
		known.cut = known.cut || l.Cut
		for _, value := range l.Values {
			known.values[value] = true
		}
	}
}

// names returns the names of the metrics, ordered.
func (v metricView) names() []string { return slices.Sorted(maps.Keys(v)) }

// has reports whether the runs of a half show a metric.
func (h *half) has(metric string) bool {
	return slices.ContainsFunc(h.runs, func(r *outcome.Run) bool { return find(r, metric) != nil })
}

func find(r *outcome.Run, metric string) *outcome.Metric {
	i, ok := slices.BinarySearchFunc(r.Metrics, metric, func(m outcome.Metric, name string) int { return strings.Compare(m.Name, name) })
	if !ok {
		return nil
	}
	return &r.Metrics[i]
}

// metricCell calls f for each metric that the rule reads, once, if both builds
// were scraped in the scenario. A metric that is only asked for its absence is
// left out.
func (c *cell) metricCell(f func(v *metricViews, q *promQuery, r *metricRead)) {
	v := c.cmp.views()
	if !v.scenarios[c.scenario] {
		return
	}
	q := &v.queries[c.index]
	seen := map[string]bool{}
	for i := range q.reads {
		if r := &q.reads[i]; !r.absence && !seen[r.metric] {
			seen[r.metric] = true
			f(v, q, r)
		}
	}
}

// placeOf returns where a selector of the rule stands.
func (c *cell) placeOf(r *metricRead) source.Position {
	if r.of == "" {
		return c.rule.Position(r.start)
	}
	return c.rule.Grafana.Node(r.of).Pos
}

// unread calls f for the metrics of the deployed build that no rule reads,
// ordered by family and name.
func (v *metricViews) unread(f func(m *seenMetric)) {
	var list []*seenMetric
	for _, name := range v.deployed.names() {
		if len(v.readers[name]) == 0 {
			list = append(list, v.deployed[name])
		}
	}
	slices.SortStableFunc(list, func(a, b *seenMetric) int { return strings.Compare(a.family, b.family) })
	for _, m := range list {
		f(m)
	}
}

// alsoReadBy names the other rules that read a metric.
func (c *cell) alsoReadBy(v *metricViews, metric string) string {
	const most = 5
	var names []string
	for _, i := range v.readers[metric] {
		if name := c.cmp.in.Rules[i].Name; i != c.index && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	more := ""
	if n := len(names) - most; n > 0 {
		names, more = names[:most], " and "+count(int64(n), "more", "more")
	}
	return "; also read by " + strings.Join(names, ", ") + more
}

// renamed returns what a name or value that has gone was probably changed to:
// the nearest that only the candidate has, by its letters or else by its words.
func renamed(name string, candidate, deployed []string) string {
	fresh := slices.DeleteFunc(slices.Clone(candidate), func(s string) bool { return slices.Contains(deployed, s) })
	if near := suggest.Nearest(name, fresh); near != "" {
		return near
	}
	words := nameWords(name)
	best, score := "", 0.0
	for _, s := range slices.Sorted(slices.Values(fresh)) {
		if like := wordLikeness(words, nameWords(s)); like > score {
			best, score = s, like
		}
	}
	return best
}

// nameWords returns the words of a name such as kueue_pending_workloads.
func nameWords(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	slices.Sort(words)
	return slices.Compact(words)
}

// wordLikeness is the share of words that two names have in common (Dice's
// coefficient), and 0 where that is too little: one name must be the other with
// words added, at most as many as it has, or four words in five agree.
func wordLikeness(a, b []string) float64 {
	shared := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			shared++
		}
	}
	if shared == 0 {
		return 0
	}
	like := 2 * float64(shared) / float64(len(a)+len(b))
	if least := min(len(a), len(b)); shared == least && like >= 2.0/3 || like >= 0.8 {
		return like
	}
	return 0
}

// whatBecameOf says what a value of a label probably was changed to: the
// nearest value that only the candidate has, or the few that are new.
func whatBecameOf(value string, d, n *seenLabel) string {
	deployed, candidate := slices.Sorted(maps.Keys(d.values)), slices.Sorted(maps.Keys(n.values))
	if near := renamed(value, candidate, deployed); near != "" {
		return "; nearest: " + strconv.Quote(short(near))
	}
	const most = 3
	var fresh []string
	for _, v := range candidate {
		if !d.values[v] {
			fresh = append(fresh, strconv.Quote(short(v)))
		}
	}
	if d.cut || len(fresh) == 0 || len(fresh) > most {
		return ""
	}
	return "; new there: " + strings.Join(fresh, ", ")
}

// unselected says why a rule selects no series on the build h: what the
// selector asks for that h never had, with the nearest that it has. The
// position is that of the selector; ok is false where all select something.
func (c *cell) unselected(h *half) (why string, at source.Position, ok bool) {
	o := h.outcome()
	if o == nil {
		return "", at, false
	}
	for _, s := range o.Selectors {
		if s.Series > 0 {
			continue
		}
		v := c.cmp.views()
		for i := range v.queries[c.index].reads {
			if r := &v.queries[c.index].reads[i]; r.is(&s) {
				return c.whyUnselected(v, r, h), c.placeOf(r), true
			}
		}
		return "no series was selected on " + h.role + " by " + short(s.Text), c.rule.Position(s.Start), true
	}
	return "", at, false
}

// is reports whether the selector is the one that a replay counted. Those of
// further queries of a Grafana alert have no place in the rule's expression.
func (r *metricRead) is(s *outcome.Selector) bool {
	if r.of != "" {
		return s.End == 0 && s.Text == r.text
	}
	return s.Start == r.start && s.End == r.end
}

// whyUnselected compares a selector with the metrics of the build h, in all
// scenarios, and of the other build.
func (c *cell) whyUnselected(v *metricViews, r *metricRead, h *half) string {
	here, there := v.candidate, v.deployed
	if h.role == "deployed" {
		here, there = there, here
	}
	m := here[r.metric]
	if m == nil {
		why := "the metric " + r.metric + " is not there on " + h.role
		if near := renamed(r.metric, here.names(), there.names()); near != "" {
			why += "; nearest: " + near
		}
		return why
	}
	for _, match := range r.matchers {
		l := m.labels[match.Name]
		if match.Name == model.MetricNameLabel || match.Matches("") {
			continue
		}
		if l == nil {
			return "no series of " + r.metric + " has the label " + match.Name + " on " + h.role
		}
		if l.cut || slices.ContainsFunc(slices.Collect(maps.Keys(l.values)), match.Matches) {
			continue
		}
		why := "no series of " + r.metric + " has " + match.String() + " on " + h.role
		if other := there[r.metric]; other != nil && other.labels[match.Name] != nil && len(literals(match)) == 1 {
			why += whatBecameOf(literals(match)[0], other.labels[match.Name], l)
		}
		return why
	}
	return "no series was selected on " + h.role + " by " + short(r.text)
}
