package kube

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stillfires/stillfires/corpus/capture"
)

// A follower records the log of one container: of all its processes, one after
// the other.
type follower struct {
	c     *cluster
	sink  capture.Sink
	mail  *mailbox
	title string    // for people
	since time.Time // when the log is to begin, by this machine's clock
	begin time.Time // likewise, by the times of its records; zero: not known
	young bool      // the pod came during the capture
	try   *trier

	stream capture.Stream
	labels string // of stream
	window window

	at       *look   // the last one that was taken
	own      *look   // the last one of the pod of proc
	proc     process // that is read; id "": none yet
	podUID   string
	restarts int
	starts   int    // processes that were begun with
	done     bool   // all of proc was read
	proved   string // id of the process that answers were shown to be of
	last     answer // to the last question about proc
	resumed  bool   // the stream is of before an interruption, and its process not known

	// before is the window before records that may be of the next process, of
	// which the first has the time suspect.
	before  window
	suspect time.Time
	keep    bool // the window knows records of the next process

	unfound   int // clean answers in a row that lacked the last record
	absent    int // answers in a row that the log of a process that ended is not there
	strangers int
	lag       lag
}

func (c *cluster) follower(l *look, sink capture.Sink, since time.Time) *follower {
	m := &l.pod.Metadata
	f := &follower{
		c: c, sink: sink, mail: newMailbox(), since: since, resumed: true,
		title: fmt.Sprintf("%s: container %s of pod %s/%s", c.name, l.container, m.Namespace, m.Name),
		try:   c.trier(access{verbs: "get", resource: schema.GroupResource{Resource: "pods"}, part: "log", namespace: m.Namespace}),
	}
	f.try.bell = f.mail.bell
	return f
}

// run follows the container until ctx is done, then reads what is there. It
// returns errors that end the capture of all logs of the namespace.
func (f *follower) run(ctx context.Context) (err error) {
	defer func() {
		if f.stream != nil {
			err = errors.Join(err, f.stream.Close())
		}
	}()
	for ctx.Err() == nil {
		if !f.busy() || f.mail.any() {
			l := f.mail.wait(ctx)
			if l == nil {
				break
			}
			f.take(l)
		}
		if err := f.step(ctx); err != nil && ctx.Err() == nil {
			if err := f.failed(ctx, err); err != nil {
				return err
			}
		}
		if f.done && f.at.gone && !f.mail.any() {
			if err := f.putAway(); err != nil {
				return err
			}
		}
	}
	return f.finish(ctx)
}

// putAway gives back what the log of a pod that is gone needs. Another pod can
// still come by its name.
func (f *follower) putAway() error {
	f.report()
	s := f.stream
	if f.stream = nil; s == nil {
		return nil
	}
	f.window, f.before, f.lag = window{}, window{}, lag{}
	return s.Close()
}

// take goes on with a look.
func (f *follower) take(l *look) {
	f.at = l
	if l.pod.Metadata.UID == f.podUID {
		f.own = l
	}
}

// busy reports whether the last look asks for something.
func (f *follower) busy() bool {
	return f.at != nil && f.at.current.id != "" && !(f.done && f.at.current.id == f.proc.id) && !f.old(f.at.current)
}

// old reports whether a process ended before the capture began.
func (f *follower) old(p process) bool {
	return !f.young && f.proc.id == "" && p.ended() && p.finished.Before(f.c.atServer(f.since).Add(-time.Second))
}

// failed waits before the next try, or returns an error that ends all.
func (f *follower) failed(ctx context.Context, err error) error {
	if errors.Is(err, errChanged) {
		return nil
	}
	if spool, ok := errors.AsType[spoolError](err); ok {
		return spool.error
	}
	return f.try.pause(ctx, err)
}

// step asks one question more, by the last look.
func (f *follower) step(ctx context.Context) error {
	l := f.at
	if l.current.id == "" || f.old(l.current) {
		return nil
	}
	if l.current.id != f.proc.id {
		if err := f.change(ctx, l); err != nil {
			return err
		}
	}
	switch {
	case f.done:
		return nil
	case l.gone:
		return f.sayGoodbye(ctx, l)
	}
	a, err := f.ask(ctx, &question{look: l, follow: !l.current.ended()})
	if err != nil {
		return f.notReadable(l, err)
	}
	f.absent = 0
	f.try.ok()
	if a.took > 0 {
		f.try.rest()
	}
	if l.current.ended() {
		if over, err := f.readAll(&a, l.current.finished); over || err != nil {
			return err
		}
	}
	if ctx.Err() == nil && !f.mail.any() {
		// The process has ended, or the connection has. The pod's status will
		// tell, or else the log is asked for again.
		return f.try.pause(ctx, errTorn)
	}
	return nil
}

// notReadable decides what it means that a log is not there although its
// process is said to have ended.
func (f *follower) notReadable(l *look, err error) error {
	if !l.current.ended() || !notThere(err) {
		f.absent = 0
		return err
	}
	if f.absent++; f.absent < enough {
		return err
	}
	f.done = true
	return f.gap(f.stream.Last(), l.current.finished, "the log of the process is gone: "+apiMessage(err))
}

// sayGoodbye tries once more to read the log of a pod that was deleted.
func (f *follower) sayGoodbye(ctx context.Context, l *look) error {
	if f.whole(l) {
		return f.leave(l)
	}
	before := f.last
	a, err := f.ask(ctx, &question{look: l})
	switch {
	case err != nil && !notThere(err):
		return err
	case err == nil && a.clean && a.found && f.window.some && len(a.rest) == 0:
		f.done = true
		return nil
	case err == nil && a.took == 0:
		f.last = before
	}
	return f.leave(l)
}

// ask reads an answer about the process that is followed.
func (f *follower) ask(ctx context.Context, q *question) (answer, error) {
	before := f.last
	a, err := f.read(ctx, q)
	if err != nil {
		return a, err
	}
	f.last = a
	if a.clean && len(a.rest) > 0 && before.clean && string(before.rest) == string(a.rest) && before.restAt.Equal(a.restAt) && q.process().ended() {
		// It ends so each time that it is asked for after the process has ended:
		// the process wrote no newline.
		f.last.rest = nil
		if err := f.append(a.restAt, a.rest); err != nil {
			return a, err
		}
		a.rest = nil
	}
	return a, nil
}

// enough is how often in a row an answer must say that something is not there.
const enough = 4

// readAll reports whether the log of a process that has ended was read to its
// end. A connection that breaks off can look like an end, so it takes an answer
// that brings nothing new; and to say that the log lacks what was read of it
// before, several.
func (f *follower) readAll(a *answer, finished time.Time) (bool, error) {
	switch {
	case !a.clean || len(a.rest) > 0 || a.found && a.took > 0:
		f.unfound = 0
		return false, nil
	case a.found:
		f.done, f.unfound = true, 0
		return true, nil
	}
	if f.unfound++; f.unfound < enough {
		return false, nil
	}
	f.done, f.unfound = true, 0
	return true, f.gap(f.stream.Last(), finished, "the log was rotated or removed before its end was read")
}

// append adds a record to the stream.
func (f *follower) append(at time.Time, line []byte) error {
	f.window.add(at, line)
	if err := f.stream.Append(at, line); err != nil {
		return spoolError{err}
	}
	return nil
}

// gap writes a gap. Without a record before it, it begins where the process
// or the capture does; one that would end before it begins is a moment.
func (f *follower) gap(from, to time.Time, reason string) error {
	if from.IsZero() {
		if from = f.c.atServer(f.since); f.proc.started.After(from) {
			from = f.proc.started
		}
	}
	if to.Before(from) {
		to = from
	}
	if err := f.stream.Gap(from, to, reason); err != nil {
		return spoolError{err}
	}
	return nil
}

// finish takes what is there when the capture ends.
func (f *follower) finish(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceOf(f.sink))
	defer cancel()
	for l := f.mail.take(); l != nil; l = f.mail.take() {
		f.take(l)
	}
	if f.at == nil {
		return nil
	}
	err := f.takeRest(ctx)
	if spool, ok := errors.AsType[spoolError](err); ok {
		return spool.error
	}
	switch {
	case err != nil && f.stream != nil && !f.done:
		return bare(f.gap(f.stream.Last(), f.sink.Now(), "the log could not be read to its end: "+apiMessage(err)))
	case err != nil && f.stream == nil && f.busy() && !notThere(err):
		f.sink.Incomplete(fmt.Sprintf("%s: its log could not be read: %s", f.title, apiMessage(err)))
	}
	if f.stream != nil && len(f.last.rest) > 0 {
		f.sink.Note(fmt.Sprintf("%s: the last line was not whole when the capture ended, and was left out (%d bytes)", f.title, len(f.last.rest)))
	}
	f.report()
	return nil
}

// bare returns an error of the spool as it was.
func bare(err error) error {
	if spool, ok := errors.AsType[spoolError](err); ok {
		return spool.error
	}
	return err
}

// takeRest reads all that is there, of all processes that there were.
func (f *follower) takeRest(ctx context.Context) error {
	if !f.at.gone {
		l, err := f.lookAgain(ctx, f.at)
		if err != nil {
			return err
		}
		f.take(l)
	}
	const most = 3 * enough
	err := errTorn
	for tries := 0; f.busy() && tries < most; tries++ {
		var over bool
		over, err = f.restOf(ctx, tries)
		switch {
		case errors.Is(err, errChanged):
			if l := f.mail.take(); l != nil {
				f.take(l)
			}
		case over, err != nil && !errors.Is(err, errTorn):
			return err
		default:
			sleep(ctx, f.c.pace.First)
		}
	}
	if f.busy() {
		return err
	}
	return nil
}

// restOf reads what is there of the process that the last look tells of, and
// reports whether that is all.
func (f *follower) restOf(ctx context.Context, tries int) (bool, error) {
	l := f.at
	if l.current.id != f.proc.id {
		if err := f.change(ctx, l); err != nil {
			return false, err
		}
	}
	switch {
	case f.done:
		return true, nil
	case l.gone:
		return true, f.sayGoodbye(ctx, l)
	}
	a, err := f.ask(ctx, &question{look: l})
	switch {
	case err != nil:
		return false, err
	case l.current.ended():
		return f.readAll(&a, l.current.finished)
	case !a.clean:
		return false, errTorn
	case a.found:
		// One that runs writes more all the time.
		return a.took == 0 || tries > 0, nil
	}
	if f.unfound++; f.unfound < enough {
		return false, nil
	}
	return true, f.gap(f.stream.Last(), f.sink.Now(), "the log was rotated or removed before its end was read")
}

// report notes what is odd about the times of the records.
func (f *follower) report() {
	const odd = 2 * time.Second
	if f.stream == nil || f.lag.n < enoughLags {
		return
	}
	switch least := f.lag.least; {
	case least < -odd:
		f.sink.Note(fmt.Sprintf("%s: records came up to %s before their time: the clock of node %s is ahead of this machine's", f.title, (-least).Round(time.Millisecond), f.at.pod.Spec.NodeName))
	case least > odd:
		f.sink.Note(fmt.Sprintf("%s: no record came earlier than %s after its time: the clock of node %s is behind this machine's, or records are long under way", f.title, least.Round(time.Millisecond), f.at.pod.Spec.NodeName))
	}
}

// whole reports whether the log of a deleted pod's process was read to its
// end: the last answer ended as it should, and not before the process did.
func (f *follower) whole(l *look) bool {
	finished := f.finishedBy(l)
	if !f.last.clean || f.last.ended.IsZero() {
		return false
	}
	if finished.IsZero() { // the last status that anybody saw was of before
		return l.pod.Metadata.DeletionTimestamp != nil
	}
	const slack = 2 * time.Second // of a time in whole seconds, and of clocks
	ahead, _, _ := f.c.contact.skew()
	if f.lag.n >= enoughLags {
		ahead = -f.lag.least // the node's clock, which the status is by
	}
	return !f.last.ended.Add(ahead).Before(finished.Add(-slack))
}

func (f *follower) finishedBy(l *look) time.Time {
	if l.current.id != f.proc.id {
		return time.Time{}
	}
	return l.current.finished
}

// leave is called when the pod of the process is gone, and its log with it.
func (f *follower) leave(l *look) error {
	f.done = true
	whole, rest := f.whole(l), f.last.rest
	if f.last.rest = nil; len(rest) > 0 {
		if err := f.append(f.last.restAt, rest); err != nil {
			return err
		}
	}
	if whole {
		return nil
	}
	to := f.finishedBy(l)
	if to.IsZero() {
		to = f.sink.Now()
	}
	reason := "the pod was deleted before the end of its log was read"
	if len(rest) > 0 {
		reason += "; the last line may be cut"
	}
	return f.gap(f.stream.Last(), to, reason)
}
