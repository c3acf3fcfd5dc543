package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/stillfires/stillfires/corpus/capture"
)

// A lokiSource records what one query chooses.
type lokiSource struct {
	spec     *Loki
	srv      *server
	from, to when
	parsers  bool // the query has some
}

// String names the source in messages.
func (s *lokiSource) String() string {
	name := "loki " + s.srv.base.String() + " " + s.spec.Query
	if s.spec.Client.Tenant != "" {
		name += " of tenant " + s.spec.Client.Tenant
	}
	return name
}

// errGrace is that the capture has ended and there is no more time.
var errGrace = errors.New("it did not end within the grace of the capture")

// Record records until the time to which it is asked for, or until ctx is done.
func (s *lokiSource) Record(ctx context.Context, to capture.Sink) (err error) {
	// Requests outlive ctx: what is there when it is done is recorded too.
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(to.Grace()*9/10, func() { cancel(errGrace) }) })
	defer stop()

	r := &lokiReader{lokiSource: s, to: to, name: s.String() + "\x00", limit: s.spec.Limit, streams: map[string]*lokiStream{}}
	end := time.Time{}
	defer func() {
		if err != nil && !errors.Is(err, capture.ErrEnded) {
			err = errors.Join(err, r.missing(end))
		}
		err = errors.Join(err, r.close())
	}()
	if end, err = r.begin(); err != nil {
		return err
	}
	return r.follow(ctx, work, &end)
}

// A lokiReader is one recording of a source.
type lokiReader struct {
	*lokiSource
	to   capture.Sink
	name string // of what is kept

	streams map[string]*lokiStream // by their labels
	start   int64                  // of what is recorded
	cursor  int64                  // every entry before it is recorded
	checked int64                  // every entry before it was asked for again, or when it was old
	kept    int64                  // the cursor that is kept
	keptAt  time.Time
	limit   int // of the next request
	tooMuch int // a limit that cannot be asked for at the cursor; 0: none is known
	most    int // entries that the server is known to give at once

	asked bool  // the server has answered
	late  bool  // what is asked for was asked for before
	found int64 // entries that came late
}

// A lokiStream is one set of labels.
type lokiStream struct {
	out capture.Stream
	had map[entryKey]int // that are recorded, from the cursor on
}

// begin goes on where the sitting before has come, or begins. It returns where
// the recording ends, if that is known.
func (r *lokiReader) begin() (end time.Time, err error) {
	kept := r.to.Kept(r.name)
	now := r.to.Now()
	r.start, r.cursor = r.from.resolve(now).UnixNano(), 0
	if r.lokiSource.to.set {
		end = r.lokiSource.to.resolve(now)
	}
	if kept["start"] == "" {
		text := ""
		if !end.IsZero() {
			text = strconv.FormatInt(end.UnixNano(), 10)
		}
		err = errors.Join(r.to.Keep(r.name+"end", text), r.to.Keep(r.name+"start", strconv.FormatInt(r.start, 10)))
		r.cursor = r.start
	} else if r.start, r.cursor, end, err = resumed(kept); err == nil {
		err = r.reopen(kept)
	}
	r.kept, r.keptAt = r.cursor, now
	r.checked = max(r.start, r.cursor-int64(r.spec.Recheck))
	return end, err
}

// resumed reads what was kept.
func resumed(kept map[string]string) (start, cursor int64, end time.Time, err error) {
	var err1, err2, err3 error
	start, err1 = strconv.ParseInt(kept["start"], 10, 64)
	cursor = start
	if text := kept["cursor"]; text != "" {
		cursor, err2 = strconv.ParseInt(text, 10, 64)
	}
	if text := kept["end"]; text != "" {
		var ns int64
		ns, err3 = strconv.ParseInt(text, 10, 64)
		end = time.Unix(0, ns)
	}
	return start, cursor, end, errors.Join(err1, err2, err3)
}

// follow asks for what there is, until the end is reached.
func (r *lokiReader) follow(ctx, work context.Context, end *time.Time) error {
	for {
		done := ctx.Err() != nil
		if now := r.to.Now(); done && (end.IsZero() || end.After(now)) {
			*end = now // a while ago, if a request took long
		}
		if done {
			r.await(work, *end)
		}
		asked := r.to.Now()
		until := asked.Add(-r.spec.Settle)
		last := done && !end.IsZero()
		if !end.IsZero() && (last || !until.Before(*end)) {
			until, last = *end, true
		}
		if err := r.fetch(work, until.UnixNano()); err != nil {
			return err
		}
		// What was older than that when it was asked for has settled.
		r.checked = max(r.checked, min(r.cursor, asked.Add(-r.spec.Recheck).UnixNano()))
		if last || r.cursor-r.checked >= int64(r.spec.Recheck) {
			if err := r.recheck(work); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
		sleep(ctx.Done(), r.spec.Interval)
	}
}

// await waits until entries of before the end have settled, but not for more
// than half of the grace.
func (r *lokiReader) await(work context.Context, end time.Time) {
	left := end.Add(r.spec.Settle).Sub(r.to.Now())
	sleep(work.Done(), min(left, r.to.Grace()/2))
}

// recheck asks again for what was asked for lately: entries that came late are
// recorded after those that did not.
func (r *lokiReader) recheck(work context.Context) error {
	until := r.cursor
	from := max(r.start, r.checked-int64(r.spec.Recheck))
	if r.checked >= until {
		return nil
	}
	for _, st := range r.streams {
		if err := st.remember(from); err != nil {
			return err
		}
	}
	r.cursor, r.late = from, true
	err := r.fetch(work, until)
	r.late = false
	if err == nil {
		r.checked = until
	}
	return err
}

// remember reads back what is recorded of a time and later.
func (st *lokiStream) remember(from int64) error {
	records, err := st.out.Since(time.Unix(0, from))
	if err != nil {
		return err
	}
	clear(st.had)
	for _, rec := range records {
		st.had[keyOf(rec.Time, rec.Line, rec.Metadata)]++
	}
	return nil
}

// keep makes the cursor last, at once or now and then.
func (r *lokiReader) keep(now bool) error {
	at := r.to.Now()
	if r.late || r.cursor == r.kept || !now && at.Sub(r.keptAt) < r.spec.keepEvery {
		return nil
	}
	r.kept, r.keptAt = r.cursor, at
	return r.to.Keep(r.name+"cursor", strconv.FormatInt(r.cursor, 10))
}

// missing says that what was not recorded is missing, from each stream.
func (r *lokiReader) missing(end time.Time) error {
	if end.IsZero() {
		end = r.to.Now()
	}
	from := time.Unix(0, r.cursor)
	if !from.Before(end) {
		return nil
	}
	reason := "the server did not answer with what it has of this time"
	if r.late {
		reason = "the server was not asked again for what came late"
	}
	var errs []error
	for _, key := range r.keys() {
		errs = append(errs, r.streams[key].out.Gap(from, end, reason))
	}
	return errors.Join(errs...)
}

func (r *lokiReader) keys() []string {
	var keys []string
	for key := range r.streams {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// close ends the use of the streams.
func (r *lokiReader) close() error {
	if r.found > 0 {
		r.to.Note(fmt.Sprintf("%s: %d entries came to the server later than %s after their time; they stand after those that came before them", r.lokiSource, r.found, r.spec.Settle))
	}
	var errs []error
	for _, key := range r.keys() {
		if err := r.streams[key].out.Close(); !errors.Is(err, capture.ErrEnded) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
