package logql

import "github.com/stillfires/stillfires/logql/syntax"

// unwrapStage implements "| unwrap x", "unwrap duration(x)", "unwrap
// duration_seconds(x)" and "unwrap bytes(x)": the sample is the label's value,
// not the line. The label is taken out of the series. An entry without the
// label, or with an empty one, gives no sample; one whose value cannot be read
// gets __error__.
type unwrapStage struct {
	ref   nameRef
	parse func([]byte) (float64, error)
}

func (s *unwrapStage) process(e *entry) bool {
	v, _ := e.lookup(s.ref)
	if len(v) == 0 {
		return false
	}
	f, err := s.parse(v)
	if err != nil {
		e.fail(errSample, err)
		f = 0
	}
	e.value, e.hidden = f, s.ref.name
	e.changes++
	return true
}

func newUnwrap(u *syntax.Unwrap) *unwrapStage {
	s := &unwrapStage{ref: newNameRef(u.Label)}
	switch u.Conv {
	case syntax.UnwrapDuration, syntax.UnwrapDurationSeconds:
		s.parse = func(v []byte) (float64, error) {
			d, err := parseLabelDuration(string(v))
			return d.Seconds(), err
		}
	case syntax.UnwrapBytes:
		s.parse = func(v []byte) (float64, error) {
			n, err := parseLabelBytes(string(v))
			return float64(n), err
		}
	default:
		s.parse = labelNumber
	}
	return s
}
