package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/stillfires/stillfires/internal/metrics"
)

// HasMetrics reports whether metrics were recorded with the run.
func (r *Run) HasMetrics() bool {
	return slices.ContainsFunc(r.Manifest.Files, func(f File) bool { return f.Path == MetricsFile })
}

// Scrapes reads the scrapes of a run in the order of their times. It holds one
// scrape and the labels of all series in memory. Use it from one goroutine.
type Scrapes struct {
	path    string
	file    io.ReadCloser
	lines   *bufio.Scanner
	n       int // lines read
	numbers *seriesNumbers

	targets  []labels.Labels
	byTarget map[string]int
	families []metrics.Family
	byFamily map[string]int

	scrape metrics.Scrape
	begun  bool   // a scrape was begun
	next   string // the "# scrape" line that was read ahead
	ended  bool   // # EOF was read
	last   int64
	err    error
}

// Scrapes opens the metrics of the run. A run without metrics is
// fs.ErrNotExist.
func (r *Run) Scrapes() (*Scrapes, error) {
	f, err := r.OpenFile(MetricsFile)
	if err != nil {
		return nil, err
	}
	s := newScrapes(r.Path(MetricsFile), f)
	s.file = f
	return s, nil
}

func newScrapes(name string, in io.Reader) *Scrapes {
	s := &Scrapes{
		path: name, lines: bufio.NewScanner(in), numbers: newSeriesNumbers(),
		byTarget: map[string]int{}, byFamily: map[string]int{}, last: minTime / 1e6,
	}
	s.lines.Buffer(make([]byte, 0, 64<<10), maxMetricLine)
	return s
}

// Scan goes to the next scrape. It reports false at the end or on an error.
func (s *Scrapes) Scan() bool {
	if s.err != nil {
		return false
	}
	more, err := s.read()
	if err != nil {
		s.err = err
		if s.lines.Err() == nil {
			s.err = fmt.Errorf("%s:%d: %w", s.path, s.n, err)
		}
	}
	return more && err == nil
}

// Scrape returns the scrape at hand, valid until the next Scan.
func (s *Scrapes) Scrape() *metrics.Scrape { return &s.scrape }

// Series returns the labels of a series, its name among them.
func (s *Scrapes) Series(i int) labels.Labels { return s.numbers.labels[i] }

// Target returns the labels of a target.
func (s *Scrapes) Target(i int) labels.Labels { return s.targets[i] }

// Families returns what was said of metrics so far.
func (s *Scrapes) Families() []metrics.Family { return s.families }

// Err returns the error that ended Scan, nil at the end of the file.
func (s *Scrapes) Err() error { return s.err }

// Close closes the file.
func (s *Scrapes) Close() error { return s.file.Close() }

func (s *Scrapes) read() (bool, error) {
	s.scrape.Samples = s.scrape.Samples[:0]
	s.begun = false
	if s.next != "" {
		if err := s.mark(s.next); err != nil {
			return false, err
		}
		s.next = ""
	}
	for s.lines.Scan() {
		s.n++
		line := s.lines.Bytes()
		word, rest, comment := cutComment(line)
		switch {
		case s.ended:
			return false, errors.New("a line after # EOF")
		case comment && word == "EOF":
			s.ended = true
		case comment && word == "scrape":
			if s.begun {
				s.next = rest
				return true, nil
			}
			if err := s.mark(rest); err != nil {
				return false, err
			}
		case !s.begun:
			return false, errors.New("stands before the first scrape")
		case comment:
			if err := s.describe(word, rest); err != nil {
				return false, err
			}
		default:
			if err := s.sample(line); err != nil {
				return false, err
			}
		}
	}
	switch err := s.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return false, fmt.Errorf("%s:%d: a line of more than %d bytes", s.path, s.n+1, maxMetricLine)
	case err != nil:
		return false, err
	case !s.ended:
		return false, errors.New("ends without # EOF")
	}
	return s.begun, nil
}

// mark begins a scrape: ts=TIME up=0|1 target={labels}.
func (s *Scrapes) mark(text string) error {
	at, rest, ok1 := strings.Cut(text, " ")
	up, target, ok2 := strings.Cut(rest, " ")
	at, ok3 := strings.CutPrefix(at, "ts=")
	target, ok4 := strings.CutPrefix(target, "target=")
	if !ok1 || !ok2 || !ok3 || !ok4 || up != "up=0" && up != "up=1" {
		return errors.New("a scrape begins with # scrape ts=TIME up=0|1 target={labels}")
	}
	ms, err := parseMoment(at)
	if err != nil {
		return err
	}
	if ms < s.last {
		return fmt.Errorf("a scrape of %s after one of %s", formatMillis(ms), formatMillis(s.last))
	}
	n, ok := s.byTarget[target]
	if !ok {
		ls, err := parseTarget(target)
		if err != nil {
			return err
		}
		n = len(s.targets)
		if err := s.numbers.keep(len(target)); err != nil {
			return err
		}
		s.byTarget[target] = n
		s.targets = append(s.targets, ls)
	}
	s.last, s.begun = ms, true
	s.scrape.Time, s.scrape.Target, s.scrape.Up = ms, n, up == "up=1"
	return nil
}

// parseTarget reads {label="value",…}.
func parseTarget(text string) (labels.Labels, error) {
	ls, err := parseSeries([]byte("target" + text))
	if err != nil {
		return ls, err
	}
	return labels.NewBuilder(ls).Del(model.MetricNameLabel).Labels(), nil
}

func (s *Scrapes) describe(word, rest string) error {
	if word != "TYPE" && word != "HELP" && word != "UNIT" {
		return errors.New("a comment that is none of TYPE, HELP, UNIT, scrape and EOF")
	}
	name, text, err := familyName(rest)
	if err != nil {
		return err
	}
	n, ok := s.byFamily[name]
	if !ok {
		n = len(s.families)
		s.byFamily[name] = n
		s.families = append(s.families, metrics.Family{Name: name})
	}
	f := &s.families[n]
	before := familySize(f)
	setFamily(f, word, text)
	if !ok {
		before = 0
	}
	return s.numbers.keep(familySize(f) - before)
}

func familySize(f *metrics.Family) int {
	return len(f.Name) + len(f.Type) + len(f.Unit) + len(f.Help)
}

func (s *Scrapes) sample(line []byte) error {
	cut, err := cutSample(line)
	if err != nil {
		return err
	}
	if !cut.hasTime {
		return errors.New("a sample without a time")
	}
	n, ok := s.numbers.byText[string(cut.series)]
	if !ok {
		ls, err := parseSeries(cut.series)
		if err != nil {
			return err
		}
		if n, err = s.numbers.number(ls); err != nil {
			return err
		}
		if !bytes.Equal(s.numbers.text, cut.series) {
			return fmt.Errorf("a series is not in its only form, %s", s.numbers.text)
		}
	}
	if len(s.scrape.Samples) >= maxScrape {
		return fmt.Errorf("a scrape of more than %d samples", maxScrape)
	}
	s.scrape.Samples = append(s.scrape.Samples, metrics.Sample{Series: n, Time: cut.time, Value: cut.value})
	return nil
}

// verifyMetrics reads all scrapes of the run.
func (r *Run) verifyMetrics() error {
	s, err := r.Scrapes()
	if err != nil {
		return err
	}
	for s.Scan() {
	}
	return errors.Join(s.Err(), s.Close())
}
