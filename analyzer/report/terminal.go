package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
)

// Bounds that keep a terminal report to a screen.
const (
	defaultWidth = 100
	screenLines  = 45
	warnedRules  = 4 // rules named of one warning
	matrixRows   = 12
	leastRows    = 4 // of them, even where there is no room
	noteRows     = 5
	nextRows     = 4
)

// renderTerminal writes what a person needs first: the verdict, then what
// breaks, with the evidence. What breaks gets the room that the rest leaves.
func renderTerminal(w io.Writer, r *analyzer.Report, o Options) error {
	s := &screen{w: bufio.NewWriter(w), width: max(cmp.Or(o.Width, defaultWidth), 40), color: o.Color, all: o.All, scenarios: len(r.Scenarios)}
	s.base = base(r, s.width)
	head := s.part(func() {
		s.headline(r, o.FailOn)
		s.problems(r)
	})
	news := s.part(func() { s.kinds(r, false) })
	tail := s.part(func() {
		for _, part := range sections {
			part.terminal(s, r)
		}
		s.list("Notes", r.Notes, noteRows)
		s.list("What to try next", next(r), nextRows)
	})
	room := screenLines - lines(head, news, tail)
	breaks, told := s.breaks(r, room)
	verdicts := s.part(func() { s.matrix(r, told, room-lines(breaks)) })
	// Where there is room left, warnings need not be cut.
	if long := s.part(func() { s.kinds(r, true) }); s.all || lines(head, breaks, long, verdicts, tail) <= screenLines {
		news = long
	}
	fmt.Fprint(s.w, head, breaks, news, verdicts, tail)
	return s.w.Flush()
}

func (s *screen) headline(r *analyzer.Report, on analyzer.FailOn) {
	code := map[analyzer.Verdict]string{analyzer.Pass: green, analyzer.Fail: red, analyzer.Inconclusive: yellow}[r.Verdict]
	word := strings.ToUpper(r.Verdict.String())
	s.wrapFrom(s.paint(bold+";"+code, word)+"  ", strings.Repeat(" ", len(word)+2), headline(r))
	s.wrap("", sizes(r)+": "+counts(r)+"; "+meaning(r)+".")
	if note := exitNote(r, on); note != "" {
		s.wrap("", sentence(note)+".")
	}
	if s.base != "" {
		s.wrap("", "Places are below "+s.base)
	}
}

// base returns the folder that holds the files of all rules, with a slash,
// where the places in them are too wide for the screen; else nothing.
func base(r *analyzer.Report, width int) string {
	folder, widest := "", 0
	for i := range r.Results {
		p := r.Results[i].Rule.Pos
		widest = max(widest, columns.StringWidth(clean(p.String())))
		if i == 0 {
			folder = path.Dir(p.File) + "/"
		}
		for folder != "" && !strings.HasPrefix(p.File, folder) {
			folder = strings.TrimSuffix(folder, "/")
			folder = folder[:strings.LastIndexByte(folder, '/')+1]
		}
	}
	if widest <= width/2 || len(folder) < 2 {
		return ""
	}
	return folder
}

// kinds writes a line for each kind of warning, then of news; or a paragraph.
func (s *screen) kinds(r *analyzer.Report, wrapped bool) {
	started := false
	for _, of := range []struct {
		severity   analyzer.Severity
		word, code string
	}{{analyzer.Warn, "WARN", yellow}, {analyzer.Info, "INFO", dim}} {
		all := blocks(r, of.severity)
		byID := map[string][]*block{}
		for _, b := range all {
			byID[b.first.ID] = append(byID[b.first.ID], b)
		}
		for _, b := range all {
			list := byID[b.first.ID]
			if list[0] != b {
				continue
			}
			if !started {
				s.line("")
				started = true
			}
			head := fmt.Sprintf("%-5s  ", of.word)
			text := fmt.Sprintf("%s (%d): %s", b.first.ID, len(list), s.named(list))
			if wrapped {
				s.wrapFrom(s.paint(of.code, head), strings.Repeat(" ", len(head)), text)
				continue
			}
			s.line("%s%s", s.paint(of.code, head), cut(text, s.width-len(head)))
		}
	}
}

// named lists the rules of one kind of warning; of a single one it says what
// the matter is.
func (s *screen) named(list []*block) string {
	var out []string
	for i, b := range list {
		if i == warnedRules && !s.all {
			return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", len(list)-i)
		}
		name := cmp.Or(b.title(), strings.Join(b.scenarios, ", "))
		if n := len(b.scenarios); n > 1 {
			name += fmt.Sprintf(" ×%d", n)
		}
		out = append(out, clean(name))
	}
	if len(list) == 1 {
		return out[0] + ": " + bounded(withoutNearest(list[0].first))
	}
	return strings.Join(out, ", ")
}
