package query

import (
	"bufio"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql"
)

// A format is a way to print an answer.
type format struct {
	name string
	what string
	open func(*bufio.Writer, look) printer
}

// formats are the ways to print an answer. The first is the default.
var formats = []format{
	{"text", "time, labels and line for people", openText},
	{"raw", "lines only", openRaw},
	{"json", "as Loki's HTTP API answers", openJSON},
	{"jsonl", "one JSON object a line", openJSONL},
	{"csv", "a table", openCSV},
}

// Formats returns the names of the formats, the default first, and what each
// is.
func Formats() (names, what []string) {
	for _, f := range formats {
		names, what = append(names, f.name), append(what, f.what)
	}
	return names, what
}

func formatList() string {
	names, _ := Formats()
	return strings.Join(names, ", ")
}

func formatNamed(name string) (format, bool) {
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == name })
	if i < 0 {
		return format{}, false
	}
	return formats[i], true
}

// A look says how an answer is shown.
type look struct {
	terminal bool        // texts must not control the terminal
	common   logs.Labels // that need not be shown with each line
}

// A printer prints one answer: lines, then end; or metric, then end. An error
// is that of the writer, after which nothing need be called.
type printer interface {
	// line prints a line of a log query. It must not keep it.
	line(*line) error
	// metric prints the answer to a metric query.
	metric(*answer) error
	end() error
}

// The result types of Loki's API.
const (
	kindStreams = "streams"
	kindVector  = "vector"
	kindMatrix  = "matrix"
	kindScalar  = "scalar"
)

// An answer is that of a metric query over all runs.
type answer struct {
	kind    string
	ordered bool // the order of series tells something
	series  []logql.SeriesResult
}

// sort orders series by labels unless their order is part of the answer.
func (a *answer) sort() {
	if !a.ordered {
		slices.SortStableFunc(a.series, func(x, y logql.SeriesResult) int { return x.Labels.Compare(y.Labels) })
	}
}

// formatValue prints a sample value as Loki does.
func formatValue(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// sampleTime cuts the time of a sample to milliseconds, as Loki does.
func sampleTime(ns int64) int64 { return ns - mod(ns, 1e6) }

// printable returns s with everything that a terminal might obey, or that
// hides, written as an escape such as \x1b.
func printable(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := decodeRune(s[i:])
		if hidden(r) {
			quoted := strconv.QuoteToASCII(s[i : i+size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}
