package logql

import "github.com/stillfires/stillfires/logql/syntax"

// A countWindow computes count_over_time, rate, bytes_over_time and
// bytes_rate of lines. Whole numbers can be taken away again without loss, so
// it keeps one running total.
type countWindow struct {
	pieces  []countPiece // that a later instant sees, oldest first
	from    int          // the first of pieces in use
	in      int          // pieces[from:in] are part of total
	total   int64
	lines   int64 // of the entries in total
	bytes   bool
	seconds float64 // of the range, for rates; else 1
}

// A countPiece is the sum over entries that the same instants see.
type countPiece struct {
	first, last  int
	total, lines int64
}

func newCountWindow(p *rangePlan) *countWindow {
	w := &countWindow{seconds: 1}
	switch p.op {
	case syntax.BytesOverTime:
		w.bytes = true
	case syntax.BytesRate:
		w.bytes, w.seconds = true, p.rang.Seconds()
	case syntax.Rate:
		w.seconds = p.rang.Seconds()
	}
	return w
}

func (w *countWindow) add(e *entry, first, last int) {
	n := int64(1)
	if w.bytes {
		n = int64(len(e.line))
	}
	if i := len(w.pieces) - 1; i >= w.in && w.pieces[i].first == first && w.pieces[i].last == last {
		w.pieces[i].total += n
		w.pieces[i].lines++
		return
	}
	if w.from > 0 && w.from == len(w.pieces) {
		w.pieces, w.from, w.in = w.pieces[:0], 0, 0
	}
	w.pieces = append(w.pieces, countPiece{first, last, n, 1})
}

func (w *countWindow) at(k int) (float64, bool) {
	for w.in < len(w.pieces) && w.pieces[w.in].first <= k {
		w.total += w.pieces[w.in].total
		w.lines += w.pieces[w.in].lines
		w.in++
	}
	for w.from < w.in && w.pieces[w.from].last < k {
		w.total -= w.pieces[w.from].total
		w.lines -= w.pieces[w.from].lines
		w.from++
	}
	w.trim()
	return float64(w.total) / w.seconds, w.lines > 0
}

// trim moves the pieces in use to the front when most of the memory is not.
func (w *countWindow) trim() {
	if w.from < 64 || w.from < len(w.pieces)/2 {
		return
	}
	n := copy(w.pieces, w.pieces[w.from:])
	w.pieces = w.pieces[:n]
	w.in -= w.from
	w.from = 0
}

func (w *countWindow) empty() bool { return w.from == len(w.pieces) }
