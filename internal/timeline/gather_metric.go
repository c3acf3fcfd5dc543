package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// Metrics returns the metrics that the milestones need, each once.
func Metrics(m *profile.Milestones) []*profile.MetricSource {
	if m == nil {
		return nil
	}
	var out []*profile.MetricSource
	seen := map[string]bool{}
	everyEvidence(m, func(e *profile.Evidence) {
		if e.Metric != nil && !seen[e.Metric.Key()] {
			seen[e.Metric.Key()] = true
			out = append(out, e.Metric)
		}
	})
	return out
}

// metrics finds when series passed a value: between two scrapes.
func (g *gatherer) metrics(s *source) {
	marks := g.metricMarks(s.e.Metric.Key())
	switch {
	case g.run.Scrapes.Count == 0:
		s.none = "no metrics were recorded"
		return
	case marks == nil:
		s.none = "no metrics were read"
		return
	case marks.Series == 0:
		s.none = "no series of " + short(s.e.Metric.Name) + " was scraped"
		return
	}
	if marks.Cut > 0 {
		g.note("series of %s pass the value of a milestone more often than is kept; %d times, from %s on, were not looked at", short(s.e.Metric.Name), marks.Cut, clock(marks.CutAt))
		s.gaps = append(s.gaps, gap{g.end, "series pass the value more often than is kept: what they did from " + clock(marks.CutAt) + " on was not looked at"})
	}
	for i := range marks.Marks {
		m := &marks.Marks[i]
		if !g.streamOf(s.e.Cluster, m.Labels) {
			continue
		}
		h := hit{at: m.Time, work: g.ofSeries(s.e.Metric, m.Labels), clock: "scrapes", line: seriesText(s.e.Metric.Name, m)}
		if cluster := m.Labels.Get("cluster"); cluster != "" {
			h.clock += " of " + short(cluster)
		}
		since := m.Since
		if since == 0 { // when scraping began it was so already
			since = min(g.start, m.Time)
		}
		h.res = max(ofRecord, time.Duration(m.Time-since))
		s.add(h)
	}
}

func (g *gatherer) metricMarks(key string) *outcome.MetricMarks {
	i := slices.IndexFunc(g.run.MetricMarks, func(m outcome.MetricMarks) bool { return m.Key == key })
	if i < 0 {
		return nil
	}
	return &g.run.MetricMarks[i]
}

// ofSeries returns the work that a series is of, by the labels that name it.
func (g *gatherer) ofSeries(m *profile.MetricSource, ls logs.Labels) int {
	var all strings.Builder
	for _, l := range ls {
		fmt.Fprintf(&all, "%s=%s ", l.Name, l.Value)
	}
	if len(m.Labels) == 0 {
		return g.index.find(all.String(), "")
	}
	for _, name := range m.Labels {
		if w := g.index.find(ls.Get(name), all.String()); w >= 0 {
			return w
		}
	}
	return -1
}

// seriesText shows a series that passed a value.
func seriesText(name string, m *outcome.MetricMark) string {
	text := make([]string, len(m.Labels))
	for i, l := range m.Labels {
		text[i] = fmt.Sprintf("%s=%q", l.Name, l.Value)
	}
	return short(fmt.Sprintf("metric %s{%s} is %g", name, strings.Join(text, ","), m.Value))
}
