package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/stillfires/stillfires/internal/source"
)

// Bounds on metrics, so that no input takes more memory than it may.
const (
	maxMetricLine   = 1 << 20 // bytes of a line of text
	maxSeriesText   = 64 << 10
	maxSeriesLabels = 256
	maxSeries       = 1_000_000 // of a run
	maxSeriesMemory = 256 << 20 // bytes of their texts, and of descriptions
	maxScrape       = 1_000_000 // samples
	maxQuoted       = 90        // characters of the input in a message
)

// A sampleLine is a line of the text format, cut into its parts.
type sampleLine struct {
	series  []byte // name and labels, as written
	value   float64
	time    int64 // milliseconds since the epoch
	hasTime bool
}

// cutSample cuts "name{labels} value [time] [# exemplar]". What stands in the
// series is left to [parseSeries], as a series is read once and occurs often.
func cutSample(line []byte) (sampleLine, error) {
	end, err := seriesEnd(line)
	if err != nil {
		return sampleLine{}, err
	}
	s := sampleLine{series: line[:end]}
	rest := line[end:]
	if i := bytes.IndexByte(rest, '#'); i >= 0 {
		rest = rest[:i] // an exemplar: it is not kept
	}
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return s, errors.New("a series without a value")
	}
	if len(fields) > 2 {
		return s, fmt.Errorf("%q after value and time", fields[2])
	}
	if s.value, err = parseValue(string(fields[0])); err != nil {
		return s, err
	}
	if len(fields) == 2 {
		s.hasTime = true
		s.time, err = parseStamp(string(fields[1]))
	}
	return s, err
}

// seriesEnd returns where the name and labels at the beginning of a line end.
func seriesEnd(line []byte) (int, error) {
	end := bytes.IndexAny(line, "{ \t")
	if end < 0 {
		end = len(line)
	}
	open := end
	for open < len(line) && (line[open] == ' ' || line[open] == '\t') {
		open++
	}
	if open == len(line) || line[open] != '{' {
		return end, nil
	}
	quoted := false
	for i := open + 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == '}' && !quoted:
			return i + 1, nil
		}
	}
	return 0, errors.New("the labels have no closing brace")
}

// parseValue reads a value as Prometheus does: no underscores, no hexadecimal
// exponents.
func parseValue(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(s, "pP_") {
		return 0, fmt.Errorf("%q is not a number", source.Clip(s, maxQuoted))
	}
	return v, nil
}

// parseStamp reads a time in seconds, as OpenMetrics writes it, or in
// milliseconds, as Prometheus's own text format does. They are told apart by
// their size: 1e11 s is the year 5138, 1e11 ms is 1973.
func parseStamp(s string) (int64, error) {
	v, err := parseValue(s)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a time", source.Clip(s, maxQuoted))
	}
	if math.Abs(v) < 1e11 {
		v *= 1000
	}
	ms := math.Round(v)
	if ms < float64(minTime/1e6) || ms > float64(maxTime/1e6) {
		return 0, fmt.Errorf("time %s: the year is outside %d to %d", source.Clip(s, maxQuoted), minYear, maxYear)
	}
	return int64(ms), nil
}

// parseMoment reads the time of a scrape: RFC 3339, or as [parseStamp].
func parseMoment(s string) (int64, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		if ms, numErr := parseStamp(s); numErr == nil {
			return ms, nil
		}
		return 0, fmt.Errorf("time %q: want RFC 3339, such as 2026-01-02T15:04:05.999Z, or seconds or milliseconds since the epoch", source.Clip(s, maxQuoted))
	}
	if y := t.UTC().Year(); y < minYear || y > maxYear {
		return 0, fmt.Errorf("time %s: the year is outside %d to %d", source.Clip(s, maxQuoted), minYear, maxYear)
	}
	return t.UnixMilli(), nil
}

// parseSeries reads name and labels. Labels without a value are left out: they
// are the same as none.
func parseSeries(text []byte) (labels.Labels, error) {
	if len(text) > maxSeriesText {
		return labels.EmptyLabels(), fmt.Errorf("a series of %d bytes; at most %d are allowed", len(text), maxSeriesText)
	}
	p := seriesParser{rest: string(text)}
	if err := p.series(); err != nil {
		return labels.EmptyLabels(), fmt.Errorf("%q is no series: %w", source.Clip(string(text), maxQuoted), err)
	}
	p.builder.Sort()
	ls := p.builder.Labels()
	if name, dup := ls.HasDuplicateLabelNames(); dup {
		return labels.EmptyLabels(), fmt.Errorf("%q has the label %s twice", source.Clip(string(text), maxQuoted), source.Clip(name, maxQuoted))
	}
	return ls, nil
}

// A seriesParser reads name{label="value",…}, or {"name",label="value",…}
// where the name has other letters than old Prometheus allows.
type seriesParser struct {
	rest    string
	builder labels.ScratchBuilder
	labels  int
	named   bool
}

func (p *seriesParser) series() error {
	if name := p.take(isNameByte); name != "" {
		if err := p.name(name); err != nil {
			return err
		}
	}
	if p.skip(); p.rest == "" && p.named {
		return nil
	}
	if !p.accept('{') {
		return errors.New("no name, or a letter that no name has")
	}
	for p.skip(); !p.accept('}'); p.skip() {
		if err := p.label(); err != nil {
			return err
		}
		if p.skip(); !p.accept(',') && !strings.HasPrefix(p.rest, "}") {
			return errors.New("labels are not separated by commas")
		}
	}
	switch p.skip(); {
	case p.rest != "":
		return errors.New("text after the labels")
	case !p.named:
		return errors.New("it has no name")
	}
	return nil
}

// label reads label="value", or the quoted name of the metric.
func (p *seriesParser) label() error {
	p.skip()
	quoted := strings.HasPrefix(p.rest, `"`)
	name := p.take(isLabelByte)
	if quoted {
		var err error
		if name, err = p.quoted(); err != nil {
			return err
		}
	}
	if p.skip(); !p.accept('=') {
		if !quoted {
			return errors.New("a label without = and a value")
		}
		return p.name(name)
	}
	p.skip()
	value, err := p.quoted()
	switch {
	case err != nil:
		return err
	case name == "" || !utf8.ValidString(name) || !quoted && name[0] >= '0' && name[0] <= '9':
		return errors.New("a label's name is not valid")
	case name == model.MetricNameLabel:
		return p.name(value)
	case !utf8.ValidString(value):
		return fmt.Errorf("the value of label %s is not valid UTF-8", source.Clip(name, maxQuoted))
	}
	if p.labels++; p.labels > maxSeriesLabels {
		return fmt.Errorf("more than %d labels", maxSeriesLabels)
	}
	if value != "" {
		p.builder.Add(name, value)
	}
	return nil
}

func (p *seriesParser) name(name string) error {
	if p.named || name == "" || !utf8.ValidString(name) {
		return errors.New("the metric has two names, or one that is not valid")
	}
	p.named = true
	p.builder.Add(model.MetricNameLabel, name)
	return nil
}

// quoted reads "text" with the escapes of the text format: \\, \" and \n.
// Any other backslash stands for itself.
func (p *seriesParser) quoted() (string, error) {
	if !p.accept('"') {
		return "", errors.New("a value is not in double quotes")
	}
	for i := 0; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\\':
			i++
		case '"':
			text := p.rest[:i]
			p.rest = p.rest[i+1:]
			return unescape(text), nil
		}
	}
	return "", errors.New("a quote is not closed")
}

func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return strings.Clone(s)
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n").Replace(s)
}

func (p *seriesParser) take(allowed func(byte) bool) string {
	n := 0
	for n < len(p.rest) && allowed(p.rest[n]) {
		n++
	}
	if n > 0 && p.rest[0] >= '0' && p.rest[0] <= '9' {
		n = 0
	}
	text := p.rest[:n]
	p.rest = p.rest[n:]
	return text
}

func (p *seriesParser) skip() { p.rest = strings.TrimLeft(p.rest, " \t") }

func (p *seriesParser) accept(c byte) bool {
	ok := p.rest != "" && p.rest[0] == c
	if ok {
		p.rest = p.rest[1:]
	}
	return ok
}

func isLabelByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= '0' && c <= '9'
}

func isNameByte(c byte) bool { return isLabelByte(c) || c == ':' }

// appendSeries writes a series in its only form: labels ordered by name.
func appendSeries(dst []byte, ls labels.Labels) []byte {
	name := ls.Get(model.MetricNameLabel)
	plain := model.LegacyValidation.IsValidMetricName(name)
	first := true
	sep := func() {
		if first {
			dst = append(dst, '{')
		} else {
			dst = append(dst, ',')
		}
		first = false
	}
	switch {
	case plain:
		dst = append(dst, name...)
	case name != "":
		sep()
		dst = appendQuoted(dst, name)
	}
	ls.Range(func(l labels.Label) {
		if l.Name == model.MetricNameLabel {
			return
		}
		sep()
		if model.LegacyValidation.IsValidLabelName(l.Name) {
			dst = append(dst, l.Name...)
		} else {
			dst = appendQuoted(dst, l.Name)
		}
		dst = appendQuoted(append(dst, '='), l.Value)
	})
	if !first {
		dst = append(dst, '}')
	}
	return dst
}

// appendQuoted quotes as the text format does: \\, \" and \n, nothing else.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '\\', '"':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// appendStamp writes milliseconds as seconds, the form of OpenMetrics.
func appendStamp(dst []byte, ms int64) []byte {
	if ms < 0 {
		dst, ms = append(dst, '-'), -ms
	}
	dst = strconv.AppendInt(dst, ms/1000, 10)
	if ms%1000 != 0 {
		dst = fmt.Appendf(dst, ".%03d", ms%1000)
	}
	return dst
}

// cutComment splits "# WORD rest"; ok is false for a line that is no comment.
func cutComment(line []byte) (word, rest string, ok bool) {
	if len(line) == 0 || line[0] != '#' {
		return "", "", false
	}
	text := strings.TrimLeft(string(line[1:]), " \t")
	word, rest, _ = strings.Cut(text, " ")
	return word, strings.TrimSpace(rest), true
}

// appendFamilyName writes the name of a family, in quotes where it has letters
// that old Prometheus does not allow.
func appendFamilyName(dst []byte, name string) []byte {
	if model.LegacyValidation.IsValidMetricName(name) {
		return append(dst, name...)
	}
	return appendQuoted(dst, name)
}

// appendValue writes a value in its shortest form.
func appendValue(dst []byte, v float64) []byte {
	switch {
	case math.IsInf(v, 1):
		return append(dst, "+Inf"...)
	case math.IsInf(v, -1):
		return append(dst, "-Inf"...)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}
