package query

import (
	"bufio"
	"encoding/csv"
	"slices"
)

// A csvPrinter prints a table with a header: time,labels,line for lines; time,
// a column for each label, value for samples.
type csvPrinter struct {
	out    *bufio.Writer
	header bool
}

func openCSV(w *bufio.Writer, _ look) printer { return &csvPrinter{out: w} }

// row writes one row at once, so that it is not held back from a pipe.
func (p *csvPrinter) row(fields []string) error {
	w := csv.NewWriter(p.out)
	err := w.Write(fields)
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	return err
}

func (p *csvPrinter) begin() error {
	if p.header {
		return nil
	}
	p.header = true
	return p.row([]string{"time", "labels", "line"})
}

func (p *csvPrinter) line(l *line) error {
	if err := p.begin(); err != nil {
		return err
	}
	time := ""
	if l.dated {
		time = formatTime(l.time)
	}
	return p.row([]string{time, l.labels.String(), string(l.text)})
}

func (p *csvPrinter) metric(a *answer) error {
	p.header = true
	var names []string
	for _, s := range a.series {
		for _, l := range s.Labels {
			names = append(names, l.Name)
		}
		slices.Sort(names)
		names = slices.Compact(names)
	}
	if err := p.row(slices.Concat([]string{"time"}, names, []string{"value"})); err != nil {
		return err
	}
	for _, s := range a.series {
		for _, point := range s.Points {
			fields := []string{formatTime(sampleTime(point.Time))}
			for _, name := range names {
				fields = append(fields, s.Labels.Get(name))
			}
			if err := p.row(append(fields, formatValue(point.Value))); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *csvPrinter) end() error { return p.begin() }
