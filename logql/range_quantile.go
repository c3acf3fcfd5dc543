package logql

import (
	"cmp"
	"math"
	"slices"
)

// A quantileWindow computes quantile_over_time. It keeps the values that the
// instant in hand sees sorted. A step sorts what comes and goes and merges it
// in one pass, so that it never sorts the whole window.
type quantileWindow struct {
	q      float64
	values []seenValue // oldest first
	from   int         // the first in use
	in     int         // values[from:in] are in sorted
	sorted []float64   // NaN first
	merged []float64   // memory of the sorted before
	come   []float64
	gone   []float64
}

type seenValue struct {
	first, last int
	value       float64
}

func newQuantileWindow(q float64) *quantileWindow { return &quantileWindow{q: q} }

func (w *quantileWindow) add(e *entry, first, last int) {
	if w.from > 64 && w.from > len(w.values)/2 {
		n := copy(w.values, w.values[w.from:])
		w.values, w.in, w.from = w.values[:n], w.in-w.from, 0
	}
	w.values = append(w.values, seenValue{first, last, e.value})
}

func (w *quantileWindow) empty() bool { return w.from == len(w.values) }

func (w *quantileWindow) at(k int) (float64, bool) {
	w.come, w.gone = w.come[:0], w.gone[:0]
	for ; w.in < len(w.values) && w.values[w.in].first <= k; w.in++ {
		w.come = append(w.come, w.values[w.in].value)
	}
	for ; w.from < w.in && w.values[w.from].last < k; w.from++ {
		w.gone = append(w.gone, w.values[w.from].value)
	}
	if len(w.come)+len(w.gone) > 0 {
		w.merge()
	}
	if len(w.sorted) == 0 {
		return 0, false
	}
	return quantile(w.q, w.sorted), true
}

// merge brings sorted up to date with what came and what is gone.
func (w *quantileWindow) merge() {
	slices.Sort(w.come)
	slices.Sort(w.gone)
	out := w.merged[:0]
	old, come, gone := w.sorted, w.come, w.gone
	for len(old) > 0 || len(come) > 0 {
		var v float64
		if len(come) == 0 || len(old) > 0 && cmp.Compare(old[0], come[0]) <= 0 {
			v, old = old[0], old[1:]
		} else {
			v, come = come[0], come[1:]
		}
		if len(gone) > 0 && cmp.Compare(gone[0], v) == 0 {
			gone = gone[1:]
			continue
		}
		out = append(out, v)
	}
	w.merged, w.sorted = w.sorted, out
}

// quantile interpolates between the two values next to rank q, as Prometheus
// does. Below 0 it is -Inf, above 1 +Inf.
func quantile(q float64, sorted []float64) float64 {
	switch {
	case math.IsNaN(q):
		return math.NaN()
	case q < 0:
		return math.Inf(-1)
	case q > 1:
		return math.Inf(1)
	}
	rank := q * float64(len(sorted)-1)
	lower := int(math.Floor(rank))
	upper := min(lower+1, len(sorted)-1)
	weight := rank - math.Floor(rank)
	return sorted[lower]*(1-weight) + sorted[upper]*weight
}
