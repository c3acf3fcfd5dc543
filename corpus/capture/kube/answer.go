package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A question is one request for a log.
type question struct {
	look     *look
	previous bool
	follow   bool
}

// process is the one whose log is asked for.
func (q *question) process() process {
	if q.previous {
		return q.look.previous
	}
	return q.look.current
}

// An answer is what became of a question.
type answer struct {
	clean bool // it ended as it should
	found bool // the last record that had been appended was in it, or there was none
	took  int  // records appended
	// rest is a line without its end, and restAt its time.
	rest   []byte
	restAt time.Time
	ended  time.Time
}

// open asks for a log.
func (f *follower) open(ctx context.Context, q *question) (io.ReadCloser, error) {
	m := &q.look.pod.Metadata
	req := f.c.core.Get().Namespace(m.Namespace).Resource("pods").Name(m.Name).SubResource("log").
		Param("container", q.look.container).Param("timestamps", "true")
	if q.follow {
		req.Param("follow", "true")
	}
	if q.previous {
		req.Param("previous", "true")
	}
	since := f.begin
	if f.window.some {
		since = f.window.since()
	}
	if !since.IsZero() {
		req.Param("sinceTime", since.UTC().Truncate(time.Second).Format(time.RFC3339))
	} else {
		// By the node's own clock, which may be wrong: it is what records have.
		ago := max(0, time.Since(f.since)) + 2*time.Second
		req.Param("sinceSeconds", strconv.FormatInt(int64(ago/time.Second), 10))
	}
	return req.Stream(ctx)
}

// read appends what is new in the answer to a question. An error of the
// spool, a refusal, and what the server said in place of an answer are
// returned; a connection that ends early is not an error.
func (f *follower) read(ctx context.Context, q *question) (a answer, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The silence begins with the request: a server may send no header before
	// there is a record.
	timer := time.AfterFunc(f.c.pace.Idle, cancel)
	defer timer.Stop()
	in, err := f.open(ctx, q)
	if err != nil {
		return a, err
	}
	defer func() { _ = in.Close() }() // what matters was read
	o, err := f.window.overlap(f.stream)
	if err != nil {
		return a, spoolError{err}
	}
	a.found = o == nil
	source := &body{Reader: in, timer: timer, idle: f.c.pace.Idle}
	lines := newRecords(source, f.sink.MaxLine())
	for {
		at, line, ok, err := lines.next()
		switch {
		case err != nil:
			a.end(err, lines)
			return a, nil
		case !ok:
			f.foreign(line)
			continue
		case o != nil && o.has(at, line):
			if o.found {
				a.found, f.proved = true, q.process().id
			}
			continue
		}
		o = nil // what comes now is new
		if f.proved != q.process().id || !a.found {
			timer.Stop() // the server waits for us
			if err := f.prove(ctx, q, !a.found); err != nil {
				return a, err
			}
			f.proved = q.process().id
			if err := f.goOn(&a, at); err != nil {
				return a, err
			}
		}
		if at.Before(f.begin) {
			continue
		}
		if err := f.append(at, line); err != nil {
			return a, err
		}
		a.took++
		if came, ok := source.fresh(); ok {
			f.lag.saw(came.Sub(at))
		}
	}
}

// goOn says what is missing where an answer's first new record, of a time, does
// not follow the last one that was appended.
func (f *follower) goOn(a *answer, at time.Time) error {
	if a.found {
		return nil
	}
	a.found = true
	if !f.keep {
		f.before, f.suspect = f.window.clone(), at
	}
	return f.gap(f.stream.Last(), at, "the log was rotated while nobody read it: it now begins later than where reading had ended")
}

// end notes how an answer ended.
func (a *answer) end(err error, lines *records) {
	a.clean, a.ended = errors.Is(err, io.EOF), time.Now()
	if at, line, ok := lines.rest(); ok {
		a.rest, a.restAt = append([]byte(nil), line...), at
	}
}

// spoolError is a failure of this side, after which nothing can be recorded.
type spoolError struct{ error }

func (e spoolError) Unwrap() error { return e.error }

// prove makes sure that an answer is of the process that was asked for. The
// node opened that process's log before the first line came; if the pod's
// status has not changed since, it is. As the status lags behind the node, it
// is looked at for a time where the process is new, or where the answer does
// not go on where the last one ended.
func (f *follower) prove(ctx context.Context, q *question, broken bool) error {
	settle := f.c.pace.Settle
	until := time.Now()
	late := f.young || f.starts > 1 || f.c.serverTime().Sub(q.process().started) < settle+time.Second
	if broken || late && !q.previous {
		until = until.Add(settle)
	}
	for {
		l, err := f.lookAgain(ctx, q.look)
		if err != nil {
			return err
		}
		now := &question{look: l, previous: q.previous}
		switch {
		case l.gone && l.replaced:
			return errGone // the answer may be of the pod that has the name now
		case l.gone:
			return nil // nothing followed that process
		case now.process().id != q.process().id:
			f.mail.put(l)
			return errChanged
		}
		if !time.Now().Before(until) {
			return nil
		}
		sleep(ctx, min(settle/4, time.Until(until))+time.Millisecond)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// lookAgain asks for the status of a pod. It lists, so that no more leave is
// needed than that to list pods.
func (f *follower) lookAgain(ctx context.Context, old *look) (*look, error) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	m := &old.pod.Metadata
	list, err := f.c.dynamic.Resource(podsResource).Namespace(m.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("metadata.name", m.Name).String(),
	})
	if err != nil {
		return nil, err
	}
	gone := *old
	gone.gone = true
	for i := range list.Items {
		p, err := podOf(&list.Items[i])
		if err != nil {
			return nil, err
		}
		if p.Metadata.UID != m.UID {
			gone.replaced = true
			continue
		}
		var found *look
		f.c.spec.eachContainer(p, func(c *container, status []containerStatus) {
			if c.Name == old.container {
				found = lookAt(p, c, status)
			}
		})
		if found != nil {
			return found, nil
		}
	}
	return &gone, nil
}

var podsResource = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// serverTime is this machine's time by the server's clock.
func (c *cluster) serverTime() time.Time {
	ahead, _, _ := c.contact.skew()
	return time.Now().Add(ahead)
}

// foreign takes a line that has no time: it is not of the process, but of what
// is between.
func (f *follower) foreign(raw []byte) {
	const most = 5
	if f.strangers++; f.strangers <= most {
		f.sink.Note(fmt.Sprintf("%s: a line without a time was left out, as it is not of the process: %s", f.title, strconv.Quote(string(raw[:min(len(raw), 200)]))))
	}
}

// notThere reports whether an answer says that there is no such log.
func notThere(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsBadRequest(err) || errors.Is(err, errGone)
}

// A lag is the least time between a record's time and its reading: what the
// clock of the node is behind this machine's, and how long records are under
// way.
type lag struct {
	least time.Duration
	n     int
}

// enoughLags is how many records must have been timed to tell anything.
const enoughLags = 3

func (l *lag) saw(d time.Duration) {
	if l.n == 0 || d < l.least {
		l.least = d
	}
	l.n++
}
