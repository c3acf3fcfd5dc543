package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/timeline"
)

// A lane is one affected piece of work, or what is shared by all, of one run.
type lane struct {
	run    *timeline.Run
	name   string
	work   string // ID of the piece of work; empty: shared
	list   []timeline.Milestone
	state  string
	shared bool // it is what is shared by all work
	kept   bool // it went on through the loss
	failed bool
	waited bool  // it was handed in during the loss
	handed int64 // when
	open   bool  // it had not recovered when the capture ended
	end    int64 // of an open one
}

// lanes draws the work of one build.
func (d *drawing) lanes(s *recoverySide) {
	lanes := d.lanesOf(s)
	shared := slices.DeleteFunc(slices.Clone(lanes), func(l lane) bool { return !l.shared })
	levels := levelsFor(len(lanes) * len(d.v.sides))
	if len(lanes)-len(shared) > mostLanes || d.spare.lanes {
		for i := range shared[:min(len(shared), mostLanes)] {
			d.lane(s, &shared[i], levelsFor(len(shared)))
		}
		d.shares(s)
		return
	}
	for i := range lanes {
		d.lane(s, &lanes[i], levels)
	}
}

// lanesOf lists what is shared first, then the work, of each measured run.
func (d *drawing) lanesOf(s *recoverySide) []lane {
	var shared, work []lane
	for i := range s.Runs {
		run := &s.Runs[i]
		if run.Restored.State != timeline.Reached {
			continue
		}
		if len(run.Shared) > 0 {
			l := d.newLane(run, sharedByAll+s.ofRun(run.Repetition), run.Shared)
			l.shared = true
			shared = append(shared, l)
		}
		for j := range run.Workloads {
			w := &run.Workloads[j]
			if w.Affected == "" {
				continue
			}
			l := d.newLane(run, clean(w.ID)+s.ofRun(run.Repetition), w.Milestones)
			l.kept, l.work = w.KeptRunning, w.ID
			l.waited, l.handed = w.Affected == timeline.SubmittedDuring && w.Submitted != 0, w.Submitted
			d.outcome(&l, w)
			work = append(work, l)
		}
	}
	return append(shared, work...)
}

// newLane says in its state which of the milestones are missing.
func (d *drawing) newLane(run *timeline.Run, name string, list []timeline.Milestone) lane {
	l := lane{run: run, name: name, list: list, end: run.End}
	if n := len(list); n > 0 {
		last := &list[n-1]
		l.open = last.State == timeline.Missing && last.Reason == timeline.CaptureEnded
	}
	l.state = d.missing(list)
	return l
}

// outcome says what became of a piece of work.
func (d *drawing) outcome(l *lane, w *timeline.Workload) {
	missing := d.missing(w.Milestones)
	took := l.run.Took(w, d.v.Goal)
	switch l.run.Outcome(w, d.v.Goal) {
	case timeline.FailedWork:
		l.state = "failed at " + tenths(afterRestored(l.run, w.Failed)) + " s" + sep(missing)
		l.failed, l.open, l.end = true, false, w.Failed
	case timeline.Recovered:
		switch {
		case w.KeptRunning:
			l.state = "kept running"
		case took != nil:
			l.state = "recovered " + tenths(*took) + " s"
		default:
			l.state = "recovered"
		}
		l.state += sep(missing)
	case timeline.Open:
		l.state = "open after " + tenths(afterRestored(l.run, l.run.End)) + " s" + sep(missing)
		l.open = true
	}
}

func sep(s string) string {
	if s == "" {
		return ""
	}
	return "; " + s
}

// missing lists the milestones that are missing, by reason.
func (d *drawing) missing(list []timeline.Milestone) string {
	by := map[timeline.Reason][]int{}
	var order []timeline.Reason
	for i := range list {
		m := &list[i]
		n := d.number(m.Name)
		if m.State != timeline.Missing || n == 0 {
			continue
		}
		if by[m.Reason] == nil {
			order = append(order, m.Reason)
		}
		by[m.Reason] = append(by[m.Reason], n)
	}
	var parts []string
	for _, r := range order {
		parts = append(parts, "no "+ranges(by[r])+" ("+reasonWords(r)+")")
	}
	return strings.Join(parts, ", ")
}

// ranges writes ascending numbers, those that follow each other as a range.
func ranges(list []int) string {
	slices.Sort(list)
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := strconv.Itoa(list[i])
		if j > i {
			part += "–" + strconv.Itoa(list[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// levelsFor is how many marks may stand above each other where there are so
// many lanes.
func levelsFor(lanes int) int {
	switch {
	case lanes <= 8:
		return 3
	case lanes <= 16:
		return 2
	}
	return 1
}

// A pinned is one mark on a lane, or several that are too close.
type pinned struct {
	x, width float64
	level    int
	of       []*timeline.Milestone
}

const pinRoom = 20

// pins places the milestones of a lane so that no mark covers another.
func (d *drawing) pins(l *lane, levels int) []pinned {
	var list []*timeline.Milestone
	for i := range l.list {
		m := &l.list[i]
		if m.State != timeline.Missing && d.number(m.Name) > 0 && d.axis.holds(afterRestored(l.run, m.At)) {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b *timeline.Milestone) int { return cmp.Compare(a.At, b.At) })
	ends := make([]float64, levels)
	last := make([]int, levels) // the mark at the end of each level, plus one
	var out []pinned
	for _, m := range list {
		x := d.x(afterRestored(l.run, m.At))
		level := slices.IndexFunc(ends, func(end float64) bool { return end <= x-pinRoom/2 })
		if level >= 0 {
			out = append(out, pinned{x: x, width: pinRoom, level: level, of: []*timeline.Milestone{m}})
			ends[level], last[level] = x+pinRoom/2, len(out)
			continue
		}
		level = levels - 1
		p := &out[last[level]-1]
		p.of = append(p.of, m)
		p.width = float64(columns.StringWidth(d.pillText(p)))*6 + 12
		ends[level] = p.x - pinRoom/2 + p.width
	}
	return out
}

func (d *drawing) pillText(p *pinned) string {
	var list []int
	for _, m := range p.of {
		list = append(list, d.number(m.Name))
	}
	return ranges(list)
}

// lane draws one lane: a bar from the restoration to the last milestone, in
// which the stages alternate, and a mark for each milestone.
func (d *drawing) lane(s *recoverySide, l *lane, levels int) {
	pins := d.pins(l, levels)
	high := 0
	for _, p := range pins {
		high = max(high, p.level)
	}
	const level = 19.0
	y := d.label(l.name, l.state, 22+float64(high)*level) + float64(high)*level/2
	d.bar(l, y)
	d.held(s, l, y)
	for _, p := range pins {
		py := y - float64(p.level)*level
		if p.level > 0 {
			d.line("sf-line", p.x, y, p.x, py)
		}
	}
	for _, p := range pins {
		py := y - float64(p.level)*level
		if len(p.of) == 1 {
			d.pin(d.number(p.of[0].Name), p.x, py, d.tooltip(l, p.of[0]))
			continue
		}
		var titles []string
		for _, m := range p.of {
			titles = append(titles, d.tooltip(l, m))
		}
		x := min(p.x-pinRoom/2, d.right+34-p.width)
		d.pill(d.pillText(&p), x, py, p.width, strings.Join(titles, "; "))
	}
}

// bar draws the stages of a lane, before them how long it waited during the
// loss or that it ran on, and, where it is open, how long it was seen to wait.
func (d *drawing) bar(l *lane, y float64) {
	zero := d.x(0)
	switch at := d.x(afterRestored(l.run, l.handed)); {
	case l.kept:
		d.used["kept"] = true
		d.line("sf-line", d.left, y, zero, y)
	case l.waited && at < zero:
		d.used["waited"] = true
		d.line("sf-wait", at, y, zero, y)
	}
	from := time.Duration(0)
	for i, end := range l.ends() {
		if end <= from {
			continue
		}
		class := "sf-bar"
		if i%2 == 1 {
			class = "sf-alt"
		}
		d.rect(class, d.x(from), y-3, d.x(end)-d.x(from), 6, "")
		from = end
	}
	end := d.x(afterRestored(l.run, l.end))
	switch {
	case l.open:
		d.line("sf-wait", d.x(from), y, end, y)
		d.arrow(end, y)
	case l.failed:
		d.used["failed"] = true
		d.line("sf-wait", d.x(from), y, end, y)
		d.cross(end, y, l.state)
	}
}

// ends are the times of the milestones that were reached, ordered.
func (l *lane) ends() []time.Duration {
	var ends []time.Duration
	for i := range l.list {
		if m := &l.list[i]; m.State == timeline.Reached {
			ends = append(ends, afterRestored(l.run, m.At))
		}
	}
	slices.Sort(ends)
	return ends
}

// held frames the stage that holds the recovery of a build back, on the lane
// that it is on.
func (d *drawing) held(s *recoverySide, l *lane, y float64) {
	h := &s.Slowest
	if h.Stage == "" || d.framed == s || l.shared != (h.Workload == "") || !l.shared && l.work != h.Workload {
		return
	}
	begin, ok := l.run.Restored.At, h.From == ""
	if m := l.milestone(h.From); m != nil && m.State == timeline.Reached {
		begin, ok = m.At, true
	}
	from := afterRestored(l.run, begin)
	m := milestoneIn(l.list, h.Stage)
	if !ok || m == nil || !h.Took.Censored && (m.State != timeline.Reached || afterRestored(l.run, m.At)-from != h.Took.D) {
		return // of another repetition
	}
	d.framed = s
	x, width := d.x(from), d.x(from+h.Took.D)-d.x(from)
	text := titleOf(d.v.declared(h.Stage)) + " " + took(&h.Took) + " s"
	d.rect("sf-held", x, y-9, max(width, 3), 18, "the stage that holds the recovery back: "+text)
	for _, short := range []string{"held back: " + text, text, took(&h.Took) + " s"} {
		if float64(columns.StringWidth(short))*7.2 < width-2*pinRoom {
			d.textAt(x+width/2, y+4, "sf-why", "middle", short)
			return
		}
	}
}

// milestone finds a milestone of the lane, or one that all work shares.
func (l *lane) milestone(name string) *timeline.Milestone {
	if m := milestoneIn(l.list, name); m != nil {
		return m
	}
	return milestoneIn(l.run.Shared, name)
}

// cross marks an end that is none of the wanted ones.
func (d *drawing) cross(x, y float64, title string) {
	fmt.Fprintf(&d.b, "<path class=\"sf-zero\" d=\"M%s %sL%s %sM%s %sL%s %s\"%s", num(x-5), num(y-5), num(x+5), num(y+5), num(x-5), num(y+5), num(x+5), num(y-5), d.end("path", title))
}

// tooltip says all that is known of a milestone.
func (d *drawing) tooltip(l *lane, m *timeline.Milestone) string {
	title := m.Name
	if n := d.number(m.Name); n > 0 {
		title = titleOf(&d.v.rows[n-1])
	}
	out := fmt.Sprintf("%s: %s s, %s", shown(title, 40), tenths(afterRestored(l.run, m.At)), precise(m.At))
	if m.Kind != "" {
		out += ", by " + shown(m.Kind, 12)
	}
	if m.Resolution > 0 {
		out += ", ± " + tenths(m.Resolution) + " s"
	}
	return out
}

// shares draws, for each milestone of single pieces of work, the share that
// had reached it over time.
func (d *drawing) shares(s *recoverySide) {
	d.y += 14
	for i, line := range d.wrapped("Share of the affected workloads that had reached each milestone; full height is all of them:", d.width-32, smallColumn) {
		if i > 0 {
			d.y += 14
		}
		d.text(16, "sf-small sf-say", line)
	}
	for i := range d.v.rows {
		m := &d.v.rows[i]
		if m.Shared {
			continue
		}
		r := s.Reach(m)
		if r.Of == 0 {
			continue
		}
		state := share(&r)
		if v := r.Took.Max; v != nil {
			state += ", last " + took(v) + " s"
		}
		state += sep(reasons(&r))
		const height = 30.0
		y := d.label(fmt.Sprintf("%d %s", i+1, titleOf(m)), state, height+6) + height/2
		d.area(&r, y, height)
		if v := r.Took.P50; v != nil && !v.Censored {
			d.pin(i+1, d.x(v.D), y-height/2, fmt.Sprintf("%s: half of them after %s s", titleOf(m), tenths(v.D)))
		}
	}
}

// area draws a share that rises with each piece of work, from y up.
func (d *drawing) area(r *timeline.Reach, y, height float64) {
	d.line("sf-grid", d.left, y-height, d.right, y-height)
	var b strings.Builder
	at, n := d.left, r.Before
	level := func() float64 { return y - height*float64(n)/float64(r.Of) }
	fmt.Fprintf(&b, "M%s %sV%s", num(d.left), num(y), num(level()))
	list := r.Took.Observed
	for i := range list {
		if list[i].Took.Censored {
			break
		}
		n++
		if x := d.x(list[i].Took.D); x-at >= 1 || i+1 == len(list) || list[i+1].Took.Censored {
			at = x
			fmt.Fprintf(&b, "H%sV%s", num(x), num(level()))
		}
	}
	fmt.Fprintf(&b, "H%sV%sZ", num(d.right), num(y))
	fmt.Fprintf(&d.b, "<path class=\"sf-area\" d=\"%s\"/>\n", b.String())
	if n < r.Of && r.Missing[timeline.CaptureEnded] > 0 {
		d.arrow(d.right, level())
	}
}
