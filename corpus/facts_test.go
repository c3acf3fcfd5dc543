package corpus

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
)

// factTree imports files, by name, as description says beside the log that
// every run needs, and returns the run.
func factTree(t testing.TB, description string, files map[string]string) (*Run, error) {
	t.Helper()
	root, dir := t.TempDir(), filepath.Join(t.TempDir(), "corpus")
	write(t, filepath.Join(root, "a.log"), []byte("2026-11-30T17:00:00Z x\n"))
	for name, text := range files {
		write(t, filepath.Join(root, name), []byte(text))
	}
	desc, err := ParseDescription("d.yaml", []byte("version: 1\nbuild: {name: b}\nscenario: {name: s}\nlogs: [{files: a.log, labels: {a: b}}]\n"+description))
	if err != nil {
		return nil, err
	}
	if _, err := Import(t.Context(), desc, root, dir, ImportOptions{}); err != nil {
		return nil, err
	}
	if rep, err := Verify(t.Context(), dir); err != nil || len(rep.Problems) > 0 {
		t.Fatalf("verify: %v %v", rep, err)
	}
	c, err := Open(dir)
	if err != nil {
		return nil, err
	}
	return c.OpenRun("b", "s", 1)
}

func mustFacts(t testing.TB, description string, files map[string]string) (*Run, *facts.Facts) {
	t.Helper()
	run, err := factTree(t, description, files)
	if err != nil {
		t.Fatal(err)
	}
	f, err := run.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return run, f
}

func nano(s string) int64 {
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		panic(err)
	}
	return at.UnixNano()
}

func TestFacts_Objects(t *testing.T) {
	const job = `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","namespace":"n","uid":"u1","creationTimestamp":"2026-11-30T17:00:01Z","labels":{"q":"a.b"},"ownerReferences":[{"apiVersion":"v1","kind":"X","name":"x","uid":"u0","controller":true}]}}`
	run, f := mustFacts(t, `
moments: [first, last]
momentTime: {file: marks.ndjson, path: '..#(at=="{moment}").ts'}
files:
  - {files: "{moment}-{where}/*.json", as: objects, moment: "{moment}", cluster: "{where}", map: {where: {a: alpha}}}
`, map[string]string{
		"marks.ndjson":   `{"ts":"2026-11-30T17:00:05Z","at":"first"}` + "\n" + `{"ts":"2026-11-30T17:00:09Z","at":"last"}` + "\n",
		"last-a/x.json":  `{"kind":"List","apiVersion":"v1","items":[` + job + `]}`,
		"first-a/x.json": `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"p","uid":"u2"}},{"metadata":{"name":"o","uid":"u3","annotations":{"k":"v"}}}]}`,
		"first-a/y.json": job + `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","uid":"u4","annotations":{"` + lastApplied + `":"{\"data\":\"hidden\"}","k":"v"}},"data":{"a":"hidden"},"data":{"b":"hidden"},"stringData":{"c":"hidden"}}`,
		"first-b/z.json": `{"kind":"Event","apiVersion":"v1","metadata":{"name":"e"},"reason":"R","lastTimestamp":"2026-11-30T17:00:02Z"}[` + job + `, 7, {"kind":"X"}]`,
	})
	t1, t2 := nano("2026-11-30T17:00:05Z"), nano("2026-11-30T17:00:09Z")
	jobAt := func(moment, cluster string, at int64) facts.Object {
		return facts.Object{Moment: moment, Cluster: cluster, Time: at, APIVersion: "batch/v1", Kind: "Job", Namespace: "n", Name: "j", UID: "u1",
			Labels: map[string]string{"q": "a.b"}, Owners: []facts.Owner{{APIVersion: "v1", Kind: "X", Name: "x", UID: "u0"}},
			Created: nano("2026-11-30T17:00:01Z"), Raw: job}
	}
	want := &facts.Facts{
		Moments: []string{"first", "last"},
		Objects: []facts.Object{
			jobAt("first", "alpha", t1),
			{Moment: "first", Cluster: "alpha", Time: t1, APIVersion: "v1", Kind: "Pod", Name: "o", UID: "u3", Annotations: map[string]string{"k": "v"},
				Raw: `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"o","uid":"u3","annotations":{"k":"v"}}}`},
			{Moment: "first", Cluster: "alpha", Time: t1, APIVersion: "v1", Kind: "Pod", Name: "p", UID: "u2", Raw: `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","uid":"u2"}}`},
			{Moment: "first", Cluster: "alpha", Time: t1, APIVersion: "v1", Kind: "Secret", Name: "s", UID: "u4", Annotations: map[string]string{"k": "v"},
				Raw: `{"apiVersion":"v1","kind":"Secret","metadata":{"annotations":{"k":"v"},"name":"s","uid":"u4"}}`},
			jobAt("first", "b", t1),
			jobAt("last", "alpha", t2),
		},
		Events: []facts.Event{{Cluster: "b", First: nano("2026-11-30T17:00:02Z"), Last: nano("2026-11-30T17:00:02Z"), Count: 1, Reason: "R",
			Raw: `{"kind":"Event","apiVersion":"v1","metadata":{"name":"e"},"reason":"R","lastTimestamp":"2026-11-30T17:00:02Z"}`}},
		Notes: []string{
			"objects/first.b.ndjson.zst:3: 1 left out: values that are no objects",
			"objects/first.b.ndjson.zst:4: 1 left out: objects without a kind or a name",
		},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	var paths []string
	for _, x := range run.Manifest.Files {
		paths = append(paths, x.Path+" "+x.Moment+" "+x.Cluster+" "+x.Source)
	}
	wantPaths := []string{"objects/first.alpha.ndjson.zst first alpha first-a/*", "objects/first.b.ndjson.zst first b first-b/z.json", "objects/last.alpha.ndjson.zst last alpha last-a/x.json"}
	if diff := cmp.Diff(wantPaths, paths); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestFacts_Events unifies both APIs, and an event that was seen several times.
func TestFacts_Events(t *testing.T) {
	core := func(uid string, count int, last string) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Event","metadata":{"name":"c","namespace":"n","uid":%q,"creationTimestamp":"2026-11-30T17:00:00Z"},"involvedObject":{"kind":"Job","name":"j","namespace":"n","uid":"u","apiVersion":"batch/v1"},"reason":"Created","message":"made","source":{"component":"core"},"firstTimestamp":"2026-11-30T17:00:00Z","lastTimestamp":%q,"count":%d,"type":"Normal","eventTime":null,"reportingComponent":"other"}`, uid, last, count)
	}
	const viewed = `{"apiVersion":"v1","kind":"Event","metadata":{"name":"v","uid":"e2","creationTimestamp":"2026-11-30T17:00:03Z"},"involvedObject":{"kind":"Job","name":"j"},"reason":"Started","message":"went","source":{},"firstTimestamp":null,"lastTimestamp":null,"type":"Warning","eventTime":"2026-11-30T17:00:02.123456Z","series":{"count":4,"lastObservedTime":"2026-11-30T17:00:06.5Z"},"action":"Start","reportingComponent":"new"}`
	const native = `{"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"k","uid":"e3"},"regarding":{"kind":"Pod","name":"p"},"reason":"Ran","note":"ran","eventTime":"2026-11-30T17:00:05Z","reportingController":"ctl","deprecatedSource":{},"deprecatedCount":2,"deprecatedFirstTimestamp":"2026-11-30T17:00:04Z","deprecatedLastTimestamp":"2026-11-30T17:00:05Z"}`
	_, f := mustFacts(t, "files: [{files: \"e-{cluster}-{n}.json\", as: events, cluster: \"{cluster}\"}]\n", map[string]string{
		"e-a-1.json": core("e1", 1, "2026-11-30T17:00:00Z") + core("e1", 3, "2026-11-30T17:00:09Z") + viewed,
		"e-a-2.json": core("e1", 2, "2026-11-30T17:00:04Z") + viewed + native + `{"kind":"Event","reason":"no time"}`,
		"e-b-1.json": core("e1", 1, "2026-11-30T17:00:00Z"),
	})
	made := facts.Event{Cluster: "a", First: nano("2026-11-30T17:00:00Z"), Last: nano("2026-11-30T17:00:09Z"), Count: 3, Type: "Normal", Reason: "Created", Message: "made",
		Component: "core", Object: facts.Ref{APIVersion: "batch/v1", Kind: "Job", Namespace: "n", Name: "j", UID: "u"}, Raw: core("e1", 3, "2026-11-30T17:00:09Z")}
	other := made
	other.Cluster, other.Last, other.Count, other.Raw = "b", other.First, 1, core("e1", 1, "2026-11-30T17:00:00Z")
	want := []facts.Event{
		other, made,
		{Cluster: "a", First: nano("2026-11-30T17:00:02.123456Z"), Last: nano("2026-11-30T17:00:06.5Z"), Count: 4, Type: "Warning", Reason: "Started", Message: "went",
			Action: "Start", Component: "new", Object: facts.Ref{Kind: "Job", Name: "j"}, Raw: viewed},
		{Cluster: "a", First: nano("2026-11-30T17:00:04Z"), Last: nano("2026-11-30T17:00:05Z"), Count: 2, Reason: "Ran", Message: "ran",
			Component: "ctl", Object: facts.Ref{Kind: "Pod", Name: "p"}, Raw: native},
	}
	if diff := cmp.Diff(want, f.Events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if want := []string{"events.a.ndjson.zst:6: 1 left out: events without a time, or without reason and message"}; !slices.Equal(f.Notes, want) {
		t.Errorf("notes %q; want %q", f.Notes, want)
	}
}

// TestFacts_Records reads fields from where the description says, and says
// what it could not read.
func TestFacts_Records(t *testing.T) {
	_, f := mustFacts(t, `
files:
  - {files: probe.ndjson, as: probes, values: {target: w}}
  - {files: reach.ndjson, as: probes, name: reach, fields: {time: at, ok: [result.state, up], target: result.to}}
  - {files: app.ndjson, as: progress, cluster: c}
  - {files: did.ndjson, as: actions, fields: {action: event, target: [pod, job]}, values: {actor: script}}
  - {files: "more-{c}.ndjson", as: actions, name: more, cluster: "{c}", values: {target: "on {c}"}, map: {c: {a: alpha}}}
`, map[string]string{
		"probe.ndjson":  `{"ts":"2026-11-30T17:00:01Z","ok":true}` + "\n" + `{"ts":"2026-11-30T17:00:02Z"}` + "\n" + `{"ok":true}` + "\n",
		"reach.ndjson":  `{"at":1796058001.5,"result":{"state":"down","to":"z"}}{"at":1796058000500,"up":1}`,
		"app.ndjson":    `{"ts":"2026-11-30T17:00:03Z","namespace":"n","pod":"p","podUID":"u","job":"j","event":"step","step":3}` + "\n" + `{"ts":"2026-11-30T17:00:02","cluster":"d","event":"started"}`,
		"did.ndjson":    `{"ts":"2026-11-30T17:00:05Z","event":"made","job":"j"}` + "\n" + `{"ts":"2026-11-30T17:00:04Z","event":"saw","actor":"observer","pod":"p","job":"k"}`,
		"more-a.ndjson": `{"ts":"2026-11-30T17:00:04Z","action":"x"}` + "\n" + `{"ts":"2026-11-30T17:00:04Z"}`,
	})
	base := nano("2026-11-30T17:00:00Z")
	at := func(s float64) int64 { return base + int64(s*1e9) }
	want := &facts.Facts{
		Probes: []facts.Probe{
			{Time: 1796058000500e6, OK: true, Raw: `{"at":1796058000500,"up":1}`},
			{Time: at(1), Target: "w", OK: true, Raw: `{"ts":"2026-11-30T17:00:01Z","ok":true}`},
			{Time: 1796058001500e6, Target: "z", Raw: `{"at":1796058001.5,"result":{"state":"down","to":"z"}}`},
		},
		Progress: []facts.Progress{
			{Time: at(2), Cluster: "d", Event: "started", Raw: `{"ts":"2026-11-30T17:00:02","cluster":"d","event":"started"}`},
			{Time: at(3), Cluster: "c", Namespace: "n", Pod: "p", PodUID: "u", Job: "j", Event: "step", Step: 3,
				Raw: `{"ts":"2026-11-30T17:00:03Z","namespace":"n","pod":"p","podUID":"u","job":"j","event":"step","step":3}`},
		},
		Actions: []facts.Action{
			{Time: at(4), Cluster: "alpha", Action: "x", Target: "on alpha", Raw: `{"ts":"2026-11-30T17:00:04Z","action":"x"}`},
			{Time: at(4), Actor: "observer", Action: "saw", Target: "p", Raw: `{"ts":"2026-11-30T17:00:04Z","event":"saw","actor":"observer","pod":"p","job":"k"}`},
			{Time: at(5), Actor: "script", Action: "made", Target: "j", Raw: `{"ts":"2026-11-30T17:00:05Z","event":"made","job":"j"}`},
		},
		Notes: []string{
			"actions.more.alpha.ndjson:2: 1 left out: actions without a name under action, event",
			"probes.ndjson:2: 1 left out: probes that do not say whether they succeeded, under ok, success, up",
			"probes.ndjson:3: 1 left out: records without a time under ts, time, timestamp",
		},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

func TestFacts_OrderOfMoments(t *testing.T) {
	files := map[string]string{"s-10/a.json": "{}", "s-9/a.json": "{}", "s-b/a.json": "{}",
		"t.ndjson": `{"m":"b","ts":"2026-11-30T17:00:01Z"}{"m":"9","ts":"2026-11-30T17:00:03Z"}{"m":"10","ts":"2026-11-30T17:00:02Z"}`}
	files["t.ndjson"] = strings.ReplaceAll(files["t.ndjson"], "}{", "}\n{")
	const spec = "files: [{files: \"s-{m}/*.json\", as: objects, moment: \"{m}\"}]\n"
	const times = "momentTime: {file: t.ndjson, path: '..#(m==\"{moment}\").ts'}\n"
	tests := []struct {
		name, description string
		want              []string
		guess             bool
	}{
		{"listed", spec + times + "moments: [b, \"10\", \"9\", unused]\n", []string{"b", "10", "9"}, false},
		{"by time", spec + times + "moments: [\"9\"]\n", []string{"b", "10", "9"}, false},
		{"by time alone", spec + times, []string{"b", "10", "9"}, false},
		{"as found", spec + "ignore: [t.ndjson]\nmoments: [b]\n", []string{"b", "9", "10"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run, f := mustFacts(t, tt.description, files)
			if diff := cmp.Diff(tt.want, f.Moments); diff != "" {
				t.Errorf("moments (-want +got):\n%s", diff)
			}
			if got := len(run.Manifest.Notes) > 0; got != tt.guess {
				t.Errorf("notes %q; want one: %v", run.Manifest.Notes, tt.guess)
			}
		})
	}
}

func TestFacts_Descriptions(t *testing.T) {
	tests := []struct{ description, want string }{
		{"files: [{files: x, as: objects}]", "files[0]: moment is given"},
		{"files: [{files: x, as: objects, moment: m, name: n}]", "take no name"},
		{"files: [{files: x, as: objects, moment: m, fields: {time: ts}}]", "have a form of their own"},
		{"files: [{files: x, as: probes, fields: {colour: ts}}]", `field "colour": probes have cluster, ok, target, time`},
		{"files: [{files: x, as: actions, fields: {time: \"a.#\"}}]", "want keys joined by dots"},
		{"files: [{files: x, as: actions, fields: {time: []}}]", `field "time" has 0 paths`},
		{"files: [{files: x, as: actions, values: {time: now}}]", "actions take values for action, actor, cluster, requested, target"},
		{"files: [{files: \"f-{c}.json\", as: events, cluster: \"{c}\"}]", `f-..json: cluster: cluster name "." begins with '.'`},
		{"files: [{files: \"f-{c}.json\", as: events, cluster: \"{d}\"}]", "{d} is captured by no pattern"},
		{"files: [{files: \"f-*.json\", as: actions}, {files: \"g.json\", as: actions, values: {actor: a}}]", "give its entry of files a name"},
		{"files: [{files: \"f-*.json\", as: events, name: a}, {files: \"g.json\", as: events, cluster: a}]", "give its entry of files a name"},
		{"moments: [a, b, a]", `moment "a" is named twice`},
		{"moments: [\"a/b\"]", `moment name "a/b" holds`},
		{"momentTime: {file: x}", "give file and path"},
	}
	for _, tt := range tests {
		_, err := factTree(t, tt.description+"\nignore: [\"*.json\"]\n", map[string]string{"f-..json": "{}", "g.json": "{}"})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v; want %q", tt.description, err, tt.want)
		}
	}
}

func TestFacts_Parameters(t *testing.T) {
	const spec = "scenario: {name: s, fromFile: {file: m.json, parameters: {jobs: n}, durations: {cut: {from: a, to: b, round: 5s}, short: {from: a, to: b}, no: {from: a, to: z}}, optional: true}}\n"
	root, dir := t.TempDir(), filepath.Join(t.TempDir(), "c")
	write(t, filepath.Join(root, "a.log"), []byte("2026-11-30T17:00:00Z x\n"))
	write(t, filepath.Join(root, "m.json"), []byte(`{"n":7,"a":"2026-11-30T17:00:00.5Z","b":"2026-11-30T17:00:26.7Z"}`))
	desc, err := ParseDescription("d.yaml", []byte("version: 1\nbuild: {name: b}\nlogs: [{files: a.log, labels: {a: b}}]\n"+spec))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Import(t.Context(), desc, root, dir, ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun("b", "s", 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"jobs": "7", "cut": "25s", "short": "26s"}, run.Manifest.Scenario.Parameters); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	if f, err := run.Facts(t.Context()); f != nil || err != nil {
		t.Errorf("a run without facts gave %v, %v", f, err)
	}
}

// TestFacts_OldCorpus reads facts of a corpus that names no moments.
func TestFacts_OldCorpus(t *testing.T) {
	c, err := Open("testdata/golden-v1")
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun("deployed", "ordinary reconnect", 2)
	if err != nil {
		t.Fatal(err)
	}
	f, err := run.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.Moments, []string{"end"}) {
		t.Errorf("moments %q", f.Moments)
	}
}

// TestFacts_Hostile gives the loader files that no import would write.
func TestFacts_Hostile(t *testing.T) {
	deep := strings.Repeat(`{"a":`, maxFactDepth+1) + "1" + strings.Repeat("}", maxFactDepth+1)
	tests := []struct{ name, text, err, note string }{
		{"not JSON", "{\"a\":1}\n{\"a\":\n", "actions.ndjson:2: is not JSON", ""},
		{"deep", deep + "\n", "", "1 left out: values that are nested deeper than 1000"},
		{"deeper than a stack", strings.Repeat("[", 10<<20) + "\n", "", "nested deeper"},
		{"too long", strings.Repeat(" ", maxFactLine+1), "actions.ndjson:1: is longer than", ""},
		{"not UTF-8", `{"ts":"2026-11-30T17:00:04Z","action":"` + "a\xff" + `"}`, "", ""},
		{"empty lines", "\n\n", "", ""},
		{"scalars", "7\nnull\n\"x\"\n[]\n", "", "4 left out: records without a time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run, err := factTree(t, "files: [{files: a.json, as: actions}]\n", map[string]string{"a.json": `{"x":1}`})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(run.Path(ActionsFile), []byte(tt.text), 0o666); err != nil {
				t.Fatal(err)
			}
			run.Manifest.Files[0].SHA256 = fmt.Sprintf("%x", sha256.Sum256([]byte(tt.text)))
			f, err := run.Facts(t.Context())
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v; want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(f.Notes, "; "); !strings.Contains(got, tt.note) {
				t.Errorf("notes %q; want %q", got, tt.note)
			}
			for _, a := range f.Actions {
				if a.Action != "a\uFFFD" {
					t.Errorf("action %q", a.Action)
				}
			}
		})
	}
}

// TestFacts_Damaged changes a byte of each file of facts; loading must fail.
func TestFacts_Damaged(t *testing.T) {
	for _, kind := range []string{"events", "objects", "probes", "progress", "actions"} {
		moment := ""
		if kind == "objects" {
			moment = ", moment: m"
		}
		run, err := factTree(t, "files: [{files: a.json, as: "+kind+moment+"}]\n", map[string]string{"a.json": `{"ts":"2026-11-30T17:00:04Z"}`})
		if err != nil {
			t.Fatal(err)
		}
		name := run.Path(run.Manifest.Files[0].Path)
		text := readFile(t, name)
		text[len(text)-3] ^= 1
		write(t, name, text)
		if _, err := run.Facts(t.Context()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v; want one that names the file", kind, err)
		}
	}
}

// TestFileChecks holds manifests to paths that follow from their keys.
func TestFileChecks(t *testing.T) {
	sum := strings.Repeat("a", 64)
	tests := []struct {
		file File
		want string // part of the error; empty: good
	}{
		{File{Path: "events.ndjson.zst"}, ""},
		{File{Path: "objects/end.ndjson.zst"}, ""},
		{File{Path: "objects/a.b.ndjson.zst"}, ""},
		{File{Path: "objects/a.b.ndjson.zst", FileKey: FileKey{Moment: "a", Cluster: "b"}}, ""},
		{File{Path: "objects/a.b.ndjson.zst", FileKey: FileKey{Moment: "a.b"}}, ""},
		{File{Path: "actions.proxy.w.ndjson", FileKey: FileKey{Name: "proxy", Cluster: "w"}}, ""},
		{File{Path: "actions.proxy.ndjson"}, "none of a run"},
		{File{Path: "actions.ndjson", FileKey: FileKey{Cluster: "w"}}, "none of a run"},
		{File{Path: "events.x.ndjson", FileKey: FileKey{Name: "x"}}, "none of a run"},
		{File{Path: "events.ndjson.zst", FileKey: FileKey{Moment: "m"}}, "none of a run"},
		{File{Path: "metrics.om.zst", FileKey: FileKey{Cluster: "m"}}, "none of a run"},
		{File{Path: "objects/x.ndjson.zst", FileKey: FileKey{Name: "x"}}, "none of a run"},
		{File{Path: "objects/.ndjson.zst"}, "moment name"},
		{File{Path: "objects.ndjson.zst"}, "none of a run"},
		{File{Path: "events.a/../../b.ndjson.zst", FileKey: FileKey{Name: "a/../../b"}}, "holds '/'"},
		{File{Path: "events...ndjson.zst", FileKey: FileKey{Cluster: "."}}, "begins with '.'"},
		{File{Path: "probes.ndjson", FileKey: FileKey{Fields: map[string][]string{"ok": {"@this"}}}}, "want keys joined by dots"},
		{File{Path: "probes.ndjson", FileKey: FileKey{Values: map[string]string{"step": "1"}}}, "probes take values for cluster, ok, target"},
	}
	for _, tt := range tests {
		m := Manifest{Files: []File{tt.file}}
		m.Files[0].SHA256 = sum
		err := m.checkPaths()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%+v: error %v; want %q", tt.file, err, tt.want)
		}
	}
	at := func(moments ...string) *Manifest {
		m := &Manifest{Files: []File{{Path: "objects/end.ndjson.zst"}}}
		for _, x := range moments {
			m.Moments = append(m.Moments, Moment{Name: x})
		}
		return m
	}
	for _, tt := range []struct {
		m    *Manifest
		want bool
	}{{at(), true}, {at("a", "end"), true}, {at("a"), false}, {at("end", "end"), false}, {at("end", "a/b"), false}} {
		if err := tt.m.checkMoments(); (err == nil) != tt.want {
			t.Errorf("moments %v: error %v; want none: %v", tt.m.Moments, err, tt.want)
		}
	}
}

func FuzzFacts(f *testing.F) {
	f.Add(`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"},"data":{"a":"hidden"}}`, "ts")
	f.Add(`{"kind":"Event","reason":"x","eventTime":"2026-11-30T17:00:00Z","series":{"count":-9}}`, "a.b")
	f.Add(`{"ts":1796058001.5,"ok":"up","action":"x","step":1e99}`, "ok")
	f.Fuzz(func(t *testing.T, text, path string) {
		l := newFactLoader()
		key := FileKey{Fields: map[string][]string{"action": {path}, "ok": {path}, "event": {path}}} // each kind takes its own
		if checkFields("actions", map[string][]string{"action": {path}}, nil) != nil {
			return
		}
		if depth([]byte(text)) > maxFactDepth || !gjson.Valid(text) {
			return
		}
		for _, kind := range []string{"objects/m.ndjson.zst", EventsFile, ProbesFile, ProgressFile, ActionsFile} {
			add := l.adder(&File{Path: kind, FileKey: key}, nil)
			add(text)
		}
		l.order()
		for _, o := range l.facts.Objects {
			if strings.EqualFold(o.Kind, "Secret") && (gjson.Get(o.Raw, "data").Exists() || gjson.Get(o.Raw, "stringData").Exists()) {
				t.Errorf("a secret kept its data: %s", o.Raw)
			}
		}
	})
}
