package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/timeline"
)

// noRecoveries is said where no scenario shows one.
const noRecoveries = "No recovery was measured: no run shows a loss that was mended, or no profile says how to follow one."

// renderTimelineText writes all that is known of recoveries: the chart, the
// milestones of each piece of work, the stages, and what it came to.
func renderTimelineText(w io.Writer, r *analyzer.Report, o Options) error {
	s := &screen{w: bufio.NewWriter(w), width: max(cmp.Or(o.Width, defaultWidth), 60), color: o.Color, all: o.All}
	if len(r.Timelines) == 0 {
		s.wrap("", noRecoveries)
	}
	for i, v := range recoveries(r) {
		if i > 0 {
			s.line("")
		}
		s.recovery(v)
	}
	s.list("Notes", r.Notes, noteRows)
	return s.w.Flush()
}

func (s *screen) recovery(v *recovery) {
	s.recoveryHead(v)
	s.line("")
	newChart(s, v).write()
	s.milestones(v)
	s.whyMissing(v)
	s.stages(v)
	s.statistics(v)
	s.skews(v)
	s.list("What could not be told", v.runNotes(), noteRows)
}

// recoveryHead says of each build what became of the work, and what holds it
// back.
func (s *screen) recoveryHead(v *recovery) {
	s.line("%s", s.paint(bold, cut("Recovery: "+clean(v.Scenario), s.width)))
	for i := range v.sides {
		side := &v.sides[i]
		text := side.title() + ": " + side.tally()
		if at := side.restoredAt(); len(at) > 0 {
			text += "; restored at " + names(at, 3)
		}
		s.wrap("  ", text)
		if held := v.holdsBack(side); held != "" {
			s.wrap("    ", held)
		}
	}
}

// Bounds of the tables.
const (
	tableWorkloads = 30 // more are left to the counts of the chart
	tableMissing   = 12 // reasons why milestones are missing
)

// A row of milestones: one piece of work, or what all share, of one repetition
// on both builds.
type workRow struct {
	title string
	list  [2][]timeline.Milestone
	runs  [2]*timeline.Run
	there [2]bool
}

// milestones writes the milestones of each piece of work on both builds, with
// the evidence.
func (s *screen) milestones(v *recovery) {
	rows := v.workRows()
	if len(rows) == 0 {
		return
	}
	s.line("\n%s", s.paint(bold, "Milestones"))
	name := 0
	for i := range v.rows {
		name = max(name, columns.StringWidth(titleOf(&v.rows[i])))
	}
	name = min(name, s.width/3) + 3
	side := (s.width - name) / 2
	s.line("%s%s%s", strings.Repeat(" ", name), padded("deployed", side), "candidate")
	for i := range rows {
		if i == tableWorkloads+1 && !s.all {
			s.line("… and %s (see --format csv)", plural(len(rows)-i, "more workload"))
			break
		}
		s.workRow(v, &rows[i], name, side)
	}
}

// workRow writes the milestones of one row.
func (s *screen) workRow(v *recovery, row *workRow, name, side int) {
	s.line("%s", cut(row.title, s.width))
	for i := range v.rows {
		d := &v.rows[i]
		var cells [2]string
		known := false
		for j := range cells {
			cells[j] = "–"
			if m := milestoneIn(row.list[j], d.Name); m != nil {
				cells[j], known = milestoneCell(row.runs[j], m), true
			} else if !row.there[j] {
				cells[j] = "no such work"
			}
		}
		if known {
			s.line("  %s%s%s", padded(titleOf(d), name-2), padded(cells[0], side), cut(cells[1], side))
		}
	}
}

func milestoneIn(list []timeline.Milestone, name string) *timeline.Milestone {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// milestoneCell says when a milestone was reached and by which evidence, or
// why it is missing.
func milestoneCell(run *timeline.Run, m *timeline.Milestone) string {
	if m.State == timeline.Missing {
		return "missing: " + reasonWords(m.Reason)
	}
	out := fmt.Sprintf("%7s %s", tenths(afterRestored(run, m.At)), shownBy(m))
	if m.State == timeline.Before {
		out += " (before)"
	}
	return out
}

// whyMissing says in full why milestones are missing, those of one reason
// together.
func (s *screen) whyMissing(v *recovery) {
	var out []string
	for i := range v.sides {
		side := &v.sides[i]
		for j := range v.rows {
			d := &v.rows[j]
			counts := map[string]int{}
			var order []string
			for k := range side.Runs {
				for _, m := range everyMilestone(&side.Runs[k], d) {
					if m.State != timeline.Missing {
						continue
					}
					why := reasonWords(m.Reason)
					if m.Detail != "" {
						why += ": " + clean(m.Detail)
					}
					if counts[why] == 0 {
						order = append(order, why)
					}
					counts[why]++
				}
			}
			for _, why := range order {
				head := side.role + ", " + titleOf(d)
				if counts[why] > 1 {
					head += fmt.Sprintf(" (%d)", counts[why])
				}
				out = append(out, head+": "+why)
			}
		}
	}
	s.list("Why milestones are missing", out, tableMissing)
}

// everyMilestone lists one declared milestone of a measured run, of all
// affected work.
func everyMilestone(run *timeline.Run, d *timeline.Declared) []*timeline.Milestone {
	var out []*timeline.Milestone
	if run.Restored.State != timeline.Reached {
		return nil
	}
	if m := milestoneIn(run.Shared, d.Name); m != nil {
		out = append(out, m)
	}
	for i := range run.Workloads {
		w := &run.Workloads[i]
		if m := milestoneIn(w.Milestones, d.Name); m != nil && w.Affected != "" {
			out = append(out, m)
		}
	}
	return out
}

// shownBy says what shows a milestone, and by whose clock.
func shownBy(m *timeline.Milestone) string {
	kind, clock := clean(m.Kind), clean(m.Clock)
	switch {
	case clock == "" || clock == kind:
		return kind
	case strings.HasPrefix(clock, kind):
		return clock
	}
	return kind + " of " + clock
}

// workRows sets the work of both builds beside each other, repetition by
// repetition.
func (v *recovery) workRows() []workRow {
	var out []workRow
	most := max(len(v.Deployed.Runs), len(v.Candidate.Runs))
	for i := range most {
		var runs [2]*timeline.Run
		of := ""
		for j := range v.sides {
			if i < len(v.sides[j].Runs) && v.sides[j].Runs[i].Restored.State == timeline.Reached {
				runs[j] = &v.sides[j].Runs[i]
			}
		}
		if most > 1 {
			of = fmt.Sprintf(" (repetition %d)", i+1)
		}
		out = append(out, pairWork(runs, of)...)
	}
	return out
}

// sharedByAll names what is no single piece of work's.
const sharedByAll = "shared by all work"

func pairWork(runs [2]*timeline.Run, of string) []workRow {
	shared := workRow{title: sharedByAll + of, runs: runs}
	byID := map[string]*workRow{}
	for j, run := range runs {
		if run == nil {
			continue
		}
		shared.list[j], shared.there[j] = run.Shared, true
		for k := range run.Workloads {
			w := &run.Workloads[k]
			if w.Affected == "" {
				continue
			}
			row := byID[w.ID]
			if row == nil {
				row = &workRow{title: clean(w.ID) + of, runs: runs}
				byID[w.ID] = row
			}
			row.list[j], row.there[j] = w.Milestones, true
		}
	}
	var out []workRow
	if len(shared.list[0])+len(shared.list[1]) > 0 {
		out = append(out, shared)
	}
	ids := make([]string, 0, len(byID))
	for id := range byID {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		out = append(out, *byID[id])
	}
	return out
}

// skews lists milestones that were seen before what causes them, with both
// clocks.
func (s *screen) skews(v *recovery) {
	var out []string
	for i := range v.sides {
		side := &v.sides[i]
		for j := range side.Runs {
			for _, k := range side.Runs[j].Skews {
				of := ""
				if k.Workload != "" {
					of = " of " + clean(k.Workload)
				}
				out = append(out, fmt.Sprintf("%s%s: %s%s at %s by the clock of %s is %s s before %s, which causes it, at %s by that of %s",
					side.role, side.ofRun(side.Runs[j].Repetition), v.titled(k.Before.Name), of, precise(k.Before.At), clean(k.Before.Clock),
					tenths(k.By), v.titled(k.After.Name), precise(k.After.At), clean(k.After.Clock)))
			}
		}
	}
	s.list("Clocks that contradict each other", out, noteRows)
}
