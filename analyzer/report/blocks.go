package report

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/rules"
)

// Bounds on what is shown of broken rules.
const (
	briefBlocks = 12 // causes in short
	leastBriefs = 3  // of them, even where there is no room
	alsoRules   = 6  // rules named with their place that break by the same cause
	alsoBrief   = 2  // likewise below a cause in short
	restLines   = 3  // for the names of the rest
	restCost    = 6  // lines that naming a rest takes: so many more are no loss
)

// breaks returns a block for each cause that breaks rules, and the rules it
// tells of with their place. As many as fit the room have their evidence, at
// least the first; the others are told in short, and the rest by name.
func (s *screen) breaks(r *analyzer.Report, room int) (text string, told map[*rules.Rule]bool) {
	all := byCause(ranked(blocks(r, analyzer.Break)))
	var full, brief []string
	for _, b := range all {
		full = append(full, s.part(func() { s.full(b) }))
		brief = append(brief, s.part(func() { s.brief(b) }))
	}
	n, m := s.share(full, brief, room)
	var out strings.Builder
	told = map[*rules.Rule]bool{}
	for i, b := range all[:n+m] {
		most := alsoRules
		switch {
		case i < n:
			out.WriteString(full[i])
		case i == n:
			out.WriteByte('\n')
			fallthrough
		default:
			out.WriteString(brief[i])
			most = alsoBrief
		}
		told[b.first.Rule] = true
		for j, o := range b.also {
			if j < most || s.all {
				told[o.first.Rule] = true
			}
		}
	}
	if n+m < len(all) {
		out.WriteString(s.part(func() { s.rest(all[n+m:]) }))
	}
	return out.String(), told
}

// share returns how many blocks are shown in full, and how many after them in
// short.
func (s *screen) share(full, brief []string, room int) (n, m int) {
	if s.all {
		return len(full), 0
	}
	used := 0
	for n < len(full) {
		short := 0
		if rest := brief[n+1:]; len(rest) > 0 {
			short = 1 + lines(rest[:min(len(rest), briefBlocks)]...)
		}
		if n > 0 && used+lines(full[n])+short > room {
			break
		}
		used += lines(full[n])
		n++
	}
	rest := brief[n:]
	if used+1+lines(rest...) <= room+restCost {
		return n, len(rest)
	}
	used++ // the empty line
	for m < min(len(rest), briefBlocks) && (m < leastBriefs || used+lines(rest[m]) <= room) {
		used += lines(rest[m])
		m++
	}
	return n, m
}

// lines counts the lines of texts.
func lines(texts ...string) int {
	n := 0
	for _, t := range texts {
		n += strings.Count(t, "\n")
	}
	return n
}

// full writes a cause with its evidence.
func (s *screen) full(b *block) {
	s.line("")
	s.head(b)
	if len(b.scenarios) > 0 && (s.scenarios > 1 || b.declared()) {
		s.wrap("  ", b.where(6))
	}
	s.wrap("  ", bounded(withoutNearest(b.first)))
	if p := b.first.Parting; p != nil {
		s.field("stage", fmt.Sprintf("lines left %d → %d  after  %s", p.Deployed, p.Candidate, p.Stage))
	}
	s.evidence("deployed", b.first.Deployed, b.first.Said)
	s.evidence("candidate", b.first.Candidate, b.first.Said)
	for i := range b.first.Nearest {
		if i > 0 && !s.all {
			break
		}
		s.diff(&b.first.Nearest[i])
	}
	s.repair(b.first)
	s.also(b.also, alsoRules)
}

// head writes "BREAK  alert-lost  Name  file:1:2", the place at the right end
// or, where the width is small, in a line of its own.
func (s *screen) head(b *block) {
	const word, leastLeft = "BREAK", 24
	room := s.width - len(word)
	left := "  " + b.first.ID
	if t := clean(b.title()); t != "" {
		left += "  " + t
	}
	painted := s.paint(bold+";"+red, word)
	pos := s.fitted(b.first, room-columns.StringWidth(left)-2)
	over := columns.StringWidth(left) + 2 + columns.StringWidth(pos) - room
	switch n := columns.StringWidth(left) - over; {
	case pos == "":
		s.line("%s%s", painted, cut(left, room))
		return
	case over > 0 && n < leastLeft:
		s.line("%s%s", painted, cutMiddle(left, room))
		s.line("  %s", s.paint(dim, cutLeft(s.place(b.first.Pos), s.width-2)))
		return
	case over > 0:
		left = cutMiddle(left, n)
	}
	gap := room - columns.StringWidth(left) - columns.StringWidth(pos)
	s.line("%s%s%*s%s", painted, left, gap, "", s.paint(dim, pos))
}

// fitted prints the place of a finding in n columns, or in those that the name
// of the file takes.
func (s *screen) fitted(f *analyzer.Finding, n int) string {
	pos := s.place(f.Pos)
	file := columns.StringWidth(pos[strings.LastIndexByte(pos, '/')+1:])
	return cutLeft(pos, max(n, file+1))
}

// also writes the other rules that break by the same cause, one a line with
// its place, then those that do not fit by name.
func (s *screen) also(list []*block, most int) {
	const indent = 13
	for i, b := range list {
		label := ""
		if i == 0 {
			label = "also"
		}
		if i == most && !s.all {
			var names []string
			for _, o := range list[i:] {
				names = append(names, o.title())
			}
			s.field(label, fmt.Sprintf("and %d more: %s", len(list)-i, strings.Join(names, ", ")))
			return
		}
		s.line("  %s%s", s.paint(dim, fmt.Sprintf("%-11s", label)), s.entry(b, s.width-indent))
	}
}

// entry names a broken rule with its place in n columns.
func (s *screen) entry(b *block, n int) string {
	left := b.first.ID + "  " + clean(b.title())
	pos := cutLeft(s.fitted(b.first, n-columns.StringWidth(left)-2), n*2/3)
	return cutMiddle(left, n-columns.StringWidth(pos)-2) + "  " + pos
}

// brief writes a cause in short: the rule and its place, then why and, where
// there is room, the one other rule that breaks by it.
func (s *screen) brief(b *block) {
	const indent, leastCause = "  ", 15
	s.head(b)
	room := s.width - len(indent)
	cause := clean(b.first.Cause)
	if cause == "" {
		cause = bounded(withoutNearest(b.first))
	}
	// Scenarios are named where they are not simply all.
	where := ""
	if s.scenarios > 1 && (b.declared() || len(b.scenarios) < s.scenarios) {
		where = clean(b.where(2)) + ": "
	}
	if len(b.also) == 1 {
		other := b.also[0]
		also := ", also " + clean(other.title()) + " " + s.place(other.first.Pos)
		if left := room - columns.StringWidth(where+also); left >= leastCause {
			if p := b.first.Parting; p != nil && columns.StringWidth(cause) > left {
				cause = clean(p.Stage)
			}
			s.line("%s%s%s%s", indent, where, cut(cause, left), also)
			return
		}
	}
	s.line("%s%s", indent, cut(where+cause, room))
	s.also(b.also, alsoBrief)
}

// rest names the rules that are told of nowhere else.
func (s *screen) rest(list []*block) {
	var names []string
	for _, b := range list {
		names = append(names, clean(b.title()))
		for _, o := range b.also {
			names = append(names, clean(o.title()))
		}
	}
	text := fmt.Sprintf("… and %s (see --format json): %s", plural(len(names), "more broken rule"), strings.Join(names, ", "))
	s.wrap("  ", cut(text, restLines*(s.width-2)-s.width/4))
}
