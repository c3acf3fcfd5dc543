package replay

import (
	"context"

	"github.com/stillfires/stillfires/internal/logs"
)

// Bounds of a batch of records that goes from the reader to the rules.
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

// feed reads the records of src on a goroutine of its own, leaves out what a
// store would not keep, counts, and notes kinds of messages. It calls push for
// the others, in order, from the caller's goroutine: so reading and rules each
// have a processor. It returns when both are done.
func feed(ctx context.Context, src *Source, res *Result, messages *messageCatalogue, push func(int, *logs.Entry)) error {
	const depth = 3 // one is filled, one is worked on, one waits
	full, spare := make(chan *batch, depth), make(chan *batch, depth)
	for range depth {
		spare <- &batch{}
	}
	var err error
	go func() {
		defer close(full)
		err = read(ctx, src, res, messages, full, spare)
	}()
	for b := range full {
		for i := range b.entries {
			push(b.streams[i], &b.entries[i])
		}
		spare <- b
	}
	return err // full is closed, so the reader is done
}

// read fills batches from spare and sends them to full.
func read(ctx context.Context, src *Source, res *Result, messages *messageCatalogue, full chan<- *batch, spare <-chan *batch) error {
	var dedup logs.Dedup
	b := <-spare
	b.reset()
	for src.Entries.Scan() {
		res.Records++
		stream, e := src.Entries.Stream(), src.Entries.Entry()
		switch {
		case len(e.Line) == 0:
			res.Empty++
			continue
		case dedup.Repeat(stream, e):
			res.Repeats++
			continue
		}
		messages.add(src.Streams[stream], e)
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
	return src.Entries.Err()
}
