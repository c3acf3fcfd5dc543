package acceptance

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/prose"
	"github.com/stillfires/stillfires/internal/timeline"
)

// total judges the budget from the restoration to recovered work.
func total(t *profile.TotalBudget, e *Evidence) Criterion {
	c := Criterion{Name: profile.CriterionTotal, Title: "total", Owner: t.Owner, Budget: time.Duration(t.Within)}
	if e.Line != nil && e.Line.Goal != "" {
		c.Title = "from the restoration to " + e.Line.TitleOf(e.Line.Goal)
	}
	switch {
	case e.Line == nil:
		return c.open("no recovery was measured")
	case e.Line.Goal == "":
		return c.open("nothing that was recorded on both builds shows work that recovered")
	}
	passages := func(runs []timeline.Run) [][]timeline.Passage {
		return each(runs, func(r *timeline.Run) []timeline.Passage { return r.Totals(e.Line.Goal) })
	}
	c.budget(passages(e.Line.Deployed.Runs), passages(e.Line.Candidate.Runs))
	if why := doubts(e.Line); why != "" && c.Status == Kept {
		c.Status, c.Said = NotEvaluated, c.Said+"; "+why
	}
	if h := e.Line.Candidate.Slowest; h.Stage != "" {
		c.Stage = e.Line.TitleOf(h.Stage)
		c.StageOwner = e.Line.OwnerOf(h.Stage)
		if c.Status == Broken {
			c.Said += fmt.Sprintf("; most of it is the stage %s, %s", c.Stage, h.Took.InWords())
			if c.StageOwner != "" {
				c.Said += ", whose owner is " + c.StageOwner
			}
		}
	}
	return c
}

// doubts says why work that counts as recovered may not have recovered; empty:
// nothing speaks against it.
func doubts(t *timeline.Comparison) string {
	if t.Doubtful == 0 {
		return ""
	}
	return fmt.Sprintf("of %s, which one build alone shows, nothing was seen of %d pieces of work", t.TitleOf(t.Beyond), t.Doubtful)
}

// stage judges the budget of one stage.
func stage(s *profile.StageBudget, owner string, e *Evidence) Criterion {
	c := Criterion{Name: profile.CriterionStage + s.To, Title: "stage " + s.To, Owner: cmp.Or(s.Owner, owner), Budget: time.Duration(s.Within)}
	if e.Line == nil {
		return c.open("no recovery was measured")
	}
	if !slices.ContainsFunc(e.Line.Declared, func(d timeline.Declared) bool { return d.Name == s.To }) {
		return c.open(fmt.Sprintf("no milestone is called %q", s.To))
	}
	c.Owner = cmp.Or(s.Owner, e.Line.OwnerOf(s.To), owner)
	c.Title = "to " + e.Line.TitleOf(s.To)
	switch from := s.From; {
	case from == profile.FromRestored:
		c.Title = "from the restoration " + c.Title
	case from != "":
		if !slices.ContainsFunc(e.Line.Declared, func(d timeline.Declared) bool { return d.Name == from }) {
			return c.open(fmt.Sprintf("no milestone is called %q", from))
		}
		c.Title = "from " + e.Line.TitleOf(from) + " " + c.Title
	default:
		i := slices.IndexFunc(e.Line.Stages, func(p timeline.StagePair) bool { return p.Name == s.To })
		if i >= 0 {
			c.Title = "from " + e.Line.TitleOf(e.Line.Stages[i].From) + " " + c.Title
		}
	}
	passages := func(runs []timeline.Run) [][]timeline.Passage {
		return each(runs, func(r *timeline.Run) []timeline.Passage { return r.Passages(s.From, s.To) })
	}
	c.budget(passages(e.Line.Deployed.Runs), passages(e.Line.Candidate.Runs))
	return c
}

// each returns the passages of each repetition; one that is not like the others
// of its build is left out.
func each(runs []timeline.Run, of func(*timeline.Run) []timeline.Passage) [][]timeline.Passage {
	var out [][]timeline.Passage
	for i := range runs {
		if runs[i].Unlike == "" {
			out = append(out, of(&runs[i]))
		}
	}
	return out
}

func (c Criterion) open(why string) Criterion {
	c.Status, c.Said = NotEvaluated, why
	return c
}

// A keeping is what one repetition says of a budget.
type keeping struct {
	status  Status
	longest timeline.Value
	known   bool // something took that long
	work    string
	why     string // where it is not evaluated
}

// budget judges the repetitions of candidate: a budget is kept if all keep it,
// and broken if all break it. What they disagree on is noise.
func (c *Criterion) budget(deployed, candidate [][]timeline.Passage) {
	for _, p := range deployed {
		if k := keep(p, c.Budget); k.known {
			c.Deployed = append(c.Deployed, k.longest)
		}
	}
	var all []keeping
	for _, p := range candidate {
		k := keep(p, c.Budget)
		all = append(all, k)
		if k.known {
			c.Candidate = append(c.Candidate, k.longest)
		}
	}
	count := func(s Status) (n int) {
		for _, k := range all {
			if k.status == s {
				n++
			}
		}
		return n
	}
	switch kept, broken := count(Kept), count(Broken); {
	case len(all) == 0:
		*c = c.open("candidate has no run")
	case kept == len(all):
		c.Status, c.Said = Kept, fmt.Sprintf("%s, budget %s", timeline.InWords(c.Candidate), c.Budget)
	case broken == len(all):
		c.Status, c.Said = Broken, fmt.Sprintf("%s, budget %s", timeline.InWords(c.Candidate), c.Budget)
		worst := slices.MaxFunc(all, func(a, b keeping) int { return cmp.Compare(a.longest.D, b.longest.D) })
		if worst.work != "" {
			c.Said += "; the slowest is " + worst.work
		}
		if len(c.Deployed) > 0 {
			c.Said += "; on deployed " + timeline.InWords(c.Deployed)
		}
	case kept > 0 && broken > 0:
		c.Status, c.Said = NotEvaluated, fmt.Sprintf("the repetitions disagree, so noise decides: %s, budget %s", timeline.InWords(c.Candidate), c.Budget)
	default:
		i := slices.IndexFunc(all, func(k keeping) bool { return k.status == NotEvaluated })
		c.Status, c.Said = NotEvaluated, all[i].why
		if broken > 0 {
			c.Said += fmt.Sprintf("; another repetition is over the budget: %s, budget %s", timeline.InWords(c.Candidate), c.Budget)
		}
	}
}

// keep judges one repetition: the longest passage decides.
func keep(passages []timeline.Passage, budget time.Duration) keeping {
	if len(passages) == 0 {
		return keeping{status: NotEvaluated, why: "no work was delayed that tests it"}
	}
	k := keeping{status: Kept}
	unknown := 0
	for _, p := range passages {
		s, why := Kept, ""
		switch {
		case p.Unknown != "":
			unknown++
			s, why = NotEvaluated, p.Unknown
			if p.Workload != "" {
				why = p.Workload + ": " + why
			}
		case p.Took.D-p.Resolution > budget:
			s = Broken
		case p.Took.Censored:
			s, why = NotEvaluated, fmt.Sprintf("the capture ended %s into it, before the budget of %s was used up", seconds(p.Took.D), budget)
			if p.Took.D > budget {
				why = over(p, budget)
			}
		case p.Took.D > budget:
			s, why = NotEvaluated, over(p, budget)
		}
		if p.Unknown == "" && (p.Took.D > k.longest.D || !k.known) {
			k.longest, k.work, k.known = p.Took, p.Workload, true
		}
		if s > k.status {
			k.status, k.why = s, why
		}
	}
	if k.status == NotEvaluated && unknown > 1 {
		k.why += fmt.Sprintf("; nothing is known of %d pieces of work", unknown)
	}
	return k
}

func over(p timeline.Passage, budget time.Duration) string {
	return fmt.Sprintf("%s is over the budget of %s by less than its sources can be wrong (%s)", p.Took.InWords(), budget, seconds(p.Resolution))
}

func seconds(d time.Duration) string { return prose.Seconds(d) }
