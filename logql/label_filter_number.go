package logql

import "github.com/stillfires/stillfires/logql/syntax"

// valueFilter implements the comparisons of a label's value as a number, a
// duration or a size: status>=500, took>1.5s, size<10MB. An absent label does
// not pass. One whose value cannot be read passes and gets __error__.
type valueFilter[T uint64 | int64 | float64] struct {
	ref   nameRef
	op    syntax.CompareOp
	value T
	parse func(string) (T, error)
}

func (f *valueFilter[T]) pass(e *entry) bool {
	v, ok := e.filterValue(f.ref)
	if !ok {
		return false
	}
	n, err := f.parse(string(v))
	if err != nil {
		e.fail(errFilter, err)
		return true
	}
	return compare(f.op, n, f.value)
}

func newNumberFilter(f *syntax.LabelNumber) labelFilter {
	return &valueFilter[float64]{newNameRef(f.Name), f.Op, f.Value, parseLabelNumber}
}

func newDurationFilter(f *syntax.LabelDuration) labelFilter {
	parse := func(s string) (int64, error) {
		d, err := parseLabelDuration(s)
		return int64(d), err
	}
	return &valueFilter[int64]{newNameRef(f.Name), f.Op, int64(f.Value), parse}
}

func newBytesFilter(f *syntax.LabelBytes) labelFilter {
	return &valueFilter[uint64]{newNameRef(f.Name), f.Op, f.Value, parseLabelBytes}
}
