package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/profile"
)

// Compare sets the recoveries of both builds in one scenario beside each
// other. It returns nil where no run of either shows one.
func Compare(scenario string, m *profile.Milestones, deployed, candidate []Run) *Comparison {
	measured := func(r Run) bool { return r.Restored.State == Reached }
	if !slices.ContainsFunc(deployed, measured) && !slices.ContainsFunc(candidate, measured) {
		return nil
	}
	deployed, candidate = alike(deployed), alike(candidate)
	c := &Comparison{Scenario: scenario, Declared: declared(m)}
	c.Goal = goal(c.Declared, deployed, candidate)
	c.Deployed, c.Candidate = c.side(m, deployed), c.side(m, candidate)
	c.doubt()
	for i := range c.Declared {
		d := &c.Declared[i]
		p := StagePair{Name: d.Name, Title: d.Title, Owner: d.Owner, Hint: d.Hint}
		p.fill(deployed, candidate, func(r *Run) []step { return stepsTo(r.everyStep(), d.Name) })
		c.Stages = append(c.Stages, p)
	}
	total := StagePair{Name: Total, Title: "in all"}
	total.fill(deployed, candidate, func(r *Run) []step { return r.totals(c.Goal) })
	c.Stages = append(c.Stages, total)
	return c
}

// alike marks the repetitions that cannot be set beside the others: those of a
// loss that lasted longer or shorter, and of a scenario with other parameters.
func alike(runs []Run) []Run {
	runs = slices.Clone(runs)
	var lengths []Value
	for i := range runs {
		if r := &runs[i]; r.Restored.State == Reached {
			lengths = append(lengths, Value{D: r.lost()})
		}
	}
	usual, ok := median(lengths)
	var first *Run
	for i := range runs {
		r := &runs[i]
		r.Unlike = ""
		switch {
		case !ok || r.Restored.State != Reached:
		case (r.lost() - usual.D).Abs() > max(lossApart, time.Duration(shareApart*float64(usual.D))):
			r.Unlike = fmt.Sprintf("its loss lasted %s, that of the others %s", r.lost().Round(100*time.Millisecond), usual.D.Round(100*time.Millisecond))
		case first == nil:
			first = r
		case !maps.Equal(first.Parameters, r.Parameters):
			r.Unlike = fmt.Sprintf("its scenario has other parameters than repetition %d", first.Repetition)
		}
	}
	return runs
}

// How much losses of like repetitions may differ in length.
const (
	lossApart  = 2 * time.Second
	shareApart = 0.1
)

// lost is how long the loss lasted.
func (r *Run) lost() time.Duration { return time.Duration(r.Restored.At - r.Failure.At) }

func stepsTo(steps []step, name string) []step {
	return slices.DeleteFunc(steps, func(s step) bool { return s.name != name })
}

// parts are those that a goal may play, what says most of a recovery first.
var parts = []string{profile.Useful, profile.Running, profile.Finished, profile.Dispatched}

// goal chooses the milestone by which work counts as recovered: useful work,
// where any work of every run that is measured shows it.
func goal(declared []Declared, deployed, candidate []Run) string {
	for _, part := range parts {
		i := slices.IndexFunc(declared, func(d Declared) bool { return d.As == part })
		if i >= 0 && shown(deployed, declared[i].Name) && shown(candidate, declared[i].Name) {
			return declared[i].Name
		}
	}
	return ""
}

// doubt looks for what one build alone shows that says more than the goal: work
// of candidate of which that was not seen may not have got there.
func (c *Comparison) doubt() {
	for _, part := range parts {
		i := slices.IndexFunc(c.Declared, func(d Declared) bool { return d.As == part })
		switch {
		case i < 0:
			continue
		case c.Goal == "" || c.Declared[i].Name == c.Goal:
			return
		}
		name := c.Declared[i].Name
		if c.Deployed.Affected == 0 || !shown(c.Deployed.Runs, name) && !shown(c.Candidate.Runs, name) {
			continue
		}
		for j := range c.Candidate.Runs {
			r := &c.Candidate.Runs[j]
			for k := range r.Workloads {
				w := &r.Workloads[k]
				if w.Affected == "" || w.KeptRunning || r.completed(w) || r.Outcome(w, c.Goal) != Recovered {
					continue
				}
				if m := r.at(w, name); m == nil || m.State == Missing {
					c.Doubtful++
				}
			}
		}
		if c.Doubtful > 0 {
			c.Beyond = name
			return
		}
	}
}

// shown reports whether some source could show a milestone in every run with
// affected work.
func shown(runs []Run, name string) bool {
	for i := range runs {
		affected, known := 0, 0
		for j := range runs[i].Workloads {
			w := &runs[i].Workloads[j]
			if w.Affected == "" {
				continue
			}
			affected++
			if m := runs[i].at(w, name); m != nil && (m.State != Missing || m.Reason != NoEvidence) {
				known++
			}
		}
		if affected > 0 && known == 0 {
			return false
		}
	}
	return true
}

// totals returns the way from the restoration to the goal of each affected
// piece of work that did not have it before. That work kept running is known
// only where its progress was recorded, so it decides nothing here: where the
// goal is another, both builds are asked for the same.
func (r *Run) totals(goal string) []step {
	var out []step
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if w.Affected == "" || r.Restored.State != Reached {
			continue
		}
		m := r.at(w, goal)
		if m == nil || m.State == Before {
			continue
		}
		s := step{name: Total, work: w.ID, begin: r.Restored.At, res: r.Restored.Resolution + m.Resolution + r.doubt(r.Restored.Clock, m.Clock)}
		switch {
		case m.State == Reached:
			s.end, s.took = m.At, Value{D: time.Duration(m.At - r.Restored.At)}
		case m.Reason == NoEvidence || m.Reason == TelemetryGap:
			s.missing = m.Reason
		default:
			s.end = r.End
			if w.Failed > s.begin {
				s.end = w.Failed
			}
			s.took = Value{D: time.Duration(max(s.end-s.begin, 0)), Censored: true}
		}
		out = append(out, s)
	}
	return out
}

// fill observes a stage on both builds and judges the difference.
func (p *StagePair) fill(deployed, candidate []Run, steps func(*Run) []step) {
	from := map[string]int{}
	p.Deployed, p.Candidate = observe(deployed, steps, from), observe(candidate, steps, from)
	most := 0
	for name, n := range from {
		if n > most || n == most && name < p.From {
			p.From, most = name, n
		}
	}
	var all []time.Duration
	for _, s := range []*Stage{&p.Deployed, &p.Candidate} {
		for _, o := range s.Observed {
			all = append(all, o.Resolution)
		}
	}
	if len(all) > 0 {
		slices.Sort(all)
		p.Resolution, p.roughest = all[len(all)/2], all[len(all)-1]
	}
	p.judge()
	p.because(deployed, candidate)
}

// mostOver returns the milestones that most stages take in.
func mostOver(observed []Observation) string {
	count := map[string]int{}
	for i := range observed {
		count[observed[i].Over]++
	}
	over, most := "", 0
	for name, n := range count {
		if n > most || n == most && cmp.Or(cmp.Compare(len(name), len(over)), cmp.Compare(name, over)) < 0 {
			over, most = name, n
		}
	}
	return over
}

// spread is what the values of repetitions differ by.
func spread(v []Value) time.Duration {
	if len(v) == 0 {
		return 0
	}
	low, high := v[0].D, v[0].D
	for _, x := range v {
		low, high = min(low, x.D), max(high, x.D)
	}
	return high - low
}

// judge says whether the builds differ by more than can be chance.
func (p *StagePair) judge() {
	p.NoiseKnown = len(p.Deployed.Repetitions) > 1 || len(p.Candidate.Repetitions) > 1
	p.Noise = max(spread(p.Deployed.Repetitions), spread(p.Candidate.Repetitions))
	d, okD := median(p.Deployed.Repetitions)
	c, okC := median(p.Candidate.Repetitions)
	if !okD || !okC || p.Deployed.Over != p.Candidate.Over {
		return
	}
	if !d.Censored && !c.Censored {
		diff := c.D - d.D
		p.Difference = &diff
	}
	noise := max(p.Noise, p.Resolution)
	p.Slower, p.Faster = p.beyond(c, d, noise), p.beyond(d, c, noise)
	// Most of the work may be as fast as before, or faster, while some of it
	// waits.
	noise = max(spread(p.Deployed.Longest), spread(p.Candidate.Longest), p.roughest)
	d, _ = median(p.Deployed.Longest)
	c, _ = median(p.Candidate.Longest)
	if p.Slower || p.Faster && !p.beyond(c, d, noise) {
		return
	}
	p.Slower, p.Faster = p.beyond(c, d, noise), p.beyond(d, c, noise)
	p.ByLongest = p.Slower || p.Faster
}

// Chance is how much the recoveries of both builds may differ though the builds
// do not.
func (c *Comparison) Chance() time.Duration {
	for i := range c.Stages {
		if p := &c.Stages[i]; p.Name == Total && p.NoiseKnown {
			return max(p.Noise, p.Resolution, leastRepeated)
		}
	}
	return leastOnce
}

// beyond reports whether one value is longer than another for certain.
func (p *StagePair) beyond(longer, shorter Value, noise time.Duration) bool {
	least, share := leastOnce, shareOnce
	if p.NoiseKnown {
		least, share = leastRepeated, shareRepeated
	}
	by := longer.D - shorter.D
	return !shorter.Censored && by > noise && by >= least && float64(by) >= share*float64(shorter.D)
}

// observe gathers a stage over all repetitions of a build. Medians and
// percentiles are of those that take in the same milestones as most.
func observe(runs []Run, steps func(*Run) []step, from map[string]int) Stage {
	out := Stage{Missing: map[Reason]int{}}
	byRun := make([][]Observation, len(runs))
	for i := range runs {
		for _, s := range steps(&runs[i]) {
			if s.missing != "" {
				out.Missing[s.missing]++
				continue
			}
			from[s.from]++
			byRun[i] = append(byRun[i], Observation{s.work, runs[i].Repetition, s.took, s.res, s.over})
		}
	}
	out.Observed = slices.Concat(byRun...)
	out.Over = mostOver(out.Observed)
	var all []Value // of comparable repetitions
	for i := range runs {
		if runs[i].Unlike == "" {
			all = append(all, out.repetition(byRun[i])...)
		}
	}
	slices.SortFunc(out.Observed, func(a, b Observation) int {
		return cmp.Or(compareValues(a.Took, b.Took), cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.Repetition, b.Repetition))
	})
	if len(out.Observed) > 0 {
		values := make([]Value, len(out.Observed))
		for i, o := range out.Observed {
			values[i] = o.Took
		}
		longest := longestOf(values)
		out.Max = &longest
	}
	if len(all) >= MinPercentile && len(out.Repetitions) >= MinRepetitions {
		slices.SortFunc(all, compareValues)
		p50, p90 := quantile(all, 0.5), quantile(all, 0.9)
		out.P50, out.P90 = &p50, &p90
	}
	return out
}

// repetition adds what one repetition came to and returns its values.
func (s *Stage) repetition(observed []Observation) []Value {
	var own []Value
	for i := range observed {
		if observed[i].Over == s.Over {
			own = append(own, observed[i].Took)
		}
	}
	if len(own) > 0 {
		slices.SortFunc(own, compareValues)
		s.Repetitions, s.Longest = append(s.Repetitions, quantile(own, 0.5)), append(s.Longest, longestOf(own))
	}
	return own
}

// longestOf is the longest value; if one had not ended, more than it.
func longestOf(v []Value) Value {
	var out Value
	for _, x := range v {
		out.D, out.Censored = max(out.D, x.D), out.Censored || x.Censored
	}
	return out
}

// compareValues puts those that had not ended last: how long they took nobody
// knows, so they never make the others look better.
func compareValues(a, b Value) int {
	if a.Censored != b.Censored {
		if a.Censored {
			return 1
		}
		return -1
	}
	return cmp.Compare(a.D, b.D)
}

// quantile is the nearest-rank quantile of ordered values.
func quantile(v []Value, q float64) Value {
	return v[max(int(math.Ceil(q*float64(len(v))))-1, 0)]
}

// median is the middle of the values of the repetitions; of an even number the
// lower one of the two in the middle.
func median(v []Value) (Value, bool) {
	if len(v) == 0 {
		return Value{}, false
	}
	v = slices.Clone(v)
	slices.SortFunc(v, compareValues)
	return quantile(v, 0.5), true
}

// because finds suspects of which one build wrote far more in the stage.
func (p *StagePair) because(deployed, candidate []Run) {
	d, c := suspicions(deployed, p.Name), suspicions(candidate, p.Name)
	for _, s := range slices.Concat(d, c) {
		if slices.ContainsFunc(p.Because, func(b Because) bool { return b.Title == s.Title }) {
			continue
		}
		b := Because{Title: s.Title}
		for _, x := range d {
			if x.Title == s.Title && x.During >= b.Deployed {
				b.Deployed, b.First = x.During, cmp.Or(b.First, x.First)
			}
		}
		for _, x := range c {
			if x.Title == s.Title && x.During >= b.Candidate {
				b.Candidate, b.First = x.During, cmp.Or(b.First, x.First)
			}
		}
		if more, less := max(b.Deployed, b.Candidate), min(b.Deployed, b.Candidate); more >= becauseAtLeast && more >= becauseTimes*less {
			p.Because = append(p.Because, b)
		}
	}
}

func suspicions(runs []Run, stage string) []Suspicion {
	var out []Suspicion
	for i := range runs {
		for _, s := range runs[i].Suspects {
			if s.Stage == stage {
				out = append(out, s)
			}
		}
	}
	return out
}
