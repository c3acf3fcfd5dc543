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
type batch[T any] struct {
	streams []int
	entries []logs.Entry
	tags    []T
	text    []byte
}

func (b *batch[T]) reset() {
	b.streams, b.entries, b.tags, b.text = b.streams[:0], b.entries[:0], b.tags[:0], b.text[:0]
}

func (b *batch[T]) full() bool { return len(b.entries) == batchRecords || len(b.text) >= batchBytes }

// add copies a record: the reader's next step overwrites it.
func (b *batch[T]) add(stream int, e *logs.Entry, tag T) {
	from := len(b.text)
	b.text = append(b.text, e.Line...)
	b.streams, b.tags = append(b.streams, stream), append(b.tags, tag)
	b.entries = append(b.entries, logs.Entry{Time: e.Time, Line: b.text[from:len(b.text):len(b.text)], Metadata: e.Metadata})
}

// Each reads entries to their end. It calls keep for every record, on a
// goroutine of its own, and work for those that keep reports true for, in
// order, on the caller's. Work reports false to stop. Each returns when both
// are done; the error is that of the entries, or of ctx.
func Each(ctx context.Context, entries Entries, keep, work func(stream int, e *logs.Entry) bool) error {
	return Tagged(ctx, entries,
		func(stream int, e *logs.Entry) (struct{}, bool) { return struct{}{}, keep(stream, e) },
		func(stream int, e *logs.Entry, _ struct{}) bool { return work(stream, e) })
}

// Tagged is [Each] with a note on every record, which keep makes and work gets.
func Tagged[T any](ctx context.Context, entries Entries,
	keep func(stream int, e *logs.Entry) (T, bool), work func(stream int, e *logs.Entry, tag T) bool,
) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	const depth = 3 // one is filled, one is worked on, one waits
	full, spare := make(chan *batch[T], depth), make(chan *batch[T], depth)
	for range depth {
		spare <- &batch[T]{}
	}
	var err error
	go func() {
		defer close(full)
		err = read(ctx, entries, keep, full, spare)
	}()
	stopped := false
	for b := range full {
		for i := 0; i < len(b.entries) && !stopped; i++ {
			if !work(b.streams[i], &b.entries[i], b.tags[i]) {
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
func read[T any](ctx context.Context, entries Entries, keep func(int, *logs.Entry) (T, bool), full chan<- *batch[T], spare <-chan *batch[T]) error {
	b := <-spare
	b.reset()
	for entries.Scan() {
		stream, e := entries.Stream(), entries.Entry()
		tag, ok := keep(stream, e)
		if !ok {
			continue
		}
		b.add(stream, e, tag)
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
