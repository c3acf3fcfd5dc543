package corpus

import (
	"fmt"

	"github.com/prometheus/prometheus/model/labels"
)

// seriesNumbers gives each series of a run a number, in the order in which
// they first occur.
type seriesNumbers struct {
	byText map[string]int
	labels []labels.Labels
	text   []byte // scratch
	size   int    // bytes of the texts that are kept
}

func newSeriesNumbers() *seriesNumbers { return &seriesNumbers{byText: map[string]int{}} }

func (n *seriesNumbers) number(ls labels.Labels) (int, error) {
	n.text = appendSeries(n.text[:0], ls)
	if i, ok := n.byText[string(n.text)]; ok {
		return i, nil
	}
	if len(n.labels) >= maxSeries {
		return 0, fmt.Errorf("the run has more than %d series; import fewer metrics", maxSeries)
	}
	if err := n.keep(len(n.text)); err != nil {
		return 0, err
	}
	i := len(n.labels)
	n.byText[string(n.text)] = i
	n.labels = append(n.labels, ls)
	return i, nil
}

// keep counts text that stays in memory until the run ends.
func (n *seriesNumbers) keep(bytes int) error {
	if n.size += bytes; n.size > maxSeriesMemory {
		return fmt.Errorf("the names, labels and descriptions of the run's metrics have more than %d bytes; import fewer metrics", maxSeriesMemory)
	}
	return nil
}

// A metricTarget is one target of an import, with the series it gave so far.
type metricTarget struct {
	labels  labels.Labels
	number  int // from 0
	numbers *seriesNumbers
	known   map[string]int // series as the target writes it, to number
}

// series returns the number of a series that the target wrote.
func (t *metricTarget) series(text []byte) (int, error) {
	if i, ok := t.known[string(text)]; ok {
		return i, nil
	}
	ls, err := parseSeries(text)
	if err != nil {
		return 0, err
	}
	i, err := t.numbers.number(withTarget(ls, t.labels))
	if err != nil {
		return 0, err
	}
	if err := t.numbers.keep(len(text)); err != nil {
		return 0, err
	}
	t.known[string(text)] = i
	return i, nil
}

// withTarget adds the labels of a target to those of a series. A label of that
// name which the series has gets the prefix exported_, as Prometheus does.
func withTarget(ls, target labels.Labels) labels.Labels {
	b := labels.NewBuilder(ls)
	target.Range(func(l labels.Label) {
		if had := ls.Get(l.Name); had != "" {
			name := l.Name
			for ls.Has(name) || target.Has(name) {
				name = "exported_" + name
			}
			b.Set(name, had)
		}
		b.Set(l.Name, l.Value)
	})
	return b.Labels()
}
