package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// change goes over to another process: it reads what the one before wrote
// last, and says what cannot be read any more.
func (f *follower) change(ctx context.Context, l *look) error {
	if f.resumed {
		if err := f.findAgain(ctx, l); err != nil || f.proc.id == l.current.id {
			return err
		}
	}
	samePod := f.podUID == l.pod.Metadata.UID
	begun := f.proc.id != ""
	if begun && !f.done {
		if err := f.readOut(ctx, l, samePod); err != nil {
			return err
		}
	}
	if !begun {
		// Of the processes before the first that is seen, only the last can be
		// read.
		if l.previous.id != "" && !f.old(l.previous) {
			return f.missed(ctx, l, 0)
		}
		return f.start(l, l.current, l.restarts)
	}
	if between := l.restarts - f.restarts - 1; samePod && between > 0 && l.previous.id != "" && l.previous.id != f.proc.id {
		return f.missed(ctx, l, between-1)
	}
	f.observe(l, l.previous)
	return f.start(l, l.current, l.restarts)
}

// readOut reads what the process that is followed wrote last, from its
// successor's previous log.
func (f *follower) readOut(ctx context.Context, l *look, samePod bool) error {
	if !samePod {
		return f.leave(f.own)
	}
	if l.previous.id != f.proc.id {
		f.done = true
		return f.gap(f.stream.Last(), l.current.started, fmt.Sprintf("the container was restarted %d times between two looks: what the process wrote last is gone", max(1, l.restarts-f.restarts)))
	}
	if !f.mixed(l) {
		return f.readPrevious(ctx, l)
	}
	f.before, f.window, f.keep = f.window, f.before, true
	err := f.readPrevious(ctx, l)
	f.before, f.window = f.window, f.before
	if err == nil {
		f.sink.Note(fmt.Sprintf("%s: the API server told of a restart so late that records of the next process stand before the last ones of the one before", f.title))
	}
	return err
}

// mixed reports whether records that did not go on where reading had ended
// were of the next process, and not of a log that was rotated.
func (f *follower) mixed(l *look) bool {
	return !f.suspect.IsZero() && !f.suspect.Before(l.current.started)
}

func (f *follower) readPrevious(ctx context.Context, l *look) error {
	for {
		a, err := f.ask(ctx, &question{look: l, previous: true})
		if err != nil {
			if !notThere(err) {
				return err
			}
			f.done = true
			return f.gap(f.stream.Last(), l.previous.finished, "the log of the process before the restart is gone: "+apiMessage(err))
		}
		if over, err := f.readAll(&a, l.previous.finished); over || err != nil {
			return err
		}
		if err := f.again(ctx); err != nil {
			return err
		}
	}
}

// again waits before a log is asked for once more.
func (f *follower) again(ctx context.Context) error {
	if l := f.mail.peek(); l != nil && l.current.id != f.at.current.id {
		return errChanged
	}
	if err := f.try.pause(ctx, errTorn); err != nil {
		return err
	}
	return ctx.Err()
}

// missed reads the log of a process that lived and died between two looks, and
// says how many others did. That it is whole, and what comes after, is then as
// for any other process.
func (f *follower) missed(ctx context.Context, l *look, others int) error {
	last := time.Time{}
	if f.stream != nil {
		last = f.stream.Last()
	}
	if err := f.start(l, l.previous, l.restarts-1); err != nil {
		return err
	}
	if others > 0 {
		reason := fmt.Sprintf("the container was restarted %d times between two looks: the logs of %d processes are gone", others+2, others)
		if err := f.gap(last, l.previous.started, reason); err != nil {
			return err
		}
	}
	return f.change(ctx, l)
}

// start begins with a process from the beginning of its log.
func (f *follower) start(l *look, p process, restarts int) error {
	if err := f.useStream(l); err != nil {
		return err
	}
	if !f.keep {
		f.window.reset()
	}
	f.keep, f.suspect = false, time.Time{}
	f.starts++
	f.proc, f.podUID, f.restarts = p, l.pod.Metadata.UID, restarts
	f.done, f.proved, f.last, f.own = false, "", answer{}, l
	m := &l.pod.Metadata
	source := fmt.Sprintf("%s: pod %s/%s, container %s, restart %d, %s", f.c.name, m.Namespace, m.Name, l.container, restarts, p.id)
	if err := f.stream.Epoch(source, ""); err != nil {
		return spoolError{err}
	}
	return nil
}

// useStream makes sure that the stream is the one of the labels of a look: a pod
// that is made anew under its name can have others.
func (f *follower) useStream(l *look) error {
	labels := f.c.labels(l.pod, l.container)
	if f.stream != nil && f.labels == labels.String() {
		return nil
	}
	if f.stream != nil {
		if err := f.stream.Close(); err != nil {
			return spoolError{err}
		}
		f.stream = nil
	}
	s, err := f.sink.Stream(capture.StreamInfo{Name: f.c.streamName(l.pod, l.container), Labels: labels, Times: capture.Given})
	if err != nil {
		return spoolError{err}
	}
	f.stream, f.labels = s, labels.String()
	return nil
}

// findAgain looks for the process whose log was read before an interruption of
// the capture: the one whose log has the last record.
func (f *follower) findAgain(ctx context.Context, l *look) error {
	f.resumed = false
	if err := f.useStream(l); err != nil {
		return err
	}
	last := f.stream.Last()
	if _, ok := f.stream.Interrupted(); !ok || last.IsZero() {
		return nil
	}
	if err := f.window.load(f.stream); err != nil {
		return spoolError{err}
	}
	if !f.window.some {
		return spoolError{fmt.Errorf("%s: the last records before the interruption cannot be read", f.title)}
	}
	for _, q := range []*question{{look: l, previous: true}, {look: l}} {
		p := q.process()
		if p.id == "" || p.ended() && p.finished.Before(last.Add(-time.Second)) || p.started.After(last.Add(time.Second)) {
			continue
		}
		has, err := f.hasLast(ctx, q)
		if err == nil && !has {
			has, err = f.hasLast(ctx, q) // an answer that broke off can look like an end
		}
		if err != nil {
			f.resumed = true
			return err
		}
		if !has {
			continue
		}
		f.proc, f.podUID, f.restarts, f.proved, f.own = p, l.pod.Metadata.UID, l.restarts, p.id, l
		if q.previous {
			f.restarts--
		}
		if err := f.stream.Bridged(); err != nil {
			return spoolError{err}
		}
		return nil
	}
	f.window.reset()
	f.begin = last // what came in the interruption is wanted too
	return nil
}

// hasLast reports whether a log has the last record of the window.
func (f *follower) hasLast(ctx context.Context, q *question) (bool, error) {
	in, err := f.open(ctx, q)
	if err != nil {
		if notThere(err) {
			return false, nil
		}
		return false, err
	}
	defer func() { _ = in.Close() }() // what matters was read
	o, err := f.window.overlap(f.stream)
	if err != nil {
		return false, spoolError{err}
	}
	lines := newRecords(in, f.sink.MaxLine())
	for {
		at, line, ok, err := lines.next()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		if known := o.has(at, line); o.found || !known {
			return o.found, nil
		}
	}
}

// An observation is an action of the corpus that says what was seen.
type observation struct {
	Time   time.Time       `json:"ts"`
	Actor  string          `json:"actor"` // "observer"
	Action string          `json:"action"`
	Target string          `json:"target"`
	UID    string          `json:"uid,omitempty"`
	Detail map[string]any  `json:"detail,omitempty"`
	Object json.RawMessage `json:"object,omitempty"` // as it was last
}

// saw keeps an observation.
func (c *cluster) saw(to capture.Sink, o observation) error {
	o.Actor, o.Time = "observer", o.Time.UTC()
	text, err := json.Marshal(&o)
	if err != nil {
		return err
	}
	return to.Value("actions", corpus.FileKey{Name: "observed", Cluster: c.name}, text)
}

// observe keeps how a process ended that was restarted.
func (f *follower) observe(l *look, p process) {
	if p.how == nil {
		return
	}
	m := &l.pod.Metadata
	err := f.c.saw(f.sink, observation{
		Time: p.finished, Action: "container-restarted", Target: strings.Join([]string{m.Namespace, m.Name, l.container}, "/"), UID: m.UID,
		Detail: map[string]any{"restarts": l.restarts, "exitCode": p.how.ExitCode, "reason": p.how.Reason},
	})
	if err != nil {
		f.sink.Incomplete(fmt.Sprintf("%s: a restart could not be recorded: %v", f.title, err))
	}
}
