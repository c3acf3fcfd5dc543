package report

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/rules"
)

// Bounds on what is shown of broken rules.
const (
	firstScreen = 40 // lines for the verdict and what breaks
	leastTerse  = 3  // causes that are told at least, even where there is no room
	alsoLines   = 2  // for the rules that break by the same cause
	briefLines  = 3  // for what is said of a cause in short
	writeLines  = 2  // for what to write instead
	restLines   = 3  // for the names of the rest
	restCost    = 4  // lines that naming a rest takes: so many more are no loss
)

// Ways to tell of a cause, from the shortest.
const (
	terse = iota // the rule and its place, and a line of why and what to write
	short        // the same in two lines
	brief        // in sentences, with what proves it and the other rules
	full         // with the evidence
	ways
)

// breaks returns a block for each cause that breaks rules, and the rules that
// it tells of. All causes are told as long as there is room for a line of each, the
// rest by name. What room is left makes those longer that come first.
func (s *screen) breaks(room int) (text string, told map[*rules.Rule]bool) {
	all := byCause(s.t.ranked(blocks(s.t.r, analyzer.Break)))
	texts := make([][ways]string, len(all))
	for i, b := range all {
		texts[i] = [ways]string{
			s.part(func() { s.terse(b, 1) }), s.part(func() { s.terse(b, 2) }),
			s.part(func() { s.brief(b) }), s.part(func() { s.full(b) }),
		}
	}
	var out strings.Builder
	told = map[*rules.Rule]bool{}
	chosen := s.share(texts, room)
	for i, way := range chosen {
		if way != full && (i == 0 || chosen[i-1] == full) {
			out.WriteByte('\n')
		}
		out.WriteString(texts[i][way])
		told[all[i].first.Rule] = true
		for _, o := range all[i].also {
			told[o.first.Rule] = true // with what it breaks by, if not by name
		}
	}
	if len(chosen) < len(all) {
		out.WriteString(s.part(func() { s.rest(all[len(chosen):]) }))
	}
	return out.String(), told
}

// share returns how each of the blocks is told for which there is room.
func (s *screen) share(texts [][ways]string, room int) []int {
	chosen := make([]int, 0, len(texts))
	if s.all {
		for range texts {
			chosen = append(chosen, full)
		}
		return chosen
	}
	used := 1 // the empty line before those in short
	for _, t := range texts {
		used += lines(t[terse])
	}
	if used > room+restCost {
		used = 1
		for i, t := range texts {
			if used += lines(t[terse]); i >= leastTerse && used > room {
				break
			}
			chosen = append(chosen, terse)
		}
		return chosen
	}
	chosen = chosen[:len(texts)]
	longer := func(way int, among [][ways]string) {
		for i, t := range among {
			if more := lines(t[way]) - lines(t[chosen[i]]); chosen[i] < way && used+more <= room {
				used += more
				chosen[i] = way
			}
		}
	}
	longer(brief, texts[:min(len(texts), 1)])
	for way := range ways {
		longer(way, texts)
	}
	return chosen
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
	f := b.first
	s.line("")
	s.head(b)
	s.wrap("  ", bounded(s.t.consequence(b)))
	if when, _, ok := strings.Cut(f.Message, ": "+f.Cause); ok && f.Cause != "" && strings.Contains(when, "(") {
		s.field("when", when)
	}
	if p := f.Parting; p != nil {
		s.field("stage", fmt.Sprintf("lines left %d → %d  after  %s", p.Deployed, p.Candidate, p.Stage))
	}
	s.evidence("deployed", f.Deployed, f.Said)
	s.evidence("candidate", f.Candidate, f.Said)
	for i := range f.Nearest {
		if i > 0 && !s.all {
			break
		}
		s.diff(&f.Nearest[i])
	}
	s.remedy(b, true)
	s.alsoLong(b)
}

// brief writes a cause in short: the rule and its place, the consequence and
// since when, and what to write instead.
func (s *screen) brief(b *block) {
	s.head(b)
	s.wrapUpTo(briefLines, "  ", "  ", bounded(s.t.consequence(b)))
	s.remedy(b, false)
	s.also(b, alsoLines)
}

// terse writes a cause without ado: the rule and its place, with the others
// that break by it, then, in so many lines at most, what to write or else why.
func (s *screen) terse(b *block, most int) {
	others := s.others(b)
	s.headed(b, others)
	text := s.t.short(b)
	switch write, proof := s.t.remedy(b); {
	case write != "":
		text += "; write " + write
		proof = strings.Replace(proof, " where it must", "", 1)
		if both := text + " (" + proof + ")"; columns.StringWidth(clean(both)) <= most*(s.width-12) {
			text = both
		}
	case proof != "":
		text += ": " + since(b.first) + "; no repair: " + proof
	default:
		text += ": " + since(b.first)
	}
	tail := ""
	if len(b.also) > 0 && others == "" {
		tail = fmt.Sprintf(" +%d more", len(b.also))
	}
	if most > 1 {
		s.wrapUpTo(most, "  ", "  ", bounded(text)+tail)
		return
	}
	s.line("  %s%s", cut(clean(text), s.width-2-len(tail)), tail)
}

// others names the rules that break by the cause of a block, to stand after
// its own name; empty where there is no room for that.
func (s *screen) others(b *block) string {
	if len(b.also) == 0 {
		return ""
	}
	var names []string
	for _, o := range b.also {
		names = append(names, clean(o.title()))
	}
	text := " + " + strings.Join(names, ", ")
	own := columns.StringWidth("BREAK  "+b.first.ID+"  "+clean(b.title())) + 2 + columns.StringWidth(s.place(b.first.Pos))
	if own+columns.StringWidth(text) > s.width {
		return ""
	}
	return text
}

// remedy writes what to write instead, and what proves it, or what is missing.
// In long it also writes the lines that the change matches.
func (s *screen) remedy(b *block, long bool) {
	const indent = "             "
	write, proof := s.t.remedy(b)
	label := func(name string) string { return "  " + s.paint(dim, fmt.Sprintf("%-11s", name)) }
	switch {
	case write == "" && proof == "":
		return
	case write == "":
		s.wrapUpTo(writeLines, label("repair"), indent, "none: "+bounded(proof))
		return
	}
	write = clean(write)
	if joined := write + "  (" + proof + ")"; !long && columns.StringWidth(joined) <= s.width-len(indent) {
		s.line("%s%s", label("write"), joined)
		return
	}
	s.wrapUpTo(writeLines, label("write"), indent, bounded(write))
	s.wrapUpTo(writeLines, label("tried"), indent, proof)
	if long {
		s.wrapUpTo(writeLines, label(""), indent, "lines: "+proven(b.first))
	}
}

// head writes "BREAK  alert-lost  Name  file:1:2", the place at the right end
// or, where the width is small, in a line of its own.
func (s *screen) head(b *block) { s.headed(b, "") }

// headed is [screen.head] with something after the name.
func (s *screen) headed(b *block, after string) {
	const word, leastLeft = "BREAK", 24
	room := s.width - len(word)
	left := "  " + b.first.ID
	if t := clean(b.title()) + after; t != "" {
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

// also names the other rules that break by the same cause, with their places.
func (s *screen) also(b *block, most int) {
	const indent = "             "
	if len(b.also) == 0 {
		return
	}
	var names []string
	file, id := b.first.Pos.File, ""
	for _, o := range b.also {
		name := clean(o.title())
		switch p := o.first.Pos; {
		case p.Line == 0 && o.first.ID == id:
		case p.Line == 0:
			id = o.first.ID
			name = id + " " + name
		case p.File == file:
			name += fmt.Sprintf(" :%d", p.Line)
		default:
			file = p.File
			p.Column = 0
			name += " " + s.place(p)
		}
		names = append(names, name)
	}
	head := "  " + s.paint(dim, fmt.Sprintf("%-11s", "also"))
	text := strings.Join(names, ", ")
	if n := len(wrapped(text, s.width-len(indent), s.width-len(indent))); n > most {
		what := "more rule"
		if b.first.Rule == nil {
			what = "more finding"
		}
		text = fmt.Sprintf("%s: %s", plural(len(names), what), text)
	}
	s.wrapUpTo(most, head, indent, text)
}

// alsoLong is [screen.also] with a paragraph for each: what becomes of it and,
// where that is another change, what to write in it.
func (s *screen) alsoLong(b *block) {
	const indent = "             "
	if !s.all {
		s.also(b, alsoLines)
		return
	}
	for i, o := range b.also {
		label := ""
		if i == 0 {
			label = "also"
		}
		s.wrapFrom("  "+s.paint(dim, fmt.Sprintf("%-11s", label)), indent, o.first.ID+" "+o.title()+" "+s.place(o.first.Pos))
		s.wrap(indent, bounded(s.t.consequence(o)))
		if write, proof := s.t.remedy(o); write != "" {
			s.wrap(indent, "write "+bounded(write))
			s.wrap(indent, proof)
		}
	}
}

// sameStage reports whether what mends one block mends the other.
func sameStage(a, b *block) bool {
	p, q := a.first.Parting, b.first.Parting
	return p != nil && q != nil && p.Stage == q.Stage
}

// rest names the rules that are told of nowhere else.
func (s *screen) rest(list []*block) {
	var names []string
	for _, b := range list {
		names = append(names, b.title())
		for _, o := range b.also {
			names = append(names, o.title())
		}
	}
	s.wrapUpTo(restLines, "  ", "  ", fmt.Sprintf("… and %s (--all shows all): %s", plural(len(names), "more broken rule"), strings.Join(names, ", ")))
}
