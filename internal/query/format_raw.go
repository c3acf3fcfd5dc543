package query

import "bufio"

// A rawPrinter prints lines as the query left them and nothing else.
type rawPrinter struct {
	out  *bufio.Writer
	look look
}

func openRaw(w *bufio.Writer, l look) printer { return &rawPrinter{w, l} }

func (p *rawPrinter) line(l *line) error {
	if p.look.terminal {
		_, err := p.out.WriteString(printable(string(l.text)) + "\n")
		return err
	}
	if _, err := p.out.Write(l.text); err != nil {
		return err
	}
	return p.out.WriteByte('\n')
}

func (p *rawPrinter) metric(*answer) error { return nil } // refused by check

func (p *rawPrinter) end() error { return nil }
