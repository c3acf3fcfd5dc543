package capacity

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
)

const minute = int64(time.Minute)

// start is 2026-03-04T05:06:00Z, the restoration.
const start = 1772600760 * int64(time.Second)

// batch is a batch job of a weather office that asks for devices.
func batch(name string, pods, each int, resource string) facts.Object {
	return facts.Object{
		Moment: "before", APIVersion: "batch/v1", Kind: "Job", Namespace: "weather", Name: name, UID: "uid-" + name,
		Raw: fmt.Sprintf(`{"spec":{"parallelism":%d,"completions":%d,"template":{"spec":{"containers":[{"resources":{"limits":{%q:"%d"}}}]}}}}`, pods, pods, resource, each),
	}
}

func node(name, spec, capacity, allocatable string, labels map[string]string) facts.Object {
	return facts.Object{
		Moment: "before", Time: start - minute, APIVersion: "v1", Kind: "Node", Name: name, Labels: labels,
		Raw: fmt.Sprintf(`{"spec":{%s},"status":{"capacity":{%s},"allocatable":{%s},"conditions":[{"type":"Ready","status":"True"}]}}`, spec, capacity, allocatable),
	}
}

// work waits so many minutes; below 0 it never gets there.
func work(name string, minutes int64) timeline.Workload {
	w := timeline.Workload{
		ID: "weather/" + name, Affected: timeline.Unfinished,
		Names: []timeline.Name{{Namespace: "weather", Name: name, UID: "uid-" + name}},
	}
	m := timeline.Milestone{Name: "computing", State: timeline.Reached, At: start + minutes*minute}
	if minutes < 0 {
		m = timeline.Milestone{Name: "computing", State: timeline.Missing, Reason: timeline.CaptureEnded}
	}
	w.Milestones = []timeline.Milestone{m}
	return w
}

func line(end int64, work ...timeline.Workload) *timeline.Run {
	return &timeline.Run{
		Scenario: "outage", Start: start - 10*minute, End: start + end*minute,
		Failure:   timeline.Milestone{State: timeline.Reached, At: start - 5*minute},
		Restored:  timeline.Milestone{State: timeline.Reached, At: start},
		Declared:  []timeline.Declared{{Name: "computing", As: profile.Useful}},
		Workloads: work,
	}
}

func run(objects ...facts.Object) *outcome.Run {
	return &outcome.Run{Facts: &facts.Facts{Moments: []string{"before", "after"}, Objects: objects}}
}

const gpu = "nvidia.com/gpu"

// TestWorked_Stranded is an outage of 32 devices of which halves resume after
// 8 and 12 minutes, against 3 and 5.
func TestWorked_Stranded(t *testing.T) {
	declared := &profile.Capacity{
		Units: []profile.DeclaredUnits{{Class: gpu, Units: "32"}}, Rates: []profile.Rate{{DeviceHour: "4.00"}}, Incidents: "10",
	}
	r := run(batch("north", 4, 4, gpu), batch("south", 2, 8, gpu))
	d := Measure(declared, r, line(60, work("north", 8), work("south", 12)))
	c := Measure(declared, r, line(60, work("north", 3), work("south", 5)))
	got := Compare("outage", declared, []Run{d}, []Run{c})
	if len(got.Classes) != 1 {
		t.Fatalf("classes %+v, notes %v", got.Classes, got.Notes)
	}
	p := got.Classes[0]
	value, _ := p.Value()
	for _, x := range []struct{ what, got, want string }{
		{"deployed", p.Deployed.Minutes().String(), "320"},
		{"candidate", p.Candidate.Minutes().String(), "128"},
		{"waited on deployed", d.Uses[0].Waited.Minutes().String(), "320"},
		{"saved minutes", p.SavedMinutes().String(), "192"},
		{"saved hours", p.SavedHours().String(), "3.2"},
		{"share", p.Share.Percent(), "60 %"},
		{"value", value.Fixed(2), "12.80"},
		{"hours of ten", p.SavedHours().Times(got.Incidents).String(), "32"},
		{"value of ten", value.Times(got.Incidents).Fixed(2), "128.00"},
	} {
		if x.got != x.want {
			t.Errorf("%s: %s, want %s", x.what, x.got, x.want)
		}
	}
	if p.Bounded() {
		t.Error("the difference is exact")
	}
	back := Compare("outage", declared, []Run{c}, []Run{d}).Classes[0]
	if back.SavedMinutes().String() != "-192" || back.Share.Percent() != "-150 %" {
		t.Errorf("the other way round: %s, %s", back.SavedMinutes(), back.Share.Percent())
	}
}

// TestWorked_Window is a day's work on 4 devices of which the first two hours
// are lost.
func TestWorked_Window(t *testing.T) {
	window := profile.PlannedWindow{Title: "a day", Class: gpu, Devices: "4", Length: profile.Duration(8 * time.Hour), Busy: "60", Lost: profile.Duration(2 * time.Hour)}
	declared := &profile.Capacity{Windows: []profile.PlannedWindow{window}, Rates: []profile.Rate{{Class: gpu, DeviceHour: "3.00"}}}
	got := Plan(declared)
	if len(got) != 1 || got[0].Lost == nil {
		t.Fatalf("%+v", got)
	}
	workedWindow(t, "declared", got[0].Undisturbed, *got[0].Lost)

	// The same by what was recorded: deployed loses two hours of each device.
	declared.Windows[0].Lost = 0
	declared.Units = []profile.DeclaredUnits{{Class: gpu, Units: "4"}}
	r := run(batch("north", 1, 4, gpu))
	d := Measure(declared, r, line(9*60, work("north", 2*60)))
	c := Measure(declared, r, line(9*60, work("north", 0)))
	cmp := Compare("outage", declared, []Run{d}, []Run{c})
	if len(cmp.Planned) != 1 || cmp.Planned[0].Deployed == nil || cmp.Planned[0].Candidate == nil {
		t.Fatalf("%+v", cmp.Planned)
	}
	workedWindow(t, "recorded", *cmp.Planned[0].Candidate, *cmp.Planned[0].Deployed)

	// And by what the runs themselves show of a window of that length.
	declared.Window = profile.Duration(8 * time.Hour)
	late, early := work("north", 2*60), work("north", 0)
	late.Finished, early.Finished = start+(2*60+216)*minute, start+288*minute
	d, c = Measure(declared, r, line(9*60, late)), Measure(declared, r, line(9*60, early))
	pair := Compare("outage", declared, []Run{d}, []Run{c}).Classes[0].Windows
	workedWindow(t, "measured", *pair.Candidate, *pair.Deployed)
}

func workedWindow(t *testing.T, name string, whole, lost Window) {
	t.Helper()
	used, _ := whole.Utilisation()
	less, _ := lost.Utilisation()
	cost, _ := whole.Cost()
	each, _ := whole.CostPerBusyHour()
	dear, _ := lost.CostPerBusyHour()
	for _, x := range []struct{ what, got, want string }{
		{"busy", whole.BusyHours().String(), "19.2"},
		{"busy with loss", lost.BusyHours().String(), "14.4"},
		{"gap", whole.Gap(lost).String(), "4.8"},
		{"utilisation", used.Percent(), "60 %"},
		{"utilisation with loss", less.Percent(), "45 %"},
		{"cost", cost.String(), "96"},
		{"cost of a busy hour", each.Fixed(2), "5.00"},
		{"cost of a busy hour with loss", dear.Fixed(2), "6.67"},
	} {
		if x.got != x.want {
			t.Errorf("%s: %s: %s, want %s", name, x.what, x.got, x.want)
		}
	}
}

// TestCompare_Window: a window is as long as the shortest run, or as declared.
func TestCompare_Window(t *testing.T) {
	declared := &profile.Capacity{Units: []profile.DeclaredUnits{{Class: gpu, Units: "4"}}, Rates: []profile.Rate{{Class: gpu, DeviceHour: "3.00"}}}
	r := run(batch("north", 1, 4, gpu))
	d, c := Measure(declared, r, line(8*60, work("north", 2*60))), Measure(declared, r, line(5*60, work("north", 60)))
	got := Compare("x", declared, []Run{d}, []Run{c}).Classes[0].Windows
	if got.Deployed.BusyHours().String() != "12" || got.Deployed.Available().String() != "20" || got.Candidate.BusyHours().String() != "16" {
		t.Errorf("%+v", got)
	}
	declared.Window = profile.Duration(6 * time.Hour)
	cmp := Compare("x", declared, []Run{d}, []Run{c})
	if got := cmp.Classes[0].Windows; got.Candidate != nil || got.Deployed.BusyHours().String() != "16" || len(cmp.Notes) != 1 {
		t.Errorf("candidate was not recorded that long: %+v, %v", got, cmp.Notes)
	}
	later := timeline.Workload{ID: "weather/later", Submitted: start + minute}
	if w := Compare("x", declared, []Run{Measure(declared, r, line(8*60, work("north", 60), later))}, nil).Classes[0].Windows.Deployed; !w.AtLeast {
		t.Error("what later work used nobody knows")
	}
}

// TestMeasure_Classes keeps whole devices, MIG profiles and shares apart.
func TestMeasure_Classes(t *testing.T) {
	r := run(
		node("whole", "", `"nvidia.com/gpu":"8"`, `"nvidia.com/gpu":"8"`, nil),
		node("slices", "", `"nvidia.com/mig-1g.10gb":"7","nvidia.com/mig-2g.20gb":"3"`, `"nvidia.com/mig-1g.10gb":"7","nvidia.com/mig-2g.20gb":"3"`, nil),
		node("shares", "", `"nvidia.com/gpu.shared":"16"`, `"nvidia.com/gpu.shared":"16"`, map[string]string{"nvidia.com/gpu.replicas": "4"}),
		batch("a", 1, 2, gpu), batch("b", 1, 1, "nvidia.com/mig-1g.10gb"), batch("c", 1, 1, "nvidia.com/gpu.shared"),
	)
	got := Measure(nil, r, line(60, work("a", 5), work("b", 5), work("c", 5)))
	var lines []string
	for _, u := range got.Uses {
		lines = append(lines, fmt.Sprintf("%s %s %s of %s", u.Class.Kind, u.Class.Name, u.Waited.Minutes(), u.Eligible))
	}
	want := []string{
		"whole nvidia.com/gpu 10 of 8",
		"share nvidia.com/gpu.shared (share of 4) 5 of 16",
		"mig nvidia.com/mig-1g.10gb 5 of 7",
		"mig nvidia.com/mig-2g.20gb 0 of 3",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("uses (-want +got):\n%s", diff)
	}
}

// TestMeasure_Replicas: time slicing that keeps the name of the resource, and
// a device that is cut into slices of one profile.
func TestMeasure_Replicas(t *testing.T) {
	shared := map[string]string{"nvidia.com/gpu.replicas": "4"}
	single := map[string]string{"nvidia.com/mig.strategy": "single", "nvidia.com/gpu.product": "X9-MIG-1g.10gb"}
	r := run(
		node("n1", "", `"nvidia.com/gpu":"8"`, `"nvidia.com/gpu":"8"`, shared),
		node("n2", "", `"nvidia.com/gpu":"7"`, `"nvidia.com/gpu":"7"`, single),
		node("n3", "", `"nvidia.com/gpu":"2"`, `"nvidia.com/gpu":"2"`, map[string]string{"nvidia.com/gpu.replicas": "1"}),
		batch("a", 1, 1, gpu),
	)
	got := Measure(nil, r, line(60, work("a", 5)))
	var lines []string
	for _, u := range got.Inventory.Classes {
		lines = append(lines, u.Class.Kind+" "+u.Class.Name+" "+u.Eligible.String())
	}
	want := []string{"whole nvidia.com/gpu 2", "mig nvidia.com/gpu (MIG 1g.10gb) 7", "share nvidia.com/gpu (share of 4) 8"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	if len(got.Notes) == 0 || !strings.Contains(got.Notes[0], "weather/a is not counted") {
		t.Errorf("nobody knows of which class the work is, but the notes are %v", got.Notes)
	}
}

// TestMeasure_Excluded lists what work could not have.
func TestMeasure_Excluded(t *testing.T) {
	two := `"nvidia.com/gpu":"2"`
	sick := node("sick", "", two, two, nil)
	sick.Raw = strings.Replace(sick.Raw, `"status":"True"`, `"status":"Unknown"`, 1)
	long := facts.Object{
		Moment: "after", Time: start + minute, APIVersion: "v1", Kind: "Pod", Namespace: "weather", Name: "long", UID: "p1",
		Raw: `{"spec":{"nodeName":"good","containers":[{"resources":{"requests":{"nvidia.com/gpu":"1"}}}]},
			"status":{"phase":"Running","containerStatuses":[{"state":{"running":{"startedAt":"2026-03-04T04:00:00Z"}}}]}}`,
	}
	late := long
	late.Name, late.UID = "late", "p2"
	late.Raw = strings.Replace(long.Raw, "04:00:00", "05:03:00", 1) // after the failure
	r := run(
		node("good", "", `"nvidia.com/gpu":"8"`, `"nvidia.com/gpu":"7"`, nil),
		node("cordoned", `"unschedulable":true`, two, two, nil),
		node("tainted", `"taints":[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute"}]`, two, two, nil),
		node("theirs", `"taints":[{"key":"ocean/only","effect":"NoSchedule"}]`, two, two, nil),
		node("leased", "", two, two, map[string]string{"lease": "ocean"}),
		node("ours", `"taints":[{"key":"nvidia.com/gpu","effect":"NoSchedule"}]`, two, two, nil),
		sick, long, late, batch("a", 1, 1, gpu),
	)
	lease, err := profile.NewPattern("ocean")
	if err != nil {
		t.Fatal(err)
	}
	declared := &profile.Capacity{Reserved: profile.Reserved{Taints: []string{"ocean/*"}, Labels: map[string]profile.Pattern{"lease": lease}}}
	got := Measure(declared, r, line(60, work("a", 5))).Inventory.Classes[0]
	var lines []string
	for _, x := range got.Excluded {
		lines = append(lines, fmt.Sprintf("%s %s %s %s", x.Units, x.Reason, x.Of, x.Detail))
	}
	want := []string{
		"1 unhealthy node good the node has them, but cannot allocate them",
		"2 cordoned node cordoned ",
		"2 unhealthy node tainted taint node.kubernetes.io/unreachable",
		"2 reserved node theirs taint ocean/only",
		"2 reserved node leased label lease=ocean",
		"2 unhealthy node sick Ready is Unknown",
		"1 held pod weather/long it ran through the loss",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("excluded (-want +got):\n%s", diff)
	}
	if got.Total.String() != "20" || got.Eligible.String() != "8" {
		t.Errorf("%s of %s are eligible", got.Eligible, got.Total)
	}
}

// TestMeasure_Requests: what work asks for is read where it is declared, of the
// things that are meant.
func TestMeasure_Requests(t *testing.T) {
	sail := facts.Object{Moment: "before", APIVersion: "v1", Kind: "Pod", Namespace: "weather", Name: "a", UID: "uid-a", Raw: `{"metadata":{"annotations":{"share":"0.25"}},"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"1"}}}]}}`}
	keeper := sail
	keeper.Name, keeper.UID = "keeper", "uid-keeper"
	w := work("a", 4)
	w.Names = []timeline.Name{{Entity: "pod", Namespace: "weather", Name: "a", UID: "uid-a"}, {Entity: "keeper", Namespace: "weather", Name: "keeper", UID: "uid-keeper"}}
	ask := profile.DeviceRequest{Kind: "Pod", Entity: "pod", Path: "metadata.annotations.share", Class: "quarter"}
	for want, requests := range map[string][]profile.DeviceRequest{
		"quarter 1":        {ask},
		"nvidia.com/gpu 8": nil,
		"boat 12":          {{Kind: "Pod", Entity: "keeper", Units: "3", Class: "boat"}},
		"boat 4 quarter 1": {ask, {Kind: "Pod", Entity: "keeper", Units: "1", Class: "boat"}},
	} {
		var got []string
		for _, u := range Measure(&profile.Capacity{Requests: requests}, run(sail, keeper), line(60, w)).Uses {
			got = append(got, u.Class.Name+" "+u.Waited.Minutes().String())
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%+v: %s, want %s", requests, text, want)
		}
	}
}

// TestMeasure_Censored: work that never got there keeps counting to the end.
func TestMeasure_Censored(t *testing.T) {
	r := run(batch("a", 1, 2, gpu), batch("b", 1, 2, gpu), node("n", "", `"nvidia.com/gpu":"8"`, `"nvidia.com/gpu":"8"`, nil))
	blind := work("b", 3)
	blind.Milestones[0] = timeline.Milestone{Name: "computing", State: timeline.Missing, Reason: timeline.NoEvidence}
	got := Measure(nil, r, line(60, work("a", -1), blind)).Uses[0]
	if got.Stranded.Minutes().String() != "120" || !got.Stranded.Censored || !got.Work[0].Censored || len(got.Unknown) != 1 {
		t.Errorf("%+v", got)
	}
	p := Compare("x", nil, []Run{Measure(nil, r, line(60, work("a", 30)))}, []Run{Measure(nil, r, line(60, work("a", -1)))}).Classes[0]
	if p.Saved.Sign() >= 0 || !p.SavedAtMost || p.SavedAtLeast {
		t.Errorf("the candidate is worse by at least that: %+v", p)
	}
}

// TestMeasure_Queue: more work than devices does not strand more than all of
// them.
func TestMeasure_Queue(t *testing.T) {
	r := run(batch("a", 1, 2, gpu), batch("b", 1, 2, gpu), node("n", "", `"nvidia.com/gpu":"2"`, `"nvidia.com/gpu":"2"`, nil))
	a, b := work("a", 2), work("b", 10)
	a.Finished = start + 10*minute
	got := Measure(nil, r, line(60, a, b)).Uses[0]
	if got.Waited.Minutes().String() != "24" || got.Stranded.Minutes().String() != "4" {
		t.Errorf("waited %s, stranded %s", got.Waited.Minutes(), got.Stranded.Minutes())
	}
}

// TestMeasure_Nothing: what cannot be measured is said.
func TestMeasure_Nothing(t *testing.T) {
	l := line(60, work("a", 5))
	l.Restored = timeline.Milestone{State: timeline.Missing}
	if got := Measure(nil, run(), l); len(got.Notes) != 1 || got.Uses != nil {
		t.Errorf("%+v", got)
	}
	if got := Measure(nil, run(), line(60, work("a", 5))); len(got.Notes) != 2 || got.Uses != nil {
		t.Errorf("%+v", got)
	}
	if got := Measure(nil, &outcome.Run{}, line(60, work("a", 5))); len(got.Notes) != 1 || got.Uses != nil {
		t.Errorf("%+v", got)
	}
}

func TestAmount_Text(t *testing.T) {
	for _, x := range []struct {
		of   *big.Rat
		want string
	}{{big.NewRat(2, 3), "0.667"}, {big.NewRat(100, 1), "100"}, {big.NewRat(-1, 10000), "0"}, {big.NewRat(5, 2), "2.5"}, {nil, "0"}} {
		if got := Exactly(x.of).String(); got != x.want {
			t.Errorf("%v: %s, want %s", x.of, got, x.want)
		}
	}
}

// TestMeasure_Over: where more devices were busy than there are said to be, what
// is stranded is a lower bound and no share of them is given; that one job
// begins a moment before another ends is no sign of that.
func TestMeasure_Over(t *testing.T) {
	f := func(units string, a, b timeline.Workload, want string) {
		t.Helper()
		declared := &profile.Capacity{Units: []profile.DeclaredUnits{{Class: gpu, Units: profile.Decimal(units)}}}
		r := run(batch("a", 1, 2, gpu), batch("b", 1, 2, gpu))
		m := Measure(declared, r, line(60, a, b))
		c := Compare("x", declared, []Run{m}, []Run{m})
		got := fmt.Sprintf("at least %s: %v, window %v, notes %d", c.Classes[0].Deployed.Minutes(), c.Classes[0].Deployed.Censored, c.Classes[0].Windows.Deployed != nil, len(c.Notes))
		if got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
	f("4", work("a", 2), work("b", 10), "at least 24: false, window true, notes 0")
	f("2", work("a", 2), work("b", 10), "at least 4: true, window false, notes 1")
	f("0", work("a", 2), work("b", 10), "at least 0: true, window false, notes 1")
	a := work("a", 2)
	a.Finished = start + 10*minute + int64(time.Second)
	f("2", a, work("b", 10), "at least 4: false, window true, notes 0")
	f("2", a, work("b", 9), "at least 4: true, window false, notes 1")
}

// TestCompare_Unmeasured: a declared window says of both builds what is not
// known.
func TestCompare_Unmeasured(t *testing.T) {
	declared := &profile.Capacity{Windows: []profile.PlannedWindow{{Class: "moon", Devices: "4", Length: profile.Duration(8 * time.Hour), Busy: "50"}}}
	c := Compare("x", declared, nil, nil)
	const want = "what deployed stranded of the class was not measured; what candidate stranded of the class was not measured"
	if len(c.Planned) != 1 || c.Planned[0].Why != want {
		t.Errorf("%+v; want %s", c.Planned, want)
	}
}

// TestCompare_Partly: where nobody knows what some work asks for, more may have
// been busy.
func TestCompare_Partly(t *testing.T) {
	bare := facts.Object{Moment: "before", APIVersion: "batch/v1", Kind: "Job", Namespace: "weather", Name: "b", UID: "uid-b", Raw: `{"spec":{}}`}
	r := run(batch("a", 1, 2, gpu), bare, node("n", "", `"nvidia.com/gpu":"8"`, `"nvidia.com/gpu":"8"`, nil))
	m := Measure(nil, r, line(60, work("a", 2), work("b", 10)))
	p := Compare("x", nil, []Run{m}, []Run{m}).Classes[0]
	if w := p.Windows.Deployed; w == nil || !w.AtLeast || !p.Deployed.Censored {
		t.Errorf("%+v, %+v; want at least", w, p.Deployed)
	}
}
