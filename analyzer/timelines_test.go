package analyzer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
)

// ferries wait for the fog to lift.
const ferries = `name: ferries
milestones:
  work: {submitted: [{action: {action: booked}}], finished: [{progress: {event: moored}}], failed: [{action: {action: cancelled}}]}
  failure: [{action: {action: fog}}]
  restored: [{action: {action: clear}}]
  list:
    - {name: light, shared: true, owner: harbour, hint: the lamp warms up, by: [{action: {action: light}}]}
    - {name: berth, title: berth given, as: dispatched, owner: harbour, by: [{action: {action: berth}}]}
    - {name: sailing, as: useful, owner: crew, by: [{progress: {event: knot}}]}
`

// happen adds actions and progress, each as "SECONDS actor action target"; progress
// is of the actor "ship".
func happen(f *facts.Facts, records ...string) {
	for _, r := range records {
		var seconds float64
		var actor, action, target string
		if _, err := fmt.Sscan(r, &seconds, &actor, &action, &target); err != nil {
			panic(r)
		}
		ns := start + int64(seconds*float64(second)) + 1
		if actor == "ship" {
			f.Progress = append(f.Progress, facts.Progress{Time: ns, Namespace: "bay", Job: target, Event: action, Pod: target + "-hull"})
			continue
		}
		f.Actions = append(f.Actions, facts.Action{Time: ns, Actor: actor, Action: action, Target: target})
	}
}

// crossing is a fog of 20 s from second 10 with two ferries booked in it; the
// light is on after a number of seconds, and each ferry sails 5 s after that.
func crossing(light float64, more ...string) *facts.Facts {
	f := &facts.Facts{}
	happen(f,
		"10 weather fog bay", "12 clerk booked bay/gull", "13 clerk booked bay/tern", "30 weather clear bay",
		fmt.Sprint(30+light, " keeper light bay"))
	for i, name := range []string{"gull", "tern"} {
		happen(f, fmt.Sprint(31+light+float64(i), " keeper berth bay/", name), fmt.Sprint(35+light+float64(i), " ship knot ", name))
	}
	happen(f, more...)
	return f
}

func crossingTrial(deployed, candidate *facts.Facts) trial {
	p, err := profile.Parse("ferries.yaml", []byte(ferries))
	if err != nil {
		panic(err)
	}
	tr := plain(MustFire, outcome.Fired, outcome.Fired)()
	tr.milestones, tr.deployedFacts, tr.candidateFacts = p.Milestones, deployed, candidate
	return tr
}

func crossings(deployed, candidate float64) func() trial {
	return func() trial { return crossingTrial(crossing(deployed), crossing(candidate)) }
}

// skewed has ships whose clocks are behind: they sail before they have a
// berth, by tenths of a second.
func skewed(tenths float64) func() trial {
	return func() trial {
		f := crossing(5)
		for i := range f.Progress {
			f.Progress[i].Time = f.Actions[len(f.Actions)-2+i].Time - int64(tenths*float64(second)/10)
			f.Progress[i].Time += 5 // not a whole second
		}
		return crossingTrial(crossing(5), f)
	}
}

func TestRecoverySlower(t *testing.T) {
	f := func(tr trial, want ...string) {
		t.Helper()
		var got []string
		for _, f := range tr.run().Findings {
			if f.ID == "recovery-slower" {
				got = append(got, f.Message)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	f(crossings(5, 40)(), "the recovery takes longer on candidate: from the restoration to light 40.0 s against 5.0 s on deployed "+
		"(median; one repetition each, so noise is not known); the lamp warms up; owner: harbour")
	f(crossings(40, 5)())
	f(crossings(40, 40)())
	f(crossings(5, 14)())  // less than 10 s
	f(crossings(60, 72)()) // less than half
	slow := crossing(5)
	slow.Progress[1].Time += 30 * second
	f(crossingTrial(crossing(5), slow), "the recovery takes longer on candidate: from berth given to sailing 34.0 s against 4.0 s on deployed "+
		"(the longest of 2 and 2; one repetition each, so noise is not known); owner: crew")
}

// TestRecoverySlower_Repeated: what repetitions differ by is no difference.
func TestRecoverySlower_Repeated(t *testing.T) {
	f := func(deployed, candidate []float64, want bool) {
		t.Helper()
		tr := crossingTrial(nil, nil)
		tr.deployed, tr.candidate = states(slices.Repeat([]outcome.State{outcome.Fired}, len(deployed))...), states(slices.Repeat([]outcome.State{outcome.Fired}, len(candidate))...)
		in := tr.input()
		for i, light := range deployed {
			in.Deployed.Runs[i].Facts = crossing(light)
		}
		for i, light := range candidate {
			in.Candidate.Runs[i].Facts = crossing(light)
		}
		if got := contains(ids(Compare(in)), "recovery-slower"); got != want {
			t.Errorf("%v and %v: %t", deployed, candidate, got)
		}
	}
	f([]float64{5, 6, 5}, []float64{9, 9, 8}, true)
	f([]float64{5, 11, 5}, []float64{9, 9, 8}, false) // within the noise
	f([]float64{5, 6, 5}, []float64{6, 6, 7}, false)  // too little
	f([]float64{90, 91, 90}, []float64{95, 94, 95}, false)
	f([]float64{5}, []float64{9, 9, 8}, true)
}

func TestRecoveryFailed_Work(t *testing.T) {
	stuck := func(light float64) *facts.Facts {
		f := crossing(light)
		f.Progress = f.Progress[:1]
		f.Actions = f.Actions[:len(f.Actions)-1]
		return f
	}
	f := func(deployed, candidate *facts.Facts, want ...string) {
		t.Helper()
		var got []string
		r := crossingTrial(deployed, candidate).run()
		for _, f := range r.Findings {
			if f.ID == "recovery-failed" {
				got = append(got, f.Severity.String()+" "+f.Subject+": "+f.Message)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if broken := len(want) > 0 && strings.HasPrefix(want[0], "break"); (r.Verdict == Fail) != broken {
			t.Errorf("the review is %s", r.Verdict)
		}
	}
	// The capture ends at 300 s, 270 s after the fog lifted.
	f(crossing(5), stuck(5), "break bay/tern: bay/tern was not recovered on candidate: berth given was not reached within 4m30s after the restoration, when the capture ended; "+
		"the last milestone that was seen is light, 5.0 s after it; on deployed it took 11.0 s; owner: harbour")
	f(stuck(5), stuck(5), "warn bay/tern: bay/tern was not recovered on candidate: berth given was not reached within 4m30s after the restoration, when the capture ended; "+
		"the last milestone that was seen is light, 5.0 s after it; it did not recover on deployed either; owner: harbour")
	f(stuck(5), crossing(5))
	f(crossing(5, "36 clerk cancelled bay/tern"), crossing(5))
	f(crossing(5), crossing(5, "36 clerk cancelled bay/tern"), "break bay/tern: bay/tern failed on candidate, 6.0 s after the restoration; "+
		"the last milestone that was seen is sailing, 11.0 s after it; on deployed it took 11.0 s; owner: crew")
	f(crossing(300), stuck(5), "warn bay/tern: bay/tern was not recovered on candidate: berth given was not reached within 4m30s after the restoration, when the capture ended; "+
		"the last milestone that was seen is light, 5.0 s after it; on deployed it took 5m6s, longer than the capture went on here, so this is no proof: record longer; owner: harbour")
	f(crossing(259), stuck(5), "warn bay/tern: bay/tern was not recovered on candidate: berth given was not reached within 4m30s after the restoration, when the capture ended; "+
		"the last milestone that was seen is light, 5.0 s after it; on deployed it took 4m25s, and that the capture went on for 5.0 s more is no proof, "+
		"as the builds may differ by so much by chance: record longer; owner: harbour")
}

func TestClockSkew(t *testing.T) {
	var got []string
	for _, f := range skewed(400)().run().Findings {
		if f.ID == "clock-skew" {
			got = append(got, f.Subject+": "+f.Message)
		}
	}
	want := []string{`candidate: progress and actions of keeper: on candidate sailing was seen 40.0 s before berth given, which comes first (bay/gull): ` +
		`the clock "progress" is behind the clock "actions of keeper" by more than what their records can be wrong (0.2 s), so times between them cannot be relied on`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTimelines_Unmeasured: what could not be measured is said.
func TestTimelines_Unmeasured(t *testing.T) {
	dark := &facts.Facts{}
	happen(dark, "10 weather fog bay", "12 clerk booked bay/gull", "80 clerk went home")
	r := crossingTrial(crossing(5), dark).run()
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "recovery of drill on candidate: not measured: it was not seen before the capture ended") {
		t.Errorf("notes: %s", notes)
	}
	none := &facts.Facts{Actions: []facts.Action{{Time: start, Action: "walk"}}}
	if r := crossingTrial(none, none).run(); len(r.Timelines) != 0 {
		t.Errorf("without a loss there are timelines: %+v", r.Timelines)
	}
}

// TestRecoveryFailed_Many: what is beyond the findings of single pieces of work
// breaks the review only where it is proof, and stands below them.
func TestRecoveryFailed_Many(t *testing.T) {
	fleet := func(sailing int, more ...string) *facts.Facts {
		f := &facts.Facts{}
		happen(f, "10 weather fog bay", "30 weather clear bay", "35 keeper light bay", "299 clerk closed book")
		for i := range 30 {
			happen(f, fmt.Sprintf("12 clerk booked bay/boat%02d", i))
			if i < sailing {
				happen(f, fmt.Sprintf("36 keeper berth bay/boat%02d", i), fmt.Sprintf("40 ship knot boat%02d", i))
			}
		}
		happen(f, more...)
		return f
	}
	f := func(deployed, candidate *facts.Facts, verdict Verdict, last string) {
		t.Helper()
		r := crossingTrial(deployed, candidate).run()
		var got []string
		for _, f := range r.Findings {
			if f.ID == "recovery-failed" {
				got = append(got, f.Severity.String()+" "+f.Message)
			}
		}
		if len(got) != 11 || got[10] != last || r.Verdict != verdict {
			t.Errorf("%s with %d findings, the last %q; want %s, %q", r.Verdict, len(got), got[max(len(got)-1, 0):], verdict, last)
		}
	}
	f(fleet(30), fleet(1), Fail, "break 19 more pieces of work were not recovered on candidate: berth given was not reached; owner: harbour")
	f(fleet(1), fleet(1), Pass, "warn 19 more pieces of work were not recovered on candidate: berth given was not reached; "+
		"they did not recover on deployed either; owner: harbour")
	r := timeline.Run{Restored: timeline.Milestone{State: timeline.Reached, At: start}, End: start + 300*second, Declared: []timeline.Declared{{Name: "sailing", As: profile.Useful}}}
	for i := range 30 {
		r.Workloads = append(r.Workloads, timeline.Workload{
			ID: fmt.Sprintf("bay/boat%02d", i), Affected: timeline.Unfinished,
			Milestones: []timeline.Milestone{{Name: "sailing", State: timeline.Missing, Reason: timeline.TelemetryGap}},
		})
	}
	c := &timeline.Comparison{Goal: "sailing", Declared: []timeline.Declared{{Name: "sailing", Title: "sailing", Owner: "crew"}}, Candidate: timeline.Side{Runs: []timeline.Run{r}}}
	all := failedWork(c)
	got := all[len(all)-1]
	const want = "20 more pieces of work are not known to have recovered on candidate: sailing was not seen; owner: crew"
	if got.Message != want || got.Severity != Warn || !got.Unproven || !got.Rest {
		t.Errorf("%+v; want %s", got, want)
	}
}

// TestRecoveryFailed_Beyond: where one build alone shows useful work, that the
// work of the candidate got nearly as far is no pass.
func TestRecoveryFailed_Beyond(t *testing.T) {
	only := func(sails ...string) *facts.Facts { // work that sails
		f := crossing(5)
		f.Progress = slices.DeleteFunc(f.Progress, func(p facts.Progress) bool { return !slices.Contains(sails, p.Job) })
		return f
	}
	f := func(deployed, candidate *facts.Facts, want Verdict, say string) {
		t.Helper()
		r := crossingTrial(deployed, candidate).run()
		var got string
		for _, x := range r.Findings {
			if x.ID == "recovery-failed" {
				got = x.Severity.String() + " " + x.Message
			}
		}
		if r.Verdict != want || got != say {
			t.Errorf("%s, %q; want %s, %q", r.Verdict, got, want, say)
		}
	}
	const tail = " affected pieces of work recovered on candidate as far as berth given tells; of sailing, which one build alone shows, nothing was seen of them: whether they got there is not known"
	f(only("gull", "tern"), only(), Inconclusive, "warn 2 of 2"+tail)
	f(only(), only("gull"), Inconclusive, "warn 1 of 2"+tail)
	f(only(), only("gull", "tern"), Pass, "")
	f(only(), only(), Pass, "") // neither says more
}
