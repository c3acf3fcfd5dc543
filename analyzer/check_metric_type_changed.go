package analyzer

// metricTypeChanged: a metric keeps its name and is something else. What rate()
// makes of a gauge, or a threshold of a counter, means nothing.
var metricTypeChanged = check{
	ID:       "metric-type-changed",
	Doc:      "a metric has another type on the candidate; `info` where no rule reads it",
	Severity: Warn,
	cell: func(c *cell) []Finding {
		var out []Finding
		c.metricCell(func(v *metricViews, _ *promQuery, r *metricRead) {
			d := v.deployed[r.metric]
			if d == nil || !v.retyped(d) || !c.deployed.has(r.metric) {
				return
			}
			out = append(out, Finding{
				Subject: r.metric, Pos: c.placeOf(r),
				Message: "reads the metric " + r.metric + ", " + v.types(d) + c.alsoReadBy(v, r.metric),
			})
		})
		return out
	},
	runs: func(c *comparison) []Finding {
		v := c.views()
		return byFamily(v, v.retyped, func(family string, names []string) Finding {
			return Finding{Message: "the metric " + family + " is " + v.types(v.deployed[names[0]]) + "; no rule reads it"}
		})
	},
}

// retyped reports whether both builds say the type of a metric, and not the
// same.
func (v *metricViews) retyped(d *seenMetric) bool {
	n := v.candidate[d.name]
	return n != nil && d.kind != "" && n.kind != "" && d.kind != n.kind
}

func (v *metricViews) types(d *seenMetric) string {
	return "a " + d.kind + " on deployed and a " + v.candidate[d.name].kind + " on candidate"
}
