package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/metrics"
)

// The formats of metric files; auto tells them apart by the first line.
const (
	formatMetricsText = "text"
	formatMetricsJSON = "series-ndjson"
)

// A metricSource reads the scrapes of one file to import, in order.
type metricSource struct {
	name   string // for messages
	target *metricTarget
	lines  *lineReader
	json   bool
	given  *int64 // time of a scrape that says none, ms

	scrape    metrics.Scrape
	families  []metrics.Family // that the scrape describes
	described int              // bytes of that
	timed     bool             // the scrape at hand has a time
	marked    bool             // it began with "# scrape"
	seen      map[int]int64    // time of the series in the scrape at hand
	held      []byte           // a line that belongs to the next scrape
	ended     bool
	last      int64
	count     int
}

// openMetrics opens a file of metrics; shown names it in messages.
func openMetrics(fsys fs.FS, plan *metricPlan, shown string, target *metricTarget, limits Limits) (*metricSource, error) {
	lines, err := openLines(fsys, plan.name, limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown, err)
	}
	head, _ := lines.in.Peek(32 << 10) // openLines has looked at it
	first, _, _ := strings.Cut(strings.TrimLeft(string(head), " \t\r\n"), "\n")
	s := &metricSource{name: shown, target: target, lines: lines, given: plan.time, seen: map[int]int64{}}
	switch plan.spec.Format {
	case "", "auto":
		s.json = strings.HasPrefix(first, "{") && (gjson.Valid(first) || len(head) == 32<<10 && strings.Contains(first, `"series"`))
	default:
		s.json = plan.spec.Format == formatMetricsJSON
	}
	return s, nil
}

// next reads the next scrape into s.scrape and s.families, or returns io.EOF.
func (s *metricSource) next() error {
	err := s.read()
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case err != nil:
		return fmt.Errorf("%s:%d: %w", s.name, s.lines.n, err)
	case s.count > 0 && s.scrape.Time < s.last:
		return fmt.Errorf("%s:%d: the scrape of %s stands after one of %s; order them by time, and begin each with a line \"# scrape ts=TIME\"",
			s.name, s.lines.n, formatMillis(s.scrape.Time), formatMillis(s.last))
	}
	s.last = s.scrape.Time
	s.count++
	return nil
}

func (s *metricSource) read() error {
	s.scrape = metrics.Scrape{Target: s.target.number, Up: true, Samples: s.scrape.Samples[:0]}
	s.families, s.described = s.families[:0], 0
	s.timed, s.marked = false, false
	clear(s.seen)
	if s.json {
		return s.readJSON()
	}
	return s.readText()
}

// readText reads lines up to the one that begins another scrape.
func (s *metricSource) readText() error {
	begun := false
	for !s.ended {
		line := s.held
		s.held = nil
		if line == nil {
			next, err := s.lines.next()
			if errors.Is(err, io.EOF) {
				s.ended = true
				break
			}
			if err != nil {
				return err
			}
			line = next
		}
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line = line[:n-1]
		}
		more, err := s.textLine(line, begun)
		if err != nil {
			return err
		}
		if !more {
			s.held = append([]byte(nil), line...)
			return s.settle()
		}
		begun = begun || s.marked || len(s.scrape.Samples) > 0
	}
	if !begun {
		return io.EOF
	}
	return s.settle()
}

// textLine takes one line into the scrape at hand. It reports false where the
// line begins another one.
func (s *metricSource) textLine(line []byte, begun bool) (more bool, err error) {
	if len(line) > maxMetricLine {
		return false, fmt.Errorf("a line of %d bytes; at most %d are allowed", len(line), maxMetricLine)
	}
	if strings.TrimSpace(string(line)) == "" {
		return true, nil
	}
	word, rest, comment := cutComment(line)
	switch {
	case comment && word == "scrape":
		if begun {
			return false, nil
		}
		return true, s.mark(rest)
	case comment:
		return true, s.describe(word, rest)
	}
	sample, err := cutSample(line)
	if err != nil {
		return false, err
	}
	series, err := s.target.series(sample.series)
	if err != nil {
		return false, err
	}
	if !sample.hasTime {
		sample.time = noStamp
	}
	return s.add(metrics.Sample{Series: series, Time: sample.time, Value: sample.value})
}

// noStamp is the time of a sample that takes the scrape's.
const noStamp = int64(-1) << 63

// add takes a sample into the scrape at hand. A series that occurs again at a
// later time begins another scrape, unless scrapes are marked; at the same
// time it is a repeat and is left out, as Prometheus does.
func (s *metricSource) add(sample metrics.Sample) (more bool, err error) {
	if at, again := s.seen[sample.Series]; again {
		if sample.Time <= at {
			return true, nil
		}
		if !s.marked {
			return false, nil
		}
	}
	if len(s.scrape.Samples) >= maxScrape {
		return false, fmt.Errorf("a scrape of more than %d samples", maxScrape)
	}
	s.seen[sample.Series] = sample.Time
	s.scrape.Samples = append(s.scrape.Samples, sample)
	return true, nil
}

// mark reads what follows "# scrape": words key=value. Keys that are not known
// are left alone.
func (s *metricSource) mark(text string) error {
	s.marked = true
	for word := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "ts":
			ms, err := parseMoment(value)
			if err != nil {
				return err
			}
			s.scrape.Time, s.timed = ms, true
		case "up":
			if value != "0" && value != "1" {
				return fmt.Errorf("up=%q: want 0 or 1", value)
			}
			s.scrape.Up = value == "1"
		}
	}
	return nil
}

// describe reads the lines TYPE, HELP and UNIT; other comments are left alone.
func (s *metricSource) describe(word, rest string) error {
	if word != "TYPE" && word != "HELP" && word != "UNIT" {
		return nil
	}
	name, text, err := familyName(rest)
	if err != nil {
		return err
	}
	if s.described += len(rest); s.described > maxSeriesMemory {
		return fmt.Errorf("a scrape with more than %d bytes of descriptions", maxSeriesMemory)
	}
	n := len(s.families)
	if n == 0 || s.families[n-1].Name != name {
		s.families = append(s.families, metrics.Family{Name: name})
		n++
	}
	setFamily(&s.families[n-1], word, text)
	return nil
}

func setFamily(f *metrics.Family, word, text string) {
	switch word {
	case "TYPE":
		f.Type = strings.ToLower(text)
	case "HELP":
		f.Help = text
	case "UNIT":
		f.Unit = text
	}
}

// familyName takes the name, which may be quoted, from the beginning.
func familyName(s string) (name, rest string, err error) {
	if strings.HasPrefix(s, `"`) {
		p := seriesParser{rest: s}
		name, err = p.quoted()
		return name, strings.TrimSpace(p.rest), err
	}
	name, rest, _ = strings.Cut(s, " ")
	if name == "" {
		return "", "", errors.New("a comment that describes a metric, but names none")
	}
	return name, strings.TrimSpace(rest), nil
}

// settle gives the scrape its time, and the samples that have none the
// scrape's. A scrape that says no time is as old as its youngest sample, or has
// the time that was given.
func (s *metricSource) settle() error {
	latest := noStamp
	for _, x := range s.scrape.Samples {
		latest = max(latest, x.Time)
	}
	if !s.timed {
		switch {
		case latest != noStamp:
			s.scrape.Time = latest
		case s.given != nil && s.count == 0:
			s.scrape.Time = *s.given
		default:
			return errors.New("a scrape without a time: begin it with a line \"# scrape ts=TIME\", or give the file's time in the import description")
		}
	}
	for i := range s.scrape.Samples {
		if s.scrape.Samples[i].Time == noStamp {
			s.scrape.Samples[i].Time = s.scrape.Time
		}
	}
	return nil
}

// readJSON reads a line {"ts": TIME, "up": 1, "series": {"name{labels}": value}}.
func (s *metricSource) readJSON() error {
	line, err := s.lines.next()
	for err == nil && strings.TrimSpace(string(line)) == "" {
		line, err = s.lines.next()
	}
	if err != nil {
		return err
	}
	if !gjson.ValidBytes(line) {
		return errors.New("is not valid JSON")
	}
	scrape := gjson.ParseBytes(line)
	at, up, series := scrape.Get("ts"), scrape.Get("up"), scrape.Get("series")
	switch {
	case !at.Exists():
		return errors.New("has no ts, the time of the scrape")
	case series.Exists() && !series.IsObject():
		return errors.New("series is not an object of series and values")
	case up.Exists() && up.Raw != "0" && up.Raw != "1" && !up.IsBool():
		return fmt.Errorf("up is %s; want 0 or 1", up.Raw[:min(len(up.Raw), maxQuoted)])
	}
	if s.scrape.Time, err = parseMoment(jsonText(at)); err != nil {
		return err
	}
	s.timed, s.marked = true, true
	s.scrape.Up = !up.Exists() || up.Raw == "1" || up.Raw == "true"
	series.ForEach(func(key, value gjson.Result) bool {
		err = s.jsonSample(key.String(), value)
		return err == nil
	})
	if err != nil {
		return err
	}
	return s.settle()
}

func (s *metricSource) jsonSample(key string, value gjson.Result) error {
	if value.Type == gjson.Null {
		return nil // not measured
	}
	number, err := parseValue(jsonText(value))
	if value.Type != gjson.Number && value.Type != gjson.String || err != nil {
		return fmt.Errorf("series %q: its value is not a number", key[:min(len(key), maxQuoted)])
	}
	n, err := s.target.series([]byte(key))
	if err != nil {
		return err
	}
	_, err = s.add(metrics.Sample{Series: n, Time: noStamp, Value: number})
	return err
}

// jsonText returns a JSON text without its quotes, or a number as written.
func jsonText(r gjson.Result) string {
	if r.Type == gjson.String {
		return r.Str
	}
	return r.Raw
}
