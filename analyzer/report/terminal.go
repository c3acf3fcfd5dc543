package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
)

// Bounds that keep a terminal report to a screen or two.
const (
	defaultWidth = 100
	fullBlocks   = 4 // broken rules shown with evidence
	shortBlocks  = 10
	warnedRules  = 4 // rules named of one warning
	alsoRules    = 3 // rules named that break by the same cause
	matrixRows   = 12
	problemRows  = 6
)

// renderTerminal writes what a person needs first: the verdict, then what
// breaks, with the evidence.
func renderTerminal(w io.Writer, r *analyzer.Report, o Options) error {
	s := &screen{w: bufio.NewWriter(w), width: max(cmp.Or(o.Width, defaultWidth), 40), color: o.Color, all: o.All, scenarios: len(r.Scenarios)}
	s.headline(r)
	s.problems(r)
	s.breaks(r)
	s.warnings(r)
	s.infos(r)
	s.matrix(r)
	s.list("Notes", r.Notes)
	s.list("What to try next", next(r))
	return s.w.Flush()
}

func (s *screen) headline(r *analyzer.Report) {
	code := map[analyzer.Verdict]string{analyzer.Pass: green, analyzer.Fail: red, analyzer.Inconclusive: yellow}[r.Verdict]
	word := strings.ToUpper(r.Verdict.String())
	head := clean(headline(r))
	if columns.StringWidth(head) <= s.width-len(word)-2 {
		s.line("%s  %s", s.paint(bold+";"+code, word), head)
	} else {
		s.line("%s", s.paint(bold+";"+code, word))
		s.wrap("", head)
	}
	s.wrap("", sizes(r)+": "+counts(r)+"; "+meaning(r.Verdict)+".")
}

func (s *screen) problems(r *analyzer.Report) {
	if len(r.Problems) == 0 {
		return
	}
	s.line("\n%s", s.paint(bold+";"+red, "INVALID  "+plural(len(r.Problems), "item")))
	s.wrap("  ", "not looked at; exit code 2")
	for i, p := range r.Problems {
		if i == problemRows && !s.all {
			s.more(len(r.Problems)-i, "invalid items")
			return
		}
		s.wrap("  ", p.Error())
	}
}

// breaks writes a block for each broken rule: some in full, more in one line
// each, the rest as a number.
func (s *screen) breaks(r *analyzer.Report) {
	all := byCause(declaredFirst(blocks(r, analyzer.Break)))
	left := 0
	for i, b := range all {
		switch {
		case i < fullBlocks || s.all:
			s.full(b)
		case i < fullBlocks+shortBlocks:
			if i == fullBlocks {
				s.line("")
			}
			s.brief("BREAK", red, b)
		default:
			left += 1 + len(b.also)
		}
	}
	if left > 0 {
		s.more(left, "broken rules")
	}
}

// head writes "BREAK alert-lost  Name  file:1:2", the place at the right end.
func (s *screen) head(word, code string, b *block) {
	pos := clean(b.first.Pos.String())
	left := word + "  " + b.first.ID
	if t := clean(b.title()); t != "" {
		left += "  " + cut(t, max(s.width/2, 16))
	}
	painted := s.paint(bold+";"+code, word) + left[len(word):]
	gap := s.width - columns.StringWidth(left) - columns.StringWidth(pos)
	if pos == "" {
		s.line("%s", painted)
	} else if gap >= 2 {
		s.line("%s%s%s", painted, strings.Repeat(" ", gap), s.paint(dim, pos))
	} else {
		s.line("%s", painted)
		s.line("  %s", s.paint(dim, cutLeft(pos, s.width-2)))
	}
}

func (s *screen) full(b *block) {
	s.line("")
	s.head("BREAK", red, b)
	if len(b.scenarios) > 0 && (s.scenarios > 1 || b.declared()) {
		s.wrap("  ", b.where(6))
	}
	s.wrap("  ", withoutNearest(b.first))
	if p := b.first.Parting; p != nil {
		s.field("stage", fmt.Sprintf("lines left %d → %d  after  %s", p.Deployed, p.Candidate, p.Stage))
	}
	s.evidence("deployed", b.first.Deployed, b.first.Said)
	s.evidence("candidate", b.first.Candidate, b.first.Said)
	for i := range b.first.Nearest {
		n := &b.first.Nearest[i]
		if i > 0 && !s.all {
			break
		}
		s.diff(n)
	}
	if len(b.also) > 0 {
		s.field("also", alsoList(b, alsoRules))
	}
}

// alsoList names up to most other rules with the same cause.
func alsoList(b *block, most int) string {
	var names []string
	for i, o := range b.also {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(b.also)-i))
			break
		}
		names = append(names, o.title()+" ("+o.first.ID+")")
	}
	return strings.Join(names, ", ")
}

// withoutNearest returns the message without the nearest line, which stands
// below it as a diff.
func withoutNearest(f *analyzer.Finding) string {
	if len(f.Nearest) == 0 {
		return f.Message
	}
	if i := strings.LastIndex(f.Message, "; nearest: "); i >= 0 {
		return f.Message[:i]
	}
	return f.Message
}

// evidence writes a log line so that what it says is in sight: a JSON line
// often begins with a screenful of other fields.
func (s *screen) evidence(role string, e *outcome.Evidence, said string) {
	if e == nil {
		return
	}
	at := clock(e.Time)
	text := clean(e.Line)
	room := s.width - 13 - len(at) - 1
	// JSON escapes quotes and line ends: look for what comes before them.
	said, _, _ = strings.Cut(said, "\n")
	said, _, _ = strings.Cut(said, `"`)
	if i := strings.Index(text, clean(said)); i > 0 && columns.StringWidth(text) > room {
		text = from(text, i, room)
	}
	s.field(role, at+" "+text)
}

// from cuts the beginning of text so that what stands at offset i is in sight.
func from(text string, i, room int) string {
	start := max(i-8, 0)
	for start > 0 && text[start]&0xc0 == 0x80 {
		start--
	}
	// Do not cut more than it takes to show the end.
	for start > 0 && columns.StringWidth(text[start:]) < room-1 {
		start--
		for start > 0 && text[start]&0xc0 == 0x80 {
			start--
		}
	}
	if start == 0 {
		return text
	}
	return "…" + text[start:]
}

// diff writes the nearest line of the candidate as a wording diff.
func (s *screen) diff(n *analyzer.Near) {
	const indent = 13
	room := s.width - indent
	var b strings.Builder
	for _, e := range n.Diff {
		text, code := clean(e.Text), ""
		switch e.Op {
		case analyzer.Delete:
			text, code = "[-"+text+"-]", red
		case analyzer.Insert:
			text, code = "{+"+text+"+}", green
		}
		w := columns.StringWidth(text)
		if w > room {
			if room > 0 {
				b.WriteString(s.paint(code, cut(text, room)))
			}
			break
		}
		room -= w
		if code != "" {
			text = s.paint(code, text)
		}
		b.WriteString(text)
	}
	s.line("  %s%s", s.paint(dim, fmt.Sprintf("%-11s", "nearest")), b.String())
	s.line("  %-11s%s", "", s.paint(dim, cut(clean(whereNear(n)), s.width-indent)))
}

// brief writes a block in one line.
func (s *screen) brief(word, code string, b *block) {
	text := word + "  " + b.first.ID + "  " + clean(b.title())
	if len(b.scenarios) > 0 && s.scenarios > 1 {
		text += "  " + clean(b.where(2))
	}
	text = cut(text, s.width)
	s.line("%s%s", s.paint(code, word), text[min(len(word), len(text)):])
}

// warnings writes one line for each kind of warning.
func (s *screen) warnings(r *analyzer.Report) {
	s.kinds(r, analyzer.Warn, "WARN", yellow)
}

// infos writes one line for each kind of news.
func (s *screen) infos(r *analyzer.Report) {
	s.kinds(r, analyzer.Info, "INFO", dim)
}

func (s *screen) kinds(r *analyzer.Report, severity analyzer.Severity, word, code string) {
	var ids []string
	names := map[string][]string{}
	for _, b := range blocks(r, severity) {
		if names[b.first.ID] == nil {
			ids = append(ids, b.first.ID)
		}
		name := cmp.Or(b.title(), strings.Join(b.scenarios, ", "))
		if n := len(b.scenarios); n > 1 {
			name += fmt.Sprintf(" ×%d", n)
		}
		names[b.first.ID] = append(names[b.first.ID], clean(name))
	}
	for i, id := range ids {
		if i == 0 {
			s.line("")
		}
		list := names[id]
		text := strings.Join(list, ", ")
		if len(list) > warnedRules && !s.all {
			text = fmt.Sprintf("%s and %d more", strings.Join(list[:warnedRules], ", "), len(list)-warnedRules)
		}
		head := fmt.Sprintf("%-5s  %s", word, id)
		s.line("%s%s", s.paint(code, head), cut(fmt.Sprintf(" (%d): %s", len(list), text), s.width-len(head)))
	}
}
