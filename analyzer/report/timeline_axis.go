package report

import (
	"strconv"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/timeline"
)

// An axis maps times since the restoration to places from 0 to 1. What lies
// before the restoration gets at most a share of it, on a scale of its own: a
// loss of hours must not press a recovery of seconds into a line.
type axis struct {
	from, to time.Duration // from <= 0 < to
	zero     float64       // place of the restoration
}

// mostBefore is the share of the axis that the time before 0 may take.
const mostBefore = 0.25

// longestAxis bounds an axis to either side: records hold any time.
const longestAxis = 10 * 365 * 24 * time.Hour

// axisOf spans all that is drawn of a recovery, from the loss on. What led to it
// is on the axis too, where it was not long before.
func axisOf(v *recovery) axis {
	a := axis{to: time.Second}
	for i := range v.sides {
		for j := range v.sides[i].Runs {
			a.run(&v.sides[i].Runs[j])
		}
	}
	for i := range v.sides {
		s := &v.sides[i]
		for _, h := range s.happened {
			run := s.runOf(h.Repetition)
			if run == nil {
				continue
			}
			if h.Kind.IsAlert() || h.Kind == analyzer.PanicSeen {
				a.to = max(a.to, min(afterRestored(run, h.To), afterRestored(run, run.End)))
			}
			if h.Kind == analyzer.PanicSeen || h.Kind == analyzer.ManualAction {
				a.early(run, h.From)
			}
		}
	}
	a.from, a.to = max(a.from, -longestAxis), min(a.to, longestAxis)
	before, after := float64(-a.from), float64(a.to)
	a.zero = min(before/(before+after), mostBefore)
	return a
}

// early begins the axis with a moment that was not long before the loss.
func (a *axis) early(run *timeline.Run, at int64) {
	failure := min(afterRestored(run, run.Failure.At), 0)
	if d := afterRestored(run, at); run.Failure.At != 0 && d >= failure-max(-failure, earlyEnough) {
		a.from = min(a.from, d)
	}
}

// earlyEnough is how long before the loss something may be and still be shown.
const earlyEnough = 30 * time.Second

func (a *axis) run(run *timeline.Run) {
	if run.Restored.State != timeline.Reached {
		return
	}
	if run.Failure.At != 0 {
		a.from = min(a.from, afterRestored(run, run.Failure.At))
	}
	reach := func(list []timeline.Milestone) {
		for i := range list {
			switch m := &list[i]; {
			case m.State == timeline.Reached:
				a.to = max(a.to, afterRestored(run, m.At))
			case m.State == timeline.Before:
				a.early(run, m.At)
			case m.State == timeline.Missing && m.Reason == timeline.CaptureEnded:
				a.to = max(a.to, afterRestored(run, run.End))
			}
		}
	}
	reach(run.Shared)
	for i := range run.Workloads {
		if run.Workloads[i].Affected != "" {
			reach(run.Workloads[i].Milestones)
		}
	}
}

// place maps a time to 0…1; times off the axis are put at its ends.
func (a axis) place(d time.Duration) float64 {
	switch {
	case d <= a.from:
		return 0
	case d < 0:
		return a.zero * (1 - float64(d)/float64(a.from))
	case d >= a.to:
		return 1
	}
	return a.zero + (1-a.zero)*float64(d)/float64(a.to)
}

// holds reports whether a time is on the axis.
func (a axis) holds(d time.Duration) bool { return d >= a.from && d <= a.to }

// broken reports whether the two sides of 0 have scales of their own; times
// says how many times narrower the time before 0 is drawn.
func (a axis) broken() (times string, ok bool) {
	if a.zero < mostBefore || a.from == 0 {
		return "", false
	}
	n := float64(-a.from) / a.zero / (float64(a.to) / (1 - a.zero))
	if n < 1.05 {
		return "", false
	}
	return strconv.FormatFloat(n, 'f', 1, 64), true
}

// A tick is a labelled place on an axis.
type tick struct {
	at    time.Duration
	label string
}

// ticks are even steps after 0, at most most of them, and the loss.
func (a axis) ticks(most int) []tick {
	step := stepOf(time.Duration(float64(a.to) / float64(max(most, 1))))
	var out []tick
	if a.from < 0 {
		out = append(out, tick{a.from, tickLabel(a.from)})
	}
	for at, left := time.Duration(0), a.to; ; at, left = at+step, left-step {
		out = append(out, tick{at, tickLabel(at)})
		if left < step {
			return out
		}
	}
}

// stepOf is the shortest even step that is no shorter than least.
func stepOf(least time.Duration) time.Duration {
	for unit := 100 * time.Millisecond; unit < longestAxis; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 5} {
			if unit*n >= least {
				return unit * n
			}
		}
	}
	return least
}

func tickLabel(d time.Duration) string {
	return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64)
}
