package logql

import (
	"math"
	"slices"

	"github.com/stillfires/stillfires/logql/syntax"
)

// A foldWindow computes the aggregations of unwrapped values whose result for
// two stretches of time follows from the results for each, values of type T.
// Floats cannot be taken away from a sum without loss, so nothing is: the
// window is a queue made of two stacks. The older pieces (front) hold the
// result from each of them up to the newest of the front, the newer ones
// (back) are merged into one. When the front has run empty the back becomes
// the front. So each piece is merged twice in all, however long the window.
type foldWindow[T any] struct {
	front   []foldPiece[T] // oldest last
	back    []foldPiece[T] // oldest first
	tail    T              // of back
	pending []foldPiece[T] // not yet seen, oldest first
	from    int            // the first of pending in use

	single func(*entry) T
	merge  func(older, newer T) T
	value  func(T) float64
}

// A foldPiece is the result over entries that the same instants see, or in
// front over these and all newer ones of the front.
type foldPiece[T any] struct {
	first, last int
	fold        T
}

func (w *foldWindow[T]) add(e *entry, first, last int) {
	x := w.single(e)
	if i := len(w.pending) - 1; i >= w.from && w.pending[i].first == first && w.pending[i].last == last {
		w.pending[i].fold = w.merge(w.pending[i].fold, x)
		return
	}
	if w.from == len(w.pending) {
		w.pending, w.from = w.pending[:0], 0
	}
	w.pending = append(w.pending, foldPiece[T]{first, last, x})
}

func (w *foldWindow[T]) at(k int) (float64, bool) {
	for ; w.from < len(w.pending) && w.pending[w.from].first <= k; w.from++ {
		p := w.pending[w.from]
		if len(w.back) == 0 {
			w.tail = p.fold
		} else {
			w.tail = w.merge(w.tail, p.fold)
		}
		w.back = append(w.back, p)
	}
	w.drop(k)
	n := len(w.front)
	switch {
	case n > 0 && len(w.back) > 0:
		return w.value(w.merge(w.front[n-1].fold, w.tail)), true
	case n > 0:
		return w.value(w.front[n-1].fold), true
	case len(w.back) > 0:
		return w.value(w.tail), true
	}
	return 0, false
}

// drop lets go of the pieces that instant k sees no more.
func (w *foldWindow[T]) drop(k int) {
	for {
		for len(w.front) > 0 && w.front[len(w.front)-1].last < k {
			w.front = w.front[:len(w.front)-1]
		}
		if len(w.front) > 0 || len(w.back) == 0 || w.back[0].last >= k {
			return
		}
		for _, p := range slices.Backward(w.back) {
			if n := len(w.front); n > 0 {
				p.fold = w.merge(p.fold, w.front[n-1].fold)
			}
			w.front = append(w.front, p)
		}
		w.back = w.back[:0]
	}
}

func (w *foldWindow[T]) empty() bool {
	return len(w.front) == 0 && len(w.back) == 0 && w.from == len(w.pending)
}

// A fold is the result of the simpler aggregations over some entries.
type fold struct {
	count  float64
	value  float64 // sum, minimum, maximum, first, last or mean
	spread float64 // sum of squared distances from the mean
}

func newFoldWindow(p *rangePlan) *foldWindow[fold] {
	w := &foldWindow[fold]{
		// The spread of one value is 0, but NaN if the value is infinite.
		single: func(e *entry) fold { return fold{count: 1, value: e.value, spread: e.value - e.value} },
		value:  func(f fold) float64 { return f.value },
	}
	switch p.op {
	case syntax.SumOverTime:
		w.merge = mergeSum
	case syntax.Rate:
		seconds := p.rang.Seconds()
		w.merge = mergeSum
		w.value = func(f fold) float64 { return f.value / seconds }
	case syntax.AvgOverTime:
		w.merge = mergeSum
		w.value = func(f fold) float64 { return f.value / f.count }
	case syntax.MinOverTime:
		w.merge = mergeMin
	case syntax.MaxOverTime:
		w.merge = mergeMax
	case syntax.FirstOverTime:
		w.merge = func(older, newer fold) fold { return older }
	case syntax.LastOverTime:
		w.merge = func(older, newer fold) fold { return newer }
	case syntax.StdvarOverTime:
		w.merge = mergeMean
		w.value = func(f fold) float64 { return f.spread / f.count }
	case syntax.StddevOverTime:
		w.merge = mergeMean
		w.value = func(f fold) float64 { return math.Sqrt(f.spread / f.count) }
	default:
		panic("logql: unknown range aggregation")
	}
	return w
}

func mergeSum(a, b fold) fold {
	return fold{count: a.count + b.count, value: a.value + b.value}
}

// mergeMin takes a NaN only where there is nothing else.
func mergeMin(a, b fold) fold {
	if b.value < a.value || math.IsNaN(a.value) {
		return b
	}
	return a
}

func mergeMax(a, b fold) fold {
	if b.value > a.value || math.IsNaN(a.value) {
		return b
	}
	return a
}

// mergeMean combines means and spreads by the formula of Chan, Golub and
// LeVeque.
func mergeMean(a, b fold) fold {
	n := a.count + b.count
	d := b.value - a.value
	return fold{
		count:  n,
		value:  a.value + d*b.count/n,
		spread: a.spread + b.spread + d*d*a.count*b.count/n,
	}
}
