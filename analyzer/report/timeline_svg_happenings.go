package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
)

// happened draws the alerts, actions and panics of a build.
func (d *drawing) happened(s *recoverySide) {
	rows, more := d.v.happeningRows(s, d.axis, svgAlerts)
	if len(rows) > 0 && rows[0].alert != nil {
		d.y += 16
		d.text(16, "sf-small", "Alerts:")
		d.y += 2
	}
	for i := range rows {
		if rows[i].alert != nil {
			d.alert(&rows[i])
		} else {
			d.events(&rows[i])
		}
	}
	if more > 0 {
		d.y += 15
		d.text(16, "sf-small", "… and "+plural(more, "more alert"))
	}
}

// alert draws when one alert was pending or fired.
func (d *drawing) alert(row *happeningRow) {
	const most = 200 // bars of one alert: more are closer than can be told apart
	y := d.label(row.title, row.status(), 18)
	bars := row.bars()
	for i := range bars[:min(len(bars), most)] {
		m := &bars[i]
		d.used[m.Kind.String()] = true
		class := "sf-fire"
		if m.Kind == analyzer.AlertPending {
			class = "sf-hold"
		}
		title := fmt.Sprintf("%s %s", m.Kind, m.stretch())
		if row.runs == 1 {
			title += fmt.Sprintf("; %s to %s", precise(m.From), precise(m.To))
		}
		x, width := d.x(m.from), max(d.x(m.to)-d.x(m.from), 3)
		d.rect(class, x, y-5, width, 10, title)
		if m.Kind == analyzer.AlertFiring && width > 44 {
			d.textAt(x+width/2, y+3.2, "sf-n", "middle", "firing")
		} else if m.Kind == analyzer.AlertPending && width > 54 {
			d.textAt(x+width/2, y+3.2, "sf-o", "middle", "pending")
		}
	}
}

// events draws moments with what happened beside them, in up to three rows;
// what finds no room there stands without words in a fourth.
func (d *drawing) events(row *happeningRow) {
	const rows, height, most = 3, 14.0, 60
	gap := time.Duration(16 / (d.right - d.left) / (1 - d.axis.zero) * float64(d.axis.to))
	groups := row.grouped(gap)
	left := max(len(groups)-most, 0)
	groups = groups[:len(groups)-left]
	state := fmt.Sprint(len(row.list))
	if row.off > 0 {
		state += fmt.Sprintf("; %d off the axis", row.off)
	}
	places, worded := d.places(groups, rows)
	used := worded
	for _, p := range places {
		used = max(used, min(p.row, worded)+1)
	}
	y := d.label(row.title, state, float64(used)*height+6) - float64(used-1)*height/2
	for i := range groups {
		g := &groups[i]
		x, py := d.x(g.first.from), y+float64(min(places[i].row, worded))*height
		d.glyph(g.first.Kind, x, py, g.tooltip())
		switch {
		case places[i].row == rows:
		case places[i].before:
			d.textAt(x-7, py+4, "sf-small sf-say", "end", shown(g.label(), 24))
		default:
			d.textAt(x+7, py+4, "sf-small sf-say", "", shown(g.label(), 24))
		}
	}
	if left > 0 {
		d.y += 14
		d.text(16, "sf-small", fmt.Sprintf("… and %d more", left))
	}
}

// An eventPlace is the row in which a group stands, and whether its words stand
// before its sign.
type eventPlace struct {
	row    int
	before bool
}

// places finds room for the words of groups in so many rows; a group without
// has the row after them. Worded are the rows that have words.
func (d *drawing) places(groups []happeningGroup, rows int) (out []eventPlace, worded int) {
	ends := make([]float64, rows)
	for i := range groups {
		x := d.x(groups[i].first.from)
		width := float64(columns.StringWidth(shown(groups[i].label(), 24)))*smallColumn + 12
		p := eventPlace{row: rows}
		for j := range ends {
			if ends[j] <= x-6 && x+width <= d.right+34 {
				p, ends[j] = eventPlace{row: j}, x+width
				break
			}
			if ends[j] <= x-width && x-width >= d.left && x+width > d.right+34 {
				p, ends[j] = eventPlace{j, true}, x+6
				break
			}
		}
		if p.row < rows {
			worded = max(worded, p.row+1)
		}
		out = append(out, p)
	}
	return out, worded
}

// tooltip says what happened, when and to what.
func (g *happeningGroup) tooltip() string {
	var b strings.Builder
	b.WriteString(shown(g.label(), 60))
	if g.first.Detail != "" {
		b.WriteString(", " + shown(g.first.Detail, 60))
	}
	fmt.Fprintf(&b, ": %s s, %s", tenths(g.first.from), precise(g.first.From))
	return b.String()
}

// glyph draws an action as an open flag, one by hand as a full one, a panic as
// a cross.
func (d *drawing) glyph(kind analyzer.HappeningKind, x, y float64, title string) {
	d.used[kind.String()] = true
	class := "sf-open"
	switch kind {
	case analyzer.PanicSeen:
		d.cross(x, y, title)
		return
	case analyzer.ManualAction:
		class = "sf-hand"
	}
	fmt.Fprintf(&d.b, "<path class=\"%s\" d=\"M%s %sh10l-5 9z\"%s", class, num(x-5), num(y-4), d.end("path", title))
}

// legend says what the signs mean.
func (d *drawing) legend() {
	type sign struct {
		text string
		draw func(x, y float64)
	}
	var signs []sign
	for i := range d.v.rows {
		text := shown(titleOf(&d.v.rows[i]), 34)
		signs = append(signs, sign{text, func(x, y float64) { d.pin(i+1, x, y, "") }})
	}
	for _, s := range []struct {
		class string
		sign
	}{
		{"pill", sign{"several, too close to part", func(x, y float64) { d.pill("2–4", x-15, y, 30, "") }}},
		{"waited", sign{"waiting since it was handed in", func(x, y float64) { d.line("sf-wait", x-14, y, x+14, y) }}},
		{"kept", sign{"kept running", func(x, y float64) { d.line("sf-line", x-14, y, x+14, y) }}},
		{"arrow", sign{"had not come when the capture ended", func(x, y float64) {
			d.line("sf-wait", x-14, y, x+10, y)
			d.arrow(x+10, y)
		}}},
		{"failed", sign{"failed", func(x, y float64) {
			d.line("sf-wait", x-14, y, x+6, y)
			d.cross(x+6, y, "")
		}}},
		{"loss", sign{"the connection was lost", func(x, y float64) { d.line("sf-loss", x, y-9, x, y+9) }}},
		{"firing", sign{"alert firing", func(x, y float64) { d.rect("sf-fire", x-14, y-5, 28, 10, "") }}},
		{"pending", sign{"alert pending", func(x, y float64) { d.rect("sf-hold", x-14, y-5, 28, 10, "") }}},
		{"action", sign{"action", func(x, y float64) { d.glyph(analyzer.ActionDone, x, y, "") }}},
		{"manual-action", sign{"action by hand", func(x, y float64) { d.glyph(analyzer.ManualAction, x, y, "") }}},
		{"panic", sign{"panic", func(x, y float64) { d.glyph(analyzer.PanicSeen, x, y, "") }}},
	} {
		if d.used[s.class] {
			signs = append(signs, s.sign)
		}
	}
	d.y += 14
	across := max(int((d.width-32)/290), 1)
	for i, s := range signs {
		if i%across == 0 {
			d.y += 24
		}
		x := 16 + float64(i%across)*(d.width-32)/float64(across)
		s.draw(x+16, d.y-4)
		d.textAt(x+38, d.y, "sf-small", "", s.text)
	}
	if n := len(d.v.Declared) - len(d.v.rows); n > 0 {
		d.y += 16
		d.text(16, "sf-small", "… and "+plural(n, "more milestone"))
	}
}
