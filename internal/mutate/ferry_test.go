package mutate

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// The files of the invented run: JSON as slog writes it, klog, and plain text.
const (
	tower = "tower.log"
	dock  = "dock.log"
	gate  = "gate.log"

	admitted = `"msg":"ship admitted"`
	contact  = `"msg":"lost contact with harbour"`
)

// The rules that read what each message of the tower says.
var (
	ofAdmitted = []string{"break alert-lost ShipsAdmitted", "break match-lost AdmittedNorth", "break match-lost AdmittedPerQueue"}
	ofCranes   = []string{"break alert-lost CraneFailed", "break alert-lost CraneStuck"}
	// ofJSON are those that take its JSON apart.
	ofJSON = []string{
		"break alert-lost ContactLost", "break match-lost AdmittedNorth", "break match-lost AdmittedPerQueue",
		"break match-lost ShipsByUID", "break match-lost QueueTicks", "break match-lost TowerErrors",
	}
	// ofBerth is what joins the ships with their berths.
	ofBerth = []string{"break correlation-lost berth name", "break correlation-lost ship -> berth"}
)

var ferryWords = []mutation{
	{"reword", sub(tower, admitted, "ship admitted", "vessel given a berth"), wants(ofAdmitted, "warn message-reworded ship admitted")},
	{"reword a little", sub(tower, contact, "lost contact with harbour", "lost contact with the harbour"),
		[]string{"break alert-lost ContactLost", "warn message-reworded lost contact with harbour"}},
	{"reword, klog", sub(dock, `"Crane failed"`, "Crane failed", "Crane has failed"),
		[]string{"break alert-lost CraneFailed", "warn message-reworded Crane failed"}},
	{"reword, plain text", sub(gate, " opened for truck ", "opened for", "let in"),
		[]string{"break match-lost GateOpened", "warn message-reworded gate <*> opened for truck <*>"}},
	{"reword, no rule", sub(tower, "berth released", "berth released", "berth is free again"), []string{"info message-reworded berth released"}},
	{"reword, klog, no rule", sub(dock, "Crane assigned", "Crane assigned", "A crane was assigned"), []string{"info message-reworded Crane assigned"}},
	// Of plain text without a word in common nothing proves that it is one.
	{"reword, plain text, no rule", sub(gate, " closed after ", "closed after", "shut behind"),
		[]string{"info message-removed gate <*> closed after <*> trucks", "info message-added gate <*> shut behind <*> trucks"}},
	{"no word in common", sub(tower, "berth released", "berth released", "mooring is free"), []string{"info message-reworded berth released"}},
	{"other case", sub(tower, contact, "lost contact with harbour", "Lost contact with harbour"),
		[]string{"break alert-lost ContactLost", "warn message-reworded lost contact with harbour"}},
	{"opposite", sub(gate, " opened for ", "opened", "closed"),
		[]string{"break match-lost GateOpened", "warn message-removed gate <*> opened for truck <*>", "info message-added gate <*> closed for truck <*>"}},
	{"numbers in the text", resub(gate, " closed after ", `after \d+`, "after 12"), nil},
	{"text moved to a field", sub(tower, `"msg":"`, `"msg":"`, `"msg":"log","text":"`), []string{
		"break alert-lost ContactLost", "break match-lost AdmittedNorth", "break match-lost AdmittedPerQueue",
		"warn message-moved-to-field ship admitted", "warn message-moved-to-field lost contact with harbour", "warn message-moved-to-field tick",
		"info message-moved-to-field tower *", "info message-moved-to-field ship queued", "info message-moved-to-field berth released",
		"info message-moved-to-field contact restored",
	}},
	{"text moved from a field", resub(tower, contact, `"msg":"[^"]*"(.*),"err":"([^"]*)"`, `"msg":"$2"$1`),
		[]string{"break alert-lost ContactLost", "warn message-moved-to-field dial tcp <*>: connect: connection refused in lost contact with harbour"}},
}

var ferryMessages = []mutation{
	{"removed", drop(tower, admitted),
		wants(ofAdmitted, "break match-lost ShipsByUID", "break correlation-lost ship uid", "warn message-removed ship admitted at info")},
	{"removed, few", drop(dock, `"Crane failed"`), wants(ofCranes, "break match-lost DockErrors", "warn message-removed Crane failed at error")},
	{"removed, no rule", drop(tower, "berth released"), []string{"info message-removed berth released at info"}},
	{"added", after(tower, "berth released", 20, `{"time":"TS","level":"INFO","msg":"tide measured","height_cm":NUMBER}`),
		[]string{"info message-added tide measured at info"}},
	{"added error, unseen", after(gate, " closed after ", 10, `TS ERROR: tide gauge NUMBER is broken`),
		[]string{"info message-added tide gauge <*> is broken at error", "warn uncovered-error tide gauge is broken"}},
	{"added error, seen", after(dock, "Cargo unloaded", 4, `E0301 10:00:09.000001       1 scale.go:7] "Scale is broken" scale=NUMBER`),
		[]string{"info message-added Scale is broken at error"}},
	{"split", resub(dock, "Cargo unloaded", `^(.*) crane\.go:131\] "Cargo unloaded"(.*)$`, "$1 crane.go:131] \"Cargo unloaded from hold\"$2\n$1 crane.go:133] \"Cargo unloaded to quay\"$2"),
		[]string{"warn granularity-changed Cargo unloaded"}},
	{"merged", both(drop(tower, "berth released"), sub(tower, admitted, "ship admitted", "ship admitted and berth released")),
		[]string{"break match-lost AdmittedNorth", "break match-lost AdmittedPerQueue", "warn granularity-changed berth released"}},
	{"moved to an event", both(drop(dock, "Cargo unloaded"), inFiles("events.json", replacing("Ship got a berth", "Cargo unloaded"))),
		[]string{"break match-lost Unloaded", "warn message-moved Cargo unloaded at info"}},
	{"moved to a condition", both(drop(dock, "Cargo unloaded"), inFiles("ships.end.json", replacing(`"status": {`,
		`"status": {"conditions": [{"type": "Unloaded", "status": "True", "reason": "Done", "message": "Cargo unloaded", "lastTransitionTime": "2026-03-01T10:01:00Z"}],`))),
		[]string{"break match-lost Unloaded", "warn message-moved Cargo unloaded at info"}},
	{"moved to a metric", both(drop(dock, "Cargo unloaded"), inFiles(".prom", replacing("# TYPE ferry_ships_waiting gauge",
		"# TYPE ferry_cargo_unloaded_total counter\nferry_cargo_unloaded_total 7\n# TYPE ferry_ships_waiting gauge"))),
		[]string{"break match-lost Unloaded", "warn message-moved Cargo unloaded at info"}},
	{"exact repeats", both(twice(tower), twice(dock), twice(gate)), nil},
}

var ferryLevels = []mutation{
	{"level", sub(tower, contact, `"ERROR"`, `"WARN"`),
		[]string{"break alert-lost ContactLost", "break match-lost TowerErrors", "warn level-changed lost contact with harbour"}},
	{"level, klog", resub(dock, `"Crane failed"`, "^E", "W"), []string{"break match-lost DockErrors", "warn level-changed Crane failed"}},
	{"level, no rule", sub(tower, "berth released", `"INFO"`, `"WARN"`), []string{"info level-changed berth released"}},
	{"less verbose", drop(tower, `"level":"DEBUG"`), []string{"break match-lost QueueTicks", "warn message-removed tick at V(1)"}},
	{"more verbose", sub(tower, "berth released", `"INFO"`, `"DEBUG-2"`), []string{"info level-changed berth released"}},
}

var ferryFields = []mutation{
	{"key renamed", sub(tower, admitted, `"ship":`, `"vessel":`), []string{"break match-lost AdmittedNorth", "warn field-renamed ship → vessel"}},
	{"key renamed, klog", sub(dock, "Cargo unloaded", "tonnes=", "weight="), []string{"break match-lost Unloaded", "warn field-renamed tonnes → weight"}},
	{"key renamed, no rule", sub(tower, "ship queued", `"queue":`, `"lane":`), []string{"info field-renamed queue → lane"}},
	// A few small numbers do not prove that two keys are one.
	{"key with small numbers renamed", sub(tower, "ship queued", `"position":`, `"place":`), []string{"info field-lost position"}},
	{"key in other spelling", sub(tower, admitted, `"wait_ms":`, `"waitMs":`), []string{"info field-renamed wait_ms → waitMs"}},
	{"key moved into an object", resub(tower, admitted, `"ship":("[^"]*")`, `"about":{"ship":$1}`),
		[]string{"break match-lost AdmittedNorth", "warn field-renamed ship → about.ship"}},
	{"key retyped", resub(tower, admitted, `"uid":"([^"]*)"`, `"uid":["$1"]`),
		[]string{"break match-lost ShipsByUID", "warn field-type-changed uid"}},
	{"key retyped, harmless", resub(tower, "ship queued", `"position":(\d+)`, `"position":"$1"`), []string{"info field-type-changed position"}},
	{"key always null", resub(tower, admitted, `"ship":"[^"]*"`, `"ship":null`), []string{"break match-lost AdmittedNorth", "warn field-type-changed ship"}},
	{"key dropped", resub(tower, admitted, `"ship":"[^"]*",`, ""),
		[]string{"break match-lost AdmittedNorth", "warn field-lost ship"}},
	{"key dropped, klog", resub(dock, "Cargo unloaded", ` tonnes=\d+`, ""), []string{"break match-lost Unloaded", "warn field-lost tonnes"}},
	{"key dropped, no rule", resub(tower, admitted, `,"wait_ms":\d+`, ""), []string{"info field-lost wait_ms"}},
	{"key added", sub(tower, "{", `"msg":`, `"shard":0,"msg":`), nil},
	{"other value", sub(tower, admitted, `"ship":"north/`, `"ship":"nordic/`), []string{"break match-lost AdmittedNorth"}},
	{"other queues", resub(tower, `"queue":`, `"queue":"q-`, `"queue":"lane-`), nil},
	{"order of keys", edit(tower, turned), nil},
	{"blanks in JSON", edit(tower, spaced), []string{"break match-lost TowerErrors"}},
	{"callers moved", resub(dock, "crane.go", `crane\.go:(\d)`, "crane.go:2$1"), nil},
}

var ferryHeads = []mutation{
	{"message key renamed", sub(tower, "{", `"msg":`, `"message":`),
		[]string{"break alert-lost ContactLost", "break match-lost AdmittedNorth", "break match-lost AdmittedPerQueue", "warn field-renamed msg → message"}},
	{"message key dropped", resub(tower, admitted, `"msg":"[^"]*",`, ``), wants(ofAdmitted, "warn field-lost msg")},
	{"level key renamed", sub(tower, "{", `"level":`, `"severity":`),
		[]string{"break alert-lost ContactLost", "break match-lost QueueTicks", "break match-lost TowerErrors", "warn field-renamed level → severity"}},
	{"level key dropped", resub(tower, "{", `"level":"[A-Z]*",`, ``),
		[]string{"break alert-lost ContactLost", "break match-lost QueueTicks", "break match-lost TowerErrors", "warn field-lost level"}},
	{"levels in lower case", edit(tower, lowerLevel),
		[]string{"break alert-lost ContactLost", "break match-lost QueueTicks", "break match-lost TowerErrors", "warn level-changed spelling of level"}},
	{"levels as numbers", edit(tower, numberLevel),
		[]string{"break alert-lost ContactLost", "break match-lost QueueTicks", "break match-lost TowerErrors", "warn field-type-changed level"}},
	{"time key renamed", sub(tower, "{", `"time":`, `"ts":`), []string{"info field-renamed time → ts"}},
	{"time as a number", edit(tower, func(l string) []string { return []string{epochTime(l)} }), []string{"info field-type-changed time"}},
}

var ferryNames = []mutation{
	{"UID dropped", resub(tower, admitted, `"uid":"[^"]*",`, ""),
		[]string{"break match-lost ShipsByUID", "break correlation-lost ship uid", "warn field-lost uid"}},
	{"berth dropped", resub(tower, `"berth":`, `,?"berth":"[^"]*"`, ""), wants(ofBerth, "info field-lost berth")},
	{"berth dropped where another message has both", resub(tower, "berth released", `,"berth":"[^"]*"`, ""), []string{"info field-lost berth"}},
	{"berth renamed", sub(tower, `"berth":`, `"berth":`, `"mooring":`), []string{"info field-renamed berth → mooring"}},
	// Other forms of one name.
	{"name as an object", resub(tower, `"ship":`, `"ship":"([^/]*)/([^"]*)"`, `"ship":{"namespace":"$1","name":"$2"}`),
		[]string{"break match-lost AdmittedNorth", "warn field-type-changed ship"}},
	{"name as two keys", resub(tower, `"ship":`, `"ship":"([^/]*)/([^"]*)"`, `"namespace":"$1","ship":"$2"`), []string{"break match-lost AdmittedNorth"}},
	{"name as an object, no rule", resub(tower, "berth released", `"ship":"([^/]*)/([^"]*)"`, `"ship":{"namespace":"$1","name":"$2"}`),
		[]string{"info field-type-changed ship"}},
	{"name as two keys, no rule", resub(tower, "berth released", `"ship":"([^/]*)/([^"]*)"`, `"namespace":"$1","ship":"$2"`), nil},
	{"name in the text", resub(tower, "berth released", `"msg":"berth released","ship":"([^"]*)"`, `"msg":"berth of $1 released"`),
		[]string{"info message-reworded berth released", "info field-lost ship"}},
	// What alerts carry.
	{"label of an alert dropped", sub(tower, contact, `"harbour":"south",`, ""), []string{
		"warn alert-labels-lost ContactLost harbour", "warn notification-context-lost ContactLost summary",
		"warn notification-context-lost ContactLost context place", "warn field-lost harbour",
	}},
	{"label of an alert, one of two dropped", resub(dock, `"Crane failed"`, ` err="[^"]*"`, ""), []string{
		"warn alert-labels-lost CraneStuck err", "warn notification-context-lost CraneStuck summary", "warn field-lost err",
	}},
	{"label of a series dropped", resub(tower, admitted, `"queue":"[^"]*",`, ""), []string{"warn labels-lost AdmittedPerQueue queue", "warn field-lost queue"}},
	{"secret in an alert", sub(dock, `"Crane failed"`, `err="motor jam"`, `err="motor jam, password=hunter2-Zx9Qw"`), []string{
		"warn sensitive-data CraneStuck *", "info message-reworded motor jam in Crane failed",
	}},
	{"secret in no alert", sub(tower, "berth released", `"ship":`, `"password":"hunter2-Zx9Qw","ship":`), nil},
}

var ferryTimes = []mutation{
	{"delayed", delay(tower, contact, 70*time.Second), []string{"warn alert-late ContactLost"}},
	{"delayed a little", delay(tower, contact, 3*time.Second), nil},
	{"thinned out", thin(dock, "Cargo unloaded", 6), []string{"warn frequency-changed Unloaded"}},
	{"thinned out a little", leaveOutOne(dock, "Cargo unloaded", 9), nil},
	{"thinned out to a threshold", thin(tower, contact, 5), []string{"break alert-lost ContactLost", "warn frequency-changed TowerErrors"}},
	{"thinned out nearly to a threshold", thin(tower, contact, 4), []string{"warn headroom-shrunk ContactLost", "warn frequency-changed TowerErrors"}},
	{"thinned out far above a threshold", thin(tower, contact, 2), nil},
	{"more often", repeat(tower, admitted, 5),
		[]string{"warn frequency-changed AdmittedNorth", "warn frequency-changed AdmittedPerQueue", "warn frequency-changed ShipsByUID"}},
	{"clock of one stream", edit(gate, func(l string) []string { return []string{later(l, 3*time.Second)} }), nil},
	{"last line cut", cutEnd(tower, 20), nil},
}

var ferryEncodings = []mutation{
	{"logfmt in place of JSON", edit(tower, asLogfmt), wants(ofJSON, "warn encoding-changed json → logfmt")},
	{"console in place of JSON", edit(tower, asConsole), wants(ofJSON, "warn encoding-changed json → console")},
	{"JSON in place of klog", edit(dock, klogAsJSON),
		[]string{"break match-lost Unloaded", "break match-lost DockErrors", "warn encoding-changed klog → json", "warn alert-labels-lost CraneStuck crane,err",
			"warn notification-context-lost CraneStuck summary", "warn notification-context-lost CraneStuck context place"}},
	{"not parseable", garbled(tower, 4), []string{"warn unparseable-grew *"}},
	{"one broken line", garbled(tower, 150), nil},
}

var ferryMetrics = []mutation{
	{"metric renamed", inFiles(".prom", replacing("ferry_contact_errors_total", "ferry_contact_failures_total")),
		[]string{"break alert-lost ContactErrors", "break metric-lost ContactErrors ferry_contact_errors_total"}},
	{"metric removed, no rule", inFiles(".prom", replacing("ferry_crane_load_tonnes", "ferry_crane_weight_tonnes")), []string{"info metric-lost ferry_crane_load_tonnes"}},
	{"label renamed", inFiles(".prom", replacing(`reason="refused"`, `cause="refused"`)),
		[]string{"break alert-lost ContactErrors", "warn metric-label-lost ContactErrors ferry_contact_errors_total/reason"}},
	{"label renamed, no rule", inFiles(".prom", replacing(`crane="c-`, `name="c-`)), []string{"info metric-label-lost ferry_crane_load_tonnes/crane"}},
	{"label value renamed", inFiles(".prom", replacing(`queue="q-south"`, `queue="south"`)),
		[]string{"break alert-lost ShipsWaiting", "warn metric-label-lost ShipsWaiting ferry_ships_waiting/queue=q-south"}},
	{"metric type changed", inFiles(".prom", replacing("# TYPE ferry_contact_errors_total counter", "# TYPE ferry_contact_errors_total gauge")),
		[]string{"warn metric-type-changed ContactErrors ferry_contact_errors_total"}},
	{"metric type changed, no rule", inFiles(".prom", replacing("# TYPE ferry_crane_load_tonnes gauge", "# TYPE ferry_crane_load_tonnes counter")),
		[]string{"info metric-type-changed ferry_crane_load_tonnes"}},
	{"metric added", inFiles(".prom", replacing("# TYPE ferry_ships_waiting gauge", "# TYPE ferry_tide gauge\nferry_tide 7\n# TYPE ferry_ships_waiting gauge")), nil},
}

var ferryPanics = []mutation{
	{"crash", after(gate, "gate 2 opened", 1, strings.Split(ferryCrash, "\n")...), []string{
		"break alert-false AnyPanic", "break panic-new ~gate.(*Gate).open: 1 time on candidate: crashed", "break panic-new no panic",
	}},
	{"recovered, unseen", after(tower, "berth released", 1, ferryRecovered), []string{
		"break panic-new ~index out of range [<*>] with length <*>: 1 time on candidate: recovered", "break panic-new no panic", "warn panic-unseen ~index out of range", "warn uncovered-error request failed",
	}},
}

var ferryObjects = []mutation{
	{"a ship without a berth", inFiles("ships.end.json", replacing(`"berth": "b3"`, `"berth": ""`)), []string{"break recovery-failed every ship has a berth"}},
	{"a berth that is gone", inFiles("berths.end.json", replacing(`"name": "b3"`, `"name": "b9"`)), []string{"break stale-entry no berth of a ship that is gone"}},
	{"berthed late", inFiles("events.json", replacing("2026-03-01T10:00:15Z", "2026-03-01T10:01:10Z")), []string{"break budget-exceeded a ship has its berth soon"}},
	{"berthed twice", inFiles("events.json", replacing(`"namespace": "north",
    "name": "lyra-1"`, `"namespace": "south",
    "name": "corvus-1"`)), []string{"break duplicate-execution no ship berthed twice"}},
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

var levelField = regexp.MustCompile(`"level":"[A-Z]+"`)

// lowerLevel spells the level of a JSON record in lower case.
func lowerLevel(line string) []string {
	return []string{levelField.ReplaceAllStringFunc(line, strings.ToLower)}
}

// numberLevel writes the level of a JSON record as a number, as bunyan does.
func numberLevel(line string) []string {
	return []string{strings.NewReplacer(`"level":"DEBUG"`, `"level":20`, `"level":"INFO"`, `"level":30`, `"level":"ERROR"`, `"level":50`).Replace(line)}
}

// spaced writes a JSON record with blanks behind colons and commas.
func spaced(line string) []string {
	keys, values := fields(line)
	if keys == nil {
		return []string{line}
	}
	var parts []string
	for i, k := range keys {
		parts = append(parts, fmt.Sprintf("%q: %s", k, values[i]))
	}
	return []string{"{" + strings.Join(parts, ", ") + "}"}
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
	b.step, b.swap = 10*time.Second, true
	return b
}

func TestMutations_Ferry(t *testing.T) {
	t.Parallel()
	checkAll(t, newFerry(t), slices.Concat(ferryWords, ferryMessages, ferryLevels, ferryFields, ferryHeads, ferryNames,
		ferryTimes, ferryEncodings, ferryMetrics, ferryPanics, ferryObjects))
}

// TestCopies_Ferry: the invented run against copies that differ in nothing
// that matters.
func TestCopies_Ferry(t *testing.T) {
	t.Parallel()
	b := newFerry(t)
	for _, c := range copies {
		if c.name == "pods" {
			continue // it speaks of none
		}
		t.Run(c.name, func(t *testing.T) {
			noDifference(t, b.compare(t, b.itself, b.imported(t, c.make(b.base), "candidate")))
		})
	}
}

// TestStreamLabelRenamed: the import, or the agent that ships the logs, names
// a label in another way.
func TestStreamLabelRenamed(t *testing.T) {
	t.Parallel()
	b := newFerry(t)
	description := filepath.Join(t.TempDir(), "import.yaml")
	text, err := readFile(b.description)
	if err != nil {
		t.Fatal(err)
	}
	tree{"import.yaml": strings.Replace(text, "app: ferry,", "app_name: ferry,", 1)}.write(t, filepath.Dir(description))
	root := t.TempDir()
	b.base.write(t, filepath.Join(root, b.scenario, "candidate"))
	rep := b.compare(t, b.itself, importRuns(t, description, root)+":candidate")
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
	if lost != 12 {
		t.Errorf("%d of the 12 rules that matched a stream are lost", lost)
	}
}
