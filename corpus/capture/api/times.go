package api

import (
	"fmt"
	"time"
)

// A when is a time, or how long before the capture it was.
type when struct {
	set    bool
	at     time.Time
	before time.Duration
}

// parseWhen reads a time in RFC 3339, "now", or a length of time.
func parseWhen(key, text string) (when, error) {
	switch text {
	case "":
		return when{}, nil
	case "now":
		return when{set: true}, nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		if y := at.UTC().Year(); y < 1970 || y > 2261 {
			return when{}, fmt.Errorf("%s: %s is in no year from 1970 to 2261", key, text)
		}
		return when{set: true, at: at}, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return when{}, fmt.Errorf("%s %q: want a time such as 2026-11-30T17:00:00Z, now, or how long before the capture begins, such as 1h", key, text)
	}
	return when{set: true, before: d}, nil
}

// resolve returns the time. Begun is when the capture begins.
func (w when) resolve(begun time.Time) time.Time {
	if !w.at.IsZero() {
		return w.at
	}
	return begun.Add(-w.before)
}

// between checks a length of time and returns it, or what stands for none.
func between(key string, d, otherwise, least time.Duration) (time.Duration, error) {
	if d == 0 {
		return otherwise, nil
	}
	if d < least {
		return 0, fmt.Errorf("%s: %s is less than %s", key, d, least)
	}
	return d, nil
}

// sleep waits until a time has passed or ctx is done.
func sleep(done <-chan struct{}, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-done:
	}
}
