package query

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/stillfires/stillfires/logql"
)

// maxInstants is the most instants of a range query, as in Loki.
const maxInstants = 11_000

// A when is the times that the user gave.
type when struct {
	from, to moment
	step     time.Duration // 0: not given
}

// A moment is a point in time, of itself or from where the data begins or
// ends.
type moment struct {
	kind momentKind
	at   int64 // nanoseconds since the epoch, or from there
	text string
}

type momentKind int

const (
	momentNone momentKind = iota
	momentAbsolute
	momentFromFirst // +5m
	momentFromLast  // -5m
)

// relative reports whether the range of the data must be known.
func (w *when) relative() bool {
	return w.from.kind > momentAbsolute || w.to.kind > momentAbsolute
}

func (w *when) given() bool { return w.from.kind != momentNone || w.to.kind != momentNone }

func parseWhen(opt *Options) (*when, error) {
	var w when
	var err error
	if w.from, err = parseMoment(opt.From); err != nil {
		return nil, fmt.Errorf("--from %w", err)
	}
	if w.to, err = parseMoment(opt.To); err != nil {
		return nil, fmt.Errorf("--to %w", err)
	}
	if opt.Step == "" {
		return &w, nil
	}
	if w.step, err = parseDuration(opt.Step); err != nil || w.step <= 0 {
		return nil, fmt.Errorf("--step %q: want a positive duration, such as 30s, 5m or 1d", opt.Step)
	}
	return &w, nil
}

// parseMoment reads RFC 3339, a number since the epoch, or a signed duration.
// A number of up to ten digits, or with a point, is seconds, otherwise
// nanoseconds, as in Loki's API.
func parseMoment(s string) (moment, error) {
	bad := fmt.Errorf("%q: want a time such as 2026-01-02T15:04:05Z or 1767366245, or a duration from the first or last record such as +5m or -5m", s)
	switch {
	case s == "":
		return moment{}, nil
	case s[0] == '+' || s[0] == '-':
		d, err := parseDuration(s[1:])
		if err != nil || d < 0 {
			return moment{}, bad
		}
		if s[0] == '+' {
			return moment{momentFromFirst, int64(d), s}, nil
		}
		return moment{momentFromLast, -int64(d), s}, nil
	case strings.Trim(s, "0123456789") == "":
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return moment{}, bad
		}
		if len(s) <= 10 {
			if n > 9e9 { // as nanoseconds, no longer an int64
				return moment{}, bad
			}
			n *= int64(time.Second)
		}
		return moment{momentAbsolute, n, s}, nil
	case strings.Trim(s, "0123456789.") == "":
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f > 9e9 {
			return moment{}, bad
		}
		return moment{momentAbsolute, int64(math.Round(f*1e3)) * int64(time.Millisecond), s}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || t.Year() < 1970 || t.Year() > 2261 {
		return moment{}, bad
	}
	return moment{momentAbsolute, t.UnixNano(), s}, nil
}

// parseDuration reads a Go duration, or one with the units d and w: 1d12h.
func parseDuration(s string) (time.Duration, error) {
	var days time.Duration
	for _, unit := range []struct {
		name   string
		length time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}} {
		count, rest, ok := strings.Cut(s, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(count, 10, 16)
		if err != nil {
			return 0, err
		}
		if days += time.Duration(n) * unit.length; days < 0 || days > math.MaxInt64/2 {
			return 0, errors.New("too long")
		}
		if s = rest; s == "" {
			return days, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d > math.MaxInt64/2 {
		return 0, errors.New("no duration")
	}
	return days + d, nil
}

// in returns the moment in a run, or otherwise what it is by default.
func (m moment) in(r *logRun, byDefault int64) int64 {
	switch m.kind {
	case momentAbsolute:
		return m.at
	case momentFromFirst:
		return r.first + m.at
	case momentFromLast:
		return r.last + m.at
	}
	return byDefault
}

// logWindow is by default the whole log, its last line included.
func (w *when) logWindow(r *logRun) (logql.Window, error) {
	out := logql.Window{Start: w.from.in(r, math.MinInt64), End: w.to.in(r, math.MaxInt64)}
	return out, w.ordered(out)
}

func (w *when) ordered(out logql.Window) error {
	if out.Start > out.End || w.from.kind != momentNone && out.Start == out.End && w.step == 0 {
		return fmt.Errorf("--from %s is not before --to %s", formatTime(out.Start), formatTime(out.End))
	}
	return nil
}

// metricWindow is one instant, by default that of the last record, or with a
// step those of a grid. Where an end of the grid is not given it is the
// multiple of the step around the data, so that no record is left out.
func (w *when) metricWindow(r *logRun) (logql.Window, error) {
	if w.step == 0 {
		at := w.to.in(r, r.last)
		return logql.Window{Start: at, End: at}, nil
	}
	step := int64(w.step)
	out := logql.Window{Step: step}
	out.Start = w.from.in(r, r.first-mod(r.first, step))
	out.End = w.to.in(r, r.last+mod(-r.last, step))
	if err := w.ordered(out); err != nil {
		return out, err
	}
	if n := (out.End - out.Start) / step; n < 0 || n >= maxInstants {
		return out, fmt.Errorf("--step %s from %s to %s makes %d instants, more than %d; take a longer step", w.step, formatTime(out.Start), formatTime(out.End), n+1, maxInstants)
	}
	return out, nil
}

// mod returns the rest of a division, never negative.
func mod(a, b int64) int64 { return ((a % b) + b) % b }

func formatTime(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }
