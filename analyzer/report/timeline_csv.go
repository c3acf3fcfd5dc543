package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/timeline"
)

// timelineColumns are those of the table; a row is one milestone of one piece
// of work on one build.
var timelineColumns = []string{
	"scenario", "role", "build", "repetition", "workload", "affected", "milestone", "title", "owner", "state", "reason",
	"after_seconds", "resolution_seconds", "at", "arrived", "kind", "clock", "evidence", "detail",
}

// renderTimelineCSV writes all milestones as a table. The workload of what all
// work shares is empty. Lengths of time are seconds since the restoration.
func renderTimelineCSV(w io.Writer, r *analyzer.Report, _ Options) error {
	out := csv.NewWriter(w)
	_ = out.Write(timelineColumns) // an error is kept for the end
	for _, v := range recoveries(r) {
		for i := range v.sides {
			s := &v.sides[i]
			for j := range s.Runs {
				v.csvRun(out, s, &s.Runs[j])
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (v *recovery) csvRun(out *csv.Writer, s *recoverySide, run *timeline.Run) {
	head := []string{v.Scenario, s.role, run.Build, strconv.Itoa(run.Repetition)}
	row := func(workload, affected string, m *timeline.Milestone) {
		d := v.declared(m.Name)
		cells := append(append([]string{}, head...), workload, affected, m.Name, titleOf(d), d.Owner, m.State.String(), string(m.Reason))
		cells = append(cells, csvTimes(run, m)...)
		cells = append(cells, m.Kind, m.Clock, m.Evidence, m.Detail)
		for i := range cells {
			cells[i] = csvCell(cells[i])
		}
		_ = out.Write(cells) // an error is kept for the end
	}
	row("", "", &run.Failure)
	row("", "", &run.Restored)
	for i := range run.Shared {
		row("", "", &run.Shared[i])
	}
	for i := range run.Workloads {
		w := &run.Workloads[i]
		for j := range w.Milestones {
			row(w.ID, w.Affected, &w.Milestones[j])
		}
	}
}

// csvTimes are the times of a milestone; of one that is missing they are empty,
// never 0.
func csvTimes(run *timeline.Run, m *timeline.Milestone) []string {
	out := make([]string, 4)
	if m.State == timeline.Missing {
		return out
	}
	if run.Restored.State == timeline.Reached {
		out[0] = decimal(afterRestored(run, m.At))
	}
	out[1], out[2] = decimal(m.Resolution), instant(m.At)
	if m.Arrived != 0 {
		out[3] = instant(m.Arrived)
	}
	return out
}

func decimal(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// csvCell makes text safe in a spreadsheet, which takes what begins with one of
// some signs for a formula. Numbers stay numbers.
func csvCell(s string) string {
	s = clean(s)
	if s == "" || !strings.ContainsRune("=+-@", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}
