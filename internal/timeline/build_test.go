package timeline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// domes is an observatory: a survey is asked for at the desk, becomes a plan
// there and a plan of the same name in the dome, and a telescope exposes it.
const domes = `name: domes
correlation:
  clusters:
    - {name: desk, holds: [sky.example/Roster], logs: {site: 'desk.*'}}
    - {name: dome, lacks: [sky.example/Roster], logs: {site: 'dome.*'}}
  entities:
    - {name: survey, kind: sky.example/Survey, cluster: desk}
    - {name: plan, kind: sky.example/Plan, cluster: desk}
    - {name: dome-plan, kind: sky.example/Plan, cluster: dome}
    - {name: mount, kind: sky.example/Mount, cluster: dome}
  links:
    - {from: survey, to: plan, by: [{owner: survey}]}
    - {from: plan, to: dome-plan, by: [{same: name}]}
    - {from: dome-plan, to: mount, by: [{on: mount, label: plan}]}
  chain: [survey, plan, dome-plan, mount]
milestones:
  work:
    submitted: [{action: {action: ask}}, {cluster: desk, object: {kind: sky.example/Survey, path: metadata.creationTimestamp}}]
    finished: [{cluster: desk, condition: {kind: sky.example/Survey, type: Archived}}]
    failed: [{action: {action: withdraw}}]
    units: [{progress: {event: frame}}]
    aliases: ['plan-(.+)-[0-9]+']
  failure: [{action: {action: storm}}, {probe: {ok: false}}]
  restored: [{action: {action: calm}}, {probe: {ok: true}}]
  list:
    - {name: link, shared: true, as: reachable, by: [{probe: {ok: true}}]}
    - {name: sent, as: dispatched, owner: desk staff, by: [{cluster: dome, log: {query: '|= "plan came"'}}, {cluster: dome, event: {reason: Came}}]}
    - {name: slewed, as: running, by: [{cluster: dome, condition: {kind: sky.example/Mount, type: Still}, confirm: {kind: sky.example/Mount, path: status.target}}]}
    - {name: exposing, as: useful, owner: observers, by: [{progress: {event: frame}, arrival: got}]}
`

func parse(t testing.TB, text string) *profile.Profile {
	t.Helper()
	p, err := profile.Parse("domes.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const day = int64(1_800_000_000_000_000_000)

// ns is a time of the night, not in whole seconds.
func ns(seconds float64) int64 { return day + int64(seconds*1e9) + 1_000 }

func stamp(seconds float64) string {
	return time.Unix(0, ns(seconds)).UTC().Format(time.RFC3339Nano)
}

// A night builds a run.
type night struct {
	outcome.Run
	lines []outcome.Mark
}

func newNight() *night {
	n := &night{}
	n.Build, n.Scenario, n.Repetition, n.First, n.Last, n.Records = "v1", "storm", 1, ns(0), ns(300), 100
	n.Facts = &facts.Facts{Moments: []string{"dusk", "dawn"}}
	n.Logs = []outcome.LogInfo{{Labels: site("desk-1"), Records: 10}, {Labels: site("dome-1"), Records: 10}}
	n.object("dusk", "desk", "Roster", "r", "", "{}")
	n.object("dusk", "dome", "Mount", "m0", "", "{}")
	n.act(10, "storm", "")
	n.act(30, "calm", "")
	n.came(1, "plan came, of no survey") // the build writes such lines
	return n
}

func site(name string) logs.Labels { return logs.New(logs.Label{Name: "site", Value: name}) }

func (n *night) act(at float64, action, target string) {
	n.Facts.Actions = append(n.Facts.Actions, facts.Action{Time: ns(at), Action: action, Target: target})
}

func (n *night) object(moment, cluster, kind, name, owner, raw string) *facts.Object {
	o := facts.Object{
		Moment: moment, Cluster: cluster, APIVersion: "sky.example/v1", Kind: kind, Namespace: "sky", Name: name, UID: cluster + kind + name,
		Labels: map[string]string{}, Raw: raw,
	}
	if owner != "" {
		o.Owners = []facts.Owner{{Kind: "Survey", Name: owner, UID: "deskSurvey" + owner}}
	}
	n.Facts.Objects = append(n.Facts.Objects, o)
	return &n.Facts.Objects[len(n.Facts.Objects)-1]
}

// survey records the objects of one survey at both moments.
func (n *night) survey(name string) {
	for _, moment := range []string{"dusk", "dawn"} {
		n.object(moment, "desk", "Survey", name, "", "{}")
		n.object(moment, "desk", "Plan", "plan-"+name+"-7", name, "{}")
		n.object(moment, "dome", "Plan", "plan-"+name+"-7", "", "{}")
	}
}

func (n *night) came(at float64, text string) {
	n.lines = append(n.lines, outcome.Mark{Stream: site("dome-1"), Time: ns(at), Line: text})
}

func (n *night) frame(at float64, survey, pod string) {
	n.Facts.Progress = append(n.Facts.Progress, facts.Progress{Time: ns(at), Cluster: "dome", Namespace: "sky", Job: survey, Pod: pod, Event: "frame"})
}

func (n *night) build(t testing.TB, others ...*night) Run {
	t.Helper()
	p := parse(t, domes)
	var further []*outcome.Run
	for _, x := range append(others, n) {
		x.Marks = nil
		for _, q := range Queries(p.Milestones) {
			x.Marks = append(x.Marks, outcome.Marks{MarkQuery: q, Lines: x.lines})
		}
		further = append(further, &x.Run)
	}
	return Build(&n.Run, p.Milestones, p.Correlation, further...)
}

// show prints the milestones of affected work: seconds after the restoration,
// "<" for those before it, the reason of those that are missing.
func show(r *Run) string {
	var out []string
	one := func(m *Milestone) string {
		switch m.State {
		case Missing:
			return fmt.Sprintf("%s %s", m.Name, m.Reason)
		case Before:
			return fmt.Sprintf("%s <", m.Name)
		}
		return fmt.Sprintf("%s %.1f", m.Name, time.Duration(m.At-r.Restored.At).Seconds())
	}
	for i := range r.Shared {
		out = append(out, one(&r.Shared[i]))
	}
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if w.Affected == "" {
			continue
		}
		text := w.ID + " " + w.Affected + ":"
		if w.KeptRunning {
			text += " kept"
		}
		for j := range w.Milestones {
			text += " " + one(&w.Milestones[j])
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

func TestBuild(t *testing.T) {
	f := func(name string, change func(*night), want ...string) {
		t.Helper()
		n := newNight()
		change(n)
		r := n.build(t)
		if diff := cmp.Diff(strings.Join(want, "\n"), show(&r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	mount := func(n *night, name, survey string, at float64, target string) {
		o := n.object("dawn", "dome", "Mount", name, "",
			fmt.Sprintf(`{"status":{"target":%q,"conditions":[{"type":"Still","status":"True","lastTransitionTime":%q}]}}`, target, stamp(at)))
		o.Labels["plan"] = "plan-" + survey + "-7"
	}
	f("all along the way", func(n *night) {
		n.survey("comet")
		n.act(15, "ask", "sky/comet")
		n.Facts.Probes = []facts.Probe{{Time: ns(14), OK: false}, {Time: ns(31), OK: true}}
		n.came(33, `{"msg":"plan came","plan":"plan-comet-7","namespace":"sky"}`)
		mount(n, "m1", "comet", 36, "comet")
		n.frame(38, "comet", "p1")
	}, "link 1.0", "sky/comet submitted-during: sent 3.0 slewed 6.0 exposing 8.0")
	f("what was not seen is not zero", func(n *night) {
		n.survey("comet")
		n.act(15, "ask", "sky/comet")
	}, "link no-evidence", "sky/comet submitted-during: sent capture-ended slewed capture-ended exposing no-evidence")
	f("a record of other work, in another namespace, or of several", func(n *night) {
		n.survey("comet")
		n.survey("moon")
		n.act(15, "ask", "sky/comet")
		n.act(15, "ask", "sky/moon")
		n.frame(200, "moon", "p2")
		n.came(33, `{"msg":"plan came","plan":"plan-comet-77","namespace":"sky"}`)
		n.came(34, `{"msg":"plan came","plan":"plan-comet-7","namespace":"sea"}`)
		n.came(35, `{"msg":"plan came","plan":"plan-comet-7","other":"plan-moon-7"}`)
		n.lines = append(n.lines, outcome.Mark{Stream: site("desk-1"), Time: ns(36), Line: `plan came plan-comet-7`})
	}, "link no-evidence", "sky/comet submitted-during: sent 3.0 slewed capture-ended exposing capture-ended",
		"sky/moon submitted-during: sent no-evidence slewed no-evidence exposing 170.0")
	f("a later milestone without an earlier one", func(n *night) {
		n.survey("comet")
		n.act(15, "ask", "sky/comet")
		n.frame(38, "comet", "p1")
	}, "link no-evidence", "sky/comet submitted-during: sent no-evidence slewed no-evidence exposing 8.0")
	dead := []facts.Probe{{Time: ns(14), OK: false}, {Time: ns(200), OK: false}}
	f("nothing followed a shared milestone", func(n *night) {
		n.survey("comet")
		n.act(15, "ask", "sky/comet")
		n.Facts.Probes = dead
	}, "link capture-ended", "sky/comet submitted-during: sent capture-ended slewed capture-ended exposing no-evidence")
	f("what follows a shared milestone was seen", func(n *night) {
		n.survey("comet")
		n.act(15, "ask", "sky/comet")
		n.Facts.Probes = dead
		n.frame(38, "comet", "p1")
	}, "link no-evidence", "sky/comet submitted-during: sent no-evidence slewed no-evidence exposing 8.0")
	f("records are missing", func(n *night) {
		n.survey("comet")
		n.act(15, "ask", "sky/comet")
		n.Logs[1].Gaps = []outcome.Gap{{From: ns(31), To: ns(40)}}
	}, "link no-evidence", "sky/comet submitted-during: sent telemetry-gap slewed capture-ended exposing no-evidence")
	f("work that was withdrawn", func(n *night) {
		n.survey("comet")
		n.act(15, "ask", "sky/comet")
		n.act(50, "withdraw", "sky/comet")
	}, "link no-evidence", "sky/comet submitted-during: sent never-happened slewed never-happened exposing no-evidence")
	f("work that went on, that resumed in another pod, that is done, and that came later", func(n *night) {
		for _, name := range []string{"kept", "slow", "moved", "done", "late"} {
			n.survey(name)
			n.came(3, `plan came plan-`+name+`-7 sky`)
		}
		for i, name := range []string{"kept", "slow", "moved", "done"} {
			n.act(1+float64(i)/10, "ask", "sky/"+name)
		}
		n.act(40, "ask", "sky/late")
		for _, at := range []float64{5, 15, 25, 35} {
			n.frame(at, "kept", "k")
		}
		n.frame(5, "slow", "s") // a frame each 40 s, none during the storm
		n.frame(45, "slow", "s")
		n.frame(5, "moved", "a")
		n.frame(48, "moved", "b")
		n.object("dawn", "desk", "Survey", "done", "", fmt.Sprintf(`{"status":{"conditions":[{"type":"Archived","status":"True","lastTransitionTime":%q}]}}`, stamp(8)))
	}, "link no-evidence", "sky/kept unfinished: kept sent < slewed no-evidence exposing <", "sky/moved unfinished: sent < slewed no-evidence exposing 18.0",
		"sky/slow unfinished: kept sent < slewed no-evidence exposing <")
	f("a claim that no object bears out", func(n *night) {
		n.survey("comet")
		n.act(15, "ask", "sky/comet")
		n.frame(300, "moon", "p")
		mount(n, "m1", "comet", 36, "")
	}, "link no-evidence", "sky/comet submitted-during: sent capture-ended slewed capture-ended exposing capture-ended")
	f("known by its records alone", func(n *night) {
		n.Facts.Objects = nil
		n.act(15, "ask", "sky/comet")
		n.came(33, `plan came plan-comet-123`)
		n.frame(38, "comet", "p1")
	}, "link no-evidence", "sky/comet submitted-during: sent 3.0 slewed no-evidence exposing 8.0")
}

// TestBuild_Arrival: a record that came late does not make a milestone late.
// What a build never writes says nothing of what did not happen; what it writes
// in any of its runs does.
func TestBuild_Unwritten(t *testing.T) {
	f := func(want Reason, change func(n, other *night)) {
		t.Helper()
		n, other := newNight(), newNight()
		n.lines, other.lines = nil, nil
		n.survey("comet")
		n.act(15, "ask", "sky/comet")
		change(n, other)
		r := n.build(t, other)
		if m := r.Workloads[0].Milestones[0]; m.Reason != want {
			t.Errorf("%+v; want %s", m, want)
		}
	}
	f(NoEvidence, func(_, _ *night) {})
	f(CaptureEnded, func(n, _ *night) { n.came(2, "plan came") })
	f(CaptureEnded, func(_, other *night) { other.came(2, "plan came") })
	f(NoEvidence, func(_, other *night) {
		other.lines = []outcome.Mark{{Stream: site("desk-1"), Time: ns(2), Line: "plan came"}}
	})
	f(NoEvidence, func(n, _ *night) {
		n.Facts.Events = []facts.Event{{Cluster: "dome", Reason: "Went", First: ns(2), Last: ns(2)}}
	})
	f(CaptureEnded, func(n, _ *night) {
		n.Facts.Events = []facts.Event{{Cluster: "dome", Reason: "Came", First: ns(2), Last: ns(2)}}
	})
	f(CaptureEnded, func(n, other *night) {
		n.Facts.Events = []facts.Event{{Cluster: "dome", Reason: "Went", First: ns(2), Last: ns(2)}}
		other.Facts.Events = []facts.Event{{Cluster: "dome", Reason: "Came", First: ns(2), Last: ns(2)}}
	})
}

func TestBuild_Arrival(t *testing.T) {
	n := newNight()
	n.survey("comet")
	n.act(15, "ask", "sky/comet")
	n.came(90, fmt.Sprintf(`{"ts":%q,"msg":"plan came","plan":"plan-comet-7","namespace":"sky"}`, stamp(33)))
	n.frame(38, "comet", "p1")
	n.Facts.Progress[0].Raw = fmt.Sprintf(`{"got":%q}`, stamp(100))
	r := n.build(t)
	for i, want := range []Milestone{{At: ns(33), Arrived: ns(90)}, {}, {At: ns(38), Arrived: ns(100)}} {
		if m := r.Workloads[0].Milestones[i]; m.At != want.At || m.Arrived != want.Arrived {
			t.Errorf("%s: %+v", m.Name, m)
		}
	}
}

// TestBuild_Loss: which loss is measured, and from what it is known.
func TestBuild_Loss(t *testing.T) {
	f := func(actions, probes string, failure, restored float64, losses int) {
		t.Helper()
		n := newNight()
		n.Facts.Actions = nil
		for a := range strings.FieldsSeq(actions) {
			var at float64
			_, _ = fmt.Sscanf(a[1:], "%g", &at)
			n.act(at, map[byte]string{'s': "storm", 'c': "calm"}[a[0]], "")
		}
		for i, c := range probes {
			n.Facts.Probes = append(n.Facts.Probes, facts.Probe{Time: ns(float64(i)), OK: c == '+'})
		}
		r := n.build(t)
		got := func(m *Milestone) float64 {
			if m.State == Missing {
				return 0
			}
			return time.Duration(m.At - ns(0)).Seconds()
		}
		if got(&r.Failure) != failure || got(&r.Restored) != restored || r.Losses != losses {
			t.Errorf("%q %q: %g to %g of %d; want %g to %g of %d", actions, probes, got(&r.Failure), got(&r.Restored), r.Losses, failure, restored, losses)
		}
		if r.Restored.State == Missing && (r.Restored.Detail == "" || r.Restored.Reason == "") {
			t.Errorf("%q: no reason is given", actions)
		}
	}
	f("s10 c30", "", 10, 30, 1)
	f("s10 s12 c30 c31", "", 10, 30, 1)
	f("c5 s10 c30 s40 c60", "", 40, 60, 2)
	f("s10 c30 s40", "", 10, 30, 1) // the last is not mended
	f("s10", "", 10, 0, 1)
	f("c30", "", 0, 0, 0)
	f("", "++--+++", 2, 4, 1)
	f("", "++-+-+", 4, 5, 2)
	f("s10", "-----------------+", 10, 17, 1)
	f("", "++++", 0, 0, 0)
	f("", "", 0, 0, 0)
}

func TestFind(t *testing.T) {
	n := newNight()
	n.survey("comet")
	n.survey("desk") // a name that is also another word of lines
	n.survey("name") // and one that is also a key
	n.Facts.Objects = append(n.Facts.Objects, facts.Object{APIVersion: "sky.example/v1", Cluster: "desk", Kind: "Survey", Namespace: "sea", Name: "comet", UID: "x-1"})
	p := parse(t, domes)
	x := newIndex(p.Milestones, learn(p.Correlation, n.Facts), n.Facts)
	f := func(text, want string) {
		t.Helper()
		got := ""
		if w := x.find(text, ""); w >= 0 {
			got = x.work[w].ID
		}
		if got != want {
			t.Errorf("%q names %q; want %q", text, got, want)
		}
	}
	f(`survey sky/comet sent`, "sky/comet")
	f(`{"name":"comet","namespace":"sea"}`, "sea/comet")
	f(`comet`, "") // one of two
	f(`plan-comet-7 in sky`, "sky/comet")
	f(`plan-comet-7.`, "sky/comet")
	f(`plan-comet-71 in sky`, "sky/comet") // by its alias: of a plan that was not recorded
	f(`plan-comet-7b in sky`, "")
	f(`the desk sent sky/comet`, "sky/comet")
	f(`the desk sent a plan`, "sky/desk")
	f(`uid x-1`, "sea/comet")
	f(`{"name":"desk","namespace":"sky"}`, "sky/desk")
	f(`{"msg":"{\"name\": \"desk\"}","namespace":"sky"}`, "sky/desk")
	f(`name=desk namespace=sky`, "sky/desk")
	f(`{"name":"name","namespace":"sky"}`, "sky/name")
	f(`/comet in sea`, "sea/comet")
	f(`comet.sea.dome`, "")
	f(`comet at sea.dome`, "sea/comet")
	f(`sky/comet sea/comet`, "")
	f(``, "")
	f("\xff\xfe comet-", "")
}

// TestNames: everything that the links lead to belongs to the work.
func TestNames(t *testing.T) {
	n := newNight()
	n.survey("comet")
	o := n.object("dawn", "dome", "Mount", "m9", "", "{}")
	o.Labels["plan"] = "plan-comet-7"
	r := n.build(t)
	var got []string
	for _, name := range r.Workloads[0].Names {
		got = append(got, name.Entity+" "+name.Cluster+" "+name.Name)
	}
	slices.Sort(got)
	want := []string{"dome-plan dome plan-comet-7", "mount dome m9", "plan desk plan-comet-7", "survey desk comet"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzBuild: whatever records hold, a timeline is built, in time order and
// without a milestone that is both missing and dated.
func FuzzBuild(f *testing.F) {
	f.Add("comet", `{"msg":"plan came","plan":"plan-comet-7"}`, "2027-01-15T08:00:33.5Z", int64(5e9))
	f.Add("a b/c", "\xff", "", int64(-1))
	f.Fuzz(func(t *testing.T, name, line, at string, shift int64) {
		n := newNight()
		n.survey(name)
		n.act(15, "ask", "sky/"+name)
		n.lines = append(n.lines, outcome.Mark{Stream: site("dome-1"), Time: ns(33) + shift, Line: line})
		n.frame(38, name, "p")
		n.Facts.Progress[0].Raw = line
		n.object("dawn", "dome", "Mount", name, "", `{"status":{"target":"t","conditions":[{"type":"Still","status":"True","lastTransitionTime":"`+at+`"}]}}`)
		r := n.build(t)
		c := Compare("storm", parse(t, domes).Milestones, []Run{r}, []Run{r})
		for _, w := range r.Workloads {
			for _, m := range w.Milestones {
				if (m.State == Missing) != (m.At == 0) || m.State == Missing && m.Reason == "" || m.State == Reached && m.At < r.Restored.At {
					t.Errorf("%+v", m)
				}
			}
		}
		for _, s := range c.Stages {
			if s.Slower || s.Faster {
				t.Errorf("%s differs from itself", s.Name)
			}
		}
		if d := c.Deployed; d.Affected != d.Recovered+d.Failed+d.Open {
			t.Errorf("%+v", d)
		}
	})
}

// TestBuild_Submissions: a submission is of the work that its whole target
// names, whatever letters that has; one that names none is noted.
func TestBuild_Submissions(t *testing.T) {
	p := parse(t, domes)
	n := newNight()
	for i, target := range []string{"sky/<comet>&'é", "sky/a b", "sky/comet/7", "nova"} {
		n.Facts.Actions = append(n.Facts.Actions, facts.Action{Time: ns(20 + float64(i)), Actor: "astronomer", Action: "ask", Target: target})
	}
	n.Facts.Actions = append(n.Facts.Actions,
		facts.Action{Time: ns(10), Actor: "weather", Action: "storm"}, facts.Action{Time: ns(60), Actor: "weather", Action: "calm"})
	r := Build(&n.Run, p.Milestones, p.Correlation)
	var got []string
	for _, w := range r.Workloads {
		got = append(got, w.ID+" "+w.Affected)
	}
	if diff := cmp.Diff([]string{"nova submitted-during", "sky/<comet>&'é submitted-during"}, got); diff != "" {
		t.Errorf("affected work (-want +got):\n%s", diff)
	}
	want := []string{"2 submissions name no work that can be followed, such as action ask sky/a b by astronomer: what nothing else shows of it is in no count"}
	if diff := cmp.Diff(want, r.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}
