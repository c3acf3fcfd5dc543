package messages

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// A held is a copy of a record that may become evidence; its memory is used
// again. Of records of one time the one with the lower line is the earlier.
type held struct {
	set    bool
	cut    bool
	stream logs.Labels
	time   int64
	line   []byte // at most outcome.MaxLine
}

func (h *held) earliest(stream logs.Labels, e *logs.Entry) {
	if !h.set || e.Time < h.time || e.Time == h.time && h.compare(stream, e) < 0 {
		h.take(stream, e)
	}
}

func (h *held) latest(stream logs.Labels, e *logs.Entry) {
	if !h.set || e.Time > h.time || e.Time == h.time && h.compare(stream, e) > 0 {
		h.take(stream, e)
	}
}

// compare orders a record of the same time before or after the one held.
func (h *held) compare(stream logs.Labels, e *logs.Entry) int {
	return cmp.Or(bytes.Compare(e.Line[:min(len(e.Line), outcome.MaxLine)], h.line), compareLabels(stream, h.stream))
}

func compareLabels(a, b logs.Labels) int {
	return slices.CompareFunc(a, b, func(a, b logs.Label) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	})
}

func (h *held) take(stream logs.Labels, e *logs.Entry) {
	h.set, h.stream, h.time = true, stream, e.Time
	h.line = append(h.line[:0], e.Line[:min(len(e.Line), outcome.MaxLine)]...)
	h.cut = len(e.Line) > outcome.MaxLine
}

// merge takes the other one if it is earlier, or later.
func (h *held) merge(o *held, earlier bool) {
	c := cmp.Or(cmp.Compare(o.time, h.time), bytes.Compare(o.line, h.line), compareLabels(o.stream, h.stream))
	if o.set && (!h.set || earlier && c < 0 || !earlier && c > 0) {
		*h = *o
	}
}

func (h *held) evidence() outcome.Evidence { return outcome.Show(h.stream, h.time, h.line, h.cut) }
