package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// A happeningRow is what shares a line: one alert, or all actions or all
// panics, of one repetition of a build.
type happeningRow struct {
	title  string
	alert  *rules.Rule // nil: actions or panics
	panics bool
	list   []placed // on the axis, in time order
	off    int      // further ones that are not on the axis
	runs   int      // repetitions that they are of
	none   string   // of an alert that did nothing: its state in words
}

// A placed happening has its times since the restoration; both ends are on the
// axis.
type placed struct {
	*analyzer.Happening
	from, to time.Duration
}

// eachRun is the number of repetitions up to which each has rows of its own.
const eachRun = 3

// happeningRows gathers what happened on a build: at most most alerts, the
// same of both builds so that they can be compared, then actions, then panics.
// More counts the alerts that are left out. Of many repetitions what happened
// in any of them is on one row.
func (v *recovery) happeningRows(s *recoverySide, a axis, most int) (rows []happeningRow, more int) {
	alerts := v.alerts[:min(len(v.alerts), most)]
	var sets [][]int
	var all []int
	for i := range s.Runs {
		if run := &s.Runs[i]; s.runOf(run.Repetition) == run {
			sets, all = append(sets, []int{run.Repetition}), append(all, run.Repetition)
		}
	}
	if len(all) > eachRun {
		sets = [][]int{all}
	}
	for _, runs := range sets {
		rows = append(rows, v.rowsOf(s, a, alerts, runs)...)
	}
	slices.SortStableFunc(rows, func(x, y happeningRow) int {
		return cmp.Or(cmp.Compare(rank(&x), rank(&y)), cmp.Compare(slices.Index(alerts, x.alert), slices.Index(alerts, y.alert)))
	})
	return rows, len(v.alerts) - len(alerts)
}

// rowsOf gathers the rows of some repetitions.
func (v *recovery) rowsOf(s *recoverySide, a axis, alerts []*rules.Rule, runs []int) []happeningRow {
	of := s.ofRun(runs[0])
	if len(runs) > 1 {
		of = fmt.Sprintf(" (%d runs)", len(runs))
	}
	var rows []happeningRow
	for _, rule := range alerts {
		row := s.row(a, runs, func(h *analyzer.Happening) bool { return h.Rule == rule })
		row.title, row.alert = clean(rule.Name)+of, rule
		if len(row.list) == 0 {
			row.none = s.silent(rule, row.off)
		}
		rows = append(rows, row)
	}
	for _, kind := range []struct {
		title  string
		panics bool
	}{{"actions", false}, {"panics", true}} {
		row := s.row(a, runs, func(h *analyzer.Happening) bool {
			return h.Rule == nil && (h.Kind == analyzer.PanicSeen) == kind.panics
		})
		row.title, row.panics = kind.title+of, kind.panics
		if len(row.list)+row.off > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// rank puts alerts first, then actions, then panics.
func rank(r *happeningRow) int {
	switch {
	case r.alert != nil:
		return 0
	case r.panics:
		return 2
	}
	return 1
}

// row gathers what is chosen of some repetitions.
func (s *recoverySide) row(a axis, runs []int, chosen func(*analyzer.Happening) bool) happeningRow {
	row := happeningRow{runs: len(runs)}
	for i := range s.happened {
		h := &s.happened[i]
		if !slices.Contains(runs, h.Repetition) || !chosen(h) {
			continue
		}
		run := s.runOf(h.Repetition)
		p := placed{h, afterRestored(run, h.From), afterRestored(run, h.To)}
		if p.to < a.from || p.from > a.to {
			row.off++
			continue
		}
		p.from, p.to = max(p.from, a.from), min(p.to, a.to)
		row.list = append(row.list, p)
	}
	slices.SortStableFunc(row.list, func(a, b placed) int { return cmp.Compare(a.from, b.from) })
	return row
}

// bars are the stretches in which an alert was pending, then those in which it
// fired. Those of several repetitions that touch are one.
func (r *happeningRow) bars() []placed {
	var out []placed
	for _, kind := range []analyzer.HappeningKind{analyzer.AlertPending, analyzer.AlertFiring} {
		from := len(out)
		for _, p := range r.list {
			n := len(out)
			switch {
			case p.Kind != kind:
			case r.runs > 1 && n > from && p.from <= out[n-1].to:
				out[n-1].to = max(out[n-1].to, p.to)
			default:
				out = append(out, p)
			}
		}
	}
	return out
}

// silent says of an alert that nothing is drawn of why that is so.
func (s *recoverySide) silent(rule *rules.Rule, off int) string {
	switch {
	case off > 0:
		return "before or after the axis"
	case s.states[rule] == outcome.NotEvaluated:
		return "not evaluated"
	}
	return "silent"
}

// stretch writes when something was so, in whole seconds: alerts are evaluated
// no more often.
func (p *placed) stretch() string {
	from, to := whole(p.from), whole(p.to)
	if from == to {
		return from + " s"
	}
	return from + " to " + to + " s"
}

func whole(d time.Duration) string {
	return strconv.FormatInt(int64(d.Round(time.Second)/time.Second), 10)
}

// status says in words what an alert did.
func (r *happeningRow) status() string {
	if r.none != "" {
		return r.none
	}
	if r.runs > 1 {
		return r.statusOfRuns()
	}
	var firing []placed
	for _, p := range r.list {
		if p.Kind == analyzer.AlertFiring {
			firing = append(firing, p)
		}
	}
	if len(firing) == 0 {
		all := placed{from: r.list[0].from, to: r.list[len(r.list)-1].to}
		return "pending " + all.stretch()
	}
	all := placed{from: firing[0].from, to: firing[len(firing)-1].to}
	if len(firing) > 1 {
		return fmt.Sprintf("firing %d×, %s", len(firing), all.stretch())
	}
	return "firing " + all.stretch()
}

// statusOfRuns counts the repetitions in which an alert fired, or was at least
// pending.
func (r *happeningRow) statusOfRuns() string {
	fired, waited := map[int]bool{}, map[int]bool{}
	for _, p := range r.list {
		if p.Kind == analyzer.AlertFiring {
			fired[p.Repetition] = true
		} else {
			waited[p.Repetition] = true
		}
	}
	if len(fired) == 0 {
		return fmt.Sprintf("pending in %d of %d runs", len(waited), r.runs)
	}
	return fmt.Sprintf("firing in %d of %d runs", len(fired), r.runs)
}

// A happeningGroup is happenings of one name that follow each other.
type happeningGroup struct {
	text  string
	first placed
	count int
	last  time.Duration
}

// label names the group.
func (g *happeningGroup) label() string {
	out := g.text
	if g.first.Kind == analyzer.ManualAction {
		out = "by hand: " + out
	}
	if g.count > 1 {
		out = fmt.Sprintf("%s ×%d", out, g.count)
	}
	return out
}

// grouped folds happenings of one name and kind that follow each other with no
// more than gap between them.
func (r *happeningRow) grouped(gap time.Duration) []happeningGroup {
	var out []happeningGroup
	for _, p := range r.list {
		text := clean(p.Name)
		if n := len(out); n > 0 && out[n-1].text == text && out[n-1].first.Kind == p.Kind && p.from-out[n-1].last <= gap {
			out[n-1].count++
			out[n-1].last = p.from
			continue
		}
		out = append(out, happeningGroup{text, p, 1, p.from})
	}
	return out
}
