package logql

import (
	"slices"
	"sync"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql/syntax"
)

// fewQueries is how many queries a lane must have to be worth a goroutine.
const fewQueries = 32

// A lane is the queries of a set that run on one goroutine.
type lane struct {
	set     *Set
	queries []int // indexes in the whole set
}

// makeLanes splits the queries by what their lines cost: those that only look
// at the text of a line share the search for texts, the others share the
// parsers. Were they mixed, every lane would pay for both. It returns nil
// where one goroutine is enough.
func makeLanes(queries []*Query, opt Options) []lane {
	if opt.Lanes < 2 {
		return nil
	}
	opt.Lanes = 0
	lanes := make([]lane, 2)
	for i, q := range queries {
		l := &lanes[0]
		if parses(q) {
			l = &lanes[1]
		}
		l.queries = append(l.queries, i)
	}
	for i := range lanes {
		l := &lanes[i]
		if len(l.queries) < fewQueries {
			return nil
		}
		var own []*Query
		for _, q := range l.queries {
			own = append(own, queries[q])
		}
		l.set = NewSet(own, opt)
	}
	return lanes
}

// parses reports whether a stage of the query takes fields from lines.
func parses(q *Query) bool {
	for _, p := range q.plans {
		if slices.ContainsFunc(p.query.Stages, func(s syntax.Stage) bool {
			_, ok := s.(*syntax.LineFilter)
			return !ok
		}) {
			return true
		}
	}
	return false
}

// Bounds of a batch of entries that goes to the lanes.
const (
	batchEntries = 1024
	batchText    = 256 << 10
	batchAhead   = 3
)

// A laneRun feeds the entries that are pushed to the runs of all lanes, each
// on a goroutine of its own.
type laneRun struct {
	runs  []*Run
	at    [][2]int // of each query: its lane, and its index there
	in    []chan *entryBatch
	spare chan *entryBatch
	batch *entryBatch
	wait  sync.WaitGroup
}

// An entryBatch is entries with the memory of their lines.
type entryBatch struct {
	streams []int
	entries []logs.Entry
	text    []byte
	users   sync.WaitGroup // lanes that have not finished with it
}

func (b *entryBatch) add(stream int, e *logs.Entry) {
	from := len(b.text)
	b.text = append(b.text, e.Line...)
	b.streams = append(b.streams, stream)
	b.entries = append(b.entries, logs.Entry{Time: e.Time, Line: b.text[from:len(b.text):len(b.text)], Metadata: e.Metadata})
}

func newLaneRun(s *Set, streams []logs.Labels, windows []Window, sink Sink) *laneRun {
	lr := &laneRun{at: make([][2]int, len(s.queries)), spare: make(chan *entryBatch, batchAhead)}
	for i, l := range s.lanes {
		var own []Window
		for j, q := range l.queries {
			own = append(own, windows[q])
			lr.at[q] = [2]int{i, j}
		}
		run, in := l.set.NewRun(streams, own, &laneSink{l.queries, sink}), make(chan *entryBatch, batchAhead)
		lr.runs, lr.in = append(lr.runs, run), append(lr.in, in)
		lr.wait.Go(func() { workLane(run, in) })
	}
	for range batchAhead {
		lr.spare <- &entryBatch{}
	}
	lr.batch = <-lr.spare
	return lr
}

// workLane is the goroutine of one lane.
func workLane(run *Run, in <-chan *entryBatch) {
	for b := range in {
		for j := range b.entries {
			run.Push(b.streams[j], &b.entries[j])
		}
		b.users.Done()
	}
	run.Close()
}

func (lr *laneRun) push(stream int, e *logs.Entry) {
	lr.batch.add(stream, e)
	if len(lr.batch.entries) == batchEntries || len(lr.batch.text) >= batchText {
		lr.flush()
	}
}

// flush hands the batch to all lanes and takes another one, which is free once
// all have finished with it.
func (lr *laneRun) flush() {
	b := lr.batch
	b.users.Add(len(lr.in))
	for _, in := range lr.in {
		in <- b
	}
	lr.spare <- b
	next := <-lr.spare
	next.users.Wait()
	next.streams, next.entries, next.text = next.streams[:0], next.entries[:0], next.text[:0]
	lr.batch = next
}

func (lr *laneRun) close() {
	lr.flush()
	for _, in := range lr.in {
		close(in)
	}
	lr.wait.Wait()
}

// A laneSink gives the queries of a lane their indexes in the whole set.
type laneSink struct {
	queries []int
	sink    Sink
}

// Match implements [Sink].
func (s *laneSink) Match(query, pipeline int, m *Match) { s.sink.Match(s.queries[query], pipeline, m) }

// Vector implements [Sink].
func (s *laneSink) Vector(query int, ts int64, v []Sample) { s.sink.Vector(s.queries[query], ts, v) }
