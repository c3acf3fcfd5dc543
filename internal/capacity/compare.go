package capacity

import (
	"fmt"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/profile"
)

// A Comparison sets what both builds made of their devices in one scenario
// beside each other.
type Comparison struct {
	Scenario            string
	Deployed, Candidate []Run // by repetition
	Classes             []ClassPair
	// Planned are declared windows of which each build's recovery takes a
	// part.
	Planned []Planned
	// Incidents is how many such losses are reckoned with; 1: no more.
	Incidents Amount
	Declared  bool // something is declared, so that what is not known matters
	Notes     []string
}

// A ClassPair is one class on both builds.
type ClassPair struct {
	Class               Class
	Deployed, Candidate *DeviceTime // stranded: medians of the repetitions; nil: not measured
	// EachDeployed and EachCandidate are those of the repetitions, in their order.
	EachDeployed, EachCandidate []DeviceTime
	// Saved is deployed minus candidate, in device-nanoseconds; nil: one side
	// has none. SavedAtLeast and SavedAtMost say that it is a bound: one of
	// the sides is at least what it says. Both: nothing can be said of it.
	Saved                     *Amount
	SavedAtLeast, SavedAtMost bool
	Share                     *Amount // of deployed's; nil where that is 0
	Rate                      *Rate   // nil: not declared
	Windows                   WindowPair
}

// A WindowPair is the use of a class in a stretch of one length on both builds:
// of the repetitions that with the middle utilisation. Nil: not measured.
type WindowPair struct{ Deployed, Candidate *Window }

// SavedHours returns the device-hours by which the candidate strands less.
func (p *ClassPair) SavedHours() Amount { return amountOf(p.Saved).Over(int64(time.Hour)) }

// SavedMinutes returns the device-minutes likewise.
func (p *ClassPair) SavedMinutes() Amount { return amountOf(p.Saved).Over(int64(time.Minute)) }

// Value returns what the difference is worth by the declared rate: an
// [Allocated] value. False: there is no rate or no difference.
func (p *ClassPair) Value() (Amount, bool) {
	if p.Saved == nil || p.Rate == nil {
		return Amount{}, false
	}
	return p.SavedHours().Times(p.Rate.Hour), true
}

// Bounded reports whether the difference is only a bound.
func (p *ClassPair) Bounded() bool { return p.SavedAtLeast || p.SavedAtMost }

func amountOf(a *Amount) Amount {
	if a == nil {
		return Amount{}
	}
	return *a
}

// Compare sets the runs of both builds beside each other. Declared may be nil.
func Compare(scenario string, declared *profile.Capacity, deployed, candidate []Run) Comparison {
	c := Comparison{Scenario: scenario, Deployed: deployed, Candidate: candidate, Incidents: Units(1), Declared: declared != nil}
	if declared != nil && declared.Incidents != "" {
		c.Incidents = Exactly(declared.Incidents.Rat())
	}
	all := map[Class]bool{}
	for _, runs := range [][]Run{deployed, candidate} {
		for i := range runs {
			for j := range runs[i].Uses {
				all[runs[i].Uses[j].Class] = true
			}
			c.note(runs[i].Notes...)
		}
	}
	length := c.length(declared)
	for _, class := range sortedClasses(all) {
		p := ClassPair{Class: class, EachDeployed: each(deployed, class), EachCandidate: each(candidate, class), Rate: rateOf(declared, class.Name)}
		p.Deployed, p.Candidate = median(p.EachDeployed), median(p.EachCandidate)
		p.compare()
		p.Windows = WindowPair{middle(deployed, class, length, declared), middle(candidate, class, length, declared)}
		c.Classes = append(c.Classes, p)
	}
	c.plan(declared)
	return c
}

func (c *Comparison) note(notes ...string) {
	for _, n := range notes {
		if !slices.Contains(c.Notes, n) {
			c.Notes = append(c.Notes, n)
		}
	}
}

// length is the length of the windows: the declared one, or that of the
// shortest run.
func (c *Comparison) length(declared *profile.Capacity) time.Duration {
	shortest := time.Duration(-1)
	for _, runs := range [][]Run{c.Deployed, c.Candidate} {
		for i := range runs {
			if n := runs[i].Length; n > 0 && (shortest < 0 || n < shortest) {
				shortest = n
			}
		}
	}
	if declared == nil || declared.Window == 0 || shortest < 0 {
		return max(shortest, 0)
	}
	if length := time.Duration(declared.Window); length > shortest {
		c.note(fmt.Sprintf("the window of %s is longer than a run went on after the restoration (%s): record longer, or declare a shorter one", length, shortest.Round(time.Second)))
	}
	return time.Duration(declared.Window)
}

func (p *ClassPair) compare() {
	if p.Deployed == nil || p.Candidate == nil {
		return
	}
	saved := p.Deployed.Amount.Minus(p.Candidate.Amount)
	p.Saved = &saved
	p.SavedAtLeast, p.SavedAtMost = p.Deployed.Censored, p.Candidate.Censored
	if share, ok := saved.Of(p.Deployed.Amount); ok {
		p.Share = &share
	}
}

// each returns what the repetitions stranded of a class, those left out that
// are not like the others.
func each(runs []Run, class Class) []DeviceTime {
	var out []DeviceTime
	for i := range runs {
		if u := runs[i].use(class); u != nil && !runs[i].Unlike {
			out = append(out, u.Stranded)
		}
	}
	return out
}

// median returns the middle one of what the repetitions stranded. Where one is
// censored, so is the median: the order of sums that are too small is unknown.
func median(of []DeviceTime) *DeviceTime {
	if len(of) == 0 {
		return nil
	}
	all := make([]Amount, len(of))
	censored := false
	for i, d := range of {
		all[i], censored = d.Amount, censored || d.Censored
	}
	slices.SortFunc(all, Amount.Compare)
	mid := all[len(all)/2]
	if len(all)%2 == 0 {
		mid = mid.Plus(all[len(all)/2-1]).Over(2)
	}
	return &DeviceTime{Amount: mid, Censored: censored}
}

// middle returns the window of the repetition with the middle utilisation, of
// an even number the lower one.
func middle(runs []Run, class Class, length time.Duration, declared *profile.Capacity) *Window {
	var all []Window
	for i := range runs {
		if w, ok := runs[i].window(class, length, declared); ok && !runs[i].Unlike {
			all = append(all, w)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b Window) int {
		x, _ := a.Utilisation()
		y, _ := b.Utilisation()
		return x.Compare(y)
	})
	return &all[(len(all)-1)/2]
}
