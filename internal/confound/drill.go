package confound

import (
	"fmt"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/timeline"
)

// When the drills of two builds are alike: no two take the same time to the
// second.
const (
	lossLeast   = 2 * time.Second
	lossShare   = 0.1
	workLeast   = 2
	workShare   = 0.1
	atParameter = 5 * time.Second
)

// alike reports whether two amounts differ by no more than least or a share of
// the larger.
func alike(a, b, least int64, share float64) bool {
	by := max(a, b) - min(a, b)
	return by <= least || float64(by) <= share*float64(max(a, b))
}

// drills compares how long the loss lasted and how much work there was: as
// measured, whatever the parameters say.
func (r *Result) drills(d, c *side) {
	r.amount(d, c, Loss, "length of the loss", int64(lossLeast), lossShare, lossLength, func(n int64) string {
		return fmt.Sprintf("%.1f s", time.Duration(n).Seconds())
	})
	count := func(n int64) string { return fmt.Sprint(n) }
	r.amount(d, c, History, "work that was finished before the loss", workLeast, workShare, finished, count)
	r.amount(d, c, Work, "work that was handed in during the loss", workLeast, workShare, handedIn, count)
}

func (r *Result) amount(d, c *side, kind Kind, subject string, least int64, share float64, of func(*timeline.Run) (int64, bool), text func(int64) string) {
	dv, cv := amounts(d, of), amounts(c, of)
	switch {
	case len(dv) == 0 && len(cv) == 0:
		return
	case len(dv) == 0 || len(cv) == 0:
		r.Notes = append(r.Notes, subject+": known of one build only")
		return
	}
	r.Compared++
	if alike(middle(dv), middle(cv), least, share) {
		return
	}
	x := Difference{Kind: kind, Subject: subject, Timing: true, Decisive: true}
	for _, v := range dv {
		x.Deployed = append(x.Deployed, text(v))
	}
	for _, v := range cv {
		x.Candidate = append(x.Candidate, text(v))
	}
	x.Deployed, x.Candidate = slices.Compact(x.Deployed), slices.Compact(x.Candidate)
	r.Differences = append(r.Differences, x.safe())
}

// amounts returns one amount of each run that shows it, the smallest first.
func amounts(s *side, of func(*timeline.Run) (int64, bool)) []int64 {
	var out []int64
	for _, r := range s.runs {
		if r.Line == nil {
			continue
		}
		if n, ok := of(r.Line); ok {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

func middle(v []int64) int64 { return v[(len(v)-1)/2] }

func measured(l *timeline.Run) bool {
	return l.Failure.State == timeline.Reached && l.Restored.State == timeline.Reached
}

func lossLength(l *timeline.Run) (int64, bool) {
	return l.Restored.At - l.Failure.At, measured(l)
}

func finished(l *timeline.Run) (int64, bool) {
	n := int64(0)
	for i := range l.Workloads {
		if w := &l.Workloads[i]; w.Finished != 0 && w.Finished < l.Failure.At {
			n++
		}
	}
	return n, measured(l) && l.Cut == 0
}

func handedIn(l *timeline.Run) (int64, bool) {
	n := int64(0)
	for i := range l.Workloads {
		if l.Workloads[i].Affected == timeline.SubmittedDuring {
			n++
		}
	}
	return n, measured(l) && l.Cut == 0
}

// isLoss reports whether a parameter is the length of the loss, rounded: that
// is measured.
func isLoss(value string, l *timeline.Run) bool {
	if l == nil {
		return false
	}
	n, ok := lossLength(l)
	d, err := time.ParseDuration(value)
	return ok && err == nil && alike(int64(d), n, int64(atParameter), lossShare)
}
