package kube

import (
	"bytes"
	"errors"
	"io"
	"time"

	"github.com/stillfires/stillfires/corpus/capture"
)

// maxStamp is the most bytes of the time before a line, with the space.
const maxStamp = 40

// split takes the time off a line of a log.
func split(raw []byte) (at time.Time, line []byte, ok bool) {
	i := bytes.IndexByte(raw[:min(len(raw), maxStamp)], ' ')
	if i < 0 {
		// A line that holds nothing may come without the space.
		if i = len(raw); i > maxStamp {
			return time.Time{}, nil, false
		}
	}
	at, err := time.Parse(time.RFC3339Nano, string(raw[:i]))
	if err != nil || at.Year() <= firstYear || at.Year() >= lastYear {
		return time.Time{}, nil, false
	}
	return at.UTC(), raw[min(i+1, len(raw)):], true
}

// No clock is that wrong: such a time is none. Nanoseconds can hold the years
// between.
const firstYear, lastYear = 1700, 2250

// A body is an answer of the API. It ends one that is silent for too long, and
// notes when it had to be waited for.
type body struct {
	io.Reader
	timer *time.Timer
	idle  time.Duration

	reads int
	live  time.Time // when bytes last came that had been waited for; zero: none since it was asked
}

// Read implements [io.Reader].
func (b *body) Read(p []byte) (int, error) {
	b.timer.Reset(b.idle)
	began := time.Now()
	n, err := b.Reader.Read(p)
	const waited = 20 * time.Millisecond
	if now := time.Now(); b.reads > 0 && now.Sub(began) > waited {
		b.live = now
	}
	b.reads++
	return n, err
}

// fresh returns when bytes came that had been waited for, if they are the last
// that came, and forgets it.
func (b *body) fresh() (time.Time, bool) {
	at := b.live
	b.live = time.Time{}
	return at, !at.IsZero()
}

// records reads an answer of the API, a line of which may be longer than a
// record by its time.
type records struct {
	lines *capture.LineReader
	most  int // bytes of a record
}

func newRecords(in io.Reader, most int) *records {
	return &records{capture.NewLineReader(in, most+maxStamp), most}
}

// next returns a record as it is kept: cut, if it is too long. One without a
// time has ok false and is as it came. An error is that of the answer; rest then
// has what is left.
func (r *records) next() (at time.Time, line []byte, ok bool, err error) {
	raw, err := r.lines.Next()
	if err != nil {
		return time.Time{}, nil, false, err
	}
	at, line, ok = r.record(raw)
	return at, line, ok, nil
}

func (r *records) record(raw []byte) (at time.Time, line []byte, ok bool) {
	at, line, ok = split(raw)
	if !ok {
		return at, raw, false
	}
	size := int64(len(line))
	if all, cut := capture.CutSize(raw, r.most+maxStamp); cut {
		size = all - int64(len(raw)-len(line))
	}
	return at, capture.CutLine(line, size, r.most), true
}

// rest returns a record whose end did not come.
func (r *records) rest() (at time.Time, line []byte, ok bool) {
	return r.record(r.lines.Rest())
}

var (
	errNever   = errors.New("there never was an answer")
	errTorn    = errors.New("the answer broke off")
	errChanged = errors.New("the process is another one")
	errGone    = errors.New("the pod or the process is gone")
)
