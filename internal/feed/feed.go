// Package feed reads records on one goroutine and works on them on another, so
// that reading and rules each have a processor.
package feed

import (
	"context"

	"github.com/stillfires/stillfires/internal/logs"
)

// Entries is a cursor over records. Scan goes to the next one and reports
// false at the end or on a fault, which Err then returns. The entry is valid
// until the next Scan.
type Entries interface {
	Scan() bool
	Stream() int
	Entry() *logs.Entry
	Err() error
}

// Bounds of a batch of records that goes from the reader to the worker.
const (
	batchRecords = 1024
	batchBytes   = 256 << 10
)

// A batch is records with the memory of their lines.
type batch struct {
	streams []int
	entries []logs.Entry
	text    []byte
}

func (b *batch) reset() { b.streams, b.entries, b.text = b.streams[:0], b.entries[:0], b.text[:0] }

func (b *batch) full() bool { return len(b.entries) == batchRecords || len(b.text) >= batchBytes }

// add copies a record: the reader's next step overwrites it.
func (b *batch) add(stream int, e *logs.Entry) {
	from := len(b.text)
	b.text = append(b.text, e.Line...)
	b.streams = append(b.streams, stream)
	b.entries = append(b.entries, logs.Entry{Time: e.Time, Line: b.text[from:len(b.text):len(b.text)], Metadata: e.Metadata})
}

// Each reads entries to their end. It calls keep for every record, on a
// goroutine of its own, and work for those that keep reports true for, in
// order, on the caller's. Work reports false to stop. Each returns when both
// are done; the error is that of the entries, or of ctx.
func Each(ctx context.Context, entries Entries, keep, work func(stream int, e *logs.Entry) bool) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	const depth = 3 // one is filled, one is worked on, one waits
	full, spare := make(chan *batch, depth), make(chan *batch, depth)
	for range depth {
		spare <- &batch{}
	}
	var err error
	go func() {
		defer close(full)
		err = read(ctx, entries, keep, full, spare)
	}()
	stopped := false
	for b := range full {
		for i := 0; i < len(b.entries) && !stopped; i++ {
			if !work(b.streams[i], &b.entries[i]) {
				stopped = true
				stop(nil)
			}
		}
		spare <- b
	}
	if stopped {
		return nil
	}
	return err // full is closed, so the reader is done
}

// read fills batches from spare and sends them to full.
func read(ctx context.Context, entries Entries, keep func(int, *logs.Entry) bool, full chan<- *batch, spare <-chan *batch) error {
	b := <-spare
	b.reset()
	for entries.Scan() {
		stream, e := entries.Stream(), entries.Entry()
		if !keep(stream, e) {
			continue
		}
		b.add(stream, e)
		if !b.full() {
			continue
		}
		full <- b
		if err := ctx.Err(); err != nil {
			return err
		}
		b = <-spare
		b.reset()
	}
	full <- b
	return entries.Err()
}
