package replay

import (
	"bytes"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/panics"
)

// A panicWatch finds the panics of a run.
type panicWatch struct {
	src    *Source
	finder *panics.Finder
	seen   []int64   // records of each stream
	starts [][]int64 // of later processes, those that are still to come
	lines  []int64   // of each stream, records of panics that are no JSON
}

func newPanicWatch(src *Source) *panicWatch {
	w := &panicWatch{src: src, finder: panics.NewFinder(len(src.Streams)), seen: make([]int64, len(src.Streams)), lines: make([]int64, len(src.Streams))}
	w.starts = make([][]int64, len(src.Streams))
	copy(w.starts, src.Starts)
	return w
}

// next counts a record, so that it is known where another process begins.
func (w *panicWatch) next(stream int) {
	if s := w.starts[stream]; len(s) > 0 && s[0] == w.seen[stream] {
		w.finder.Restart(stream)
		w.starts[stream] = s[1:]
	}
	w.seen[stream]++
}

// add returns the tag of the occurrence that a record is part of; 0: none.
func (w *panicWatch) add(stream int, e *logs.Entry) int32 {
	tag := int32(w.finder.Add(stream, e.Time, e.Line))
	if tag > 0 && !bytes.HasPrefix(e.Line, []byte("{")) {
		w.lines[stream]++
	}
	return tag
}

// finish writes the panics to res and returns which of them each occurrence
// is; -1: it was none.
func (w *panicWatch) finish(res *Result) []int {
	found := w.finder.Finish()
	res.PanicsCut, res.PanicLines = found.Cut, w.lines
	for i := range found.Panics {
		p := &found.Panics[i]
		out := outcome.Panic{
			Signature: p.Signature, Kind: p.Kind, Value: p.Value, Partial: p.Partial,
			Form: p.Form, Handling: outcome.Handling(p.Handling), Evidence: p.Evidence, By: p.By,
			Operation: p.Operation, Fields: p.Fields, Count: p.Count,
			First: w.evidence(&p.First), Last: w.evidence(&p.Last),
			Restarted: p.Restarts > 0, Restarts: p.Restarts,
		}
		for _, f := range p.Frames {
			out.Frames = append(out.Frames, outcome.Frame(f))
		}
		res.Panics = append(res.Panics, out)
	}
	return found.Of
}

func (w *panicWatch) evidence(l *panics.Line) outcome.Evidence {
	return show(w.src.Streams[l.Stream], l.Time, l.Text, l.Cut)
}
