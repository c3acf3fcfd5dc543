package replay

import (
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/stillfires/stillfires/rules"
)

// A promOrder says in which order PromQL rules are evaluated: a rule whose
// series another one reads comes before it.
type promOrder struct {
	rules []int // PromQL rules that can be evaluated
	// reads holds, by rule, the rules that it reads by name.
	reads [][]int
	// feeds says, by rule, whether some PromQL rule may read its series.
	feeds []bool
	// outside says, by rule, whether it may read series that no rule yields.
	outside []bool
}

// A producer is a rule as a source of series: the labels that all of them are
// known to have.
type producer struct {
	rule  int
	fixed map[string]string
}

// The series that an alert writes about itself.
const (
	seriesAlerts      = "ALERTS"
	seriesAlertsSince = "ALERTS_FOR_STATE"
)

// producers returns the series that rules yield, by name.
func producers(rs []planned) map[string][]producer {
	out := map[string][]producer{}
	for i := range rs {
		r := rs[i].rule
		fixed := map[string]string{}
		for name, value := range r.Labels {
			if r.Kind == rules.Recording || !strings.Contains(value, "{{") {
				fixed[name] = value
			}
		}
		switch r.Kind {
		case rules.Recording:
			out[r.Name] = append(out[r.Name], producer{i, fixed})
		case rules.Alert:
			if r.Grafana != nil {
				continue // it writes no series about itself
			}
			fixed[labels.AlertName] = r.Name
			for _, name := range []string{seriesAlerts, seriesAlertsSince} {
				out[name] = append(out[name], producer{i, fixed})
			}
		}
	}
	return out
}

// mayMatch reports whether a series of p, called name, can be one that the
// matchers select.
func (p *producer) mayMatch(name string, matchers []*labels.Matcher) bool {
	for _, m := range matchers {
		value, known := p.fixed[m.Name]
		if m.Name == model.MetricNameLabel {
			value, known = name, true
		}
		if known && !m.Matches(value) {
			return false
		}
	}
	return true
}

// newPromOrder orders the PromQL rules. Rules that read one another in a
// circle get a reason for which they are not evaluated.
func newPromOrder(rs []planned) promOrder {
	o := promOrder{reads: make([][]int, len(rs)), feeds: make([]bool, len(rs)), outside: make([]bool, len(rs))}
	made := producers(rs)
	// soft are rules that may be read, but not by their name.
	soft := make([][]int, len(rs))
	for i := range rs {
		if rs[i].prom == nil {
			continue
		}
		o.outside[i] = rs[i].prom.anySeries
		for _, s := range rs[i].prom.selectors {
			name := metricName(s.LabelMatchers)
			if name == "" {
				soft[i] = append(soft[i], anyName(made, s.LabelMatchers)...)
				o.outside[i] = true
				continue
			}
			found := matching(made[name], name, s.LabelMatchers)
			o.outside[i] = o.outside[i] || len(found) == 0
			o.reads[i] = append(o.reads[i], found...)
		}
		if rs[i].prom.anySeries {
			soft[i] = append(soft[i], anyName(made, nil)...)
		}
		o.reads[i], soft[i] = sorted(o.reads[i]), sorted(soft[i])
		for _, j := range slices.Concat(o.reads[i], soft[i]) {
			o.feeds[j] = true
		}
	}
	w := &orderWalk{rs: rs, order: &o, soft: soft, state: make([]visit, len(rs))}
	for i := range rs {
		w.visit(i)
	}
	return o
}

func sorted(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}

func matching(made []producer, name string, matchers []*labels.Matcher) []int {
	var out []int
	for i := range made {
		if made[i].mayMatch(name, matchers) {
			out = append(out, made[i].rule)
		}
	}
	return out
}

// anyName returns the rules that a selector may read which names no metric.
func anyName(made map[string][]producer, matchers []*labels.Matcher) []int {
	var out []int
	for name, list := range made { // the result is sorted later
		out = append(out, matching(list, name, matchers)...)
	}
	return out
}

type visit int

const (
	unseen visit = iota
	onPath
	done
)

// An orderWalk visits rules depth first, those that a rule reads before it.
type orderWalk struct {
	rs    []planned
	order *promOrder
	soft  [][]int
	state []visit
	path  []int
}

func (w *orderWalk) visit(i int) {
	if w.state[i] != unseen {
		return
	}
	w.state[i] = onPath
	w.path = append(w.path, i)
	for _, j := range w.order.reads[i] {
		if w.state[j] == onPath {
			w.circle(j)
			continue
		}
		w.visit(j)
	}
	for _, j := range w.soft[i] {
		w.visit(j) // one on the path is read as it was an evaluation before
	}
	w.path = w.path[:len(w.path)-1]
	w.state[i] = done
	if w.rs[i].prom != nil {
		w.order.rules = append(w.order.rules, i)
	}
}

// circle refuses the rules on the path from rule i on.
func (w *orderWalk) circle(i int) {
	path := w.path[slices.Index(w.path, i):]
	var names []string
	for _, j := range path {
		names = append(names, w.rs[j].rule.Name)
	}
	if len(names) > 5 {
		names = append(names[:5:5], "…")
	}
	reason := "the rule reads its own series"
	if len(path) > 1 {
		reason = "rules read one another's series in a circle: " + strings.Join(append(names, names[0]), " → ")
	}
	for _, j := range path {
		if w.rs[j].reason == "" {
			w.rs[j].reason = reason
		}
	}
}
