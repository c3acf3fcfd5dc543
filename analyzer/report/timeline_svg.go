package report

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/timeline"
)

// Bounds of a picture.
const (
	defaultSVGWidth = 960
	leastSVGWidth   = 320
	wideSVG         = 640 // from here on labels stand beside the lanes, not above
	mostLanes       = 30  // more work of one build is aggregated
	svgAlerts       = 12  // of each build
	maxSVG          = 200 << 10
)

// TimelineSVG draws r.Timelines[i]: the builds above each other on one time
// axis, a lane for each affected piece of work or, where there are more than
// 30, one for each milestone with the share of the work that had reached it;
// below them alerts, actions and panics. The picture is one SVG element without
// scripts and references to elsewhere, at most 200 KiB, black on white in print
// and light on dark where the reader prefers that.
func TimelineSVG(r *analyzer.Report, i int) []byte {
	return picture(newRecovery(r, &r.Timelines[i]), defaultSVGWidth)
}

// picture draws a recovery, as rich as fits.
func picture(v *recovery, width int) []byte {
	width = max(width, leastSVGWidth)
	var out []byte
	for _, spare := range []sparing{{}, {titles: true}, {titles: true, lanes: true}} {
		out = newDrawing(v, width, spare).document()
		if len(out) <= maxSVG {
			break
		}
	}
	return out
}

// A sparing says what a picture that would be too large does without.
type sparing struct {
	titles bool // of single marks
	lanes  bool // of single pieces of work
}

// A drawing is an SVG under construction; y grows downwards with it.
type drawing struct {
	b     bytes.Buffer
	v     *recovery
	spare sparing
	axis  axis
	// id begins the ids of the picture, so that several fit one page.
	id          string
	width, y    float64
	left, right float64 // of the plot
	state       float64 // where what became of a lane stands
	stacked     bool    // labels stand above the lanes
	used        map[string]bool
	framed      *recoverySide // of which the stage that holds it back was drawn
	grids       []span        // of the plot, from top to bottom
}

// A span is the stretch of the y axis that a build takes.
type span struct {
	from, to float64
	loss     *float64 // where on the x axis its connection was lost
}

func newDrawing(v *recovery, width int, spare sparing) *drawing {
	d := &drawing{v: v, spare: spare, axis: axisOf(v), width: float64(width), used: map[string]bool{}}
	h := fnv.New32a()
	_, _ = h.Write([]byte(v.Scenario)) // a hash takes anything
	d.id = "r" + strconv.FormatUint(uint64(h.Sum32()), 16)
	d.left, d.right = 16, d.width-36
	if d.stacked = width < wideSVG; !d.stacked {
		d.left, d.state = 226, d.width-206
		d.right = d.state - 34
	}
	return d
}

// document draws everything.
func (d *drawing) document() []byte {
	d.heading()
	d.ruler()
	for i := range d.v.sides {
		d.side(&d.v.sides[i])
	}
	d.ruler()
	d.legend()
	body := d.b.String()
	d.b.Reset()
	height := num(d.y + 12)
	fmt.Fprintf(&d.b, `<svg xmlns="http://www.w3.org/2000/svg" class="sf" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-labelledby="%s-t %s-d">`+"\n",
		num(d.width), height, num(d.width), height, d.id, d.id)
	fmt.Fprintf(&d.b, "<title id=\"%s-t\">%s</title>\n<desc id=\"%s-d\">%s</desc>\n", d.id, escaped("Recovery timeline of "+shown(d.v.Scenario, 80)), d.id, escaped(d.v.describe()))
	d.b.WriteString(svgStyle)
	d.shapes()
	fmt.Fprintf(&d.b, `<rect class="sf-paper" width="%s" height="%s"/>`+"\n", num(d.width), height)
	d.grid()
	d.b.WriteString(body)
	d.b.WriteString("</svg>\n")
	return d.b.Bytes()
}

// svgStyle gives each class its colours: of paper and print, and of dark
// screens. Nothing is told by a colour alone.
const svgStyle = `<style>
.sf{font-family:system-ui,"DejaVu Sans",Arial,sans-serif;font-size:12px;max-width:100%;height:auto}
.sf text{fill:#111}
.sf .sf-name{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:11px}
.sf .sf-small{font-size:11px;fill:#444}
.sf .sf-tiny{font-size:10px;fill:#444}
.sf .sf-title{font-size:16px;font-weight:bold}
.sf .sf-head{font-size:13px;font-weight:bold}
.sf .sf-n{font-size:9px;font-weight:bold;fill:#fff;text-anchor:middle}
.sf .sf-o{font-size:9px;font-weight:bold;text-anchor:middle}
.sf .sf-say{paint-order:stroke;stroke:#fff;stroke-width:3}
.sf-paper{fill:#fff}
.sf-full{fill:#111;stroke:#fff;stroke-width:1}
.sf-open{fill:#fff;stroke:#111;stroke-width:1.5}
.sf-hand{fill:#111;stroke:#111}
.sf-grid{stroke:#ddd}
.sf-zero{stroke:#111;stroke-width:1.5}
.sf-loss{stroke:#111;stroke-dasharray:2 3}
.sf-rule{stroke:#999}
.sf-bar{fill:#bbb}
.sf-alt{fill:#888}
.sf-held{fill:#fff;stroke:#111;stroke-width:1.5}
.sf .sf-why{font-size:11px;font-weight:bold}
.sf-line{fill:none;stroke:#111}
.sf-wait{fill:none;stroke:#111;stroke-width:1.5;stroke-dasharray:5 3}
.sf-fire{fill:#b3261e;stroke:#111}
.sf-hold{fill:none;stroke:#111;stroke-dasharray:3 2}
.sf-area{fill:#ccc;stroke:#111}
@media screen and (prefers-color-scheme:dark){
.sf text{fill:#eee}
.sf .sf-small,.sf .sf-tiny{fill:#bbb}
.sf .sf-n{fill:#15181c}
.sf .sf-say{stroke:#15181c}
.sf-paper{fill:#15181c}
.sf-full{fill:#eee;stroke:#15181c}
.sf-hand{fill:#eee;stroke:#eee}
.sf-open,.sf-held{fill:#15181c;stroke:#eee}
.sf-grid{stroke:#333a42}
.sf-zero,.sf-loss,.sf-line,.sf-wait,.sf-hold{stroke:#eee}
.sf-rule{stroke:#777}
.sf-bar{fill:#4a525c}
.sf-alt{fill:#7b8591}
.sf-fire{fill:#e5635a;stroke:#eee}
.sf-area{fill:#4a525c;stroke:#eee}
}
</style>
`

// heading says what the picture shows.
func (d *drawing) heading() {
	d.y = 24
	d.text(16, "sf-title", fitted("Recovery: "+shown(d.v.Scenario, 80), d.width-32, 9.5))
	for _, line := range d.wrapped("Seconds since the connection was restored. What the numbers and signs mean stands at the bottom.", d.width-32, smallColumn) {
		d.y += 16
		d.text(16, "sf-small", line)
	}
	if times, ok := d.axis.broken(); ok {
		for _, line := range d.wrapped("The scale changes at 0: the time before it is drawn "+times+" times narrower.", d.width-32, smallColumn) {
			d.y += 16
			d.text(16, "sf-small", line)
		}
	}
	d.y += 10
}

// ruler writes the labels of the axis.
func (d *drawing) ruler() {
	d.y += 14
	end := 0.0
	zero := d.x(0)
	for _, t := range d.axis.ticks(max(int((d.right-d.left)/64), 2)) {
		label := t.label + " s"
		half := 3.4 * float64(len(label))
		x := d.x(t.at)
		// The loss yields to the restoration where both do not fit.
		if x-half < end || t.at < 0 && x+half > zero-12 {
			continue
		}
		d.textAt(min(max(x, half+2), d.width-half-2), d.y, "sf-small", "middle", label)
		end = x + half + 4
	}
	d.y += 6
}

// grid draws the lines of the axis behind everything.
func (d *drawing) grid() {
	for _, t := range d.axis.ticks(max(int((d.right-d.left)/64), 2)) {
		class := "sf-grid"
		if t.at == 0 {
			class = "sf-zero"
		}
		for _, g := range d.grids {
			d.line(class, d.x(t.at), g.from, d.x(t.at), g.to)
		}
	}
	for _, g := range d.grids {
		if g.loss != nil {
			d.line("sf-loss", *g.loss, g.from, *g.loss, g.to)
		}
	}
}

// side draws one build.
func (d *drawing) side(s *recoverySide) {
	d.line("sf-rule", 0, d.y+2, d.width, d.y+2)
	d.y += 6
	for _, line := range d.wrapped(shown(s.title(), 60)+": "+s.tally(), d.width-32, 8.2) {
		d.y += 16
		d.text(16, "sf-head", line)
	}
	var more []string
	if at := s.restoredAt(); len(at) > 0 {
		more = append(more, "restored at "+names(at, 2))
	}
	if held := d.v.holdsBack(s); held != "" {
		more = append(more, held)
	}
	for _, text := range more {
		for _, line := range d.wrapped(text, d.width-32, smallColumn) {
			d.y += 14
			d.text(16, "sf-small", line)
		}
	}
	d.y += 6
	from := d.y
	d.lanes(s)
	d.happened(s)
	g := span{from: from, to: d.y}
	for i := range s.Runs {
		run := &s.Runs[i]
		if run.Restored.State == timeline.Reached && run.Failure.At != 0 {
			x := d.x(afterRestored(run, run.Failure.At))
			g.loss, d.used["loss"] = &x, true
			break
		}
	}
	d.grids = append(d.grids, g)
	d.y += 8
}

// describe is the picture in words, for those who do not see it.
func (v *recovery) describe() string {
	var parts []string
	for i := range v.sides {
		s := &v.sides[i]
		parts = append(parts, shown(s.title(), 60)+": "+s.tally()+".")
		if held := v.holdsBack(s); held != "" {
			parts = append(parts, "It is "+shown(held, 300)+".")
		}
	}
	for i := range v.rows {
		m := &v.rows[i]
		var words []string
		for j := range v.sides {
			x := v.sides[j].Reach(m)
			words = append(words, v.sides[j].role+" "+reachWords(&x))
		}
		parts = append(parts, shown(titleOf(m), 60)+": "+strings.Join(words, "; ")+".")
	}
	return strings.Join(parts, " ")
}

// reachWords says when a milestone was reached.
func reachWords(x *timeline.Reach) string {
	last := x.Took.Max
	switch {
	case x.Of == 0:
		return "nothing was affected"
	case last == nil && x.Before > 0:
		return "before the restoration"
	case last == nil:
		return "missing, " + reasons(x)
	case x.Of == 1 && last.Censored:
		return "not within " + tenths(last.D) + " s"
	case x.Of == 1:
		return "after " + tenths(last.D) + " s"
	case last.Censored:
		return fmt.Sprintf("%s of them, not all within %s s", share(x), tenths(last.D))
	}
	return fmt.Sprintf("%s of them, the last after %s s", share(x), tenths(last.D))
}

// number is that of a milestone in the picture, from 1; 0: it is not shown.
func (d *drawing) number(name string) int {
	return 1 + slices.IndexFunc(d.v.rows, func(m timeline.Declared) bool { return m.Name == name })
}
