package timeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// outcomes says what became of affected work.
func outcomes(r *Run, goal string) string {
	names := map[Outcome]string{Recovered: "recovered", FailedWork: "failed", Open: "open"}
	var out []string
	for i := range r.Workloads {
		if w := &r.Workloads[i]; w.Affected != "" {
			text := w.ID + " " + names[r.Outcome(w, goal)]
			if r.Unknown(w, goal) {
				text += " unknown"
			}
			if w.KeptRunning {
				text += " kept"
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// exposed is the night of one survey that exposes before the storm (10 to 30 s).
func exposed(frames ...float64) *night {
	n := newNight()
	n.survey("comet")
	n.act(1, "ask", "sky/comet")
	for _, at := range frames {
		n.frame(at, "comet", "p1")
	}
	return n
}

// TestBuild_Kept: what computed before the restoration is recovered only if it
// still computes.
func TestBuild_Kept(t *testing.T) {
	f := func(name string, n *night, want string, exposing float64) {
		t.Helper()
		r := n.build(t)
		if got := outcomes(&r, "exposing"); got != want {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
		if m := r.at(&r.Workloads[0], "exposing"); exposing != 0 && (m.State != Reached || time.Duration(m.At-r.Restored.At) != time.Duration(exposing*1e9)) {
			t.Errorf("%s: %+v", name, m)
		}
	}
	f("it went on", exposed(2, 6, 10, 14, 18, 22, 26, 30.5, 34), "sky/comet recovered kept", 0)
	f("it stopped with the storm", exposed(2, 5, 8, 11), "sky/comet open", 0)
	f("it stopped amid the storm", exposed(2, 5, 8, 11, 14, 17), "sky/comet open", 0)
	f("it stood still, and went on", exposed(2, 5, 8, 11, 90, 93, 96), "sky/comet recovered", 60)
	f("nobody knows how often it would be seen", exposed(2), "sky/comet recovered", 0)
	f("it is slow", exposed(-145, 2, 5, 299), "sky/comet recovered kept", 0)
	f("it is slow, and its next frame is not due", exposed(-145, 2, 9), "sky/comet recovered", 0)
	n := exposed(2, 5, 8, 11)
	n.object("dawn", "desk", "Survey", "comet", "", fmt.Sprintf(`{"status":{"conditions":[{"type":"Archived","status":"True","lastTransitionTime":%q}]}}`, stamp(60)))
	f("it ended", n, "sky/comet recovered kept", 0)
	n = exposed(2, 5, 8, 11)
	n.frame(70, "comet", "p2")
	f("it began anew in another pod", n, "sky/comet recovered", 40)
	n = exposed(2, 5, 8, 11, 14, 17, 20, 23, 26, 29)
	n.frame(70, "comet", "p2")
	f("it began anew, having gone on through the storm", n, "sky/comet recovered", 40)
}

// TestBuild_Ended: a condition that holds no more is not had.
func TestBuild_Ended(t *testing.T) {
	still := func(n *night, moment, name, status string, at float64) {
		o := n.object(moment, "dome", "Mount", name, "",
			fmt.Sprintf(`{"status":{"target":"comet","conditions":[{"type":"Still","status":%q,"lastTransitionTime":%q}]}}`, status, stamp(at)))
		o.Labels["plan"] = "plan-comet-7"
	}
	f := func(want State, change func(*night)) {
		t.Helper()
		n := newNight()
		n.survey("comet")
		n.act(1, "ask", "sky/comet")
		change(n)
		r := n.build(t)
		m := r.at(&r.Workloads[0], "slewed")
		if m.State != want || want == Missing && (m.Reason != CaptureEnded || !strings.Contains(m.Detail, "it was so until")) {
			t.Errorf("%s, want %s: %+v", m.State, want, m)
		}
	}
	f(Before, func(n *night) { still(n, "dusk", "m1", "True", 5); still(n, "dawn", "m1", "True", 5) })
	f(Missing, func(n *night) { still(n, "dusk", "m1", "True", 5); still(n, "dawn", "m1", "False", 20) })
	f(Before, func(n *night) {
		still(n, "dusk", "m1", "True", 5)
		still(n, "dawn", "m1", "False", 20)
		still(n, "dawn", "m2", "True", 6)
	})
	f(Reached, func(n *night) { still(n, "dusk", "m1", "True", 5); still(n, "dawn", "m1", "True", 41) })
}

// TestBuild_Lives: a name that is used again is other work.
func TestBuild_Lives(t *testing.T) {
	archived := func(n *night, moment string, at float64) {
		n.object(moment, "desk", "Survey", "comet", "", fmt.Sprintf(`{"status":{"conditions":[{"type":"Archived","status":"True","lastTransitionTime":%q}]}}`, stamp(at)))
	}
	f := func(name, want string, change func(*night)) {
		t.Helper()
		n := newNight()
		n.survey("comet")
		change(n)
		r := n.build(t)
		if got := outcomes(&r, "exposing"); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
	f("done before the storm", "", func(n *night) {
		n.act(1, "ask", "sky/comet")
		n.frame(3, "comet", "p1")
		archived(n, "dusk", 5)
	})
	f("the name was used again during the storm, and nothing came of it", "sky/comet open", func(n *night) {
		n.act(1, "ask", "sky/comet")
		n.frame(3, "comet", "p1")
		archived(n, "dusk", 5)
		n.act(15, "ask", "sky/comet")
		n.frame(200, "moon", "p2") // other work is seen
	})
	f("likewise, and it recovered", "sky/comet recovered", func(n *night) {
		n.act(1, "ask", "sky/comet")
		n.frame(3, "comet", "p1")
		archived(n, "dusk", 5)
		n.act(15, "ask", "sky/comet")
		n.frame(38, "comet", "p2")
	})
	f("it failed in the storm, and its name was used again", "sky/comet failed, sky/comet#2 recovered", func(n *night) {
		n.act(1, "ask", "sky/comet")
		n.act(15, "withdraw", "sky/comet")
		n.act(20, "ask", "sky/comet")
		n.frame(38, "comet", "p2")
	})
	f("it was asked for twice before it was done", "sky/comet recovered", func(n *night) {
		n.act(12, "ask", "sky/comet")
		n.act(15, "ask", "sky/comet")
		n.frame(38, "comet", "p2")
	})
	f("it was used again after the storm", "sky/comet failed", func(n *night) {
		n.act(12, "ask", "sky/comet")
		n.act(35, "withdraw", "sky/comet")
		n.act(40, "ask", "sky/comet")
		n.frame(48, "comet", "p2")
	})
	f("one survey whose end is dated before its beginning", "sky/comet recovered", func(n *night) {
		n.act(15, "ask", "sky/comet")
		n.Facts.Objects = n.Facts.Objects[:len(n.Facts.Objects)-6]
		n.survey("comet")
		archived(n, "dawn", 14)
	})
}

// TestBuild_Unknown: where evidence of all is missing nothing is proven.
func TestBuild_Unknown(t *testing.T) {
	n := newNight()
	n.Facts.Objects = nil
	n.Logs, n.lines = nil, nil
	n.act(15, "ask", "sky/comet")
	p := parse(t, domes)
	r := Build(&n.Run, p.Milestones, p.Correlation) // of no log anything was kept
	if got := outcomes(&r, "exposing"); got != "sky/comet open unknown" {
		t.Error(got)
	}
	n.frame(200, "moon", "p") // progress was recorded, and none of the comet
	r = Build(&n.Run, p.Milestones, p.Correlation)
	if got := outcomes(&r, "exposing"); got != "sky/comet open" {
		t.Error(got)
	}
}

// TestBuild_Gaps: what is missing before the restoration hides nothing after it.
func TestBuild_Gaps(t *testing.T) {
	f := func(want Reason, gaps ...outcome.Gap) {
		t.Helper()
		n := newNight()
		n.survey("comet")
		n.act(15, "ask", "sky/comet")
		n.Logs[1].Gaps = gaps
		r := n.build(t)
		if m := r.at(&r.Workloads[0], "sent"); m.Reason != want || m.Detail == "" {
			t.Errorf("%+v; want %s", m, want)
		}
	}
	f(CaptureEnded)
	f(CaptureEnded, outcome.Gap{From: ns(1), To: ns(20)})
	f(TelemetryGap, outcome.Gap{From: ns(1), To: ns(20)}, outcome.Gap{From: ns(20), To: ns(31), Reason: "the disk was full"})
	f(TelemetryGap, outcome.Gap{From: ns(100), To: ns(200)})
}

// TestBuild_WrongDates: a record from another century changes nothing.
func TestBuild_WrongDates(t *testing.T) {
	century := func() *night {
		n := newNight()
		n.survey("comet")
		n.act(15, "ask", "sky/comet")
		return n
	}
	n := century()
	want := n.build(t)
	for _, year := range []int{1, 1969, 1971, 2199, 2261} {
		n := century()
		far := time.Date(year, 5, 5, 5, 5, 5, 5, time.UTC)
		n.Facts.Progress = append(n.Facts.Progress, facts.Progress{Time: far.UnixNano(), Job: "comet", Namespace: "sky", Event: "frame"})
		n.Facts.Probes = append(n.Facts.Probes, facts.Probe{Time: far.UnixNano(), OK: true})
		n.Facts.Actions = append(n.Facts.Actions, facts.Action{Time: far.UnixNano(), Action: "walk"})
		n.Facts.Events = append(n.Facts.Events, facts.Event{First: far.UnixNano(), Last: far.UnixNano(), Count: 1, Reason: "Came", Cluster: "dome"})
		o := n.object("dawn", "dome", "Mount", "m1", "", fmt.Sprintf(`{"status":{"target":"comet","conditions":[{"type":"Still","status":"True","lastTransitionTime":%q}]}}`, far.Format(time.RFC3339)))
		o.Time, o.Labels["plan"] = far.UnixNano(), "plan-comet-7"
		n.came(33, fmt.Sprintf(`{"ts":%q,"msg":"plan came","plan":"plan-comet-7","namespace":"sky"}`, far.Format(time.RFC3339Nano)))
		r := n.build(t)
		if r.Start != want.Start || r.End != want.End {
			t.Errorf("%d: the run lasts from %s to %s", year, utc(r.Start), utc(r.End))
		}
		for _, m := range r.Workloads[0].Milestones {
			switch {
			case m.Name == "sent" && (m.State != Reached || m.At != ns(33)):
				t.Errorf("%d: %+v", year, m)
			case m.Name != "sent" && m.State == Reached:
				t.Errorf("%d: %+v", year, m)
			}
		}
		if len(r.Notes) == 0 && year > 1970 {
			t.Errorf("%d: nothing is said of it", year)
		}
	}
}

// TestHappened: when a record is taken to have happened, by its own time and by
// that of its arrival.
func TestHappened(t *testing.T) {
	for _, c := range []struct {
		own      float64
		at, late float64
		noted    bool
	}{
		{own: 100, at: 100},
		{own: 99.9999, at: 100},
		{own: 40, at: 40, late: 100},
		{own: 100.5, at: 100.5, late: 100},
		{own: 102, at: 100, noted: true},
		{own: 100 - 4000, at: 100},
	} {
		g := &gatherer{notes: map[string]bool{}}
		at, late := g.happened(ns(c.own), ns(100))
		want := int64(0)
		if c.late != 0 {
			want = ns(c.late)
		}
		if at != ns(c.at) || late != want || len(g.notes) > 0 != c.noted {
			t.Errorf("%+v: %s, %d, %v", c, utc(at), late, g.notes)
		}
	}
}

// TestGather_Resolution: a look tells no more than that something happened
// since the one before it, and so does a count.
func TestGather_Resolution(t *testing.T) {
	n := newNight()
	for _, at := range []float64{10, 11, 12, 60, 61} {
		n.Facts.Probes = append(n.Facts.Probes, facts.Probe{Time: ns(at), OK: at > 50})
	}
	n.Facts.Events = []facts.Event{
		{Reason: "Came", First: ns(1), Last: ns(101), Count: 40},
		{Reason: "Came", First: ns(2), Last: ns(102), Count: 2},
	}
	g := newGatherer(&n.Run, parse(t, domes).Milestones, nil, nil)
	var got []string
	for _, e := range []*profile.Evidence{{Probe: &profile.ProbeSelector{OK: true}}, {Event: &profile.EventSelector{Reason: "Came"}}} {
		for _, h := range g.look(e).hits {
			got = append(got, fmt.Sprintf("%g±%g", float64(h.at-ns(0))/1e9, h.res.Seconds()))
		}
	}
	want := []string{"60±48", "61±1", "1±0.1", "2±0.1", "101±100", "102±0.1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
