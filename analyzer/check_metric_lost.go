package analyzer

import "strings"

// metricLost: a metric of the deployed build is in no run of the candidate.
// For a rule that reads it that is a break, even where the rule happens to do
// what it must: it is blind.
var metricLost = check{
	ID:       "metric-lost",
	Doc:      "a metric of the deployed build is in no run of the candidate; `info` where no rule reads it",
	Severity: Break,
	cell: func(c *cell) []Finding {
		var out []Finding
		c.metricCell(func(v *metricViews, _ *promQuery, r *metricRead) {
			if v.candidate[r.metric] != nil || !c.deployed.has(r.metric) {
				return
			}
			out = append(out, Finding{
				Subject: r.metric, Pos: c.placeOf(r),
				Message: "reads the metric " + r.metric + ", which no run of the candidate has" +
					v.nearestMetric(r.metric) + c.alsoReadBy(v, r.metric),
			})
		})
		return out
	},
	runs: func(c *comparison) []Finding {
		v := c.views()
		return byFamily(v, func(m *seenMetric) bool { return v.candidate[m.name] == nil }, func(family string, names []string) Finding {
			said := "the metric " + family
			if len(names) > 1 {
				said = "the metrics of " + family + " (" + strings.Join(names, ", ") + ")"
			}
			return Finding{Message: said + ": in no run of the candidate" + v.nearestMetric(names[0]) + "; no rule reads it"}
		})
	},
}

// nearestMetric names what a metric was probably renamed to.
func (v *metricViews) nearestMetric(name string) string {
	near := renamed(name, v.candidate.names(), v.deployed.names())
	if near == "" {
		return ""
	}
	return "; nearest: " + near
}

// byFamily returns a finding of severity info for each family of metrics that
// no rule reads, of which some have changed.
func byFamily(v *metricViews, changed func(*seenMetric) bool, f func(family string, names []string) Finding) []Finding {
	var out []Finding
	family, names := "", []string(nil)
	flush := func() {
		if len(names) > 0 {
			found := f(family, names)
			found.Severity, found.Subject = Info, family
			out = append(out, found)
		}
		names = nil
	}
	v.unread(func(m *seenMetric) {
		if m.family != family {
			flush()
			family = m.family
		}
		if changed(m) {
			names = append(names, m.name)
		}
	})
	flush()
	return out
}
