package timeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
)

// A flight is one survey of a night: seconds after the restoration at which it
// was sent and exposed; 0: never.
type flight struct{ sent, exposing float64 }

// repeated builds repetitions of a night with these surveys.
func repeated(t testing.TB, change func(n *night, repetition int), flights ...[]flight) []Run {
	t.Helper()
	var out []Run
	for i, fs := range flights {
		n := newNight()
		n.Repetition = i + 1
		n.Facts.Probes = []facts.Probe{{Time: ns(29.9), OK: false}, {Time: ns(30.5), OK: true}}
		n.frame(299, "moon", "m") // frames are recorded
		for j, f := range fs {
			name := fmt.Sprintf("comet%d", j)
			n.survey(name)
			n.act(15, "ask", "sky/"+name)
			if f.sent != 0 {
				n.came(30+f.sent, `plan came plan-`+name+`-7 sky`)
			}
			if f.exposing != 0 {
				n.frame(30+f.exposing, name, "p"+name)
			}
		}
		if change != nil {
			change(n, i+1)
		}
		out = append(out, n.build(t))
	}
	return out
}

// table prints stages: the values of both builds, in the order that reports
// show them.
func table(c *Comparison, names ...string) string {
	var out []string
	side := func(s *Stage) string {
		text := fmt.Sprintf("%d:", len(s.Observed))
		for _, o := range s.Observed {
			text += fmt.Sprintf(" %g", o.Took.D.Seconds())
			if o.Took.Censored {
				text += "+"
			}
			if o.Over != s.Over {
				text += " (over " + o.Over + ")"
			}
		}
		for _, reason := range []Reason{NoEvidence, NeverHappened, CaptureEnded, TelemetryGap} {
			if n := s.Missing[reason]; n > 0 {
				text += fmt.Sprintf(" %s %d", reason, n)
			}
		}
		if s.P50 != nil {
			text += fmt.Sprintf(" p50 %g p90 %g", s.P50.D.Seconds(), s.P90.D.Seconds())
		}
		return text
	}
	for i := range c.Stages {
		p := &c.Stages[i]
		if len(names) > 0 && !strings.Contains(" "+strings.Join(names, " ")+" ", " "+p.Name+" ") {
			continue
		}
		text := p.Name + " " + side(&p.Deployed) + " | " + side(&p.Candidate)
		if p.Slower {
			text += " slower"
		}
		if p.Faster {
			text += " faster"
		}
		if p.ByLongest {
			text += " by longest"
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

func TestCompare(t *testing.T) {
	p := parse(t, domes)
	f := func(name string, deployed, candidate []Run, want string, stages ...string) {
		t.Helper()
		c := Compare("storm", p.Milestones, deployed, candidate)
		if diff := cmp.Diff(want, table(c, stages...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		// The other way round all is the other way round.
		back := Compare("storm", p.Milestones, candidate, deployed)
		for i := range c.Stages {
			a, b := &c.Stages[i], &back.Stages[i]
			if a.Slower != b.Faster || a.Faster != b.Slower || (a.Difference == nil) != (b.Difference == nil) || a.Difference != nil && *a.Difference != -*b.Difference {
				t.Errorf("%s: %s: %+v, and back %+v", name, a.Name, a, b)
			}
		}
		for _, runs := range [][]Run{deployed, candidate} {
			for _, s := range Compare("storm", p.Milestones, runs, runs).Stages {
				if s.Slower || s.Faster || s.Difference != nil && *s.Difference != 0 {
					t.Errorf("%s: %s differs from itself", name, s.Name)
				}
			}
		}
	}
	two := []flight{{2, 6}, {3, 8}}
	f("the same", repeated(t, nil, two), repeated(t, nil, two),
		"link 1: 0.5 | 1: 0.5\nsent 2: 1.5 2.5 | 2: 1.5 2.5\nslewed 0: no-evidence 2 | 0: no-evidence 2\nexposing 2: 4 5 | 2: 4 5\ntotal 2: 6 8 | 2: 6 8")
	f("one is stuck", repeated(t, nil, two), repeated(t, nil, []flight{{2, 6}, {0, 0}}),
		"sent 2: 1.5 2.5 | 2: 1.5 269.5+ slower by longest\nexposing 2: 4 5 | 1: 4\ntotal 2: 6 8 | 2: 6 270+ slower by longest", "sent", "exposing", "total")
	// A stage that takes in another one, as that was not seen, is longer.
	f("a line is lost", repeated(t, nil, []flight{{40, 46}, {40, 46}, {40, 46}}), repeated(t, nil, []flight{{40, 46}, {40, 46}, {0, 46}}),
		"sent 3: 39.5 39.5 39.5 | 2: 39.5 39.5 no-evidence 1\nexposing 3: 6 6 6 | 3: 6 6 45.5 (over sent slewed)\ntotal 3: 46 46 46 | 3: 46 46 46", "sent", "exposing", "total")
	f("all such lines of a build are lost", repeated(t, nil, []flight{{40, 46}, {40, 46}}), repeated(t, nil, []flight{{0, 46}, {0, 46}}),
		"sent 2: 39.5 39.5 | 0: no-evidence 2\nexposing 2: 6 6 | 2: 45.5 45.5\ntotal 2: 46 46 | 2: 46 46", "sent", "exposing", "total")
	f("repetitions tell the noise", repeated(t, nil, two, []flight{{9, 14}, {9, 14}}), repeated(t, nil, []flight{{12, 18}, {12, 18}}, []flight{{12, 18}, {12, 18}}),
		"total 4: 6 8 14 14 | 4: 18 18 18 18 slower", "total")
	f("within the noise", repeated(t, nil, two, []flight{{9, 19}, {9, 19}}), repeated(t, nil, []flight{{12, 18}, {12, 18}}, []flight{{12, 18}, {12, 18}}),
		"total 4: 6 8 19 19 | 4: 18 18 18 18", "total")
}

// TestCompare_Percentiles: much work of few repetitions has no percentiles.
func TestCompare_Percentiles(t *testing.T) {
	p := parse(t, domes)
	var many []flight
	for i := range 30 {
		many = append(many, flight{1 + float64(i), 5 + float64(i)})
	}
	runs := func(repetitions, work int, change func(*night, int)) []Run {
		all := make([][]flight, repetitions)
		for i := range all {
			all[i] = many[:work]
		}
		return repeated(t, change, all...)
	}
	f := func(runs []Run, comparable int, percentiles bool) {
		t.Helper()
		c := Compare("storm", p.Milestones, runs, runs)
		total := c.Stages[len(c.Stages)-1].Deployed
		if c.Deployed.Comparable != comparable || (total.P50 != nil) != percentiles || (total.P90 != nil) != percentiles || total.Max == nil {
			t.Errorf("%d comparable, %+v", c.Deployed.Comparable, total)
		}
	}
	f(runs(1, 30, nil), 1, false)
	f(runs(9, 3, nil), 9, false)
	f(runs(10, 1, nil), 10, false)
	f(runs(10, 2, nil), 10, true)
	f(runs(20, 1, nil), 20, true)
	// Those whose loss lasted longer, or that ran under another load, are no
	// repetitions.
	f(runs(10, 2, func(n *night, repetition int) {
		if repetition == 4 {
			n.Facts.Actions[0].Time -= 5e9
		}
	}), 9, false)
	f(runs(10, 2, func(n *night, repetition int) {
		n.Parameters = map[string]string{"load": fmt.Sprint(repetition / 8)}
	}), 7, false)
}

// TestCompare_Unlike: a repetition of a longer loss stays in the counts, and out
// of what is compared.
func TestCompare_Unlike(t *testing.T) {
	p := parse(t, domes)
	long := func(n *night, repetition int) {
		if repetition == 2 {
			n.Facts.Actions[0].Time = ns(1)
		}
	}
	runs := repeated(t, long, []flight{{1, 4}}, []flight{{1, 90}}, []flight{{1, 5}})
	c := Compare("storm", p.Milestones, runs, runs)
	s := c.Stages[len(c.Stages)-1]
	if c.Deployed.Affected != 3 || len(s.Deployed.Observed) != 3 || s.Deployed.Max.D != 90*time.Second {
		t.Errorf("not all counts: %+v", c.Deployed)
	}
	if s.Noise != time.Second || len(s.Deployed.Repetitions) != 2 || c.Deployed.Runs[1].Unlike != "its loss lasted 29s, that of the others 20s" || runs[1].Unlike != "" {
		t.Errorf("%s of noise; %q", s.Noise, c.Deployed.Runs[1].Unlike)
	}
}

func deadline(milestone string, seconds int) profile.Deadline {
	return profile.Deadline{Milestone: milestone, Within: profile.Duration(time.Duration(seconds) * time.Second)}
}

// TestCompare_Counts: what did not recover stays in every count.
func TestCompare_Counts(t *testing.T) {
	p := parse(t, domes)
	runs := repeated(t, func(n *night, _ int) {
		n.act(40, "withdraw", "sky/comet3") // which ends it, too, and completes nothing
		n.object("dawn", "desk", "Survey", "comet3", "", fmt.Sprintf(`{"status":{"conditions":[{"type":"Archived","status":"True","lastTransitionTime":%q}]}}`, stamp(42)))
		n.frame(60, "comet0", "pcomet0")
	}, []flight{{1, 4}, {1, 200}, {0, 0}, {2, 0}})
	m := *p.Milestones
	m.Deadlines = append(m.Deadlines[:0:0], deadline("exposing", 100), deadline("exposing", 1000), deadline("slewed", 100))
	s := Compare("storm", &m, runs, runs).Deployed
	if s.Affected != 4 || s.Recovered != 2 || s.Failed != 1 || s.Open != 1 || s.Unknown != 0 || s.Submitted != 4 || s.Completed != 0 || s.Units != 3 {
		t.Errorf("%+v", s)
	}
	if s.QueueAge == nil || !s.QueueAge.Censored || s.QueueAge.D != 285*time.Second {
		t.Errorf("queue age %+v", s.QueueAge)
	}
	// Of the four one exposed within 100 s; the capture ended before 1000 s.
	var got []string
	for _, d := range s.Deadlines {
		got = append(got, fmt.Sprintf("%s %s: %d of %d, %d unknown", d.Milestone, d.Within, d.Met, d.Of, d.Unknown))
	}
	want := []string{"exposing 1m40s: 1 of 4, 0 unknown", "exposing 16m40s: 2 of 4, 1 unknown", "slewed 1m40s: 0 of 4, 2 unknown"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestStagePair_Torn: what is faster for most and takes longest of all is not
// called faster.
func TestStagePair_Torn(t *testing.T) {
	stage := func(median, longest time.Duration, censored bool) Stage {
		return Stage{Repetitions: []Value{{D: median * time.Second}}, Longest: []Value{{D: longest * time.Second, Censored: censored}}}
	}
	f := func(deployed, candidate Stage, want string) {
		t.Helper()
		p := StagePair{Deployed: deployed, Candidate: candidate}
		p.judge()
		if got := fmt.Sprintf("slower %t, faster %t, by longest %t", p.Slower, p.Faster, p.ByLongest); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
	f(stage(60, 62, false), stage(5, 8, false), "slower false, faster true, by longest false")
	f(stage(60, 62, false), stage(5, 200, false), "slower true, faster false, by longest true")
	f(stage(60, 62, false), stage(5, 200, true), "slower true, faster false, by longest true")
	f(stage(60, 200, true), stage(5, 8, false), "slower false, faster true, by longest false")
}

// TestRun_Totals: where the goal is the end of work, work that kept running
// counts on the build that shows it as on the one that does not.
func TestRun_Totals(t *testing.T) {
	for _, kept := range []bool{true, false} {
		r := Run{Restored: Milestone{State: Reached, At: ns(0)}, Declared: []Declared{{Name: "end", As: "finished"}}}
		r.Workloads = []Workload{{ID: "w", Affected: Unfinished, KeptRunning: kept, Milestones: []Milestone{{Name: "end", State: Reached, At: ns(40)}}}}
		if got := r.Totals("end"); len(got) != 1 || got[0].Took.D != 40*time.Second {
			t.Errorf("kept %v: %+v", kept, got)
		}
	}
}
