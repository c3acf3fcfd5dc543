package report

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// num writes a coordinate to a tenth, the same on every machine.
func num(f float64) string {
	s := strconv.FormatFloat(f, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// escaped makes text safe inside an element or an attribute.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(clean(s))) // into memory: it cannot fail
	return b.String()
}

// shown cleans a name and cuts it in the middle to n columns.
func shown(s string, n int) string { return cutMiddle(clean(s), n) }

// fitted cuts text to a width, at so many units for a column.
func fitted(s string, width, column float64) string {
	return cutMiddle(s, max(int(width/column), 2))
}

// x is where a time since the restoration is drawn.
func (d *drawing) x(at time.Duration) float64 {
	return d.left + d.axis.place(at)*(d.right-d.left)
}

// text writes text at x on the line y.
func (d *drawing) text(x float64, class, s string) { d.textAt(x, d.y, class, "", s) }

func (d *drawing) textAt(x, y float64, class, anchor, s string) {
	if anchor != "" {
		anchor = ` text-anchor="` + anchor + `"`
	}
	fmt.Fprintf(&d.b, "<text class=\"%s\" x=\"%s\" y=\"%s\"%s>%s</text>\n", class, num(x), num(y), anchor, escaped(s))
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&d.b, "<path class=\"%s\" d=\"M%s %sL%s %s\"/>\n", class, num(x1), num(y1), num(x2), num(y2))
}

func (d *drawing) rect(class string, x, y, width, height float64, title string) {
	fmt.Fprintf(&d.b, "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"%s", class, num(x), num(y), num(width), num(height), d.end("rect", title))
}

// end closes an element, around its title where it has one.
func (d *drawing) end(element, title string) string {
	if title == "" || d.spare.titles {
		return "/>\n"
	}
	return "><title>" + escaped(title) + "</title></" + element + ">\n"
}

// arrow draws an open head that points to the right.
func (d *drawing) arrow(x, y float64) {
	d.used["arrow"] = true
	fmt.Fprintf(&d.b, "<path class=\"sf-line\" d=\"M%s %sL%s %sL%s %s\"/>\n", num(x-6), num(y-5), num(x), num(y), num(x-6), num(y+5))
}

// Widths of a column of text, taken large: fonts differ.
const (
	nameColumn  = 6.7
	smallColumn = 6.4
	tinyColumn  = 5.9
)

// wrapped breaks text into lines, at so many units for a column.
func (d *drawing) wrapped(s string, width, column float64) []string {
	room := max(int(width/column), 10)
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(clean(s)) {
		word = cutMiddle(word, room)
		switch {
		case line == "":
			line = word
		case columns.StringWidth(line)+1+columns.StringWidth(word) > room:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// label writes the name of a lane and its state, and returns the middle of a
// lane of the height.
func (d *drawing) label(name, state string, height float64) (y float64) {
	if d.stacked {
		d.labelAbove(name, state)
		d.y += 2 + height
		return d.y - height/2
	}
	d.y += height
	y = d.y - height/2
	d.textAt(16, y+4, "sf-name", "", fitted(name, d.left-34, nameColumn))
	room := d.width - d.state - 4
	first, second, two := strings.Cut(state, "; ")
	if !two || float64(columns.StringWidth(state))*smallColumn <= room {
		d.textAt(d.state, y+4, "sf-small", "", fitted(state, room, smallColumn))
		return y
	}
	d.textAt(d.state, y-1, "sf-tiny", "", fitted(first, room, tinyColumn))
	d.textAt(d.state, y+9, "sf-tiny", "", fitted(second, room, tinyColumn))
	return y
}

// labelAbove writes the name of a lane and its state above it, on one line or,
// where they do not fit, on two.
func (d *drawing) labelAbove(name, state string) {
	room := d.width - 32
	d.y += 13
	d.textAt(16, d.y, "sf-name sf-say", "", fitted(name, room, nameColumn))
	if float64(columns.StringWidth(name))*nameColumn+float64(columns.StringWidth(state))*smallColumn+10 > room {
		d.y += 13
	}
	d.textAt(d.width-16, d.y, "sf-small sf-say", "end", fitted(state, room, smallColumn))
}

// shapePaths are the outlines of marks, around 0,0. Those of later milestones
// are drawn open instead of full.
var shapePaths = [...]string{
	"M-8 0A8 8 0 1 0 8 0A8 8 0 1 0 -8 0Z", // circle
	"M-7.5 -7.5H7.5V7.5H-7.5Z",            // square
	"M0 -9.5L9.5 0L0 9.5L-9.5 0Z",         // diamond
	"M0 -10L10 7.5H-10Z",                  // triangle
	"M-10 -7.5H10L0 10Z",                  // triangle, point down
	"M-5 -8.5H5L10 0L5 8.5H-5L-10 0Z",     // hexagon
	"M-7.5 -2L0 -9.5L7.5 -2V7.5H-7.5Z",    // house
	"M-4 -9H4V-4H9V4H4V9H-4V4H-9V-4H-4Z",  // cross
}

// textShift moves the number in a shape to its middle.
var textShift = [...]float64{3.2, 3.2, 3.2, 6, 1, 3.2, 4.5, 3.2}

// shape returns which outline a milestone has, and whether it is full.
func shape(number int) (outline int, full bool) {
	n := len(shapePaths)
	return (number - 1) % n, (number-1)/n%2 == 0
}

// shapes defines the outlines that are used.
func (d *drawing) shapes() {
	d.b.WriteString("<defs>\n")
	for i, p := range shapePaths {
		if d.used["s"+strconv.Itoa(i)] {
			fmt.Fprintf(&d.b, "<path id=\"%s-s%d\" d=\"%s\"/>\n", d.id, i, p)
		}
	}
	d.b.WriteString("</defs>\n")
}

// pin draws the mark of a milestone.
func (d *drawing) pin(number int, x, y float64, title string) {
	outline, full := shape(number)
	class, text := "sf-full", "sf-n"
	if !full {
		class, text = "sf-open", "sf-o"
	}
	ref := "s" + strconv.Itoa(outline)
	d.used[ref] = true
	fmt.Fprintf(&d.b, "<g><use class=\"%s\" href=\"#%s-%s\" x=\"%s\" y=\"%s\"/><text class=\"%s\" x=\"%s\" y=\"%s\">%d</text>%s",
		class, d.id, ref, num(x), num(y), text, num(x), num(y+textShift[outline]), number, d.group(title))
}

// group closes a group that has a title.
func (d *drawing) group(title string) string {
	if title == "" || d.spare.titles {
		return "</g>\n"
	}
	return "<title>" + escaped(title) + "</title></g>\n"
}

// pill draws several milestones that are too close to each other to be drawn
// one by one.
func (d *drawing) pill(text string, x, y, width float64, title string) {
	d.used["pill"] = true
	fmt.Fprintf(&d.b, "<g><rect class=\"sf-full\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"15\" rx=\"7.5\"/><text class=\"sf-n\" x=\"%s\" y=\"%s\">%s</text>%s",
		num(x), num(y-7.5), num(width), num(x+width/2), num(y+3.2), escaped(text), d.group(title))
}
