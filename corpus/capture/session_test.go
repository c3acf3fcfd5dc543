package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
)

// A script is a source that does what a test says.
type script struct {
	name string
	do   func(ctx context.Context, to Sink) error
}

func (s script) String() string                            { return s.name }
func (s script) Record(ctx context.Context, to Sink) error { return s.do(ctx, to) }

func labels(pairs ...string) logs.Labels {
	var ls []logs.Label
	for i := 0; i < len(pairs); i += 2 {
		ls = append(ls, logs.Label{Name: pairs[i], Value: pairs[i+1]})
	}
	return logs.New(ls...)
}

func options(dir string) Options {
	return Options{Dir: dir, Creator: "test", Build: "deployed", Scenario: "drill"}
}

func begin(t *testing.T, opts Options) *Session {
	t.Helper()
	s, err := Begin(opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func record(t *testing.T, s *Session, do func(ctx context.Context, to Sink) error) {
	t.Helper()
	if err := s.Record(t.Context(), script{"the script", do}); err != nil {
		t.Fatal(err)
	}
}

func finishRun(t *testing.T, s *Session) *corpus.Manifest {
	t.Helper()
	res, err := s.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return verified(t, s.opts.Dir, res.Run)
}

// verified reads every byte of a corpus and returns the manifest of a run.
func verified(t *testing.T, dir string, info corpus.RunInfo) *corpus.Manifest {
	t.Helper()
	rep, err := corpus.Verify(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Problems) > 0 {
		t.Fatalf("problems: %q", rep.Problems)
	}
	m, err := corpus.ManifestOf(dir, info)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// records returns the records of a run as texts.
func records(t *testing.T, dir string, info corpus.RunInfo) []string {
	t.Helper()
	c, err := corpus.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun(info.Build, info.Scenario, info.Repetition)
	if err != nil {
		t.Fatal(err)
	}
	e, err := run.Entries()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var out []string
	for e.Scan() {
		x := e.Entry()
		out = append(out, fmt.Sprintf("%s %s %s%s", time.Unix(0, x.Time).UTC().Format("05.000"), run.Manifest.Streams[e.Stream()].LabelSet(), x.Line, metaText(x.Metadata)))
	}
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	return out
}

func metaText(ls logs.Labels) string {
	if len(ls) == 0 {
		return ""
	}
	return " " + ls.String()
}

func at(seconds float64) time.Time {
	return time.Date(2026, 11, 30, 17, 0, 0, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

func TestSession(t *testing.T) {
	dir := t.TempDir()
	opts := options(dir)
	opts.Manifest = corpus.Manifest{
		Scenario: corpus.Scenario{Expected: "the alert fires", Expectations: []corpus.Expectation{{Rule: "r", Expect: "must-fire"}}},
		Drill:    &corpus.Drill{Interrupted: []string{"worker-1"}, Owner: "me"},
	}
	s := begin(t, opts)
	record(t, s, func(_ context.Context, to Sink) error {
		a, err := to.Stream(StreamInfo{Name: "a", Labels: labels("app", "a"), Times: Given})
		if err != nil {
			return err
		}
		b, err := to.Stream(StreamInfo{Name: "b", Labels: labels("app", "b"), Times: Given})
		if err != nil {
			return err
		}
		if _, err := to.Stream(StreamInfo{Name: "b", Labels: labels("app", "b"), Times: Given}); err == nil {
			t.Error("a stream was given to two users")
		}
		return errors.Join(
			a.Epoch("pod a, first", ""),
			a.Append(at(1), []byte("one")), a.Append(at(1), []byte("one")), a.Append(at(0.5), []byte("late")),
			a.Epoch("pod a, second", "candidate"),
			a.Append(at(2), []byte("two\xff")),
			b.AppendMeta(at(1.5), []byte("with\nnewline"), labels("k", "v")),
			b.Append(at(1.6), nil),
			b.Close(),
			to.Value("events", corpus.FileKey{Cluster: "m"}, []byte(`{"a": 1}`)),
			to.Value("events", corpus.FileKey{Cluster: "m"}, []byte(`{"a":1}`)),
			to.Value("objects", corpus.FileKey{Moment: "end"}, []byte(`{"kind":"PodList","apiVersion":"v1","items":[{},{}]}`)),
			to.Value("objects", corpus.FileKey{Moment: "start"}, []byte(`{"kind":"Pod"}`)),
			to.Moment("end", at(9)), to.Moment("start", at(0)), to.Moment("end", at(10)),
			to.Scrape(labels("job", "j"), at(1), "text/plain", []byte("# TYPE up gauge\nx{a=\"b\"} 1\n# scrape ts=1\n# EOF\n"), nil),
			to.Scrape(labels("job", "j"), at(2), "", nil, errors.New("refused")),
			to.Scrape(labels("job", "j"), at(3), "text/html", []byte("<html>"), nil),
			to.Describe(func(m *corpus.Manifest) {
				m.Builds[0].Version = "v1"
				m.Environment = &corpus.Environment{Kubernetes: "v1.35"}
			}),
		)
	})
	if got := s.Stats(); got.Lines != 6 || got.Streams != 2 || got.Values != 4 || got.Scrapes != 3 || len(got.Problems) != 1 {
		t.Errorf("stats %+v", got)
	}
	m := finishRun(t, s)
	want := []string{
		`01.000 {app="a"} one`, `01.000 {app="a"} one`, `01.000 {app="a"} late`,
		`01.500 {app="b"} with` + "\nnewline" + ` {k="v"}`, `01.600 {app="b"} `, `02.000 {app="a"} two` + "\xff",
	}
	if diff := cmp.Diff(want, records(t, dir, s.Info())); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	a := m.Streams[0]
	if diff := cmp.Diff([]corpus.Epoch{{Build: 0, Source: "pod a, first", Records: 3}, {Build: 1, Source: "pod a, second", Start: 3, Records: 1}}, a.Epochs); diff != "" {
		t.Errorf("epochs (-want +got):\n%s", diff)
	}
	if a.Time.Moved != 1 || a.Time.Source != "prefix" || a.Coverage.Share != 1 || m.Completeness.State != corpus.Complete {
		t.Errorf("time %+v, coverage %+v, completeness %+v", a.Time, a.Coverage, m.Completeness)
	}
	if m.Builds[0].Version != "v1" || m.Builds[1].Name != "candidate" || m.Environment.Kubernetes != "v1.35" || m.Drill.Owner != "me" {
		t.Errorf("manifest %+v", m)
	}
	if d := m.Scenario.DeclaredAt; d == nil || !d.Equal(m.Scenario.Expectations[0].DeclaredAt) || d.After(m.Capture.Ended) || time.Since(*d) > time.Minute {
		t.Errorf("declared at %v; the capture started at %s", d, m.Capture.Started)
	}
	if names := []string{m.Moments[0].Name, m.Moments[1].Name}; names[0] != "start" || names[1] != "end" || !m.Moments[1].Time.Equal(at(9)) {
		t.Errorf("moments %+v", m.Moments)
	}
	var files []string
	for _, f := range m.Files {
		files = append(files, f.Path)
	}
	if diff := cmp.Diff([]string{"events.m.ndjson.zst", "objects/end.ndjson.zst", "objects/start.ndjson.zst", "metrics.om.zst"}, files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "refused") {
		t.Errorf("notes %q", m.Notes)
	}
	if _, err := os.Stat(s.Spool()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the spool is still there: %v", err)
	}
	if _, err := Begin(Options{Dir: dir, Creator: "test", Build: "deployed", Scenario: "drill", Repetition: 1}); err == nil || !strings.Contains(err.Error(), "has run deployed/drill/1 already") {
		t.Errorf("a finished run was taken again: %v", err)
	}
	next := begin(t, options(dir))
	if next.Info().Repetition != 2 {
		t.Errorf("the next run is %s", next.Info())
	}
	if err := next.Discard(); err != nil {
		t.Error(err)
	}
}

func TestSession_TwoCaptures(t *testing.T) {
	dir := t.TempDir()
	opts := options(dir)
	opts.Repetition = 1
	s := begin(t, opts)
	var busy *BusyError
	if _, err := Begin(opts); !errors.As(err, &busy) {
		t.Errorf("a second capture into one run: %v", err)
	}
	opts.Resume = true
	if _, err := Begin(opts); !errors.As(err, &busy) {
		t.Errorf("a live capture was resumed: %v", err)
	}
	if out, err := Repair(t.Context(), dir, "test"); !errors.As(err, &busy) || len(out) > 0 {
		t.Errorf("a live capture was repaired: %v, %v", out, err)
	}
	if _, err := corpus.Open(dir); err == nil || !strings.Contains(err.Error(), "stillfires corpus repair "+dir) {
		t.Errorf("open: %v", err)
	}
	desc, err := corpus.ParseDescription("d", []byte("version: 1\nbuild: {name: deployed}\nscenario: {name: drill}\nlogs: [{files: a.log, labels: {a: b}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.log"), []byte("2026-01-02T15:04:05Z x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := corpus.Import(t.Context(), desc, root, dir, corpus.ImportOptions{Creator: "test"}); err == nil || !strings.Contains(err.Error(), "is being captured") {
		t.Errorf("import into a run under capture: %v", err)
	}
	// Another repetition is free.
	opts.Resume, opts.Repetition = false, 0
	other := begin(t, opts)
	if other.Info().Repetition != 2 {
		t.Errorf("other is %s", other.Info())
	}
	record(t, other, oneLine)
	if _, err := other.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !s.Empty() {
		t.Error("nothing was recorded, but the session is not empty")
	}
	if err := s.Discard(); err != nil {
		t.Fatal(err)
	}
	verified(t, dir, other.Info())
}

func oneLine(_ context.Context, to Sink) error {
	st, err := to.Stream(StreamInfo{Name: "a", Labels: labels("app", "a"), Times: OfReading})
	if err != nil {
		return err
	}
	return st.Append(at(1), []byte("one"))
}

func TestSession_SourceFails(t *testing.T) {
	s := begin(t, options(t.TempDir()))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	s.grace = 50 * time.Millisecond
	release := make(chan struct{})
	defer close(release)
	err := s.Record(ctx,
		script{"good", oneLine},
		script{"bad", func(context.Context, Sink) error { return errors.New("connection refused") }},
		script{"mad", func(context.Context, Sink) error { panic("oops") }},
		script{"slow", func(context.Context, Sink) error { <-release; return nil }},
	)
	if err != nil {
		t.Fatal(err)
	}
	m := finishRun(t, s)
	text := strings.Join(m.Completeness.Reasons, "\n")
	for _, want := range []string{"bad: connection refused", "mad: it panicked: oops", "slow did not end within 50ms"} {
		if !strings.Contains(text, want) {
			t.Errorf("the reasons lack %q:\n%s", want, text)
		}
	}
	if m.Completeness.State != corpus.Incomplete || m.Streams[0].Records != 1 {
		t.Errorf("manifest %+v", m)
	}
}

// TestSession_DiskFull has a disk that takes so many bytes, then none.
func TestSession_DiskFull(t *testing.T) {
	for _, room := range []int64{0, 100, 700, 3000, 20000} {
		dir := t.TempDir()
		opts := options(dir)
		left := room
		opts.create = func(name string) (file, error) {
			f, err := createFile(name)
			return &fullDisk{f, &left}, err
		}
		s, err := Begin(opts)
		if err == nil {
			err = s.Record(t.Context(), script{"filler", func(_ context.Context, to Sink) error {
				st, err := to.Stream(StreamInfo{Name: "a", Labels: labels("app", "a"), Times: Given})
				for i := 0; err == nil; i++ {
					err = st.Append(at(float64(i)), []byte(strings.Repeat("x", 100)))
					if i%50 == 0 && err == nil {
						_, err = st.Since(at(float64(i)))
					}
				}
				return err
			}})
			if err == nil || !strings.Contains(err.Error(), "no space") {
				t.Errorf("room %d: %v", room, err)
			}
			if _, err := s.Finish(t.Context()); err == nil {
				t.Errorf("room %d: finished although not all could be written", room)
			}
		}
		if _, err := Repair(t.Context(), dir, "test"); err != nil {
			t.Errorf("room %d: %v", room, err)
		}
		c, err := corpus.Open(dir)
		if err != nil {
			t.Fatalf("room %d: %v", room, err)
		}
		for _, info := range c.Runs() {
			if m := verified(t, dir, info); m.Completeness.State != corpus.Incomplete {
				t.Errorf("room %d: %+v", room, m.Completeness)
			}
			for i, line := range records(t, dir, info) {
				if want := strings.Repeat("x", 100); !strings.HasSuffix(line, want) {
					t.Errorf("room %d: record %d is %q", room, i, line)
				}
			}
		}
		if room == 20000 && len(c.Runs()) != 1 {
			t.Errorf("room %d: runs %v", room, c.Runs())
		}
	}
}

// A fullDisk writes what there is room for, as a file system does.
type fullDisk struct {
	file
	left *int64
}

func (d *fullDisk) Write(b []byte) (int, error) {
	n := min(int64(len(b)), *d.left)
	*d.left -= n
	if _, err := d.file.Write(b[:n]); err != nil {
		return 0, err
	}
	if n < int64(len(b)) {
		return int(n), errors.New("no space left on device")
	}
	return int(n), nil
}

func TestSession_ReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		// Root may write into any directory; a file in its place it cannot.
		file := filepath.Join(t.TempDir(), "corpus")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Begin(options(file)); err == nil {
			t.Error("a capture into a file was begun")
		}
		return
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := Begin(options(dir)); err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("a capture into a directory that is read-only: %v", err)
	}
}
