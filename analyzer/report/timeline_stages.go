package report

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/internal/timeline"
)

// stageNumbers is how many columns the numbers of a stage take.
const stageNumbers = 9 + 6 + 10 + 6 + 8 + 8

// stageRow sets the numbers of a stage below each other.
func stageRow(deployed, of, candidate, of2, difference, noise string) string {
	return fmt.Sprintf("%9s%6s%10s%6s%8s%8s", deployed, of, candidate, of2, difference, noise)
}

// stages writes how long each stage took on both builds, what they differ by
// and the noise.
func (s *screen) stages(v *recovery) {
	s.line("\n%s", s.paint(bold, "Stages")+", in seconds")
	name := 0
	for i := range v.Stages {
		name = max(name, columns.StringWidth(stageTitle(&v.Stages[i])))
	}
	name = max(min(name, s.width-stageNumbers-1), 10) + 1
	head := stageRow("deployed", "count", "candidate", "count", "diff", "noise")
	s.line("%s%s", strings.Repeat(" ", name), s.paint(dim, head))
	for i := range v.Stages {
		p := &v.Stages[i]
		noise := "unknown"
		if p.NoiseKnown {
			noise = tenths(p.Noise)
		}
		s.line("%s%s", padded(stageTitle(p), name), stageRow(took(p.Deployed.Max), counted(&p.Deployed),
			took(p.Candidate.Max), counted(&p.Candidate), signed(p.Difference), noise))
		for _, line := range stageDetail(v, p) {
			s.wrap("    ", line)
		}
	}
	s.wrap("", "The longest of each build, how many were observed, and the difference of the medians of the repetitions. "+noiseNote(v))
}

// noiseNote says how far differences can be trusted.
func noiseNote(v *recovery) string {
	for i := range v.Stages {
		if v.Stages[i].NoiseKnown {
			return "Noise is what the repetitions of one build differ by."
		}
	}
	return "With one repetition of each build the noise is not known."
}

func stageTitle(p *timeline.StagePair) string {
	if p.Title != "" {
		return clean(p.Title)
	}
	return clean(p.Name)
}

func counted(s *timeline.Stage) string { return fmt.Sprint(len(s.Observed)) }

// stageDetail says in lines what a row has no room for.
func stageDetail(v *recovery, p *timeline.StagePair) []string {
	var out []string
	if word := judged(p); word != "" {
		if p.Owner != "" {
			word += ", owner " + clean(p.Owner)
		}
		out = append(out, word)
	}
	for _, b := range p.Because {
		text := fmt.Sprintf("because of %s? %d lines in it on deployed, %d on candidate", clean(b.Title), b.Deployed, b.Candidate)
		if b.First != "" {
			text += ", such as " + cut(bounded(b.First), 100)
		}
		out = append(out, text)
	}
	if text := v.incomparable(p); text != "" {
		out = append(out, text)
	}
	from := v.titled(p.From)
	for _, side := range []struct {
		role string
		*timeline.Stage
	}{{"deployed", &p.Deployed}, {"candidate", &p.Candidate}} {
		if text := observed(side.Stage); text != "" {
			out = append(out, side.role+" after "+from+": "+text)
		}
	}
	return out
}

// incomparable says why a stage of two builds has no difference: of one it takes
// in milestones that were not seen.
func (v *recovery) incomparable(p *timeline.StagePair) string {
	if p.Deployed.Over == p.Candidate.Over || len(p.Deployed.Observed) == 0 || len(p.Candidate.Observed) == 0 {
		return ""
	}
	var parts []string
	for _, side := range []struct{ role, over string }{{"deployed", p.Deployed.Over}, {"candidate", p.Candidate.Over}} {
		var titles []string
		for name := range strings.FieldsSeq(side.over) {
			titles = append(titles, v.titled(name))
		}
		if len(titles) > 0 {
			parts = append(parts, "on "+side.role+" it takes in "+strings.Join(titles, ", "))
		}
	}
	return "not compared: " + strings.Join(parts, "; ") + ", not seen there"
}

// judged says which build is slower.
func judged(p *timeline.StagePair) string {
	out := ""
	switch {
	case p.Slower:
		out = "slower on candidate"
	case p.Faster:
		out = "faster on candidate"
	default:
		return ""
	}
	if p.ByLongest {
		out += ", by what took longest"
	}
	return out
}

// observed lists a stage: percentiles where there are enough observations,
// else each of them; and what nothing can be said of.
func observed(x *timeline.Stage) string {
	var parts []string
	switch {
	case x.P50 != nil:
		parts = append(parts, fmt.Sprintf("p50 %s, p90 %s, longest %s of %d in %d repetitions", took(x.P50), took(x.P90), took(x.Max), len(x.Observed), len(x.Repetitions)))
	case len(x.Observed) > 1:
		parts = append(parts, eachOf(x.Observed))
	}
	for _, reason := range []timeline.Reason{timeline.TelemetryGap, timeline.NoEvidence} {
		if n := x.Missing[reason]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d not known (%s)", n, reasonWords(reason)))
		}
	}
	return strings.Join(parts, "; ")
}

// mostObserved bounds the values of a stage that are listed.
const mostObserved = 30

// eachOf lists observations; those that read the same are counted.
func eachOf(list []timeline.Observation) string {
	var parts []string
	for i := 0; i < len(list); {
		if len(parts) == mostObserved {
			parts = append(parts, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		text := took(&list[i].Took)
		n := 0
		for ; i < len(list) && took(&list[i].Took) == text; i++ {
			n++
		}
		if n > 1 {
			text += fmt.Sprintf(" ×%d", n)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// A statistic is one number of both builds.
type statistic struct {
	title string
	cells [2]string
}

// statisticsOf counts what became of the affected work of both builds. Work
// that failed or did not recover stays in every count.
func (v *recovery) statisticsOf() []statistic {
	var out []statistic
	add := func(title string, cell func(*recoverySide) string) {
		st := statistic{title: title}
		for i := range v.sides {
			st.cells[i] = "not measured"
			if v.sides[i].measured() {
				st.cells[i] = cell(&v.sides[i])
			}
		}
		out = append(out, st)
	}
	count := func(title string, n func(*recoverySide) int) {
		add(title, func(s *recoverySide) string { return fmt.Sprint(n(s)) })
	}
	count("repetitions", func(s *recoverySide) int { return len(s.Runs) })
	count("of these comparable", func(s *recoverySide) int { return s.Comparable })
	count("affected workloads", func(s *recoverySide) int { return s.Affected })
	count("submitted during the loss", func(s *recoverySide) int { return s.Submitted })
	add("recovered", func(s *recoverySide) string { return part(s.Recovered, s.Affected) })
	count("of these kept running", func(s *recoverySide) int { return s.KeptRunning })
	count("failed", func(s *recoverySide) int { return s.Failed })
	count("open when the capture ended", func(s *recoverySide) int { return s.Open })
	count("of these not known", func(s *recoverySide) int { return s.Unknown })
	count("completed", func(s *recoverySide) int { return s.Completed })
	add("units completed after it", func(s *recoverySide) string { return fmt.Sprint(s.Units) })
	add("longest queue age", func(s *recoverySide) string {
		if s.QueueAge == nil {
			return "not known"
		}
		return took(s.QueueAge) + " s"
	})
	for i := range max(len(v.Deployed.Deadlines), len(v.Candidate.Deadlines)) {
		title := ""
		for _, s := range v.sides {
			if i < len(s.Deadlines) && title == "" {
				d := &s.Deadlines[i]
				title = fmt.Sprintf("%s within %s s", v.titled(d.Milestone), tenths(d.Within))
			}
		}
		add(title, func(s *recoverySide) string {
			if i >= len(s.Deadlines) {
				return "–"
			}
			out := part(s.Deadlines[i].Met, s.Deadlines[i].Of)
			if n := s.Deadlines[i].Unknown; n > 0 {
				out += fmt.Sprintf(", %d not known", n)
			}
			return out
		})
	}
	return out
}

// part writes a count, what it is of and its share.
func part(n, of int) string {
	if of == 0 {
		return "0"
	}
	return fmt.Sprintf("%d of %d (%.0f %%)", n, of, 100*float64(n)/float64(of))
}

// statistics writes what it came to on both builds.
func (s *screen) statistics(v *recovery) {
	list := v.statisticsOf()
	s.line("\n%s", s.paint(bold, "Statistics"))
	name := 0
	for _, x := range list {
		name = max(name, columns.StringWidth(x.title))
	}
	name = min(name, s.width/2) + 4
	side := (s.width - name) / 2
	s.line("%s%s%s", strings.Repeat(" ", name), padded("deployed", side), "candidate")
	for _, x := range list {
		s.line("  %s%s%s", padded(x.title, name-2), padded(x.cells[0], side), x.cells[1])
	}
	for i := range v.sides {
		for _, r := range v.sides[i].Runs {
			if r.Unlike != "" {
				s.wrap("  ", fmt.Sprintf("Repetition %d of %s counts in no median, percentile and noise: %s.", r.Repetition, v.sides[i].role, clean(r.Unlike)))
			}
		}
	}
}
