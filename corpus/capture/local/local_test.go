package local

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

const testPoll = 2 * time.Millisecond

// TestMain lets the test binary stand for a process that is captured.
func TestMain(m *testing.M) {
	if text := os.Getenv("LOCAL_TEST_PROCESS"); text != "" {
		child(text)
	}
	os.Exit(m.Run())
}

// child writes what it is told and ends as it is told.
func child(how string) {
	fmt.Println("out 1")
	fmt.Fprintln(os.Stderr, "err 2")
	fmt.Print("no line end")
	switch how {
	case "fail":
		os.Exit(3)
	case "stay":
		time.Sleep(time.Minute)
	}
	os.Exit(0)
}

// A recording is a capture that a test drives.
type recording struct {
	t       *testing.T
	dir     string
	session *capture.Session
	stop    context.CancelFunc
	done    chan error
}

type specs interface {
	Sources() ([]capture.Source, error)
}

func start(t *testing.T, opts capture.Options, all ...specs) *recording {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	opts.Creator, opts.Build, opts.Scenario = "test", "b", "s"
	s, err := capture.Begin(opts)
	if err != nil {
		t.Fatal(err)
	}
	r := &recording{t: t, dir: opts.Dir, session: s, done: make(chan error, 1)}
	var sources []capture.Source
	for _, spec := range all {
		more, err := spec.Sources()
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, more...)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() { r.done <- s.Record(ctx, sources...) }()
	return r
}

// until waits for something to hold.
func (r *recording) until(what string, holds func(capture.Stats) bool) {
	r.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !holds(r.session.Stats()) {
		if time.Now().After(deadline) {
			r.t.Fatalf("%s did not come about: %+v", what, r.session.Stats())
		}
		time.Sleep(time.Millisecond)
	}
}

func (r *recording) lines(n int64) {
	r.t.Helper()
	r.until(fmt.Sprintf("%d lines", n), func(s capture.Stats) bool { return s.Lines >= n })
}

// end ends the recording and returns the run.
func (r *recording) end() *corpus.Run {
	r.t.Helper()
	r.stop()
	return r.finish()
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

func linesOf(t *testing.T, run *corpus.Run) []string {
	t.Helper()
	e, err := run.Entries()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var out []string
	for e.Scan() {
		out = append(out, string(e.Entry().Line))
	}
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	return out
}

func write(t *testing.T, name, text string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// numbers returns lines "n I" for I from to to, of which each is longer than a
// head, so that a file is told from others by its first line.
func numbers(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, "n %d %s\n", i, strings.Repeat("x", 50))
	}
	return b.String()
}

// wantNumbers holds lines to be those of numbers, each once and in order.
func wantNumbers(t *testing.T, got []string, from, to int) {
	t.Helper()
	want := strings.Split(strings.TrimSuffix(numbers(from, to), "\n"), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func wantState(t *testing.T, run *corpus.Run, state string) {
	t.Helper()
	if c := run.Manifest.Completeness; c.State != state {
		t.Errorf("the run is %s: %q", c.State, c.Reasons)
	}
}

func zip(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(text)
	if err := errors.Join(z.Close(), os.WriteFile(name+".gz", b.Bytes(), 0o600), os.Chtimes(name+".gz", time.Time{}, info.ModTime()), os.Remove(name)); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// copyTruncate does what logrotate does with copytruncate, while somebody
// writes between the copy and the truncation if lost is not empty.
func copyTruncate(t *testing.T, name, to string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = errors.Join(os.WriteFile(to, text, 0o600), os.Truncate(name, 0))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func followed(name string) *Files {
	return &Files{Paths: Texts{name}, Labels: map[string]string{"app": "a"}, poll: testPoll}
}

func TestFiles_Rotation(t *testing.T) {
	for _, tt := range []struct {
		name   string
		rotate func(t *testing.T, name string, i int)
	}{
		{"rename", func(t *testing.T, name string, i int) { rename(t, name, name+"."+strconv.Itoa(9-i)) }},
		{"rename and compress", func(t *testing.T, name string, i int) {
			rename(t, name, name+"-2026113"+strconv.Itoa(i))
			zip(t, name+"-2026113"+strconv.Itoa(i))
		}},
		{"rename and delete", func(t *testing.T, name string, _ int) { // what was not read yet is read through the handle
			rename(t, name, name+".1")
			if err := os.Remove(name + ".1"); err != nil {
				t.Fatal(err)
			}
		}},
		{"copytruncate", func(t *testing.T, name string, i int) { copyTruncate(t, name, name+"."+strconv.Itoa(9-i)) }},
		{"copytruncate and compress", func(t *testing.T, name string, i int) {
			copyTruncate(t, name, name+"."+strconv.Itoa(9-i))
			zip(t, name+"."+strconv.Itoa(9-i))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "app.log")
			write(t, name, "before the capture\nand a line that was beg")
			r := start(t, capture.Options{}, followed(name))
			r.until("a stream", func(s capture.Stats) bool { return s.Streams == 1 })
			time.Sleep(5 * testPoll) // that it has found the end; a race would show as a missing line
			write(t, name, "un\n")
			r.lines(1)
			for i := range 5 {
				write(t, name, numbers(4*i+1, 4*i+3))
				if i%2 == 0 || tt.name == "rename and delete" {
					r.lines(int64(4*i + 2)) // else it is rotated before it is read
				}
				write(t, name, numbers(4*i+4, 4*i+4))
				tt.rotate(t, name, i+1)
				write(t, name, "") // the writer has opened the new one
			}
			write(t, name, numbers(21, 22))
			run := r.end()
			wantState(t, run, corpus.Complete)
			got := linesOf(t, run)
			if got[0] != "and a line that was begun" {
				t.Fatalf("the first line is %q", got[0])
			}
			wantNumbers(t, got[1:], 1, 22)
		})
	}
}

// TestFiles_Truncated has a file that is truncated without a copy: what was
// not read is lost, and the run says so.
func TestFiles_Truncated(t *testing.T) {
	name := filepath.Join(t.TempDir(), "app.log")
	write(t, name, numbers(1, 10))
	f := followed(name)
	f.From = "start"
	r := start(t, capture.Options{}, f)
	r.lines(10)
	write(t, name, "cut off in the mid")
	time.Sleep(5 * testPoll)
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	write(t, name, numbers(11, 40)) // longer than it was
	r.lines(40)
	run := r.end()
	wantState(t, run, corpus.Incomplete)
	got := slices.DeleteFunc(linesOf(t, run), func(s string) bool { return s == "cut off in the mid" })
	wantNumbers(t, got, 1, 40)
	s := run.Manifest.Streams[0]
	if len(s.Gaps) != 1 || s.Coverage.Share >= 1 {
		t.Errorf("gaps %+v, coverage %+v", s.Gaps, s.Coverage)
	}
}

func TestFiles_Pattern(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.log"), "old\n")
	f := &Files{Paths: Texts{filepath.Join(dir, "*.log"), filepath.Join(dir, "none-*")}, Labels: map[string]string{"app": "x"}, poll: testPoll}
	r := start(t, capture.Options{}, f)
	r.until("a stream", func(s capture.Stats) bool { return s.Streams == 1 })
	time.Sleep(5 * testPoll)
	write(t, filepath.Join(dir, "a.log"), "new\n")
	write(t, filepath.Join(dir, "b.log"), "all of b\n")
	r.lines(2)
	run := r.end()
	if diff := cmp.Diff([]string{"new", "all of b"}, linesOf(t, run)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if got := run.Manifest.Streams[1].Labels["filename"]; got != filepath.Join(dir, "b.log") {
		t.Errorf("label filename is %q", got)
	}
	if r := strings.Join(run.Manifest.Completeness.Reasons, "\n"); !strings.Contains(r, "none-*: no file had such a name") {
		t.Errorf("reasons %q", r)
	}
}

func TestFiles_Vanishes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "app.log")
	write(t, name, "")
	f := followed(name)
	f.From = "start"
	r := start(t, capture.Options{}, f, followedAs(name+".never", "never"))
	write(t, name, "one\ntwo without an end")
	r.lines(1)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	run := r.end()
	if diff := cmp.Diff([]string{"one", "two without an end"}, linesOf(t, run)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if r := strings.Join(run.Manifest.Completeness.Reasons, "\n"); strings.Count(r, "\n") > 0 || !strings.Contains(r, ".never: there was no such file") {
		t.Errorf("reasons %q", r)
	}
}

func followedAs(name, app string) *Files {
	f := followed(name)
	f.Labels["app"] = app
	return f
}

func TestFiles_LongLine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "app.log")
	write(t, name, strings.Repeat("a", 5000)+"\n"+strings.Repeat("b", 1024)+"\n"+strings.Repeat("c", 1025)+"\nshort\n")
	f := followed(name)
	f.From = "start"
	r := start(t, capture.Options{MaxLine: 1024}, f)
	r.lines(4)
	run := r.end()
	got := linesOf(t, run)
	want := []string{strings.Repeat("a", 1024) + "…[cut: 5000 bytes]", strings.Repeat("b", 1024), strings.Repeat("c", 1024) + "…[cut: 1025 bytes]", "short"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if m := run.Manifest; m.Streams[0].Cut != 2 || m.Capture.MaxLine != 1024 {
		t.Errorf("cut %d at %d", m.Streams[0].Cut, m.Capture.MaxLine)
	}
}

// TestFiles_OwnTimes has records that hold times of their own, with and
// without zone.
func TestFiles_OwnTimes(t *testing.T) {
	dir := t.TempDir()
	klog := "I1130 17:37:54.260066   19230 a.go:64] one\nno time\nE1130 17:37:55.260066   19230 a.go:64] two\n"
	write(t, filepath.Join(dir, "json.log"), `{"ts":"2026-11-30T17:00:01Z","msg":"a"}`+"\npanic: x\n"+`{"ts":"2026-11-30T17:00:02Z"}`+"\n")
	write(t, filepath.Join(dir, "klog.log"), klog)
	write(t, filepath.Join(dir, "zone.log"), klog)
	spec := func(name, zone string) *Files {
		f := followedAs(filepath.Join(dir, name+".log"), name)
		f.From, f.Time.Timezone = "start", zone
		return f
	}
	r := start(t, capture.Options{}, spec("json", ""), spec("klog", ""), spec("zone", "+02:00"))
	r.lines(9)
	run := r.end()
	wantState(t, run, corpus.Complete)
	got := map[string]string{}
	for _, s := range run.Manifest.Streams {
		got[s.Labels["app"]] = fmt.Sprintf("%s %d %s %d", s.Time.Source, s.Time.Undated, s.First.Format("01-02 15:04:05"), s.Unparseable)
	}
	if got["json"] != "record 1 11-30 17:00:01 1" {
		t.Errorf("json: %s", got["json"])
	}
	if got["zone"] != "record 1 11-30 15:37:54 1" {
		t.Errorf("zone: %s", got["zone"])
	}
	if want := "capture 0 " + time.Now().UTC().Format("01-02"); !strings.HasPrefix(got["klog"], want) {
		t.Errorf("klog: %s; want %s", got["klog"], want)
	}
	if n := strings.Join(run.Manifest.Notes, "\n"); !strings.Contains(n, `{app="klog"}: the times at which its records were read stand in`) {
		t.Errorf("notes %q", n)
	}
}

// TestFiles_Resume interrupts a capture between rotations and resumes it.
func TestFiles_Resume(t *testing.T) {
	for _, tt := range []struct {
		name      string
		meanwhile func(t *testing.T, name string)
		state     string
	}{
		{"nothing", func(*testing.T, string) {}, corpus.Complete},
		{"more", func(t *testing.T, name string) { write(t, name, numbers(31, 40)) }, corpus.Complete},
		{"rotated twice", func(t *testing.T, name string) {
			write(t, name, numbers(31, 33))
			rename(t, name, name+".2")
			zip(t, name+".2")
			time.Sleep(10 * time.Millisecond) // an order of times, as a rotation has
			write(t, name, numbers(34, 36))
			rename(t, name, name+".1")
			time.Sleep(10 * time.Millisecond)
			write(t, name, numbers(37, 40))
		}, corpus.Complete},
		{"copytruncate", func(t *testing.T, name string) {
			write(t, name, numbers(31, 36))
			copyTruncate(t, name, name+".1")
			write(t, name, numbers(37, 40))
		}, corpus.Complete},
		{"deleted", func(t *testing.T, name string) {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			write(t, name, numbers(31, 40))
		}, corpus.Incomplete},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "app.log")
			write(t, name, numbers(1, 20))
			f := followed(name)
			f.From = "start"
			opts := capture.Options{Dir: t.TempDir()}
			r := start(t, opts, f)
			r.lines(20)
			write(t, name, numbers(21, 30))
			r.lines(30)
			r.stop()
			if err := errors.Join(<-r.done, r.session.Leave()); err != nil {
				t.Fatal(err)
			}
			tt.meanwhile(t, name)
			opts.Resume = true
			r = start(t, opts, f)
			last := 40
			if tt.name == "nothing" {
				last = 30
			} else {
				r.lines(10)
			}
			write(t, name, numbers(last+1, last+2))
			r.lines(int64(last + 2 - 30))
			run := r.end()
			wantState(t, run, tt.state)
			wantNumbers(t, linesOf(t, run), 1, last+2)
			if n := len(run.Manifest.Capture.Interruptions); n != 1 {
				t.Errorf("%d interruptions", n)
			}
		})
	}
}

func TestProcess(t *testing.T) {
	p := func(how, restart string) *Process {
		return &Process{Command: []string{os.Args[0]}, Env: map[string]string{"LOCAL_TEST_PROCESS": how}, Labels: map[string]string{"app": how}, Stream: how, Restart: restart, Backoff: 100 * time.Millisecond}
	}
	r := start(t, capture.Options{}, p("fail", "on-failure"), p("end", "on-failure"), p("stay", "always"))
	r.until("restarts", func(s capture.Stats) bool { return s.Lines >= 3+2+2*3 && s.Sources == 2 })
	run := r.end()
	wantState(t, run, corpus.Complete)
	byApp := map[string]corpus.Stream{}
	for _, s := range run.Manifest.Streams {
		byApp[s.Labels["app"]] = s
	}
	if n := len(byApp["fail"].Epochs); n < 2 {
		t.Errorf("%d epochs of a process that was restarted", n)
	}
	for i, e := range byApp["fail"].Epochs[:2] {
		if e.Records != 3 || e.Source != fmt.Sprintf("process fail, start %d", i+1) {
			t.Errorf("epoch %d is %+v", i, e)
		}
	}
	if s := byApp["end"]; s.Records != 3 || len(s.Epochs) != 1 {
		t.Errorf("the process that ended well: %+v", s)
	}
	facts, err := run.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	requested, exits := 0, 0
	for _, a := range facts.Actions {
		if a.Action == "exit" {
			exits++
			if a.Requested {
				requested++
				if a.Target != "stay" && a.Target != "fail" {
					t.Errorf("the end of %s was asked for", a.Target)
				}
			}
		}
	}
	if exits < 4 || requested == 0 {
		t.Errorf("%d ends, %d asked for", exits, requested)
	}
	missing := start(t, capture.Options{}, &Process{Command: []string{"/nowhere/program"}, Labels: map[string]string{"a": "b"}})
	run = missing.finish()
	if why := strings.Join(run.Manifest.Completeness.Reasons, "\n"); !strings.Contains(why, "process program: fork/exec /nowhere/program: no such file") {
		t.Errorf("reasons %q", why)
	}
}

func TestStdin(t *testing.T) {
	r := start(t, capture.Options{}, &Stdin{Labels: map[string]string{"app": "a"}, In: strings.NewReader("one\ntwo\nlast")})
	run := r.finish() // ends with its input
	wantState(t, run, corpus.Complete)
	if diff := cmp.Diff([]string{"one", "two", "last"}, linesOf(t, run)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	in, out := io.Pipe()
	defer out.Close()
	r = start(t, capture.Options{}, &Stdin{Labels: map[string]string{"app": "a"}, In: in})
	if _, err := io.WriteString(out, "one\n"); err != nil {
		t.Fatal(err)
	}
	r.lines(1)
	if got := linesOf(t, r.end()); len(got) != 1 {
		t.Errorf("lines %q", got)
	}
}

func TestProbe(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	down := false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down || r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer srv.Close()
	token := filepath.Join(t.TempDir(), "token")
	write(t, token, "secret\n")
	r := start(t, capture.Options{},
		&Probe{Target: "tcp", TCP: listener.Addr().String(), Interval: 100 * time.Millisecond},
		&Probe{Target: "http", HTTP: srv.URL, Interval: 100 * time.Millisecond, Client: Client{TokenFile: token}},
		&Probe{Target: "no token", HTTP: srv.URL, Interval: 100 * time.Millisecond},
	)
	r.until("probes", func(s capture.Stats) bool { return s.Values >= 6 })
	listener.Close()
	r.until("more", func(s capture.Stats) bool { return s.Values >= 15 })
	run := r.end()
	facts, err := run.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][2]int{}
	for _, p := range facts.Probes {
		n := got[p.Target]
		if p.OK {
			n[0]++
		} else {
			n[1]++
		}
		got[p.Target] = n
	}
	if n := got["tcp"]; n[0] == 0 || n[1] == 0 {
		t.Errorf("tcp: %v", n)
	}
	if n := got["http"]; n[0] == 0 || n[1] > 0 {
		t.Errorf("http: %v", n)
	}
	if n := got["no token"]; n[0] > 0 || n[1] == 0 {
		t.Errorf("no token: %v", n)
	}
}

func TestScrape(t *testing.T) {
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n++
		if n == 2 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, "# TYPE c counter\nc_total{job=\"own\"} %d\n", n)
	}))
	r := start(t, capture.Options{}, &Scrape{URL: srv.URL + "/metrics", Labels: map[string]string{"job": "kueue"}, Interval: 100 * time.Millisecond})
	r.until("scrapes", func(s capture.Stats) bool { return s.Scrapes >= 4 })
	run := r.end()
	srv.Close()
	s, err := run.Scrapes()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var got []string
	for s.Scan() && len(got) < 3 {
		text := fmt.Sprint(s.Scrape().Up)
		for _, x := range s.Scrape().Samples {
			text += fmt.Sprintf(" %s %v", s.Series(x.Series), x.Value)
		}
		got = append(got, text)
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	series := fmt.Sprintf(`{__name__="c_total", exported_job="own", instance=%q, job="kueue"}`, strings.TrimPrefix(srv.URL, "http://"))
	if diff := cmp.Diff([]string{"true " + series + " 1", "false", "true " + series + " 3"}, got); diff != "" {
		t.Errorf("scrapes (-want +got):\n%s", diff)
	}
}

func TestProgress(t *testing.T) {
	name := filepath.Join(t.TempDir(), "progress.ndjson")
	write(t, name, `{"ts":"2026-11-30T16:00:00Z","event":"old"}`+"\n")
	p := &Progress{Paths: Texts{name}, Cluster: "worker-1", poll: testPoll}
	r := start(t, capture.Options{}, p)
	time.Sleep(20 * testPoll)
	write(t, name, `{"ts":"2026-11-30T17:00:00Z","event":"step","step":1}`+"\nno JSON\n"+`{"ts":"2026-11-30T17:00:01Z","event":"step","step":2}`+"\n")
	r.until("values", func(s capture.Stats) bool { return s.Values >= 2 })
	run := r.end()
	facts, err := run.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(facts.Progress) != 2 || facts.Progress[1].Step != 2 || facts.Progress[1].Cluster != "worker-1" {
		t.Errorf("progress %+v", facts.Progress)
	}
	if why := strings.Join(run.Manifest.Completeness.Reasons, "\n"); !strings.Contains(why, `a line is no JSON: "no JSON"`) {
		t.Errorf("reasons %q", why)
	}
}

func TestSources_Wrong(t *testing.T) {
	f := func(s specs, want string) {
		t.Helper()
		if _, err := s.Sources(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v; want %q", s, err, want)
		}
	}
	a := map[string]string{"app": "a"}
	f(&Files{Labels: a}, "names no paths")
	f(&Files{Paths: Texts{"x"}}, "give labels")
	f(&Files{Paths: Texts{"x["}, Labels: a}, "is no pattern")
	f(&Files{Paths: Texts{"x"}, Labels: map[string]string{"a-b": "c"}}, `label name "a-b"`)
	f(&Files{Paths: Texts{"x"}, Labels: a, From: "middle"}, "want end or start")
	f(&Files{Paths: Texts{"x"}, Labels: a, Time: Time{Format: Texts{"glog"}}}, `format "glog" is not known`)
	f(&Process{Labels: a}, "names no command")
	f(&Process{Command: []string{"x"}, Labels: a, Restart: "sometimes"}, "want never, on-failure or always")
	f(&Probe{}, "give either tcp or http")
	f(&Probe{TCP: "host"}, "want host:port")
	f(&Probe{HTTP: "host"}, "want a URL")
	f(&Probe{TCP: "a:1", Interval: time.Millisecond}, "less than 100ms")
	f(&Scrape{URL: "x", Labels: a}, "want one such as")
	f(&Scrape{URL: "http://x", Labels: a, Client: Client{CAFile: "/nowhere"}}, "caFile")
	f(&Progress{Paths: Texts{"x"}, As: "events"}, "want progress, actions or probes")
	f(&Progress{Paths: Texts{"x"}, Fields: map[string]Texts{"nothing": {"a"}}}, `field "nothing"`)
	f(&Stdin{Labels: a}, "no standard input")
}
