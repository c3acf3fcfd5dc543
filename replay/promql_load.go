package replay

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"

	"github.com/stillfires/stillfires/internal/metrics"
	"github.com/stillfires/stillfires/internal/outcome"
)

// Scrapes is a cursor over the scrapes of a run, in the order of their times.
// Scan goes to the next one and reports false at the end or on an error, which
// Err then returns. The scrape is valid until the next Scan.
type Scrapes interface {
	Scan() bool
	Scrape() *metrics.Scrape
	// Series and Target return the labels of a series, its name among them,
	// and of a target, by the numbers that scrapes have used.
	Series(int) labels.Labels
	Target(int) labels.Labels
	// Families returns what was said of the metrics so far.
	Families() []metrics.Family
	Err() error
}

// staleNaN is the value that ends a series.
var staleNaN = math.Float64frombits(value.StaleNaN)

// The series that Prometheus adds to those of a target.
const seriesUp = "up"

// A metricLoad takes the scrapes of a run into a store, and knows which series
// end. It keeps only series that a rule selects.
type metricLoad struct {
	plan      *Plan
	store     *metricStore
	catalogue *metricCatalogue
	stats     outcome.Scrapes

	stored  []int         // by number of the series: its place in the store; -1: none
	seen    []int64       // by number of the series: the scrape that had it last
	targets []*loadTarget // by number
}

type loadTarget struct {
	up   int   // its series up in the store; -1: no rule selects it
	live []int // series of its last scrape that are in the store
}

// loadMetrics reads all scrapes.
func (p *Plan) loadMetrics(ctx context.Context, in Scrapes, store *metricStore, marks *metricMarkRun) (*metricLoad, error) {
	l := &metricLoad{plan: p, store: store, catalogue: newMetricCatalogue()}
	for in.Scan() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		marks.add(in)
		if err := l.add(in); err != nil {
			return nil, err
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	l.stats.Stored, l.stats.Dropped = int64(store.samples), int64(store.dropped)
	return l, nil
}

// add takes one scrape.
func (l *metricLoad) add(in Scrapes) error {
	s := in.Scrape()
	l.stats.Count++
	if l.stats.Count == 1 {
		l.stats.First = s.Time * 1e6
	}
	l.stats.Last = s.Time * 1e6
	l.stats.Samples += int64(len(s.Samples))
	t, up := l.target(in, s.Target), 1.0
	if !s.Up {
		up = 0
		l.stats.Failed++
	}
	if t.up >= 0 {
		if err := l.store.append(t.up, s.Time, up); err != nil {
			return err
		}
	}
	before := t.live
	live := make([]int, 0, len(before))
	for _, x := range s.Samples {
		at := l.series(in, x.Series)
		l.seen[x.Series] = l.stats.Count
		if at < 0 {
			continue
		}
		live = append(live, x.Series)
		if err := l.store.append(at, x.Time, x.Value); err != nil {
			return err
		}
	}
	t.live = live
	return l.end(before, s.Time)
}

// end marks those series as ended that the scrape at hand lacks.
func (l *metricLoad) end(before []int, at int64) error {
	for _, n := range before {
		if l.seen[n] == l.stats.Count {
			continue
		}
		if err := l.store.end(l.stored[n], at); err != nil {
			return err
		}
	}
	return nil
}

// end ends a series at a time, or right after its last sample if that is later.
func (m *metricStore) end(series int, ms int64) error {
	s := m.series[series]
	n := len(s.times)
	if n == 0 || value.IsStaleNaN(s.values[n-1]) {
		return nil
	}
	return m.append(series, max(ms, s.times[n-1]+1), staleNaN)
}

// series returns where a scraped series is in the store, -1 if no rule selects
// it.
func (l *metricLoad) series(in Scrapes, n int) int {
	for len(l.stored) <= n {
		next := len(l.stored)
		ls := in.Series(next)
		l.catalogue.add(ls)
		l.stats.Series++
		at := -1
		if l.plan.wants(ls) {
			at = l.store.number(ls)
		}
		l.stored = append(l.stored, at)
		l.seen = append(l.seen, 0)
	}
	return l.stored[n]
}

func (l *metricLoad) target(in Scrapes, n int) *loadTarget {
	for len(l.targets) <= n {
		ls := labels.NewBuilder(in.Target(len(l.targets))).Set(model.MetricNameLabel, seriesUp).Labels()
		t := &loadTarget{up: -1}
		if l.plan.wants(ls) {
			t.up = l.store.number(ls)
		}
		l.targets = append(l.targets, t)
	}
	return l.targets[n]
}

// wants reports whether a rule may read a series.
func (p *Plan) wants(ls labels.Labels) bool {
	if p.wanted.any {
		return true
	}
	for _, matchers := range p.wanted.byName[ls.Get(model.MetricNameLabel)] {
		if matchesAll(ls, matchers) {
			return true
		}
	}
	for _, matchers := range p.wanted.nameless {
		if matchesAll(ls, matchers) {
			return true
		}
	}
	return false
}

// wanted holds the selectors of all PromQL rules.
type wanted struct {
	byName   map[string][][]*labels.Matcher
	nameless [][]*labels.Matcher
	any      bool
}

func newWanted(rs []planned) wanted {
	w := wanted{byName: map[string][][]*labels.Matcher{}}
	for i := range rs {
		if rs[i].prom == nil {
			continue
		}
		w.any = w.any || rs[i].prom.anySeries
		for _, s := range rs[i].prom.selectors {
			if name := metricName(s.LabelMatchers); name != "" {
				w.byName[name] = append(w.byName[name], s.LabelMatchers)
			} else {
				w.nameless = append(w.nameless, s.LabelMatchers)
			}
		}
	}
	return w
}

// checkScrapes refuses scrapes that lie too far apart.
func (p *Plan) checkScrapes(src *Source, span timeSpan) error {
	step := p.opt.Interval
	for _, i := range p.order.rules {
		step = min(step, p.rules[i].interval)
	}
	start, end := span.instants(step, 0)
	if n := float64(end)/float64(step) - float64(start)/float64(step); n > maxInstants {
		return fmt.Errorf("run %s/%s/%s: its scrapes lie between %s and %s, which is %.3g evaluations at intervals of %s and more than %d; is the time of a scrape wrong?",
			src.Build, src.Scenario, strconv.Itoa(src.Repetition), utc(span.first), utc(span.last), n, time.Duration(step), maxInstants)
	}
	return nil
}
