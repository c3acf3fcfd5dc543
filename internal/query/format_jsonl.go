package query

import "bufio"

// A jsonlPrinter prints a JSON object for each line or sample.
type jsonlPrinter struct{ out *bufio.Writer }

// A jsonlLine is a line. Timestamp is null where the log has no times.
type jsonlLine struct {
	Labels    map[string]string `json:"labels"`
	Line      string            `json:"line"`
	Timestamp *string           `json:"timestamp"`
}

// A jsonlSample is a sample.
type jsonlSample struct {
	Labels    map[string]string `json:"labels"`
	Timestamp string            `json:"timestamp"`
	Value     string            `json:"value"`
}

func openJSONL(w *bufio.Writer, _ look) printer { return &jsonlPrinter{w} }

func (p *jsonlPrinter) line(l *line) error {
	out := jsonlLine{Labels: l.labels.Map(), Line: string(l.text)}
	if l.dated {
		t := formatTime(l.time)
		out.Timestamp = &t
	}
	return writeJSON(p.out, out)
}

func (p *jsonlPrinter) metric(a *answer) error {
	for _, s := range a.series {
		labels := s.Labels.Map()
		for _, point := range s.Points {
			if err := writeJSON(p.out, jsonlSample{labels, formatTime(sampleTime(point.Time)), formatValue(point.Value)}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *jsonlPrinter) end() error { return nil }
