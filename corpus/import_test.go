package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/logs"
)

// importFiles imports a tree of files by a description.
func importFiles(t *testing.T, desc string, files map[string]string) (string, *ImportReport, error) {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(root, name), []byte(text))
	}
	out := filepath.Join(t.TempDir(), "corpus")
	d, err := ParseDescription("import.yaml", []byte(desc))
	if err != nil {
		return out, nil, err
	}
	rep, err := Import(t.Context(), d, root, out, ImportOptions{Creator: "test"})
	if err != nil {
		err = errors.New(strings.ReplaceAll(err.Error(), root, "ROOT"))
	}
	return out, rep, err
}

// lines returns the records of a run as "time line", the date left out.
func runLines(t *testing.T, dir string, info RunInfo) []string {
	t.Helper()
	c, err := Open(dir)
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
	var got []string
	for e.Scan() {
		got = append(got, time.Unix(0, e.Entry().Time).UTC().Format("01-02T15:04:05.999999999")+" "+string(e.Entry().Line))
	}
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	return got
}

const oneLog = "version: 1\nbuild: {name: b}\nscenario: {name: s}\nlogs:\n- {files: \"{n}.log\", order: path, labels: {app: a}}\n"

var bs = RunInfo{"b", "s", 1}

// TestImport_Times holds import to the rules for times.
func TestImport_Times(t *testing.T) {
	f := func(name, desc string, files map[string]string, want ...string) {
		t.Helper()
		dir, _, err := importFiles(t, desc, files)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if diff := cmp.Diff(want, runLines(t, dir, bs)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	f("undated lines first, and later ones", oneLog,
		map[string]string{"1.log": "x\n\ny\n{\"ts\":\"2026-11-30T17:00:00Z\"}\nz\n\n{\"ts\":\"2026-11-30T17:00:01Z\"}"},
		"11-30T17:00:00 x", "11-30T17:00:00 ", "11-30T17:00:00 y", `11-30T17:00:00 {"ts":"2026-11-30T17:00:00Z"}`,
		"11-30T17:00:00.000001 z", "11-30T17:00:00.000002 ", `11-30T17:00:01 {"ts":"2026-11-30T17:00:01Z"}`)
	f("older records", oneLog,
		map[string]string{"1.log": "{\"ts\":\"2026-11-30T17:00:00Z\"}\nz\n{\"ts\":\"2026-11-30T16:00:00Z\"}\ny\n{\"ts\":\"2026-11-30T17:00:00.000001Z\"}"},
		`11-30T17:00:00 {"ts":"2026-11-30T17:00:00Z"}`, "11-30T17:00:00.000001 z", `11-30T17:00:00.000001 {"ts":"2026-11-30T16:00:00Z"}`,
		"11-30T17:00:00.000002 y", `11-30T17:00:00.000002 {"ts":"2026-11-30T17:00:00.000001Z"}`)
	f("epochs by number, undated at a file's beginning", oneLog,
		map[string]string{"10.log": "late\n", "9.log": "dump\n{\"ts\":\"2026-11-30T17:00:00Z\"}\n"},
		"11-30T17:00:00 dump", `11-30T17:00:00 {"ts":"2026-11-30T17:00:00Z"}`, "11-30T17:00:00.000001 late")
	f("first file undated", oneLog,
		map[string]string{"1.log": "a\nb", "2.log": "c\nts=2026-11-30T17:00:00Z x=y\n"},
		"11-30T17:00:00 a", "11-30T17:00:00 b", "11-30T17:00:00 c", "11-30T17:00:00 ts=2026-11-30T17:00:00Z x=y")
	f("order by time", strings.Replace(oneLog, "order: path", "order: time", 1),
		map[string]string{"1.log": "{\"ts\":\"2026-11-30T18:00:00Z\"}\n", "2.log": "{\"ts\":\"2026-11-30T17:00:00Z\"}\n"},
		`11-30T17:00:00 {"ts":"2026-11-30T17:00:00Z"}`, `11-30T18:00:00 {"ts":"2026-11-30T18:00:00Z"}`)
	f("order descending", strings.Replace(oneLog, "order: path", "order: path-descending", 1),
		map[string]string{"1.log": "{\"ts\":\"2026-11-30T18:00:00Z\"}\n", "2.log": "{\"ts\":\"2026-11-30T17:00:00Z\"}\n"},
		`11-30T17:00:00 {"ts":"2026-11-30T17:00:00Z"}`, `11-30T18:00:00 {"ts":"2026-11-30T18:00:00Z"}`)
	const klog = "I1231 23:59:59.500000 1 f.go:1] x\nI0101 00:00:00.500000 1 f.go:1] y\n"
	f("year given, over New Year, in a zone", oneLog+"time: {year: 2026, timezone: \"+01:00\"}",
		map[string]string{"1.log": klog},
		"12-31T22:59:59.5 I1231 23:59:59.500000 1 f.go:1] x", "12-31T23:00:00.5 I0101 00:00:00.500000 1 f.go:1] y")
	f("year and zone of another record", oneLog,
		map[string]string{"1.log": klog + "{\"ts\":\"2027-01-01T00:00:01.000+0200\"}\n"},
		"12-31T21:59:59.5 I1231 23:59:59.500000 1 f.go:1] x", "12-31T22:00:00.5 I0101 00:00:00.500000 1 f.go:1] y", `12-31T22:00:01 {"ts":"2027-01-01T00:00:01.000+0200"}`)
	f("none", oneLog+"time: {format: none, start: 2026-11-30T17:00:00Z}",
		map[string]string{"1.log": "a\n{\"ts\":\"2026-11-30T18:00:00Z\"}\n"},
		"11-30T17:00:00 a", `11-30T17:00:00.000001 {"ts":"2026-11-30T18:00:00Z"}`)
	f("cri, pieces joined", oneLog,
		map[string]string{"1.log": "2026-11-30T17:00:00.1Z stderr P a\n2026-11-30T17:00:00.2Z stderr F b\r\n2026-11-30T17:00:00.3Z stdout F \n2026-11-30T17:00:00.4Z stdout P end"},
		"11-30T17:00:00.2 ab\r", "11-30T17:00:00.3 ", "11-30T17:00:00.4 end")
	f("bytes", oneLog,
		map[string]string{"1.log": "ts=2026-11-30T17:00:00Z a=\x00\xff b\r\n\xef\xbb\xbf\t \n"},
		"11-30T17:00:00 ts=2026-11-30T17:00:00Z a=\x00\xff b\r", "11-30T17:00:00.000001 \xef\xbb\xbf\t ")
}

func TestImport_Zone(t *testing.T) {
	dir, rep, err := importFiles(t, oneLog+"- {files: k/log, labels: {app: k}}\n", map[string]string{
		"1.log": "{\"ts\":1796058000.5}\n{\"ts\":\"2026-11-30T19:00:01+02:00\"}\n",
		"k/log": "I1130 19:00:02.000000 1 f.go:1] x\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := runLines(t, dir, bs)[2], "11-30T17:00:02 I1130 19:00:02.000000 1 f.go:1] x"; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
	want := Timing{Source: "record", Year: 2026, Zone: "+02:00", From: "1.log"}
	if diff := cmp.Diff(want, rep.Runs[0].Streams[1].Time); diff != "" {
		t.Errorf("time (-want +got):\n%s", diff)
	}
}

const twoRuns = `version: 1
run: "{scenario}/{build}/{n}"
repetition: "{n}"
build:
  component: c
  fromFile: {file: m.json, version: "v.{build}", flags: flags}
builds:
  new: {commit: abc}
scenario:
  parameters: {load: "6 jobs"}
scenarios:
  cut:
    description: cut and restored
    window: {start: 2026-11-30T16:00:00Z, end: 2026-11-30T18:00:00Z}
    expectations: [{rule: R, expect: must-fire, declaredAt: 2026-11-01T00:00:00Z}]
environment: {kubernetes: v1.35.4, devices: {gpu: "6"}, fromFile: {file: no.json, components: {etcd: etcd}, optional: true}}
logs:
- labels: {app: a, pod: "{pod}", where: "{place}"}
  map: {place: {x: left}}
  epochs:
  - {files: "{pod}-{place}.log.old", order: path}
  - files: "{pod}-{place}.log[.gz]"
    build: {name: other, version: "2", fromFile: {file: m.json, commit: nowhere, flags: nor.here, optional: true}}
files:
- {files: events.json, as: events}
- {files: "state/{m}/*.json", as: objects, moment: "{m}"}
- {files: "progress-{c}.ndjson", as: progress}
ignore: [/notes.txt, "*.tmp"]
`

func TestImport_Metadata(t *testing.T) {
	json := "{\"ts\":\"2026-11-30T17:00:00Z\"}\n"
	files := map[string]string{"notes.txt": "n"}
	for _, dir := range []string{"cut/new/1/", "cut/new/2/", "cut/old/1/"} {
		files[dir+"m.json"] = `{"v":{"new":"v2","old":"v1"},"flags":["--a","--b=c"]}`
		files[dir+"p-x.log.old"] = "early\n"
		files[dir+"p-x.log"] = json
		files[dir+"q-y.log.gz"] = json
		files[dir+"junk.tmp"] = ""
		files[dir+"events.json"] = `{"kind":"EventList","items":[{"a": 1},{"b":"x\ny"}]}`
		files[dir+"state/end/pods.json"] = `[{"p":1}]`
		files[dir+"state/end/jobs.json"] = `{"kind":"Job"}`
		files[dir+"progress-b.ndjson"] = "{\"s\":2}\n"
		files[dir+"progress-a.ndjson"] = "{\"s\":1}\n\n{\"s\":1}"
	}
	dir, rep, err := importFiles(t, twoRuns, files)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Runs) != 3 || rep.Ignored != 4 {
		t.Errorf("%d runs, %d ignored; want 3 and 4", len(rep.Runs), rep.Ignored)
	}
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun("new", "cut", 2)
	if err != nil {
		t.Fatal(err)
	}
	m := run.Manifest
	wantBuilds := []Build{
		{Name: "new", Component: "c", Version: "v2", Commit: "abc", Flags: []string{"--a", "--b=c"}},
		{Name: "other", Component: "c", Version: "2"},
	}
	if diff := cmp.Diff(wantBuilds, m.Builds); diff != "" {
		t.Errorf("builds (-want +got):\n%s", diff)
	}
	at := func(s string) time.Time { v, _ := time.Parse(time.RFC3339, s); return v }
	wantScenario := Scenario{Name: "cut", Description: "cut and restored", Parameters: map[string]string{"load": "6 jobs"},
		Window:       &Window{at("2026-11-30T16:00:00Z"), at("2026-11-30T18:00:00Z")},
		Expectations: []Expectation{{"R", "must-fire", at("2026-11-01T00:00:00Z")}}}
	if diff := cmp.Diff(wantScenario, m.Scenario); diff != "" {
		t.Errorf("scenario (-want +got):\n%s", diff)
	}
	wantLabels := []map[string]string{{"app": "a", "pod": "p", "where": "left"}, {"app": "a", "pod": "q", "where": "y"}}
	wantEpochs := [][]Epoch{
		{{0, "cut/new/2/p-x.log.old", 0, 1}, {1, "cut/new/2/p-x.log", 1, 1}},
		{{1, "cut/new/2/q-y.log.gz", 0, 1}},
	}
	for i := range m.Streams {
		if diff := cmp.Diff(wantLabels[i], m.Streams[i].Labels); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(wantEpochs[i], m.Streams[i].Epochs); diff != "" {
			t.Errorf("epochs (-want +got):\n%s", diff)
		}
	}
	for name, want := range map[string]string{
		EventsFile:               "{\"a\":1}\n{\"b\":\"x\\ny\"}\n",
		"objects/end.ndjson.zst": "{\"kind\":\"Job\"}\n{\"p\":1}\n",
		ProgressFile:             "{\"s\":1}\n{\"s\":1}\n{\"s\":2}\n",
	} {
		f, err := run.OpenFile(name)
		if err != nil {
			t.Error(err)
			continue
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(f); err != nil || b.String() != want {
			t.Errorf("%s holds %q, error %v; want %q", name, b.String(), err, want)
		}
		f.Close()
	}
	if _, err := run.OpenFile(ProbesFile); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there gave %v", err)
	}
	write(t, run.Path(ProgressFile), []byte("{\"s\":1}\n{\"s\":1}\n{\"s\":9}\n"))
	if rep, err := Verify(t.Context(), dir); err != nil || len(rep.Problems) != 1 || !strings.Contains(rep.Problems[0], "progress.ndjson: checksum") {
		t.Errorf("Verify of a changed file gave %v, %v", rep, err)
	}
}

// TestImport_Deterministic imports a tree twice; not a byte may differ.
func TestImport_Deterministic(t *testing.T) {
	trees := make([]map[string]string, 2)
	for i := range trees {
		dir := t.TempDir()
		importTree(t, "kai-binder", dir)
		trees[i] = map[string]string{}
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				rel, _ := filepath.Rel(dir, name)
				trees[i][rel] = string(readFile(t, name))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(trees[0], trees[1]); diff != "" {
		t.Errorf("two imports differ:\n%s", diff)
	}
}

func TestImport_Cancelled(t *testing.T) {
	root, out := t.TempDir(), filepath.Join(t.TempDir(), "corpus")
	write(t, filepath.Join(root, "1.log"), []byte("{\"ts\":\"2026-11-30T17:00:00Z\"}\n"))
	d, err := ParseDescription("import.yaml", []byte(oneLog))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Import(ctx, d, root, out, ImportOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled import gave %v", err)
	}
	if left, _ := os.ReadDir(out); len(left) > 0 {
		t.Errorf("a cancelled import left %v", left)
	}
	for _, want := range []bool{true, false} { // the second time the run is there
		_, err := Import(t.Context(), d, root, out, ImportOptions{})
		var exists *RunExistsError
		if (err == nil) != want || err != nil && !errors.As(err, &exists) {
			t.Errorf("import gave %v", err)
		}
	}
	if rep, err := Verify(t.Context(), out); err != nil || len(rep.Problems) > 0 || rep.Runs != 1 {
		t.Errorf("Verify gave %v, %v", rep, err)
	}
}

func TestImportRaw(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.log"), filepath.Join(dir, "b.log")
	write(t, a, []byte("ts=2026-11-30T17:00:00Z x=1\n"))
	write(t, b, []byte("ts=2026-11-30T17:00:02Z x=2\n"))
	out := filepath.Join(dir, "corpus")
	opts := RawOptions{Build: "deployed", Labels: logs.New(logs.Label{Name: "app", Value: "kueue"}), Stdin: strings.NewReader("ts=2026-11-30T17:00:01Z x=3\n")}
	if _, err := ImportRaw(t.Context(), []string{a, "-", b}, out, opts); err != nil {
		t.Fatal(err)
	}
	want := []string{"11-30T17:00:00 ts=2026-11-30T17:00:00Z x=1", "11-30T17:00:01 ts=2026-11-30T17:00:01Z x=3", "11-30T17:00:02 ts=2026-11-30T17:00:02Z x=2"}
	if diff := cmp.Diff(want, runLines(t, out, RunInfo{"deployed", DefaultScenario, 1})); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if _, err := ImportRaw(t.Context(), []string{a}, out, RawOptions{Build: "candidate", Scenario: "s"}); err != nil {
		t.Errorf("a log without labels gave %v", err)
	}
	write(t, b, []byte("none\n"))
	_, err := ImportRaw(t.Context(), []string{b}, t.TempDir(), RawOptions{Build: "x"})
	if err == nil || !strings.HasPrefix(err.Error(), filepath.ToSlash(b)+": no record has a time") {
		t.Errorf("a log without times gave %v", err)
	}
	for _, bad := range [][]string{nil, {dir}, {filepath.Join(dir, "no")}, {a, a}} {
		if _, err := ImportRaw(t.Context(), bad, t.TempDir(), RawOptions{Build: "x"}); err == nil {
			t.Errorf("ImportRaw(%v) gave no error", bad)
		}
	}
}

func BenchmarkImport(b *testing.B) {
	shared := sharedCorpora(b)
	text, err := os.ReadFile("testdata/import/kueue-multikueue.yaml")
	if err != nil {
		b.Fatal(err)
	}
	d, err := ParseDescription("d.yaml", text)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		n++
		rep, err := Import(b.Context(), d, filepath.Join(shared, "kueue-multikueue"), filepath.Join(b.TempDir(), fmt.Sprint(n)), ImportOptions{})
		if err != nil {
			b.Fatal(err)
		}
		var total int64
		for _, r := range rep.Runs {
			for _, s := range r.Streams {
				total += s.Bytes
			}
		}
		b.SetBytes(total)
	}
}

func BenchmarkEntries(b *testing.B) {
	dir := b.TempDir()
	importTree(b, "kueue-multikueue", dir)
	c, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		var total int64
		for _, info := range c.Runs() {
			run, err := c.OpenRun(info.Build, info.Scenario, info.Repetition)
			if err != nil {
				b.Fatal(err)
			}
			e, err := run.Entries()
			if err != nil {
				b.Fatal(err)
			}
			for e.Scan() {
				total += int64(len(e.Entry().Line))
			}
			if err := errors.Join(e.Err(), e.Close()); err != nil {
				b.Fatal(err)
			}
		}
		b.SetBytes(total)
	}
}

func TestImport_LeaveOut(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a.log"), []byte("2026-11-30T17:28:29Z a\n"))
	write(t, filepath.Join(root, "b.log"), []byte("2026-11-30T17:28:29Z b\n"))
	text := `version: 1
logs:
  - {files: "{app}.log", labels: {app: "{app}"}}
leaveOut:
  - {file: b.log, why: is a copy}
  - {file: not-there.log, why: is a copy}
`
	desc, err := ParseDescription("i.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	opt := ImportOptions{OneRun: true, Build: "b", Scenario: "s", LeftOut: []LeftOut{{"a-link", "is a link"}}}
	rep, err := Import(t.Context(), desc, root, t.TempDir(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]LeftOut{{"a-link", "is a link"}, {"b.log", "is a copy"}}, rep.LeftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	if n := len(rep.Runs[0].Streams); n != 1 {
		t.Errorf("%d streams; want 1", n)
	}
	for _, wrong := range []string{"{file: ../b.log, why: x}", "{file: b.log}", "{file: /b.log, why: x}"} {
		_, err := ParseDescription("i.yaml", []byte("version: 1\nlogs: [{files: a, labels: {a: b}}]\nleaveOut: ["+wrong+"]\n"))
		if err == nil || !strings.Contains(err.Error(), "i.yaml:3:12: leaveOut[0]: give file, a path below the root, and why") {
			t.Errorf("leaveOut %s: %v", wrong, err)
		}
	}
}
