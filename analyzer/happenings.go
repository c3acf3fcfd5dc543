package analyzer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/rules"
)

// A HappeningKind says what a happening is. The zero HappeningKind is invalid.
type HappeningKind int

// The kinds of happenings, in the order in which they are shown.
const (
	AlertFiring HappeningKind = iota + 1
	AlertPending
	ActionDone   // something that a person or a script did
	ManualAction // likewise, by a person, between the failure and the recovery
	PanicSeen    // the first or the last occurrence of a panic
)

var happeningNames = [...]string{AlertFiring: "firing", AlertPending: "pending", ActionDone: "action", ManualAction: "manual-action", PanicSeen: "panic"}

// String returns the kind as it stands in reports.
func (k HappeningKind) String() string { return happeningNames[k] }

// IsAlert reports whether it is a state of an alert.
func (k HappeningKind) IsAlert() bool { return k == AlertFiring || k == AlertPending }

// A Happening is what happened in a run beside the recovery itself. Its texts
// are as recorded, so they are hostile.
type Happening struct {
	Role, Scenario string
	Repetition     int
	Kind           HappeningKind
	Rule           *rules.Rule // of an alert; else nil
	Name           string      // of the alert, of what was done, or of the kind of panic
	Detail         string      // who did it and to what, or how the panic was handled
	From, To       int64       // nanoseconds since the epoch; equal for a moment
}

// happenings gathers what happened in the runs of scenarios in which a
// recovery was followed.
func (c *comparison) happenings() []Happening {
	var out []Happening
	for i := range c.in.Timelines {
		t := &c.in.Timelines[i]
		for _, side := range []struct {
			role string
			in   *Side
			of   *timeline.Side
		}{{"deployed", &c.in.Deployed, &t.Deployed}, {"candidate", &c.in.Candidate, &t.Candidate}} {
			for j := range side.in.Runs {
				run := &side.in.Runs[j]
				if run.Scenario != t.Scenario || run.Missing {
					continue
				}
				at := slices.IndexFunc(side.of.Runs, func(r timeline.Run) bool { return r.Repetition == run.Repetition })
				var actions []timeline.Action
				if at >= 0 {
					actions = side.of.Runs[at].Actions
				}
				out = append(out, happeningsOf(side.role, c.in.Rules, run, actions)...)
			}
		}
	}
	return out
}

// happeningsOf gathers what happened in one run: alerts, whose outcomes are in
// the order of rs, actions and panics. Actions are those that the timeline
// judged, or else those that were recorded; what somebody only looked at is
// none.
func happeningsOf(role string, rs []rules.Rule, run *outcome.Run, judged []timeline.Action) []Happening {
	of := Happening{Role: role, Scenario: run.Scenario, Repetition: run.Repetition}
	out := alertHappenings(of, rs, run)
	switch {
	case len(judged) > 0:
		for i := range judged {
			a := &judged[i]
			if !a.Manual && looked(a.Actor, a.Action) {
				continue
			}
			of.Kind, of.Name, of.Detail, of.From, of.To = ActionDone, a.Action, doneTo(a.Target, a.Actor), a.Time, a.Time
			switch {
			case a.Manual:
				of.Kind = ManualAction
			case a.Unattributed:
				of.Detail += ", it is not known by whom"
			}
			out = append(out, of)
		}
	case run.Facts != nil:
		out = append(out, actionHappenings(of, run.Facts.Actions)...)
	}
	return append(out, panicHappenings(of, run.Panics)...)
}

func alertHappenings(of Happening, rs []rules.Rule, run *outcome.Run) []Happening {
	var out []Happening
	for i := range min(len(rs), len(run.Outcomes)) {
		if rs[i].Kind != rules.Alert {
			continue
		}
		of.Rule, of.Name = &rs[i], rs[i].Name
		for _, f := range run.Outcomes[i].Pending {
			of.Kind, of.From, of.To = AlertPending, f.From, f.To
			out = append(out, of)
		}
		for _, f := range run.Outcomes[i].Firing {
			of.Kind, of.From, of.To = AlertFiring, f.From, f.To
			out = append(out, of)
		}
	}
	return out
}

// looked reports whether somebody only looked at something.
func looked(actor, action string) bool {
	return actor == "observer" || slices.ContainsFunc(profile.DefaultLooks(), func(glob string) bool {
		return profile.Glob(glob, strings.ToLower(action))
	})
}

func actionHappenings(of Happening, actions []facts.Action) []Happening {
	var out []Happening
	of.Kind = ActionDone
	for i := range actions {
		a := &actions[i]
		if looked(a.Actor, a.Action) {
			continue
		}
		of.Name, of.Detail, of.From, of.To = a.Action, doneTo(a.Target, a.Actor), a.Time, a.Time
		out = append(out, of)
	}
	return out
}

func doneTo(target, actor string) string {
	switch {
	case actor == "":
		return target
	case target == "":
		return "by " + actor
	}
	return target + " by " + actor
}

func panicHappenings(of Happening, panics []outcome.Panic) []Happening {
	var out []Happening
	of.Kind = PanicSeen
	for i := range panics {
		p := &panics[i]
		of.Name, of.Detail = p.Kind, string(p.Handling)
		of.From, of.To = p.First.Time, p.First.Time
		out = append(out, of)
		if p.Last.Time > p.First.Time {
			of.From, of.To = p.Last.Time, p.Last.Time
			out = append(out, of)
		}
	}
	slices.SortStableFunc(out, func(a, b Happening) int { return cmp.Compare(a.From, b.From) })
	return out
}
