package logql

import (
	"cmp"
	"math"
	"slices"
)

// A valueQueue holds the values of a series that an instant sees, in order of
// time.
type valueQueue struct {
	values []seenValue
	from   int // the first in use
	in     int // values[from:in] are seen by the instant in hand
}

type seenValue struct {
	first, last int
	value       float64
}

func (q *valueQueue) add(e *entry, first, last int) {
	if q.from > 64 && q.from > len(q.values)/2 {
		n := copy(q.values, q.values[q.from:])
		q.values, q.in, q.from = q.values[:n], q.in-q.from, 0
	}
	q.values = append(q.values, seenValue{first, last, e.value})
}

// move makes the values in use those that instant k sees. It calls in and out
// for those that come and go.
func (q *valueQueue) move(k int, in, out func(float64)) {
	for ; q.in < len(q.values) && q.values[q.in].first <= k; q.in++ {
		in(q.values[q.in].value)
	}
	for ; q.from < q.in && q.values[q.from].last < k; q.from++ {
		out(q.values[q.from].value)
	}
}

func (q *valueQueue) empty() bool { return q.from == len(q.values) }

// A quantileWindow computes quantile_over_time. It keeps the values sorted, so
// that a step costs what comes and goes, not the whole window.
type quantileWindow struct {
	valueQueue
	q      float64
	sorted []float64 // NaN first
}

func newQuantileWindow(q float64) *quantileWindow { return &quantileWindow{q: q} }

func (w *quantileWindow) at(k int) (float64, bool) {
	w.move(k, w.insert, w.remove)
	if len(w.sorted) == 0 {
		return 0, false
	}
	return quantile(w.q, w.sorted), true
}

func (w *quantileWindow) insert(v float64) {
	i, _ := slices.BinarySearchFunc(w.sorted, v, cmp.Compare[float64])
	w.sorted = slices.Insert(w.sorted, i, v)
}

func (w *quantileWindow) remove(v float64) {
	i, _ := slices.BinarySearchFunc(w.sorted, v, cmp.Compare[float64])
	w.sorted = slices.Delete(w.sorted, i, i+1)
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
