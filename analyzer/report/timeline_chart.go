package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/timeline"
)

// Bounds of the text chart.
const (
	chartAlerts = 8
	chartEvents = 6 // groups of actions or panics that are named, of each row
	leastChart  = 8 // columns of the plot
	chartNumber = 8 // columns of one number
)

// A chart draws one scenario as text: a line for each milestone and build with
// its place on one time axis and the seconds beside it, then alerts, actions
// and panics on the same axis.
type chart struct {
	*screen
	v    *recovery
	axis axis
	// name, side and plot are widths in columns.
	name, side, plot int
	percentiles      bool // some milestone has enough observations for them
	most             int  // alerts
}

func newChart(s *screen, v *recovery) *chart {
	c := &chart{screen: s, v: v, axis: axisOf(v), side: 10, most: chartAlerts}
	for i := range v.rows {
		c.name = max(c.name, columns.StringWidth(titleOf(&v.rows[i])))
		for j := range v.sides {
			x := v.sides[j].Reach(&v.rows[i])
			c.percentiles = c.percentiles || x.Took.P50 != nil
		}
	}
	for _, rule := range v.alerts[:min(len(v.alerts), chartAlerts)] {
		c.name = max(c.name, columns.StringWidth(clean(rule.Name))-c.side)
	}
	numbers := 3 * chartNumber
	if c.percentiles {
		numbers += chartNumber
	}
	c.name = min(c.name, 26, max((s.width-c.side-numbers)/2, 8)) + 1
	c.plot = max(s.width-c.name-c.side-numbers, leastChart)
	return c
}

func (c *chart) write() {
	c.ruler()
	for i := range c.v.rows {
		c.milestone(&c.v.rows[i])
	}
	if n := len(c.v.Declared) - len(c.v.rows); n > 0 {
		c.line("… and %s", plural(n, "more milestone"))
	}
	marked := false
	for i := range c.v.sides {
		marked = c.happened(&c.v.sides[i]) || marked
	}
	c.key(marked)
}

// ruler writes the labels of the axis above the chart.
func (c *chart) ruler() {
	cells := []rune(strings.Repeat(" ", c.plot))
	end := -1
	for _, t := range c.axis.ticks(max(c.plot/9, 2)) {
		label := []rune(t.label)
		at := min(c.cell(t.at), c.plot-len(label))
		if at <= end && end >= 0 {
			continue
		}
		copy(cells[at:], label)
		end = at + len(label)
	}
	heads := []string{"first", "last", "reached"}
	if c.percentiles {
		heads = []string{"first", "p50", "last", "reached"}
	}
	head := inColumns(chartNumber, heads...)
	unit := "seconds after restoration"
	if len(unit) >= c.name+c.side {
		unit = "seconds"
	}
	c.line("%s%s%s", padded(unit, c.name+c.side), string(cells), c.paint(dim, head))
}

// cell is the column of the plot that a time falls in.
func (c *chart) cell(d time.Duration) int {
	return min(int(c.axis.place(d)*float64(c.plot)), c.plot-1)
}

// padded cuts or fills text to n columns.
func padded(text string, n int) string {
	text = cutMiddle(text, n-1)
	return text + strings.Repeat(" ", n-columns.StringWidth(text))
}

// inColumns writes texts at the right of columns of one width.
func inColumns(width int, texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		fmt.Fprintf(&b, "%*s", width, t)
	}
	return b.String()
}

// milestone writes a line for each build.
func (c *chart) milestone(d *timeline.Declared) {
	for i := range c.v.sides {
		s := &c.v.sides[i]
		name := ""
		if i == 0 {
			name = titleOf(d)
		}
		if !s.measured() {
			c.line("%s%s%s", padded(name, c.name), padded(s.role, c.side), "not measured")
			continue
		}
		x := s.Reach(d)
		numbers := []string{took(first(&x)), took(x.Took.Max), share(&x)}
		if c.percentiles {
			numbers = slices.Insert(numbers, 1, took(x.Took.P50))
		}
		c.line("%s%s%s%s", padded(name, c.name), padded(s.role, c.side), c.plotted(&x), inColumns(chartNumber, numbers...))
	}
}

// first is the shortest time; nil: nothing was observed.
func first(x *timeline.Reach) *timeline.Value {
	if len(x.Took.Observed) == 0 {
		return nil
	}
	return &x.Took.Observed[0].Took
}

// plotted draws each observation and, where there are enough, their median; or
// it says why there is none.
func (c *chart) plotted(x *timeline.Reach) string {
	if len(x.Took.Observed) == 0 {
		return c.instead(x)
	}
	cells := []rune(strings.Repeat(" ", c.plot))
	zero := c.cell(0)
	cells[zero] = '│'
	from, to := c.cell(x.Took.Observed[0].Took.D), c.cell(x.Took.Max.D)
	for i := zero + 1; i < from; i++ {
		cells[i] = '·'
	}
	for i := from; i < to; i++ {
		cells[i] = '─'
	}
	for _, o := range x.Took.Observed {
		if !o.Took.Censored {
			cells[c.cell(o.Took.D)] = '●'
		}
	}
	if p := x.Took.P50; p != nil && !p.Censored {
		cells[c.cell(p.D)] = '◆'
	}
	if x.Took.Max.Censored {
		cells[to] = '►'
	}
	return string(cells)
}

// instead says in the plot why nothing is drawn.
func (c *chart) instead(x *timeline.Reach) string {
	text := "no work was affected"
	switch why := reasons(x); {
	case why != "" && x.Before > 0:
		text = "before the restoration; missing: " + why
	case why != "":
		text = "missing: " + why
	case x.Before > 0:
		text = "before the restoration"
	}
	text = cut(text, c.plot-1)
	return text + strings.Repeat(" ", c.plot-columns.StringWidth(text))
}

// happened writes the alerts, actions and panics of a build, and reports
// whether there are any.
func (c *chart) happened(s *recoverySide) bool {
	rows, more := c.v.happeningRows(s, c.axis, c.most)
	if len(rows) == 0 && more == 0 {
		return false
	}
	c.line("")
	c.line("%s", c.paint(bold, cut("Alerts, actions and panics: "+s.title(), c.width)))
	left := c.name + c.side
	for i := range rows {
		row := &rows[i]
		if row.alert != nil {
			c.line("%s", cut(padded(row.title, left)+c.bars(row)+" "+strings.TrimSuffix(row.status(), " s"), c.width))
			continue
		}
		c.line("%s%s", padded(row.title, left), strings.TrimRight(c.events(row), " "))
		c.wrap("    ", row.named())
	}
	if more > 0 {
		c.line("… and %s", plural(more, "more alert"))
	}
	return true
}

// bars draws when an alert was pending and when it fired.
func (c *chart) bars(row *happeningRow) string {
	cells := []rune(strings.Repeat(" ", c.plot))
	cells[c.cell(0)] = '│'
	for _, p := range row.bars() {
		glyph := '█'
		if p.Kind == analyzer.AlertPending {
			glyph = '░'
		}
		for i := c.cell(p.from); i <= c.cell(p.to); i++ {
			if cells[i] != '█' {
				cells[i] = glyph
			}
		}
	}
	return string(cells)
}

// events draws moments.
func (c *chart) events(row *happeningRow) string {
	cells := []rune(strings.Repeat(" ", c.plot))
	cells[c.cell(0)] = '│'
	glyph := '▼'
	if row.panics {
		glyph = '✖'
	}
	for _, p := range row.list {
		cells[c.cell(p.from)] = glyph
	}
	return string(cells)
}

// named lists moments in words.
func (r *happeningRow) named() string {
	groups := r.grouped(time.Hour)
	var parts []string
	for i := range groups {
		g := &groups[i]
		if i == chartEvents {
			parts = append(parts, fmt.Sprintf("and %d more", len(groups)-i))
			break
		}
		at := tenths(g.first.from)
		if last := tenths(g.last); last != at {
			at += " to " + last
		}
		text := cut(g.label(), 40) + " " + at
		if g.count == 1 && g.first.Detail != "" {
			text = fmt.Sprintf("%s (%s) %s", cut(g.label(), 40), cut(clean(g.first.Detail), 40), at)
		}
		parts = append(parts, text)
	}
	if r.off > 0 {
		parts = append(parts, fmt.Sprintf("%d before or after the axis", r.off))
	}
	return strings.Join(parts, "; ")
}

// key says what the signs mean.
func (c *chart) key(marked bool) {
	signs := []string{"│ restored", "● one workload"}
	if c.percentiles {
		signs = append(signs, "◆ half of them")
	}
	signs = append(signs, "► not reached when the capture ended or the work failed", "> at least")
	if marked {
		signs = append(signs, "█ firing", "░ pending", "▼ action", "✖ panic")
	}
	c.line("")
	line := ""
	for _, s := range signs { // a sign stays with its words
		if line != "" && columns.StringWidth(line)+2+columns.StringWidth(s) > c.width {
			c.line("%s", line)
			line = ""
		}
		if line != "" {
			line += "  "
		}
		line += s
	}
	c.line("%s", line)
	if times, ok := c.axis.broken(); ok {
		c.wrap("", "The time before 0 is drawn "+times+" times narrower than the time after it.")
	}
}
