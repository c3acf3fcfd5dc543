// Package recordtime tells in which format a log is written, what a container
// runtime or client put around each line, and what time a record carries.
//
// A body format (zap-json, klog, …) finds a time in what the process wrote and
// changes nothing. A transport (cri, docker-json, kubectl) is taken off: the
// line is what the process wrote, the time is the transport's. [Sampler] looks
// at the beginning of a log and chooses; [Decoder] then reads line by line.
//
// A format may lack the year or the zone; a [Stamp] says so and the caller
// fills in what it knows. The clock is never asked.
package recordtime

import (
	"slices"
	"time"
)

// A Stamp is the time that a record states.
type Stamp struct {
	// Wall is the time of day and date as written, in nanoseconds since the
	// epoch as if written in UTC, and in the year 2000 if NoYear.
	Wall   int64
	Offset int  // seconds east of UTC, as written
	NoZone bool // no zone is written
	NoYear bool // no year is written
	Number bool // written as a number since the epoch: UTC, though no zone is written
}

// Whole reports whether the stamp says all that a time needs.
func (s Stamp) Whole() bool { return !s.NoYear && !s.NoZone }

// Unix returns nanoseconds since the epoch of a whole stamp.
func (s Stamp) Unix() int64 { return s.Wall - int64(s.Offset)*1e9 }

// In returns the time of a stamp that has a year, in the zone given if it has
// none of its own.
func (s Stamp) In(zone *time.Location) int64 {
	if !s.NoZone {
		return s.Unix()
	}
	w := time.Unix(0, s.Wall).UTC()
	return time.Date(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), w.Nanosecond(), zone).UnixNano()
}

// WithYear returns the stamp in the given year and reports whether the date
// exists there.
func (s Stamp) WithYear(year int) (Stamp, bool) {
	w := time.Unix(0, s.Wall).UTC()
	if year < minYear || year > maxYear {
		return s, false
	}
	t := time.Date(year, w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), w.Nanosecond(), time.UTC)
	s.Wall, s.NoYear = t.UnixNano(), false
	return s, t.Day() == w.Day()
}

// A body is a format of what a process writes.
type body struct {
	name string
	// strong formats are so unlike prose that a line in one is dated by it
	// even in a log of another format.
	strong bool
	stamp  func(line []byte) (Stamp, bool)
	doc    string
}

// A transport is what a container runtime or client puts around lines.
type transport struct {
	name string
	take func(line []byte) (piece, bool)
	doc  string
}

// A piece is a line taken out of a transport.
type piece struct {
	line    []byte
	stamp   Stamp
	partial bool // the record goes on in the next piece of the same output
	output  byte // 'o' for stdout, 'e' for stderr, 0 if unknown
}

// bodies are tried in this order.
var bodies = [...]body{
	{"zap-json", true, stampJSON, "one JSON object a line, with ts, time, timestamp, @timestamp, t or datetime at its top"},
	{"zap-console", true, stampConsole, "columns set apart by tabs, the first a time"},
	{"klog", true, stampKlog, "I1130 17:37:54.260066   19230 file.go:64] text: lacks year and zone"},
	{"syslog", false, stampSyslog, "RFC 5424, or RFC 3164, which lacks year and zone"},
	{"date", false, stampLeading, "text that begins with a date and time"},
	{"logfmt", false, stampLogfmt, "key=value pairs with ts, time, timestamp or t"},
}

var transports = [...]transport{
	{"cri", takeCRI, "container runtime: time, stdout or stderr, P or F, line"},
	{"docker-json", takeDocker, "Docker json-file: {\"log\",\"stream\",\"time\"}"},
	{"kubectl", takeKubectl, "kubectl logs --timestamps: time, space, line"},
}

// The names that stand for no single format.
const (
	Auto = "auto" // look at the log and choose
	None = "none" // no record carries a time
)

// Names returns the names of all formats, Auto and None included.
func Names() []string {
	names := []string{Auto}
	for _, t := range transports {
		names = append(names, t.name)
	}
	for _, b := range bodies {
		names = append(names, b.name)
	}
	return append(names, None)
}

// Known reports whether name is one of [Names].
func Known(name string) bool { return slices.Contains(Names(), name) }
