package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/stillfires/stillfires/corpus/capture"
	"github.com/stillfires/stillfires/internal/logs"
)

// fetch records the entries from the cursor to a time, which is not included.
// The entries of one answer are those of the earliest times, up to a limit: the
// next request begins at the latest time there was, and what was had of it is
// left out.
func (r *lokiReader) fetch(ctx context.Context, until int64) error {
	unsure := int64(-1) // a time of which a page may not hold all entries
	same := 0           // requests from one time on
	for r.cursor < until {
		end := min(until, r.cursor+int64(longestRange))
		streams, err := r.request(ctx, end)
		if err != nil {
			return err
		}
		p, err := r.record(streams, end)
		if err != nil {
			return err
		}
		if unsure >= 0 && p.all > 0 {
			if err := r.crowded(unsure, r.most, p.keys); err != nil {
				return err
			}
		}
		unsure = -1
		if p.in == 0 && p.all >= r.limit {
			return errors.New("the server gives entries of other times than those it is asked for")
		}
		at := r.cursor
		switch whole := p.all == 0 || p.all < r.limit && p.all < r.most; {
		case whole || p.in == 0:
			r.move(end)
		case p.latest > r.cursor:
			r.move(p.latest)
		case p.all < r.limit && p.fresh == 0:
			// All that there is has one time, or a proxy gives less than it is
			// asked for: what comes after the time tells.
			unsure = r.cursor
			r.move(r.cursor + 1)
		case p.all >= r.limit && !r.raise() || same >= maxSame:
			if err := r.crowded(r.cursor, p.all, p.keys); err != nil {
				return err
			}
			r.move(r.cursor + 1)
		}
		if same++; r.cursor != at {
			same = 0
		}
		r.most = max(r.most, p.all)
		if err := r.keep(false); err != nil {
			return err
		}
	}
	return r.keep(true)
}

// maxSame is how often a server can give more entries of one time.
const maxSame = 100

// move moves the cursor.
func (r *lokiReader) move(to int64) {
	r.cursor, r.tooMuch = to, 0
	if r.limit > r.spec.Limit {
		r.limit = r.spec.Limit
	}
	r.limit = min(2*r.limit, r.spec.Limit) // it may have been made less
	for _, st := range r.streams {
		for k := range st.had {
			if k.at < to {
				delete(st.had, k)
			}
		}
	}
}

// raise asks for more entries at once, and reports whether that can be.
func (r *lokiReader) raise() bool {
	next := min(2*r.limit, r.spec.MaxLimit)
	if r.tooMuch > 0 && next >= r.tooMuch {
		next = (r.limit + r.tooMuch) / 2
	}
	if next <= r.limit {
		return false
	}
	r.limit = next
	return true
}

// lower asks for less at once, and reports whether that can be.
func (r *lokiReader) lower() bool {
	if r.limit <= 1 {
		return false
	}
	r.tooMuch = r.limit
	r.limit /= 2
	return true
}

// crowded says that a time may have more entries than the server gives at once.
func (r *lokiReader) crowded(at int64, n int, keys []string) error {
	when := time.Unix(0, at)
	reason := fmt.Sprintf("there may be more entries of this nanosecond than the %d that the server gave at once", n)
	r.to.Incomplete(fmt.Sprintf("%s: %s: %s; raise maxLimit, or choose less by the query", r.lokiSource, when.UTC().Format(time.RFC3339Nano), reason))
	for _, key := range keys {
		if st := r.streams[key]; st != nil {
			if err := st.out.Gap(when, when.Add(1), reason); err != nil {
				return err
			}
		}
	}
	return nil
}

// request asks for entries from the cursor to a time, with a limit for which
// there is an answer.
func (r *lokiReader) request(ctx context.Context, end int64) ([]readStream, error) {
	for {
		streams, err := r.requestOnce(ctx, end)
		said, isRefusal := errors.AsType[*refusal](err)
		switch {
		case err == nil:
			r.asked = true
			return streams, nil
		case errors.Is(err, errTooLong) && r.lower():
		case isRefusal && said.code == http.StatusBadRequest && r.limit > r.spec.Limit && r.lower():
		case errors.Is(err, errTooLong):
			return nil, fmt.Errorf("%w: one entry has more than %d bytes", err, r.spec.maxBody)
		default:
			return nil, err
		}
	}
}

func (r *lokiReader) requestOnce(ctx context.Context, end int64) (streams []readStream, err error) {
	query := url.Values{
		"query": {r.spec.Query}, "start": {strconv.FormatInt(r.cursor, 10)}, "end": {strconv.FormatInt(end, 10)},
		"limit": {strconv.Itoa(r.limit)}, "direction": {"forward"},
	}
	extra := http.Header{"Accept": {"application/json"}, "X-Loki-Response-Encoding-Flags": {categorize}}
	retryFor := r.srv.spec.RetryFor
	if r.asked && !r.lokiSource.to.set {
		retryFor = 0 // one that follows can wait: the server keeps what it gets
	}
	err = r.srv.ask(ctx, "loki/api/v1/query_range", query, extra, r.spec.maxBody, retryFor, func(body []byte) error {
		found, backward, err := readAnswer(body, r.parsers)
		if errors.Is(err, errParsed) {
			return backoff.Permanent(err)
		}
		if n := count(found); err == nil && backward && n >= r.limit {
			return backoff.Permanent(errors.New("the server gives the latest entries first, though it was asked for direction=forward"))
		}
		streams = found
		return err
	})
	return streams, err
}

func count(streams []readStream) (n int) {
	for _, s := range streams {
		n += len(s.entries)
	}
	return n
}

// A page is what an answer held.
type page struct {
	all    int   // entries
	in     int   // that are of the time that was asked for
	fresh  int   // that were not recorded before
	latest int64 // time of those that are of the time that was asked for
	keys   []string
}

// record adds the entries of an answer that are not recorded yet.
func (r *lokiReader) record(streams []readStream, end int64) (p page, err error) {
	p.all = count(streams)
	for i := range streams {
		s := &streams[i]
		p.keys = append(p.keys, s.key)
		times := map[entryKey]int{}
		for _, e := range s.entries {
			if e.at < r.cursor || e.at >= end {
				continue // what the server should not have given
			}
			p.in++
			p.latest = max(p.latest, e.at)
			st, err := r.stream(s.key, s.labels)
			if err != nil {
				return p, err
			}
			at, line := time.Unix(0, e.at), capture.CutLine([]byte(e.line), int64(len(e.line)), r.to.MaxLine())
			key := keyOf(at, line, e.metadata)
			if times[key]++; times[key] <= st.had[key] {
				continue
			}
			if err := st.out.AppendMeta(at, line, e.metadata); err != nil {
				return p, err
			}
			st.had[key]++
			p.fresh++
		}
	}
	if r.late {
		r.found += int64(p.fresh)
	}
	return p, nil
}

// stream returns the stream of a set of labels, which it begins if need be.
func (r *lokiReader) stream(key string, ls logs.Labels) (*lokiStream, error) {
	if st := r.streams[key]; st != nil {
		return st, nil
	}
	if len(r.streams) >= maxStreams {
		return nil, fmt.Errorf("the query chooses more than %d streams; choose fewer", maxStreams)
	}
	text, err := json.Marshal(ls)
	if err != nil {
		return nil, err
	}
	if err := r.to.Keep(r.name+keptStream+key, string(text)); err != nil {
		return nil, err
	}
	return r.open(key, ls)
}

const keptStream = "stream "

// named are labels whose value says best what a stream is.
var named = []string{"pod", "instance", "container", "app", "service_name", "job", "filename"}

func (r *lokiReader) open(key string, ls logs.Labels) (*lokiStream, error) {
	name := "loki"
	for _, label := range named {
		if v := ls.Get(label); v != "" {
			name = v
			break
		}
	}
	out, err := r.to.Stream(capture.StreamInfo{Name: name, Labels: ls, Times: capture.Given})
	if err != nil {
		return nil, err
	}
	st := &lokiStream{out: out, had: map[entryKey]int{}}
	r.streams[key] = st
	if out.Last().IsZero() {
		err = out.Epoch(r.lokiSource.String(), "")
	}
	return st, err
}

// reopen goes on with the streams of the sitting before. The server has kept
// what came in the meantime.
func (r *lokiReader) reopen(kept map[string]string) error {
	for name, text := range kept {
		key, ok := strings.CutPrefix(name, keptStream)
		if !ok {
			continue
		}
		var ls logs.Labels
		if err := json.Unmarshal([]byte(text), &ls); err != nil {
			return err
		}
		st, err := r.open(key, logs.New(ls...))
		if err == nil {
			err = st.remember(r.cursor)
		}
		if err == nil {
			err = st.out.Bridged()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
