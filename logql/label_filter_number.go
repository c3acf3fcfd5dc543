package logql

import (
	"strconv"

	"github.com/stillfires/stillfires/logql/syntax"
)

// numberFilter implements the comparisons of a label's value as a number. It
// does what valueFilter does, without a copy of the value.
type numberFilter struct {
	ref   nameRef
	op    syntax.CompareOp
	value float64
}

func (f *numberFilter) pass(e *entry) bool {
	v, ok := e.filterValue(f.ref)
	if !ok {
		return false
	}
	n, err := labelNumber(v)
	if err != nil {
		e.fail(errFilter, err)
		return true
	}
	return compare(f.op, n, f.value)
}

// labelNumber is parseLabelNumber for bytes.
func labelNumber(v []byte) (float64, error) {
	n, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return parseLabelNumber(string(v))
	}
	return n, nil
}

// valueFilter implements the comparisons of a label's value as a duration or a
// size: took>1.5s, size<10MB. An absent label does
// not pass. One whose value cannot be read passes and gets __error__.
type valueFilter[T uint64 | int64] struct {
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
	return &numberFilter{newNameRef(f.Name), f.Op, f.Value}
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
