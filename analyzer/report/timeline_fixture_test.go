package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/rules"
)

// drawn are the recoveries behind the golden pictures.
var drawn = []struct {
	name  string
	build func() *analyzer.Report
	text  int // columns of the text
	svg   int // width of the picture
}{
	{"three", func() *analyzer.Report { return recovered(3, 1) }, 100, 960},
	{"three-narrow", func() *analyzer.Report { return recovered(3, 1) }, 80, 320},
	{"forty", func() *analyzer.Report { return recovered(40, 1) }, 100, 960},
	{"tenfold", func() *analyzer.Report { return recovered(4, 10) }, 100, 960},
	{"repeated", func() *analyzer.Report { return recovered(2, 3) }, 100, 720},
	{"unmeasured", unmeasuredCandidate, 80, 720},
	{"hostile-names", hostileRecovery, 80, 960},
}

// laps are what a parcel service does once the bridge is open again.
var laps = []struct {
	name, title, owner, as string
	shared                 bool
	took                   [2]float64 // seconds, on deployed and on candidate
}{
	{"lamp", "lamp green", "bridge", "reachable", true, [2]float64{0.4, 0.6}},
	{"gate", "gate opened", "bridge", "", true, [2]float64{44.4, 49.1}},
	{"slot", "slot given", "yard", "", false, [2]float64{1.4, 1.6}},
	{"dispatched", "van dispatched", "yard", "dispatched", false, [2]float64{0.2, 3.2}},
	{"loaded", "van loaded", "loaders", "", false, [2]float64{3.5, 5.2}},
	{"driving", "van driving", "drivers", "running", false, [2]float64{1.1, 1.6}},
	{"first-stop", "first stop", "drivers", "useful", false, [2]float64{3, 3.4}},
	{"last-stop", "last stop", "drivers", "", false, [2]float64{8, 8.1}},
	{"receipt", "receipt seen in the office", "office", "finished", false, [2]float64{1, 1.2}},
}

const restored = start + 165*second

func at(s float64) int64 { return restored + int64(s*1e9) }

// recovered invents n parcels on both builds. On candidate every seventh is
// never dispatched, every eleventh fails, and every thirteenth kept moving.
func recovered(n, repetitions int) *analyzer.Report {
	m := &profile.Milestones{Deadlines: []profile.Deadline{{Milestone: "first-stop", Within: profile.Duration(time.Minute), Owner: "drivers"}}}
	for i, l := range laps {
		d := profile.Milestone{Name: l.name, Title: l.title, Owner: l.owner, As: l.as, Shared: l.shared}
		if l.name == "gate" {
			d.Hint = "the gate keeper waits for the next full minute"
		}
		if i > 0 {
			d.After = []string{laps[i-1].name}
		}
		m.List = append(m.List, d)
	}
	r := &analyzer.Report{
		Deployed:  analyzer.Build{Name: "deployed", Version: "v0.17.0", Component: "parcels"},
		Candidate: analyzer.Build{Name: "candidate", Version: "v0.18.0", Component: "parcels"},
		Scenarios: []string{"bridge-closed"},
	}
	var sides [2][]timeline.Run
	for i := range sides {
		for j := range repetitions {
			sides[i] = append(sides[i], invented(i, n, j+1))
			r.Happenings = append(r.Happenings, happenedOn(i, j+1)...)
		}
	}
	for _, rule := range parcelAlerts {
		res := analyzer.Result{Rule: rule, Scenario: "bridge-closed"}
		res.Deployed.State, res.Candidate.State = outcome.Fired, outcome.Fired
		if rule.Name == "BridgeClosed" {
			res.Candidate.State = outcome.Silent
		}
		r.Results = append(r.Results, res)
	}
	r.Timelines = []timeline.Comparison{*timeline.Compare("bridge-closed", m, sides[0], sides[1])}
	return r
}

func invented(side, n, repetition int) timeline.Run {
	run := timeline.Run{Build: []string{"deployed", "candidate"}[side], Scenario: "bridge-closed", Repetition: repetition, Start: at(-200), End: at(120)}
	run.Failure = timeline.Milestone{Name: "failure", State: timeline.Reached, At: at(-165), Kind: "action"}
	run.Restored = timeline.Milestone{Name: "connection-restored", State: timeline.Reached, At: restored, Kind: "action"}
	for i, l := range laps {
		d := timeline.Declared{Name: l.name, Title: l.title, Owner: l.owner, As: l.as, Shared: l.shared, After: []string{""}}
		if i > 0 {
			d.After = []string{laps[i-1].name}
		}
		run.Declared = append(run.Declared, d)
	}
	reached := func(name string, t float64) timeline.Milestone {
		return timeline.Milestone{
			Name: name, State: timeline.Reached, At: at(t), Kind: "log", Clock: "office", Resolution: 100 * time.Millisecond,
			Evidence: "the office wrote: " + name,
		}
	}
	t := float64(repetition-1) * 0.7
	for _, l := range laps[:2] {
		t += l.took[side]
		run.Shared = append(run.Shared, reached(l.name, t))
	}
	for j := range n {
		w := timeline.Workload{ID: fmt.Sprintf("north/parcel-%d", j), Affected: timeline.SubmittedDuring, Submitted: at(-100)}
		t := t + float64(j%5)
		for k, l := range laps[2:] {
			t += l.took[side] + float64(j%3)/10
			m := reached(l.name, t)
			switch {
			case side == 1 && j%11 == 10 && k > 3:
				w.Failed = at(t)
				m = timeline.Milestone{Name: l.name, State: timeline.Missing, Reason: timeline.NeverHappened, Detail: "the parcel was lost"}
			case side == 1 && j%7 == 2 && k > 0:
				m = timeline.Milestone{Name: l.name, State: timeline.Missing, Reason: timeline.CaptureEnded, Detail: "it had not happened when the capture ended"}
			case side == 1 && j%13 == 12:
				w.KeptRunning = true
				m = timeline.Milestone{Name: l.name, State: timeline.Before, At: at(-170), Kind: "log", Clock: "office"}
			case side == 0 && l.name == "driving":
				m = timeline.Milestone{Name: l.name, State: timeline.Missing, Reason: timeline.NoEvidence, Detail: "no van had a clock"}
			}
			w.Milestones = append(w.Milestones, m)
		}
		run.Workloads = append(run.Workloads, w)
	}
	return run
}

var parcelAlerts = []*rules.Rule{
	{Kind: rules.Alert, Name: "BridgeClosed"}, {Kind: rules.Alert, Name: "ParcelsLate"},
}

func happenedOn(side, repetition int) []analyzer.Happening {
	role := []string{"deployed", "candidate"}[side]
	var out []analyzer.Happening
	add := func(k analyzer.HappeningKind, name, detail string, from, to float64) {
		h := analyzer.Happening{Role: role, Scenario: "bridge-closed", Repetition: repetition, Kind: k, Name: name, Detail: detail, From: at(from), To: at(to)}
		if k.IsAlert() {
			for _, rule := range parcelAlerts {
				if rule.Name == name {
					h.Rule = rule
				}
			}
		}
		out = append(out, h)
	}
	add(analyzer.AlertPending, "BridgeClosed", "", -160, -140)
	if side == 0 {
		add(analyzer.AlertFiring, "BridgeClosed", "", -140, 52)
	}
	add(analyzer.AlertFiring, "ParcelsLate", "", -120, -60)
	add(analyzer.AlertFiring, "ParcelsLate", "", 10, 30)
	add(analyzer.ActionDone, "scenario-start", "bridge-closed", -195, -195)
	add(analyzer.ActionDone, "cut", "bridge by script", -165, -165)
	for j := range 8 {
		add(analyzer.ActionDone, "post", fmt.Sprintf("north/parcel-%d by script", j), -160+float64(j)/10, -160+float64(j)/10)
	}
	add(analyzer.ActionDone, "restore", "bridge by script", 0, 0)
	add(analyzer.ManualAction, "restart", "office by operator", 41, 41)
	if side == 1 {
		add(analyzer.PanicSeen, "assignment to entry in nil map", "recovered", 43, 43)
	}
	return out
}

// unmeasuredCandidate shows no recovery on candidate, and a clock that is wrong
// on deployed.
func unmeasuredCandidate() *analyzer.Report {
	r := recovered(2, 1)
	t := &r.Timelines[0]
	run := &t.Candidate.Runs[0]
	run.Restored = timeline.Milestone{Name: "connection-restored", State: timeline.Missing, Reason: timeline.NoEvidence, Detail: "no loss was recorded"}
	run.Workloads, run.Shared = nil, nil
	t.Deployed.Runs[0].Skews = []timeline.Skew{{
		Workload: "north/parcel-1", By: 3 * time.Second,
		Before: timeline.Milestone{Name: "loaded", At: at(50), Clock: "van"}, After: timeline.Milestone{Name: "dispatched", At: at(53), Clock: "office"},
	}}
	empty := timeline.Compare(t.Scenario, &profile.Milestones{}, t.Candidate.Runs, t.Deployed.Runs).Deployed
	t.Candidate = empty
	return r
}

// hostileRecovery has names that break out of what is around them, or try to.
func hostileRecovery() *analyzer.Report {
	evil := "</text><script>alert(1)</script>\x1b[31m\u202e\x00\xff\"'&]]>```"
	r := recovered(4, 1)
	t := &r.Timelines[0]
	t.Scenario = evil + strings.Repeat("long-name-", 30)
	r.Deployed.Version, r.Candidate.Version = evil+strings.Repeat("W", 200), evil
	for i := range t.Declared {
		t.Declared[i].Title = fmt.Sprintf("%d %s%s", i, strings.Repeat("界", 30), evil)
		t.Stages[i].Title, t.Stages[i].Owner = t.Declared[i].Title, evil
	}
	for _, s := range []*timeline.Side{&t.Deployed, &t.Candidate} {
		run := &s.Runs[0]
		s.Slowest.Workload = evil
		for j := range run.Workloads {
			run.Workloads[j].ID = fmt.Sprintf("=%s/%s-%d", strings.Repeat("W", 100), evil, j)
			for k := range run.Workloads[j].Milestones {
				m := &run.Workloads[j].Milestones[k]
				m.Kind, m.Clock, m.Evidence, m.Detail = evil, evil, evil, evil
			}
		}
	}
	for i := range r.Happenings {
		h := &r.Happenings[i]
		h.Scenario, h.Name, h.Detail = t.Scenario, evil+h.Name, strings.Repeat("x", 5000)
	}
	return r
}
