package profile

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

func (m *Milestones) check(f *faults, c *Correlation) {
	if c == nil {
		c = &Correlation{}
	}
	m.checkWork(f, c)
	for i := range m.Failure {
		m.Failure[i].check(f, "milestones", "failure", i)
	}
	if len(m.Restored) == 0 {
		f.at("milestones").fail("say what marks the end of the loss under restored", "nothing says from when recovery is measured")
	}
	for i := range m.Restored {
		m.Restored[i].check(f, "milestones", "restored", i)
	}
	if !m.Affected.Submitted && !m.Affected.Unfinished {
		m.Affected.Submitted, m.Affected.Unfinished = true, true
	}
	if len(m.List) == 0 {
		f.at("milestones").fail("declare them under list", "there are no milestones")
	}
	names := m.checkList(f)
	for i, d := range m.Deadlines {
		if !slices.Contains(names, d.Milestone) {
			f.at("milestones", "deadlines", i, "milestone").unknown("milestone", d.Milestone, names)
		}
		if d.Within <= 0 {
			f.at("milestones", "deadlines", i).fail("write within: 60s", "a deadline has no time")
		}
	}
	m.checkSuspects(f, names)
}

func (m *Milestones) checkWork(f *faults, c *Correlation) {
	if m.Work.Entity == "" && len(c.Chain) > 0 {
		m.Work.Entity = c.Chain[0]
	}
	if m.Work.Entity != "" && c.Entity(m.Work.Entity) == nil {
		f.at("milestones", "work", "entity").unknown("entity", m.Work.Entity, c.names())
	}
	for _, part := range []struct {
		key string
		by  []Evidence
	}{{"submitted", m.Work.Submitted}, {"finished", m.Work.Finished}, {"failed", m.Work.Failed}, {"units", m.Work.Units}} {
		for i := range part.by {
			part.by[i].check(f, "milestones", "work", part.key, i)
		}
	}
}

func (m *Milestones) checkList(f *faults) []string {
	var names []string
	parts := []string{Reachable, Dispatched, Running, Useful, Finished}
	var taken []string
	for i := range m.List {
		s := &m.List[i]
		at := f.at("milestones", "list", i)
		switch {
		case s.Name == "":
			at.fail("write name: NAME", "a milestone has no name")
		case s.Name == "total":
			at.fail("choose another name", "total names the whole way, no milestone")
		case slices.Contains(names, s.Name):
			at.fail("keep one of them", "the milestone %q is declared twice", s.Name)
		case len(s.By) == 0:
			at.fail("say by: what shows it", "nothing shows the milestone %q", s.Name)
		}
		if s.Title == "" {
			s.Title = strings.ReplaceAll(s.Name, "-", " ")
		}
		switch {
		case s.As == "":
		case !slices.Contains(parts, s.As):
			f.at("milestones", "list", i, "as").unknown("part", s.As, parts)
		case slices.Contains(taken, s.As):
			f.at("milestones", "list", i, "as").fail("keep one of them", "two milestones are %q", s.As)
		default:
			taken = append(taken, s.As)
		}
		for j, a := range s.After {
			if !slices.Contains(names, a) {
				f.at("milestones", "list", i, "after", j).fail("name one that stands above it", "no earlier milestone is called %q", a)
			}
		}
		if len(s.After) == 0 && len(names) > 0 {
			s.After = []string{names[len(names)-1]}
		}
		for j := range s.By {
			s.By[j].check(f, "milestones", "list", i, "by", j)
			if p := s.By[j].Probe; p != nil && !s.Shared {
				f.at("milestones", "list", i, "by", j).fail("write shared: true for the milestone", "a probe names no work")
			}
		}
		names = append(names, s.Name)
	}
	if len(m.List) > 0 && !slices.Contains(taken, Useful) && !slices.Contains(taken, Finished) {
		f.at("milestones", "list").fail("write as: useful where the work computes again", "no milestone says when work is recovered")
	}
	return names
}

func (m *Milestones) checkSuspects(f *faults, names []string) {
	for i, s := range m.Suspects {
		at := f.at("milestones", "suspects", i)
		switch {
		case s.Title == "":
			at.fail("write title: in words, what such lines are", "a suspect has no title")
		case s.Log.Query == "":
			at.fail("write log: {query: ...}", "nothing chooses the lines of %q", s.Title)
		case s.Work != "" && s.Work != Finished:
			at.fail("write work: finished, or leave it out", "unknown work %q", s.Work)
		}
		for j, name := range s.Stages {
			if !slices.Contains(names, name) {
				f.at("milestones", "suspects", i, "stages", j).unknown("milestone", name, names)
			}
		}
	}
}

// check finds what is wrong with one source, which stands at the path.
func (e *Evidence) check(f *faults, steps ...any) {
	at := f.at(steps...)
	set := 0
	for _, is := range []bool{
		e.Probe != nil, e.Action != nil, e.Condition != nil, e.Object != nil, e.Event != nil, e.Log != nil, e.Progress != nil, e.Metric != nil,
	} {
		if is {
			set++
		}
	}
	if set != 1 {
		at.fail("write one of probe, action, condition, object, event, log, progress and metric", "evidence is of one kind")
		return
	}
	if _, err := path.Match(e.Cluster, ""); err != nil {
		at.fail("write the role of a cluster, or a glob for its name", "%q is no glob", e.Cluster)
	}
	switch {
	case e.Condition != nil && (e.Condition.Kind == "" || e.Condition.Type == ""):
		at.fail("write kind: GROUP/KIND and type: TYPE", "a condition has no kind or no type")
	case e.Object != nil && (e.Object.Kind == "" || e.Object.Path == ""):
		at.fail("write kind: GROUP/KIND and path: PATH", "the time of an object has no kind or no path")
	case e.Log != nil && e.Log.Query == "":
		at.fail(`write query: '|= "text"'`, "nothing chooses the lines")
	case e.Metric != nil && e.Metric.Name == "":
		at.fail("write name: NAME", "a metric has no name")
	case e.Metric != nil && (e.Metric.Above == nil) == (e.Metric.Below == nil):
		at.fail("write above: or below: and a number", "nothing says which value the metric must pass")
	case e.Event != nil:
		if _, err := regexp.Compile(e.Event.Message); err != nil {
			at.fail("correct it", "%q is no regular expression", e.Event.Message)
		}
	}
	if e.Confirm != nil && (e.Confirm.Kind == "" || e.Confirm.Path == "") {
		at.fail("write kind: GROUP/KIND and path: PATH", "what must confirm it has no kind or no path")
	}
}
