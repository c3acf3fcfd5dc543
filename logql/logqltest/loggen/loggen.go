package loggen

import (
	"bufio"
	"io"
)

// Start is the time before the first line, in nanoseconds since the epoch:
// 2026-01-01T00:00:00Z.
const Start int64 = 1767225600_000_000_000

// meanStep is the mean time between two lines, in microseconds.
const meanStep = 20_000

// brokenEvery is how often a line is not what the encoder wrote.
const brokenEvery = 50_000

// Labels returns the labels of the stream that the log is.
func Labels() map[string]string {
	return map[string]string{
		"namespace": "fleet-system", "app": "fleet-controller",
		"container": "manager", "pod": "fleet-controller-7d9c5b8f6-x2x8k",
	}
}

// Write writes the first lines of the log as the process writes them.
func Write(w io.Writer, lines int) error { return write(w, lines, appendJSON) }

// WriteLogfmt writes the same records as logfmt. Names of nested fields are
// joined with "_", as LogQL's json stage does, and lists are JSON texts.
func WriteLogfmt(w io.Writer, lines int) error { return write(w, lines, appendLogfmt) }

func write(w io.Writer, lines int, encode encoder) error {
	out := bufio.NewWriterSize(w, 1<<20)
	var err error
	generate(lines, encode, func(_ int64, line []byte) bool {
		if _, err = out.Write(line); err == nil {
			err = out.WriteByte('\n')
		}
		return err == nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// Lines calls f for each of the first n lines of the log with its time in
// nanoseconds since the epoch. The line is valid until f returns.
func Lines(n int, f func(ts int64, line []byte)) {
	generate(n, appendJSON, func(ts int64, line []byte) bool {
		f(ts, line)
		return true
	})
}

// An encoder appends a record as a line without its end.
type encoder func(b []byte, r *record) []byte

func generate(n int, encode encoder, yield func(ts int64, line []byte) bool) {
	g := &generator{random: random{state: 20260101}, now: Start}
	total := 0
	for i := range templates {
		total += templates[i].weight
	}
	var line []byte
	for i := range n {
		g.now += 1000 * int64(1+g.below(2*meanStep-1))
		r := g.record(total)
		line = encode(line[:0], r)
		if i%brokenEvery == brokenEvery*5/8 {
			line = g.breakLine(line)
		}
		if !yield(g.now, line) {
			return
		}
	}
}

// A generator holds the state of the log: what is random and what time it is.
type generator struct {
	random
	now    int64
	broken int
}

// record makes the next record; total is the sum of all weights.
func (g *generator) record(total int) *record {
	at := g.below(total)
	t := &templates[0]
	for i := range templates {
		if t = &templates[i]; at < t.weight {
			break
		}
		at -= t.weight
	}
	return &record{
		level: t.level, time: g.now, logger: t.logger, caller: t.caller, message: t.message,
		fields: t.fields(g),
	}
}

// breakLine makes a line that no encoder wrote, or cuts one.
func (g *generator) breakLine(line []byte) []byte {
	g.broken++
	switch g.broken % 5 {
	case 1:
		return line[:len(line)*2/3] // the writer was killed
	case 2:
		return []byte("W0101 03:12:44.120931       1 reflector.go:561] watch of *v1.Node ended early: an error on the server (\"unable to decode an event\") has prevented the request from succeeding")
	case 3:
		return []byte("panic: runtime error: invalid memory address or nil pointer dereference [recovered]")
	case 4:
		return append(line, " trailing text of another thread"...)
	default:
		return []byte("goroutine 4127 [running]:")
	}
}

// A random is the SplitMix64 generator; its numbers never change with a
// version of Go.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 to n-1. The bias of the remainder does not
// matter here.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

func (r *random) pick(texts ...string) string { return texts[r.below(len(texts))] }
