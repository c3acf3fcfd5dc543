package kube

import (
	"bytes"
	"hash/maphash"
	"slices"
	"time"

	"github.com/stillfires/stillfires/corpus/capture"
)

// A window knows the last records of a log, so that they can be told from new
// ones when the log is asked for again from a time on. The API takes such
// times in whole seconds, and a runtime writes the records of a process's two
// outputs a little out of order, so the window holds all records from the
// second before that of the last one on.
type window struct {
	seed maphash.Seed
	// seconds are the latest seconds that have records, in order.
	seconds []second
	last    mark // of the last record
	some    bool // there is one
	// long is the last long record that is older than the window, as the API can
	// begin with the rest of one: a runtime writes it in pieces, each with a
	// time.
	long []byte
	tail []byte // the last long record of the window
	at   time.Time
	// stepped says that the node's clock was set back: records from before are
	// as young as those after, and are in the stream, not here.
	stepped bool
}

type second struct {
	unix  int64
	marks []mark
}

// A mark stands for a record.
type mark struct {
	time int64 // nanoseconds
	hash uint64
}

const (
	overlapSeconds = 1       // before that of the last record
	disorder       = 5       // seconds by which records may be out of order
	longRecord     = 4 << 10 // no runtime has smaller pieces
)

func (w *window) mark(at time.Time, line []byte) mark {
	if w.seed == (maphash.Seed{}) {
		w.seed = maphash.MakeSeed()
	}
	return mark{at.UnixNano(), maphash.Bytes(w.seed, line)}
}

// add takes a record that was appended.
func (w *window) add(at time.Time, line []byte) {
	m := w.mark(at, line)
	w.last, w.some = m, true
	unix := at.Unix()
	n := len(w.seconds)
	if n > 0 && unix < w.seconds[n-1].unix-disorder {
		w.seconds, w.stepped, n = w.seconds[:0], true, 0
	}
	if n == 0 || unix > w.seconds[n-1].unix {
		w.open(unix)
		n = len(w.seconds)
	}
	i := n - 1
	for i > 0 && unix < w.seconds[i].unix {
		i--
	}
	w.seconds[i].marks = append(w.seconds[i].marks, m)
	if len(line) >= longRecord {
		w.tail, w.at = append(w.tail[:0], line...), at
	}
}

// open begins a second, and forgets those that are too old.
func (w *window) open(unix int64) {
	var free []mark
	for len(w.seconds) > 0 && w.seconds[0].unix < unix-overlapSeconds-1 {
		free = w.seconds[0].marks[:0]
		w.seconds = append(w.seconds[:0], w.seconds[1:]...)
	}
	w.seconds = append(w.seconds, second{unix: unix, marks: free})
	if len(w.tail) > 0 && w.at.Unix() < unix-overlapSeconds {
		w.long, w.tail = append(w.long[:0], w.tail...), w.tail[:0]
	}
}

// reset forgets all: another log begins.
func (w *window) reset() { *w = window{seed: w.seed} }

// clone returns a copy that does not change with the window.
func (w *window) clone() window {
	c := *w
	c.seconds = nil
	for _, s := range w.seconds {
		c.seconds = append(c.seconds, second{s.unix, slices.Clone(s.marks)})
	}
	c.long, c.tail = slices.Clone(w.long), slices.Clone(w.tail)
	return c
}

// since is the time from which on the log is to be asked for.
func (w *window) since() time.Time {
	return time.Unix(w.seconds[len(w.seconds)-1].unix-overlapSeconds, 0).UTC()
}

// load fills the window from what a stream holds.
func (w *window) load(s capture.Stream) error {
	last := s.Last()
	if last.IsZero() {
		return nil
	}
	records, err := s.Since(time.Unix(last.Unix()-overlapSeconds-1, 0))
	for i := range records {
		w.add(records[i].Time, records[i].Line)
	}
	return err
}

// An overlap takes the records of an answer until the first that is new.
type overlap struct {
	w     *window
	known map[mark]int
	found bool // the last record was in the answer
	first bool // the next record is the first of the answer
}

// overlap returns what tells the records of the next answer apart; nil if all
// of them are new.
func (w *window) overlap(s capture.Stream) (*overlap, error) {
	if !w.some {
		return nil, nil
	}
	o := &overlap{w: w, known: map[mark]int{}, first: true}
	if w.stepped {
		records, err := s.Since(w.since())
		for i := range records {
			o.known[w.mark(records[i].Time, records[i].Line)]++
		}
		return o, err
	}
	for i := range w.seconds {
		for _, m := range w.seconds[i].marks {
			o.known[m]++
		}
	}
	return o, nil
}

// has reports whether a record of the answer was appended before. Equal
// records are known as often as they were appended.
func (o *overlap) has(at time.Time, line []byte) bool {
	first := o.first
	o.first = false
	m := o.w.mark(at, line)
	if o.known[m] > 0 {
		o.known[m]--
		o.found = o.found || m == o.w.last
		return true
	}
	return first && len(line) > 0 && (bytes.HasSuffix(o.w.long, line) || bytes.HasSuffix(o.w.tail, line)) && at.UnixNano() <= o.w.last.time
}
