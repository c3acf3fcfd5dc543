package logql

import "github.com/stillfires/stillfires/internal/logs"

// A Run is one pass of a [Set] over the entries of some streams. It is not
// safe for concurrent use.
type Run struct {
	set  *Set
	errs []error
}

func newRun(s *Set, streams []logs.Labels, windows []Window, sink Sink) *Run {
	return &Run{set: s, errs: make([]error, len(s.queries))}
}

func (r *Run) push(stream int, e *logs.Entry) {}

func (r *Run) close() {}

func (r *Run) funnel(query int) [][]StageCount { return nil }

type entry struct{}

func (e *entry) labels() logs.Labels { return nil }
