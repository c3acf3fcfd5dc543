package report

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
)

// Bounds that keep a terminal report short.
const (
	defaultWidth = 100
	narrowest    = 40
	matrixRows   = 12
	noteRows     = 5
	noteLines    = 2 // of each
)

// renderTerminal writes what a person needs first: the verdict, and what goes
// blind, since which words, and what to write instead. Both stand in the first
// lines; what is less urgent follows.
func renderTerminal(w io.Writer, r *analyzer.Report, o Options) error {
	s := newScreen(w, o, newTelling(r))
	s.base = base(r, s.width)
	head := s.part(func() {
		s.headline(r, o.FailOn)
		s.problems(r)
	})
	breaks, told := s.breaks(firstScreen - lines(head))
	fmt.Fprint(s.w, head, breaks)
	s.kinds(r)
	s.matrix(r, told)
	for _, part := range sections {
		part.terminal(s, r)
	}
	s.list("How sure", sureness(r), len(r.Findings)+noteRows)
	s.list("Notes", r.Notes, noteRows)
	s.next(r, o.Again)
	return s.w.Flush()
}

func (s *screen) headline(r *analyzer.Report, on analyzer.FailOn) {
	code := map[analyzer.Verdict]string{analyzer.Pass: green, analyzer.Fail: red, analyzer.Inconclusive: yellow}[r.Verdict]
	word := strings.ToUpper(r.Verdict.String())
	s.wrapFrom(s.paint(bold+";"+code, word)+"  ", strings.Repeat(" ", len(word)+2), headline(r))
	s.wrap("", sentence(meaning(r))+".")
	s.wrap("", sizes(r)+": "+counts(r)+".")
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
