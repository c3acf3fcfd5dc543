package replay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/stillfires/stillfires/internal/metrics"
	"github.com/stillfires/stillfires/internal/outcome"
)

// Bounds on what is kept of a run's metrics for the analyzer.
const (
	maxCatalogued   = 20_000 // metrics
	maxMetricLabels = 64     // labels of a metric
	maxLabelValues  = 200    // values of a label
	maxValueLength  = 200    // bytes
)

// A metricCatalogue notes which metrics a run has, with which labels.
type metricCatalogue struct {
	metrics map[string]*cataloguedMetric
	cut     bool // there is more than is kept
}

type cataloguedMetric struct {
	series int
	labels map[string]*cataloguedLabel
}

type cataloguedLabel struct {
	series int
	values map[string]bool
	cut    bool
}

func newMetricCatalogue() *metricCatalogue {
	return &metricCatalogue{metrics: map[string]*cataloguedMetric{}}
}

// add notes a series; each is added once.
func (c *metricCatalogue) add(ls labels.Labels) {
	name := ls.Get(model.MetricNameLabel)
	m := c.metrics[name]
	if m == nil {
		if len(c.metrics) >= maxCatalogued {
			c.cut = true
			return
		}
		m = &cataloguedMetric{labels: map[string]*cataloguedLabel{}}
		c.metrics[strings.Clone(name)] = m
	}
	m.series++
	ls.Range(func(l labels.Label) {
		if l.Name != model.MetricNameLabel && !m.add(l) {
			c.cut = true
		}
	})
}

// add notes a label; it reports false where there are too many.
func (m *cataloguedMetric) add(l labels.Label) bool {
	known := m.labels[l.Name]
	if known == nil {
		if len(m.labels) >= maxMetricLabels {
			return false
		}
		known = &cataloguedLabel{values: map[string]bool{}}
		m.labels[strings.Clone(l.Name)] = known
	}
	known.series++
	switch {
	case known.values[l.Value]:
	case len(known.values) >= maxLabelValues || len(l.Value) > maxValueLength:
		known.cut = true
	default:
		known.values[strings.Clone(l.Value)] = true
	}
	return true
}

// list returns the metrics, ordered by name. The families say their types.
func (c *metricCatalogue) list(families []metrics.Family) []outcome.Metric {
	types := map[string]string{}
	for _, f := range families {
		types[f.Name] = f.Type
	}
	out := make([]outcome.Metric, 0, len(c.metrics))
	for name, m := range c.metrics { // ordered below
		family := familyOf(name, types)
		o := outcome.Metric{Name: name, Family: family, Type: types[family], Series: m.series}
		if o.Type == "unknown" || o.Type == "untyped" {
			o.Type = ""
		}
		for label, l := range m.labels { // ordered below
			values := make([]string, 0, len(l.values))
			for v := range l.values { // ordered below
				values = append(values, v)
			}
			slices.Sort(values)
			o.Labels = append(o.Labels, outcome.Label{Name: label, Series: l.series, Values: values, Cut: l.cut})
		}
		slices.SortFunc(o.Labels, func(a, b outcome.Label) int { return cmp.Compare(a.Name, b.Name) })
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b outcome.Metric) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// familySuffixes are what names of series add to the name of their family.
var familySuffixes = []string{"_bucket", "_sum", "_count", "_total", "_created", "_info", "_gsum", "_gcount"}

// familyOf returns the family that a metric belongs to: the one of its own
// name, or of its name without a suffix.
func familyOf(name string, types map[string]string) string {
	if _, ok := types[name]; ok {
		return name
	}
	for _, suffix := range familySuffixes {
		if base, cut := strings.CutSuffix(name, suffix); cut {
			if _, ok := types[base]; ok {
				return base
			}
		}
	}
	return name
}
