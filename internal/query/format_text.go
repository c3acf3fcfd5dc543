package query

import (
	"bufio"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/stillfires/stillfires/internal/logs"
)

// A textPrinter prints a line or sample a row: time, labels, text or value. On
// a terminal a row is one row, and bytes that a terminal obeys are escaped;
// elsewhere lines are printed byte for byte.
type textPrinter struct {
	out  *bufio.Writer
	look look
	row  []byte
}

func openText(w *bufio.Writer, l look) printer { return &textPrinter{out: w, look: l} }

func (p *textPrinter) line(l *line) error {
	p.row = p.row[:0]
	if l.dated {
		p.row = append(p.row, formatTime(l.time)...)
		p.row = append(p.row, ' ')
	}
	if ls := without(l.labels, p.look.common); len(ls) > 0 {
		p.row = append(p.row, ls.String()...)
		p.row = append(p.row, ' ')
	}
	p.row = append(p.row, l.text...)
	return p.flush()
}

func (p *textPrinter) flush() error {
	if p.look.terminal {
		p.row = append(p.row[:0], printable(string(p.row))...)
	}
	p.row = append(p.row, '\n')
	_, err := p.out.Write(p.row)
	return err
}

func (p *textPrinter) metric(a *answer) error {
	for _, s := range a.series {
		for _, point := range s.Points {
			p.row = p.row[:0]
			if a.kind != kindScalar {
				p.row = append(p.row, formatTime(sampleTime(point.Time))+" "+s.Labels.String()+" "...)
			}
			p.row = append(p.row, formatValue(point.Value)...)
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *textPrinter) end() error { return nil }

// without returns the labels that are not among the common ones, or have
// another value.
func without(ls, common logs.Labels) logs.Labels {
	if len(common) == 0 {
		return ls
	}
	return slices.DeleteFunc(slices.Clone(ls), func(l logs.Label) bool {
		v, ok := common.Lookup(l.Name)
		return ok && v == l.Value
	})
}

// hidden reports whether a terminal might obey r or show nothing for it.
// Tabs are harmless. An invalid byte is -1.
func hidden(r rune) bool {
	switch {
	case r == '\t':
		return false
	case r == '\u034f', r == '\u115f', r == '\u1160', r == '\u3164', r == '\uffa0', r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return !strconv.IsPrint(r)
}

// decodeRune is utf8.DecodeRuneInString that gives -1 for an invalid byte.
func decodeRune(s string) (rune, int) {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 {
		return -1, 1
	}
	return r, size
}
