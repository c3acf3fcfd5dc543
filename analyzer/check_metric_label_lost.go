package analyzer

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/common/model"
)

// metricLabelLost: a metric is still there, but a label that the rule names has
// gone from all its series, or a value that the rule asks for.
var metricLabelLost = check{
	ID:       "metric-label-lost",
	Doc:      "a label of a metric, or a label's value that a rule asks for, is on no series of the candidate; `info` where no rule names it",
	Severity: Warn,
	cell: func(c *cell) []Finding {
		var out []Finding
		v := c.cmp.views()
		if !v.scenarios[c.scenario] {
			return nil
		}
		q, seen := &v.queries[c.index], map[string]bool{}
		for i := range q.reads {
			for _, f := range c.labelsLost(v, q, &q.reads[i]) {
				if !seen[f.Subject] {
					seen[f.Subject] = true
					out = append(out, f)
				}
			}
		}
		return out
	},
	runs: func(c *comparison) []Finding {
		v := c.views()
		var out []Finding
		said := map[string]bool{}
		for _, name := range v.deployed.names() {
			d, n := v.deployed[name], v.candidate[name]
			if n == nil {
				continue
			}
			for _, label := range slices.Sorted(maps.Keys(d.labels)) {
				subject := d.family + "/" + label
				if n.labels[label] != nil || said[subject] || v.named(name, label) {
					continue
				}
				said[subject] = true
				out = append(out, Finding{
					Severity: Info, Subject: subject,
					Message: "no series of " + d.family + " has the label " + label + " on candidate; no rule names it",
				})
			}
		}
		return out
	},
}

// labelsLost returns what one selector of the rule asks for and the candidate
// has nowhere.
func (c *cell) labelsLost(v *metricViews, q *promQuery, r *metricRead) []Finding {
	d, n := v.deployed[r.metric], v.candidate[r.metric]
	if d == nil || n == nil || !c.deployed.has(r.metric) {
		return nil
	}
	var out []Finding
	add := func(subject, said string) {
		out = append(out, Finding{
			Subject: r.metric + "/" + subject, Pos: c.placeOf(r),
			Message: "reads the metric " + r.metric + ", of which no series has " + said,
		})
	}
	for _, label := range slices.Sorted(maps.Keys(d.labels)) {
		if n.labels[label] == nil && q.names(r, label) {
			near := ""
			if to := renamed(label, slices.Collect(maps.Keys(n.labels)), slices.Collect(maps.Keys(d.labels))); to != "" {
				near = "; nearest: " + to
			}
			add(label, "the label "+label+" on candidate"+near)
		}
	}
	for _, m := range r.matchers {
		dl, nl := d.labels[m.Name], n.labels[m.Name]
		if m.Name == model.MetricNameLabel || dl == nil || nl == nil || nl.cut {
			continue
		}
		for _, value := range literals(m) {
			if value != "" && dl.values[value] && !nl.values[value] && c.deployed.hasValue(r.metric, m.Name, value) {
				add(m.Name+"="+value, m.Name+"="+strconv.Quote(short(value))+" on candidate"+whatBecameOf(value, dl, nl))
			}
		}
	}
	return out
}

// hasValue reports whether the runs of a half show a value of a label.
func (h *half) hasValue(metric, label, value string) bool {
	for _, r := range h.runs {
		m := find(r, metric)
		if m == nil {
			continue
		}
		for _, l := range m.Labels {
			if _, ok := slices.BinarySearchFunc(l.Values, value, strings.Compare); ok && l.Name == label {
				return true
			}
		}
	}
	return false
}

// named reports whether a rule that reads a metric names one of its labels.
func (v *metricViews) named(metric, label string) bool {
	for _, i := range v.readers[metric] {
		q := &v.queries[i]
		for j := range q.reads {
			if q.reads[j].metric == metric && q.names(&q.reads[j], label) {
				return true
			}
		}
	}
	return false
}
