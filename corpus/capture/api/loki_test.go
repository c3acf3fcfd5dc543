package api

import (
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// A rec is an entry that a fakeLoki has.
type rec struct {
	stream string // value of the label app
	at     int64
	line   string
	meta   map[string]string
}

// A fakeLoki answers as the API is documented, unless before or cap says else.
type fakeLoki struct {
	t      *testing.T
	mu     sync.Mutex
	recs   []rec
	asked  int
	most   int // the server's limit; more is an error
	clamp  int // it gives no more than that, and does not say so
	noFlag bool
	before func(n int, w http.ResponseWriter, r *http.Request) (done bool)
	server *httptest.Server
}

func newLoki(t *testing.T, recs ...rec) *fakeLoki {
	f := &fakeLoki{t: t, recs: recs, most: 5000}
	f.server = httptest.NewServer(f)
	t.Cleanup(f.server.Close)
	return f
}

func (f *fakeLoki) add(recs ...rec) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recs = append(f.recs, recs...)
}

func (f *fakeLoki) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	if f.before != nil && f.before(f.asked, w, r) {
		return
	}
	if r.URL.Path != "/loki/api/v1/query_range" || r.FormValue("direction") != "forward" {
		f.t.Errorf("asked for %s", r.URL)
	}
	body, code := f.answer(r)
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

func (f *fakeLoki) answer(r *http.Request) ([]byte, int) {
	from, _ := strconv.ParseInt(r.FormValue("start"), 10, 64)
	to, _ := strconv.ParseInt(r.FormValue("end"), 10, 64)
	limit, _ := strconv.Atoi(r.FormValue("limit"))
	if limit > f.most {
		return fmt.Appendf(nil, "max entries limit per query exceeded, limit > %d", f.most), 400
	}
	if f.clamp > 0 {
		limit = min(limit, f.clamp)
	}
	var in []rec
	for _, e := range f.recs {
		if e.at >= from && e.at < to {
			in = append(in, e)
		}
	}
	slices.SortStableFunc(in, func(a, b rec) int { return cmp.Compare(a.at, b.at) })
	in = in[:min(len(in), limit)]
	byStream := map[string][][]any{}
	for _, e := range in {
		v := []any{strconv.FormatInt(e.at, 10), e.line}
		if e.meta != nil {
			v = append(v, map[string]any{"structuredMetadata": e.meta, "parsed": map[string]string{"level": "made"}})
		}
		byStream[e.stream] = append(byStream[e.stream], v)
	}
	result := []any{}
	for app, values := range byStream { // in any order, which differs between pages
		result = append(result, map[string]any{"stream": map[string]string{"app": app}, "values": values})
	}
	data := map[string]any{"resultType": "streams", "result": result}
	if !f.noFlag && r.Header.Get("X-Loki-Response-Encoding-Flags") == "categorize-labels" {
		data["encodingFlags"] = []string{"categorize-labels"}
	}
	body, err := json.Marshal(map[string]any{"status": "success", "data": data})
	if err != nil {
		f.t.Error(err)
	}
	return body, 200
}

var base = time.Date(2026, 11, 30, 17, 0, 0, 0, time.UTC)

func at(ns int) int64 { return base.UnixNano() + int64(ns) }

// past is an export of the minute from base on.
func (f *fakeLoki) past() *Loki {
	return &Loki{
		Query: `{app=~".+"}`, From: base.Format(time.RFC3339), To: base.Add(time.Minute).Format(time.RFC3339),
		Client: Client{URL: f.server.URL, RetryFor: 5 * time.Second}, firstWait: time.Millisecond,
	}
}

func (f *fakeLoki) following() *Loki {
	return &Loki{
		Query: `{app=~".+"}`, Settle: 100 * time.Millisecond, Interval: 100 * time.Millisecond, Recheck: 30 * time.Second,
		Client: Client{URL: f.server.URL}, firstWait: time.Millisecond,
	}
}

// A recording is a capture that a test drives.
type recording struct {
	t       *testing.T
	dir     string
	session *capture.Session
	stop    context.CancelFunc
	done    chan error
}

func start(t *testing.T, opts capture.Options, l *Loki) *recording {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	opts.Creator, opts.Build, opts.Scenario = "test", "b", "s"
	sources, err := l.Sources()
	if err != nil {
		t.Fatal(err)
	}
	s, err := capture.Begin(opts)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &recording{t: t, dir: opts.Dir, session: s, stop: cancel, done: make(chan error, 1)}
	t.Cleanup(cancel)
	go func() { r.done <- s.Record(ctx, sources...) }()
	return r
}

func (r *recording) until(what string, holds func(capture.Stats) bool) {
	r.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(r.session.Stats()); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("%s did not come about: %+v", what, r.session.Stats())
		}
	}
}

func (r *recording) finish() *corpus.Run {
	r.t.Helper()
	if err := <-r.done; err != nil {
		r.t.Fatal(err)
	}
	res, err := r.session.Finish(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	rep, err := corpus.Verify(r.t.Context(), r.dir)
	if err != nil || len(rep.Problems) > 0 {
		r.t.Fatalf("%v %v", err, rep)
	}
	c, err := corpus.Open(r.dir)
	if err != nil {
		r.t.Fatal(err)
	}
	run, err := c.OpenRun(res.Run.Build, res.Run.Scenario, res.Run.Repetition)
	if err != nil {
		r.t.Fatal(err)
	}
	return run
}

// textsOf returns the entries of a run, sorted: of one time, their order
// between pages is the server's.
func textsOf(t *testing.T, run *corpus.Run) []string {
	t.Helper()
	e, err := run.Entries()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var out []string
	for e.Scan() {
		x := e.Entry()
		out = append(out, fmt.Sprintf("%s %d %s %s", run.Manifest.Streams[e.Stream()].Labels["app"], x.Time-base.UnixNano(), x.Line, x.Metadata))
	}
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	slices.Sort(out)
	return out
}

func wantTexts(recs []rec) []string {
	var out []string
	for _, r := range recs {
		meta := "{}"
		if len(r.meta) > 0 {
			meta = `{trace="` + r.meta["trace"] + `"}`
		}
		out = append(out, fmt.Sprintf("%s %d %s %s", r.stream, r.at-base.UnixNano(), r.line, meta))
	}
	slices.Sort(out)
	return out
}

func wantRun(t *testing.T, run *corpus.Run, recs []rec) {
	t.Helper()
	if diff := gocmp.Diff(wantTexts(recs), textsOf(t, run)); diff != "" {
		t.Error(diff)
	}
}

func wantWhole(t *testing.T, run *corpus.Run) {
	t.Helper()
	if got := run.Manifest.Completeness.Reasons; len(got) > 0 {
		t.Errorf("incomplete: %q", got)
	}
}

// crowd has several streams, equal lines, and times that many entries share.
func crowd() (recs []rec) {
	for i := range 400 {
		ns := i / 7 * 10
		if i >= 100 && i < 160 {
			ns = 1_000
		} else if i >= 160 {
			ns += 10_000
		}
		r := rec{stream: string(rune('a' + i%3)), at: at(ns), line: fmt.Sprint("line ", i%2)}
		if i%5 == 0 {
			r.meta = map[string]string{"trace": fmt.Sprint(i % 3)}
		}
		recs = append(recs, r)
	}
	return recs
}

func TestLoki_Pages(t *testing.T) {
	for _, limit := range []int{1, 2, 7, 8, 13, 59, 60, 61, 399, 400, 401, 1000} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			f := newLoki(t, crowd()...)
			l := f.past()
			l.Limit = limit
			run := start(t, capture.Options{}, l).finish()
			wantRun(t, run, f.recs)
			wantWhole(t, run)
			for _, s := range run.Manifest.Streams {
				if s.Time.Source != "prefix" || s.Time.Moved != 0 {
					t.Errorf("times: %+v", s.Time)
				}
			}
		})
	}
}

func TestLoki_MoreThanTheServersLimitAtOneTime(t *testing.T) {
	for _, c := range []struct {
		name                 string
		limit, max, most, cl int
		whole                bool
	}{
		{"key", 10, 40, 5000, 0, false},
		{"fits", 10, 60, 5000, 0, false}, // cannot be told from more
		{"one more fits", 10, 61, 5000, 0, true},
		{"server", 10, 1000, 45, 0, false},
		{"server says nothing", 100, 1000, 5000, 45, false},
		{"server says nothing, and it is enough", 100, 1000, 5000, 61, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newLoki(t, crowd()...)
			f.most, f.clamp = c.most, c.cl
			l := f.past()
			l.Limit, l.MaxLimit = c.limit, c.max
			run := start(t, capture.Options{}, l).finish()
			if c.whole {
				wantRun(t, run, f.recs)
				wantWhole(t, run)
				return
			}
			why := strings.Join(run.Manifest.Completeness.Reasons, "\n")
			if !strings.Contains(why, "2026-11-30T17:00:00.000001Z: there may be more entries of this nanosecond") {
				t.Errorf("incomplete: %s", why)
			}
			// Nothing else is missing, and nothing is there twice.
			other := func(texts []string) []string {
				return slices.DeleteFunc(texts, func(s string) bool { return strings.Contains(s, " 1000 ") })
			}
			if diff := gocmp.Diff(other(wantTexts(f.recs)), other(textsOf(t, run))); diff != "" {
				t.Error(diff)
			}
			if n := len(textsOf(t, run)); n > len(f.recs) || n < len(f.recs)-20 {
				t.Errorf("%d entries", n)
			}
		})
	}
}

func TestLoki_Misbehaves(t *testing.T) {
	torn := func(n int, w http.ResponseWriter, _ *http.Request) bool {
		body := `{"status":"success","data":{"resultType":"streams","result":[{"stream":{"app":"a"},"values":[["` + fmt.Sprint(at(5)) + `","torn"`
		switch {
		case n%2 == 0:
			return false
		case n%4 == 1: // cut by the connection
			w.Header().Set("Content-Length", "100000")
			_, _ = io.WriteString(w, body)
		default: // cut by a proxy that calls it whole
			_, _ = io.WriteString(w, body)
		}
		return true
	}
	for name, before := range map[string]func(int, http.ResponseWriter, *http.Request) bool{
		"torn answers": torn,
		"500 then fine": func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n%3 != 0 {
				http.Error(w, "an ingester is down", 500)
			}
			return n%3 != 0
		},
		"an error that is a success": func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n == 1 {
				_, _ = io.WriteString(w, "<html>please log in</html>")
			}
			return n == 1
		},
		"connections that end": func(n int, _ http.ResponseWriter, _ *http.Request) bool {
			if n%2 == 1 {
				panic(http.ErrAbortHandler)
			}
			return false
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newLoki(t, crowd()...)
			f.before = before
			l := f.past()
			l.Limit = 150
			run := start(t, capture.Options{}, l).finish()
			wantRun(t, run, f.recs)
			wantWhole(t, run)
		})
	}
}

func TestLoki_RetryAfter(t *testing.T) {
	f := newLoki(t, crowd()...)
	var first, second time.Time
	f.before = func(n int, w http.ResponseWriter, _ *http.Request) bool {
		switch n {
		case 1:
			first = time.Now()
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many outstanding requests", http.StatusTooManyRequests)
			return true
		case 2:
			second = time.Now()
		}
		return false
	}
	run := start(t, capture.Options{}, f.past()).finish()
	wantRun(t, run, f.recs)
	wantWhole(t, run)
	if d := second.Sub(first); d < time.Second {
		t.Errorf("asked again after %s", d)
	}
}

func TestLoki_Gzip(t *testing.T) {
	f := newLoki(t, crowd()...)
	f.before = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Error("gzip is not taken")
		}
		body, _ := f.answer(r)
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(body)
		return z.Close() == nil
	}
	wantRun(t, start(t, capture.Options{}, f.past()).finish(), f.recs)
}

func TestLoki_LongAnswers(t *testing.T) {
	f := newLoki(t, crowd()...)
	l := f.past()
	l.maxBody = 6000 // about a hundred entries
	run := start(t, capture.Options{}, l).finish()
	wantRun(t, run, f.recs)
	wantWhole(t, run)

	f = newLoki(t, rec{stream: "a", at: at(1), line: "short"}, rec{stream: "a", at: at(2), line: strings.Repeat("x", 10000)})
	l = f.past()
	l.maxBody = 6000
	run = start(t, capture.Options{}, l).finish()
	wantRun(t, run, f.recs[:1])
	if why := strings.Join(run.Manifest.Completeness.Reasons, "\n"); !strings.Contains(why, "one entry has more than 6000 bytes") {
		t.Errorf("incomplete: %s", why)
	}
	gaps := run.Manifest.Streams[0].Gaps
	if last := gaps[len(gaps)-1]; last.From.UnixNano() > at(2) || !last.To.Equal(base.Add(time.Minute)) {
		t.Errorf("gaps: %+v", gaps)
	}
}

func TestLoki_LongLines(t *testing.T) {
	long := strings.Repeat("x", 5000)
	f := newLoki(t, rec{stream: "a", at: at(1), line: long}, rec{stream: "a", at: at(1), line: long + "y"}, rec{stream: "a", at: at(1), line: long})
	l := f.past()
	l.Limit = 2
	run := start(t, capture.Options{MaxLine: 1024}, l).finish()
	if s := run.Manifest.Streams[0]; s.Records != 3 || s.Cut != 3 {
		t.Errorf("%d records, %d cut", s.Records, s.Cut)
	}
}

func TestLoki_Parsers(t *testing.T) {
	f := newLoki(t, crowd()...)
	l := f.past()
	l.Query = `{app=~".+"} |= "line" | json | level="made"`
	wantRun(t, start(t, capture.Options{}, l).finish(), f.recs) // labels that were read out of lines are left out

	f.noFlag = true
	run := start(t, capture.Options{}, l).finish()
	if why := strings.Join(run.Manifest.Completeness.Reasons, "\n"); !strings.Contains(why, "leave parsers out") {
		t.Errorf("incomplete: %s", why)
	}
}

func TestLoki_Backward(t *testing.T) {
	f := newLoki(t, crowd()...)
	f.before = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"streams","result":[{"stream":{"app":"a"},"values":[["%d","b"],["%d","a"]]}]}}`, at(9), at(8))
		return true
	}
	l := f.past()
	l.Limit = 2
	run := start(t, capture.Options{}, l).finish()
	if why := strings.Join(run.Manifest.Completeness.Reasons, "\n"); !strings.Contains(why, "latest entries first") {
		t.Errorf("incomplete: %s", why)
	}
}

// TestLoki_Random has servers of all kinds of limits: what a run lacks, it says.
func TestLoki_Random(t *testing.T) {
	whole := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		f := newLoki(t)
		for range rng.IntN(60) {
			f.recs = append(f.recs, rec{stream: string(rune('a' + rng.IntN(3))), at: at(rng.IntN(1 + rng.IntN(40))), line: fmt.Sprint(rng.IntN(3))})
		}
		l := f.past()
		l.Limit = 1 + rng.IntN(20)
		l.MaxLimit = l.Limit + rng.IntN(20)
		f.most = l.Limit + rng.IntN(20)
		if rng.IntN(2) == 0 {
			f.clamp = 1 + rng.IntN(20)
		}
		run := start(t, capture.Options{}, l).finish()
		want, got := wantTexts(f.recs), textsOf(t, run)
		if run.Manifest.Completeness.State == corpus.Complete {
			whole++
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("seed %d: %s", seed, diff)
			}
		}
		for _, text := range got { // nothing is there too often
			i := slices.Index(want, text)
			if i < 0 {
				t.Fatalf("seed %d: too many of %s", seed, text)
			}
			want = slices.Delete(want, i, i+1)
		}
	}
	if whole < 20 || whole == 60 {
		t.Errorf("%d of 60 runs are whole", whole)
	}
}

func TestLoki_OtherTimes(t *testing.T) {
	f := newLoki(t)
	f.before = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"streams","result":[{"stream":{"app":"a"},"values":[["5","b"]]}]}}`)
		return true
	}
	l := f.past()
	l.Limit = 1
	run := start(t, capture.Options{}, l).finish()
	if why := strings.Join(run.Manifest.Completeness.Reasons, "\n"); !strings.Contains(why, "entries of other times") {
		t.Errorf("incomplete: %s", why)
	}
}

func nowRec(stream, line string, ago time.Duration) rec {
	return rec{stream: stream, at: time.Now().Add(-ago).UnixNano(), line: line}
}

func TestLoki_Follows(t *testing.T) {
	f := newLoki(t, nowRec("a", "before", time.Hour))
	r := start(t, capture.Options{}, f.following())
	time.Sleep(5 * time.Millisecond)
	f.add(nowRec("a", "one", 0), nowRec("b", "two", 0))
	r.until("two lines", func(s capture.Stats) bool { return s.Lines == 2 })
	// Of a time that was asked for already.
	late := rec{stream: "b", at: f.recs[1].at + 1, line: "late"}
	f.add(late, nowRec("a", "last", 0))
	time.Sleep(2 * time.Millisecond)
	r.stop()
	run := r.finish()
	wantWhole(t, run)
	var got []string
	for _, s := range textsOf(t, run) {
		fields := strings.Fields(s)
		got = append(got, fields[0]+" "+fields[2])
	}
	slices.Sort(got)
	if diff := gocmp.Diff([]string{"a last", "a one", "b late", "b two"}, got); diff != "" {
		t.Error(diff)
	}
	if notes := strings.Join(run.Manifest.Notes, "\n"); !strings.Contains(notes, "1 entries came to the server later") {
		t.Errorf("notes: %s", notes)
	}
}

func TestLoki_GoesAway(t *testing.T) {
	f := newLoki(t)
	r := start(t, capture.Options{Grace: 500 * time.Millisecond}, f.following())
	time.Sleep(5 * time.Millisecond)
	f.add(nowRec("a", "one", 0))
	r.until("a line", func(s capture.Stats) bool { return s.Lines == 1 })
	f.mu.Lock()
	f.before = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "gone", http.StatusBadGateway)
		return true
	}
	f.mu.Unlock()
	f.add(nowRec("a", "lost", 0))
	r.stop()
	run := r.finish()
	why := strings.Join(run.Manifest.Completeness.Reasons, "\n")
	if !strings.Contains(why, "grace") || !strings.Contains(why, "502") || len(run.Manifest.Streams[0].Gaps) != 1 {
		t.Errorf("incomplete: %s", why)
	}
}

func TestLoki_Resumes(t *testing.T) {
	f := newLoki(t)
	r := start(t, capture.Options{}, f.following())
	time.Sleep(5 * time.Millisecond)
	f.add(nowRec("a", "one", 0), nowRec("a", "one", 0), nowRec("quiet", "only", 0))
	r.until("three lines", func(s capture.Stats) bool { return s.Lines == 3 })
	if err := r.session.Leave(); err != nil { // what a kill leaves
		t.Fatal(err)
	}
	r.stop()
	<-r.done
	f.add(nowRec("a", "meanwhile", 0))
	r = start(t, capture.Options{Dir: r.dir, Resume: true}, f.following())
	r.until("the line of between", func(s capture.Stats) bool { return s.Lines == 1 })
	r.stop()
	run := r.finish()
	wantRun(t, run, f.recs)
	for _, s := range run.Manifest.Streams {
		if len(s.Gaps) > 0 {
			t.Errorf("gaps: %+v", s.Gaps)
		}
	}
}

// TestLoki_ResumesExports leaves an export between pages, again and again.
func TestLoki_ResumesExports(t *testing.T) {
	f := newLoki(t, crowd()...)
	f.before = func(int, http.ResponseWriter, *http.Request) bool {
		time.Sleep(2 * time.Millisecond)
		return false
	}
	l := f.past()
	l.Limit, l.keepEvery = 9, time.Millisecond
	dir := t.TempDir()
	left := 0
	for i := range 20 {
		r := start(t, capture.Options{Dir: dir, Resume: i > 0}, l)
		select {
		case err := <-r.done:
			r.done <- err
		case <-time.After(time.Duration(30+10*i) * time.Millisecond):
			left++
			if err := r.session.Leave(); err != nil {
				t.Fatal(err)
			}
			<-r.done
			continue
		}
		run := r.finish()
		wantRun(t, run, f.recs)
		for _, s := range run.Manifest.Streams {
			if len(s.Gaps) > 0 || s.Time.Moved > 0 {
				t.Errorf("%+v %+v", s.Gaps, s.Time)
			}
		}
		break
	}
	if left == 0 || left == 20 {
		t.Errorf("left %d times", left)
	}
}

func FuzzReadAnswer(f *testing.F) {
	f.Add([]byte(`{"status":"success","data":{"resultType":"streams","encodingFlags":["categorize-labels"],"result":[{"stream":{"app":"a"},"values":[["1","a",{"structuredMetadata":{"x":"y"},"parsed":{}}],["1","b",{"z":"q"}]]}]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		streams, _, err := readAnswer(body, false)
		if err != nil && len(streams) > 0 {
			t.Error("streams of an answer that cannot be read")
		}
		for _, s := range streams {
			if !slices.IsSortedFunc(s.entries, func(a, b answerEntry) int { return cmp.Compare(a.at, b.at) }) {
				t.Error("entries out of order")
			}
		}
	})
}
