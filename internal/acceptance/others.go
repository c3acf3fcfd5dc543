package acceptance

import (
	"fmt"

	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
)

const maxEvidence = 4

// duplicates judges whether work was executed once.
func duplicates(owner string, e *Evidence) Criterion {
	c := Criterion{Name: profile.CriterionDuplicates, Title: "no work executed twice", Owner: owner}
	found, judged := 0, 0
	open := ""
	for i := range e.Candidate {
		r := &e.Candidate[i]
		found += len(r.Duplicates)
		judged += r.Judged
		for _, d := range r.Duplicates {
			if len(c.Evidence) < maxEvidence {
				c.Evidence = append(c.Evidence, d.Detail)
			}
		}
		switch {
		case open != "":
		case r.Judged == 0:
			open = "no pod of work and no progress of it was recorded"
		case len(r.Unjudged) > 0:
			open = fmt.Sprintf("of %d pieces of work it could not be judged, such as %s", len(r.Unjudged), r.Unjudged[0])
		}
	}
	switch {
	case found > 0:
		c.Status, c.Said = Broken, fmt.Sprintf("%d duplicates, such as %s", found, c.Evidence[0])
		if found == 1 {
			c.Said = c.Evidence[0]
		}
	case len(e.Candidate) == 0:
		return c.open("candidate has no run")
	case open != "":
		return c.open(open)
	default:
		c.Status, c.Said = Kept, fmt.Sprintf("%d pieces of work, each once", judged)
	}
	return c
}

// manual judges whether the recovery came about by itself.
func manual(owner string, e *Evidence) Criterion {
	c := Criterion{Name: profile.CriterionManual, Title: "no manual action", Owner: owner}
	if e.Line == nil {
		return c.open("no recovery was measured")
	}
	by, unknown, bare := 0, 0, false
	for i := range e.Line.Candidate.Runs {
		r := &e.Line.Candidate.Runs[i]
		m, u := r.Manual()
		by, unknown = by+m, unknown+u
		bare = bare || i >= len(e.Acted) || !e.Acted[i] || r.Failure.State != timeline.Reached
		for _, a := range r.Actions {
			if (a.Manual || a.Unattributed) && len(c.Evidence) < maxEvidence {
				c.Evidence = append(c.Evidence, a.Evidence)
			}
		}
	}
	switch {
	case by > 0:
		c.Status, c.Said = Broken, fmt.Sprintf("%s, such as %s", plural(by, "manual action"), first(&e.Line.Candidate))
		c.Said += unknownText(unknown)
	case len(e.Line.Candidate.Runs) == 0:
		return c.open("candidate has no run")
	case unknown > 0:
		return c.open(fmt.Sprintf("of %s nothing says who did them, such as %s", plural(unknown, "action"), c.Evidence[0]))
	case bare:
		return c.open("no actions were recorded, so nothing says that nobody acted")
	default:
		c.Status, c.Said = Kept, "none was recorded"
	}
	return c
}

func unknownText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; of %d more nothing says who did them", n)
}

// first is the first manual action of a build.
func first(s *timeline.Side) string {
	for i := range s.Runs {
		for _, a := range s.Runs[i].Actions {
			if a.Manual {
				return a.Evidence
			}
		}
	}
	return ""
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// alerts judges whether the alerts that must tell of the loss did.
func alerts(owner string, e *Evidence) Criterion {
	c := Criterion{Name: profile.CriterionAlerts, Title: "no recovery alert missed", Owner: owner}
	switch {
	case e.Line == nil:
		return c.open("no recovery was measured")
	case len(e.Alerts) == 0:
		return c.open(e.NoAlerts)
	}
	missed, open := "", ""
	for i := range e.Alerts {
		a := &e.Alerts[i]
		s, why := fired(a, e.Line)
		switch {
		case s == Broken && missed == "":
			missed = a.Rule + " " + why
		case s == NotEvaluated && open == "":
			open = a.Rule + ": " + why
		}
		if s != Kept && len(c.Evidence) < maxEvidence {
			c.Evidence = append(c.Evidence, a.Rule+": "+why)
		}
	}
	switch {
	case missed != "":
		c.Status, c.Said = Broken, missed
	case open != "":
		return c.open(open)
	default:
		c.Status, c.Said = Kept, plural(len(e.Alerts), "alert")+" fired"
	}
	return c
}

// fired judges one alert: it must fire in every repetition of candidate,
// between the failure and the end of the run.
func fired(a *Alert, line *timeline.Comparison) (Status, string) {
	if a.Unknown != "" {
		return NotEvaluated, a.Unknown
	}
	yes, no, why := during(a.Candidate, line.Candidate.Runs)
	switch {
	case why != "":
		return NotEvaluated, why
	case no == 0 && yes > 0:
		return Kept, ""
	case yes > 0:
		return NotEvaluated, fmt.Sprintf("it fired in %d of %d repetitions", yes, yes+no)
	}
	if yes, _, why := during(a.Deployed, line.Deployed.Runs); why != "" || yes == 0 {
		return NotEvaluated, "it fired on neither build after the failure: the scenario does not exercise it"
	}
	return Broken, "did not fire after the failure on candidate, but on deployed"
}

// during counts the runs in which an alert fired after the failure.
func during(firings []Firing, runs []timeline.Run) (yes, no int, unknown string) {
	for i := range firings {
		f := &firings[i]
		if f.Unknown != "" {
			return yes, no, f.Unknown
		}
		failure := int64(-1)
		for j := range runs {
			if runs[j].Repetition == f.Repetition && runs[j].Failure.State == timeline.Reached {
				failure = runs[j].Failure.At
			}
		}
		if failure < 0 {
			return yes, no, "when the failure was is not known"
		}
		hit := false
		for _, x := range f.At {
			hit = hit || x.To >= failure
		}
		if hit {
			yes++
		} else {
			no++
		}
	}
	if yes+no == 0 {
		return 0, 0, "it was not evaluated"
	}
	return yes, no, ""
}
