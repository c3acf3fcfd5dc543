package logql

import (
	"fmt"
	"strconv"
	"text/template"
	"time"

	// Zones are read by name; the answer must not depend on what the machine
	// has installed.
	_ "time/tzdata"
)

// addTimeFuncs adds the functions on times, durations and sizes. The local
// zone is UTC, whatever that of the machine is.
func addTimeFuncs(m template.FuncMap) {
	add := func(name string, f any) { m[name] = f }
	add("toDate", func(layout, s string) time.Time { return parseDate(layout, time.UTC, s) })
	add("toDateInZone", func(layout, zone, s string) time.Time {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			return time.Time{}
		}
		return parseDate(layout, loc, s)
	})
	add("unixEpoch", func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) })
	add("unixEpochMillis", func(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) })
	add("unixEpochNanos", func(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) })
	add("unixToTime", unixToTime)
	seconds := func(s string) (float64, error) {
		d, err := parseLabelDuration(s)
		return d.Seconds(), err
	}
	add("duration", seconds)
	add("duration_seconds", seconds)
	add("bytes", func(s string) (float64, error) {
		n, err := parseLabelBytes(s)
		return float64(n), err
	})
}

// parseDate returns the time that s tells, the zero time when it is broken.
func parseDate(layout string, loc *time.Location, s string) time.Time {
	if loc == time.Local {
		loc = time.UTC
	}
	t, err := time.ParseInLocation(layout, s, loc)
	if err != nil {
		return time.Time{}
	}
	return t
}

// formatDate prints t, a time or seconds since the epoch. Anything else counts
// as now.
func formatDate(layout string, v any, now time.Time) string {
	t := now
	switch v := v.(type) {
	case time.Time:
		t = v
	case *time.Time:
		if v != nil {
			t = *v
		}
	case int64:
		t = time.Unix(v, 0)
	case int:
		t = time.Unix(int64(v), 0)
	case int32:
		t = time.Unix(int64(v), 0)
	}
	return t.UTC().Format(layout)
}

// unixToTime reads a time since the epoch, whose unit its number of digits
// tells: 5 for days, 10 seconds, 13 milliseconds, 16 microseconds, 19
// nanoseconds.
func unixToTime(s string) (time.Time, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is not a whole number", s)
	}
	switch len(s) {
	case 5:
		return time.Unix(n*24*60*60, 0).UTC(), nil
	case 10:
		return time.Unix(n, 0).UTC(), nil
	case 13:
		return time.UnixMilli(n).UTC(), nil
	case 16:
		return time.UnixMicro(n).UTC(), nil
	case 19:
		return time.Unix(0, n).UTC(), nil
	}
	return time.Time{}, fmt.Errorf("%q has %d digits; a time since the epoch has 5, 10, 13, 16 or 19", s, len(s))
}
