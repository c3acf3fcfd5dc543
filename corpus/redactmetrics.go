package corpus

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
)

func newSum() hash.Hash { return sha256.New() }

// newValueScanner returns a scanner of lines as long as a value may be.
func newValueScanner(in io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxFrame+1)
	return lines
}

// newLineCleaner returns what cleans the lines of a file of a run.
func newLineCleaner(c Cleaner, info *File) func([]byte) ([]byte, error) {
	if info.Path == MetricsFile {
		m := &metricCleaner{c: c, series: map[string][]byte{}, taken: map[string]bool{}}
		return m.line
	}
	return func(line []byte) ([]byte, error) { return c.Value(line), nil }
}

// A metricCleaner cleans the lines of metrics.om.zst: the values of labels and
// the texts of HELP. Series that differ stay different.
type metricCleaner struct {
	c      Cleaner
	series map[string][]byte // as it was, to as it is
	taken  map[string]bool   // series as they are
	size   int               // bytes of both
	out    []byte
}

func (m *metricCleaner) line(line []byte) ([]byte, error) {
	word, rest, comment := cutComment(line)
	switch {
	case comment && word == "scrape":
		head, target, ok := strings.Cut(rest, "target=")
		if !ok {
			return nil, fmt.Errorf("a scrape without its target: %q", clip(line, 80))
		}
		clean, err := m.cleaned("target" + target)
		m.out = fmt.Appendf(m.out[:0], "# scrape %starget=%s", head, bytes.TrimPrefix(clean, []byte("target")))
		return m.out, err
	case comment && word == "HELP":
		name, text, err := familyName(rest)
		if err != nil {
			return nil, err
		}
		m.out = fmt.Appendf(m.out[:0], "# HELP %s %s", appendFamilyName(nil, name), m.c.Text(text))
		return m.out, nil
	case comment:
		return line, nil
	}
	end, err := seriesEnd(line)
	if err != nil {
		return nil, err
	}
	clean, ok := m.series[string(line[:end])]
	if !ok {
		if clean, err = m.cleaned(string(line[:end])); err != nil {
			return nil, err
		}
	}
	m.out = append(append(m.out[:0], clean...), line[end:]...)
	return m.out, nil
}

// cleaned cleans a series that was not seen before.
func (m *metricCleaner) cleaned(text string) ([]byte, error) {
	if clean, ok := m.series[text]; ok {
		return clean, nil
	}
	ls, err := parseSeries([]byte(text))
	if err != nil {
		return nil, err
	}
	b := labels.NewBuilder(ls)
	changed := false
	ls.Range(func(l labels.Label) {
		if v := m.c.Label(l.Name, l.Value); v != l.Value {
			b.Set(l.Name, v)
			changed = true
		}
	})
	clean := []byte(text)
	if changed {
		clean = appendSeries(nil, b.Labels())
		if strings.HasPrefix(text, "target{") && len(clean) == len("target") {
			clean = append(clean, "{}"...)
		}
	}
	if m.taken[string(clean)] {
		return nil, fmt.Errorf("two series would be one: %s", clip(clean, 200))
	}
	if m.size += len(text) + len(clean); m.size > 2*maxSeriesMemory {
		return nil, fmt.Errorf("the names and labels of the run's series have more than %d bytes", maxSeriesMemory)
	}
	m.taken[string(clean)], m.series[text] = true, clean
	return clean, nil
}
