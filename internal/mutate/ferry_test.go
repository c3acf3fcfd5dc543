package mutate

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/internal/compare"
)

// The files of the invented run: JSON as slog writes it, klog, and plain text.
const (
	tower = "tower.log"
	dock  = "dock.log"
	gate  = "gate.log"

	admitted = `"msg":"ship admitted"`
	contact  = `"msg":"lost contact with harbour"`
)

// towerJSON are the rules that read the tower's JSON.
var towerJSON = []string{"break alert-lost ContactLost", "break match-lost AdmittedNorth", "break match-lost ShipsByUID", "break match-lost QueueTicks"}

var ferryMutations = []mutation{
	// Words.
	{"reword", sub(tower, admitted, "ship admitted", "vessel given a berth"),
		[]string{"break alert-lost ShipsAdmitted", "break match-lost AdmittedNorth", "warn message-reworded|message-removed ship admitted", "?warn message-added vessel given a berth"}},
	{"reword a little", sub(tower, contact, "lost contact with harbour", "lost contact with the harbour"),
		[]string{"break alert-lost ContactLost", "warn message-reworded lost contact with harbour"}},
	{"reword, klog", sub(dock, `"Crane failed"`, "Crane failed", "Crane has failed"),
		[]string{"break alert-lost CraneFailed", "warn message-reworded Crane failed"}},
	{"reword, plain text", sub(gate, " opened for truck ", "opened for", "let in"),
		[]string{"break match-lost GateOpened", "warn message-reworded|message-removed opened for truck"}},
	{"reword, no rule", sub(tower, "berth released", "berth released", "berth is free again"), nil},
	{"reword, klog, no rule", sub(dock, "Crane assigned", "Crane assigned", "A crane was assigned"), nil},
	{"reword, plain text, no rule", sub(gate, " closed after ", "closed after", "shut behind"), nil},
	{"opposite", sub(gate, " opened for ", "opened", "closed"),
		[]string{"break match-lost GateOpened", "warn message-removed|message-reworded opened for truck"}},
	{"numbers in the text", resub(gate, " closed after ", `after \d+`, "after 12"), nil},
	{"text moved to a field", sub(tower, `"msg":"`, `"msg":"`, `"msg":"log","text":"`),
		[]string{"break alert-lost ContactLost", "break match-lost AdmittedNorth", "warn message-moved-to-field ship admitted", "warn message-moved-to-field lost contact with harbour",
			"warn message-moved-to-field tick"}},
	{"text moved from a field", resub(tower, contact, `"msg":"[^"]*"(.*),"err":"([^"]*)"`, `"msg":"$2"$1`),
		[]string{"break alert-lost ContactLost", "warn message-moved-to-field|message-reworded|message-removed lost contact with harbour"}},

	// Messages.
	{"removed", drop(tower, admitted),
		[]string{"break alert-lost ShipsAdmitted", "break match-lost AdmittedNorth", "break match-lost ShipsByUID", "warn message-removed ship admitted"}},
	{"removed, few", drop(dock, `"Crane failed"`),
		[]string{"break alert-lost CraneFailed", "break match-lost DockErrors", "?warn message-removed Crane failed"}},
	{"removed, no rule", drop(tower, "berth released"), nil},
	{"added", after(tower, "berth released", 20, `{"time":"TS","level":"INFO","msg":"tide measured","height_cm":NUMBER}`), nil},
	{"added error, unseen", after(tower, "berth released", 20, `{"time":"TS","level":"ERROR","msg":"tide gauge is broken","gauge":NUMBER}`),
		[]string{"warn uncovered-error tide gauge is broken"}},
	{"added error, seen", after(dock, "Cargo unloaded", 4, `E0301 10:00:09.000001       1 scale.go:7] "Scale is broken" scale=NUMBER`), nil},
	{"split", resub(dock, "Cargo unloaded", `^(.*) crane\.go:131\] "Cargo unloaded"(.*)$`, "$1 crane.go:131] \"Cargo unloaded from hold\"$2\n$1 crane.go:133] \"Cargo unloaded to quay\"$2"),
		[]string{"warn granularity-changed Cargo unloaded"}},
	{"merged", both(drop(tower, "berth released"), sub(tower, "ship queued", "ship queued", "ship queued and berth released")), nil},
	{"moved to an event", both(drop(dock, "Cargo unloaded"), inFiles("events.json", replacing("Ship got a berth", "Cargo unloaded"))),
		[]string{"break match-lost Unloaded", "warn message-moved Cargo unloaded"}},

	// Levels.
	{"level", sub(tower, contact, `"ERROR"`, `"WARN"`), []string{"break alert-lost ContactLost", "warn level-changed lost contact with harbour"}},
	{"level, klog", resub(dock, `"Crane failed"`, "^E", "W"), []string{"break match-lost DockErrors", "warn level-changed Crane failed"}},
	{"level, no rule", sub(tower, "berth released", `"INFO"`, `"WARN"`), nil},
	{"less verbose", drop(tower, `"level":"DEBUG"`), []string{"break match-lost QueueTicks", "warn verbosity-hidden|message-removed tick"}},

	// Fields.
	{"key renamed", sub(tower, admitted, `"ship":`, `"vessel":`), []string{"break match-lost AdmittedNorth", "warn field-renamed ship"}},
	{"key renamed, klog", sub(dock, "Cargo unloaded", "tonnes=", "weight="), []string{"break match-lost Unloaded", "warn field-renamed|field-lost tonnes"}},
	{"key renamed, no rule", sub(tower, "ship queued", `"position":`, `"place":`), nil},
	{"key retyped", resub(tower, admitted, `"ship":"([^/]*)/([^"]*)"`, `"ship":{"harbour":"$1","name":"$2"}`),
		[]string{"break match-lost AdmittedNorth", "warn field-type-changed ship"}},
	{"key retyped, harmless", resub(tower, "ship queued", `"position":(\d+)`, `"position":"$1"`), nil},
	{"key dropped", resub(tower, admitted, `"ship":"[^"]*",`, ""), []string{"break match-lost AdmittedNorth", "warn field-lost ship"}},
	{"key dropped, klog", resub(dock, "Cargo unloaded", ` tonnes=\d+`, ""), []string{"break match-lost Unloaded", "warn field-lost tonnes"}},
	{"key dropped, no rule", resub(tower, admitted, `,"wait_ms":\d+`, ""), nil},
	{"label of an alert dropped", sub(tower, contact, `"harbour":"south",`, ""), []string{"warn alert-labels-lost ContactLost", "warn notification-context-lost ContactLost", "warn field-lost harbour"}},
	{"key added", sub(tower, "{", `"msg":`, `"shard":0,"msg":`), nil},
	{"other value", sub(tower, admitted, `"ship":"north/`, `"ship":"nordic/`), []string{"break match-lost AdmittedNorth"}},
	{"UID dropped", resub(tower, admitted, `"uid":"[^"]*",`, ""), []string{"break match-lost ShipsByUID", "warn field-lost uid"}},
	{"order of keys", edit(tower, turned), nil},
	{"callers moved", resub(dock, "crane.go", `crane\.go:(\d)`, "crane.go:2$1"), nil},
	{"other queues", resub(tower, `"queue":`, `"queue":"q-`, `"queue":"lane-`), nil},

	// How often and when.
	{"delayed", delay(tower, contact, 70*time.Second), []string{"warn alert-late ContactLost"}},
	{"thinned out", thin(dock, "Cargo unloaded", 6), []string{"warn frequency-changed Unloaded"}},
	{"thinned out a little", leaveOutOne(dock, "Cargo unloaded", 9), nil},
	{"thinned out below a threshold", thin(tower, contact, 5), []string{"break alert-lost ContactLost"}},
	{"more often", repeat(tower, admitted, 5), []string{"warn frequency-changed AdmittedNorth", "warn frequency-changed ShipsByUID"}},
	{"exact repeats", both(twice(tower), twice(dock), twice(gate)), nil},
	{"clock of one stream", edit(gate, func(l string) []string { return []string{later(l, 3*time.Second)} }), nil},
	{"last line cut", cutEnd(tower, 20), nil},

	// Encoding.
	{"logfmt in place of JSON", edit(tower, asLogfmt), wants(towerJSON, "warn encoding-changed ")},
	{"JSON in place of klog", edit(dock, klogAsJSON),
		[]string{"break match-lost Unloaded", "break match-lost DockErrors", "warn encoding-changed "}},
	{"not parseable", garbled(tower, 4), []string{"warn unparseable-grew "}},
	{"one broken line", garbled(tower, 150), nil},

	// Metrics.
	{"metric renamed", inFiles(".prom", replacing("ferry_contact_errors_total", "ferry_contact_failures_total")),
		[]string{"break alert-lost ContactErrors", "break metric-lost ferry_contact_errors_total"}},
	{"metric removed, no rule", inFiles(".prom", replacing("ferry_crane_load_tonnes", "ferry_crane_weight_tonnes")), nil},
	{"label renamed", inFiles(".prom", replacing(`reason="refused"`, `cause="refused"`)),
		[]string{"break alert-lost ContactErrors", "warn metric-label-lost reason"}},
	{"label value renamed", inFiles(".prom", replacing(`queue="q-south"`, `queue="south"`)),
		[]string{"break alert-lost ShipsWaiting", "warn metric-label-lost queue"}},
	{"metric type changed", inFiles(".prom", replacing("# TYPE ferry_contact_errors_total counter", "# TYPE ferry_contact_errors_total gauge")),
		[]string{"warn metric-type-changed ferry_contact_errors_total"}},
	{"metric type changed, no rule", inFiles(".prom", replacing("# TYPE ferry_crane_load_tonnes gauge", "# TYPE ferry_crane_load_tonnes counter")), nil},

	// Panics.
	{"crash", after(gate, "gate 2 opened", 1, strings.Split(ferryCrash, "\n")...),
		[]string{"break alert-false AnyPanic", "break panic-new index out of range"}},
	{"recovered, unseen", after(tower, "berth released", 1, ferryRecovered),
		[]string{"break panic-new index out of range", "warn panic-unseen index out of range", "warn uncovered-error request failed"}},
}

const ferryCrash = `panic: runtime error: index out of range [3] with length 3

goroutine 41 [running]:
ferry.example/ferry/gate.(*Gate).open(0xc00012a000, 0x3)
	/src/ferry/gate/gate.go:77 +0x1f4
ferry.example/ferry/gate.(*Gate).Run(0xc00012a000)
	/src/ferry/gate/gate.go:41 +0x88
created by main.main in goroutine 1
	/src/ferry/cmd/ferry/main.go:58 +0x2b1`

const ferryRecovered = `{"time":"TS","level":"ERROR","msg":"request failed","panic":"runtime error: index out of range [3] with length 3","stack":"goroutine 41 [running]:\nruntime/debug.Stack()\n\t/usr/lib/go/src/runtime/debug/stack.go:26 +0x5e\nferry.example/ferry/tower.(*Tower).assign(0xc00012a000, 0x3)\n\t/src/ferry/tower/tower.go:77 +0x1f4\n"}`

// asLogfmt writes a JSON record as logfmt.
func asLogfmt(line string) []string {
	keys, values := fields(line)
	var parts []string
	for i, k := range keys {
		v := values[i]
		if !strings.ContainsAny(v, " ={[\\") {
			v = strings.Trim(v, `"`)
		}
		parts = append(parts, k+"="+v)
	}
	return []string{strings.Join(parts, " ")}
}

var klogLine = regexp.MustCompile(`^([IWE])(\d\d)(\d\d) (\S+) +\d+ (\S+)\] ("(?:[^"\\]|\\.)*")(.*)$`)
var klogField = regexp.MustCompile(` (\w+)=`)

// klogAsJSON writes a klog record as JSON.
func klogAsJSON(line string) []string {
	m := klogLine.FindStringSubmatch(line)
	if m == nil {
		return []string{line}
	}
	level := map[string]string{"I": "info", "W": "warning", "E": "error"}[m[1]]
	return []string{`{"ts":"2026-` + m[2] + "-" + m[3] + "T" + m[4] + `Z","level":"` + level + `","caller":"` + m[5] + `","msg":` + m[6] +
		klogField.ReplaceAllString(m[7], `,"$1":`) + "}"}
}

// newFerry returns the bench of the invented run.
func newFerry(t *testing.T) *bench {
	dir := filepath.Join("testdata", "ferry")
	b := newBench(t, dir, "storm", filepath.Join(dir, "import.yaml"), filepath.Join(dir, "review.yaml"),
		filepath.Join(dir, "ferry.rules.yaml"), filepath.Join(dir, "ferry.queries.yaml"), filepath.Join(dir, "ferry-metrics.rules.yaml"))
	b.step = 10 * time.Second
	return b
}

func TestMutations_Ferry(t *testing.T) { checkAll(t, newFerry(t), ferryMutations) }

// TestCopies_Ferry: the invented run against copies that differ in nothing
// that matters.
func TestCopies_Ferry(t *testing.T) {
	b := newFerry(t)
	for _, c := range copies {
		if c.name == "pods" {
			continue // it speaks of none
		}
		t.Run(c.name, func(t *testing.T) {
			noDifference(t, b.compare(t, c.make(b.base)))
		})
	}
}

// TestStreamLabelRenamed: the import, or the agent that ships the logs, names
// a label in another way.
func TestStreamLabelRenamed(t *testing.T) {
	b := newFerry(t)
	description := filepath.Join(t.TempDir(), "import.yaml")
	text, err := readFile(b.description)
	if err != nil {
		t.Fatal(err)
	}
	tree{"import.yaml": strings.Replace(text, "app: ferry,", "app_name: ferry,", 1)}.write(t, filepath.Dir(description))
	root := t.TempDir()
	b.base.write(t, filepath.Join(root, b.scenario, "candidate"))
	rep := run(t, compare.Options{
		Review: b.review, Corpus: b.corpus, Candidate: importRuns(t, description, root) + ":candidate", Rules: b.rules, Interval: b.step,
	})
	lost := 0
	for i := range rep.Findings {
		switch f := &rep.Findings[i]; {
		case f.ID == "alert-lost" || f.ID == "match-lost":
			lost++
			if !strings.Contains(f.Message, "no stream") {
				t.Errorf("want the selector named: %s", tell(f))
			}
		case differs(f):
			t.Errorf("not wanted: %s", tell(f))
		}
	}
	if lost != 9 {
		t.Errorf("%d of the 9 rules that matched a stream are lost", lost)
	}
}
