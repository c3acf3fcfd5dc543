package logql

import "time"

// A counterFold is what rate_counter knows of some samples of a counter.
type counterFold struct {
	count       float64
	first, last counterSample
	resets      float64 // what the counter stood at before it fell, added up
}

type counterSample struct {
	time  int64
	value float64
}

func newCounterWindow(p *rangePlan) *foldWindow[counterFold] {
	return &foldWindow[counterFold]{
		single: func(e *entry) counterFold {
			s := counterSample{e.in.Time, e.value}
			return counterFold{count: 1, first: s, last: s}
		},
		merge: mergeCounter,
		value: func(f counterFold) float64 { return f.rate(p.rang) },
	}
}

func mergeCounter(a, b counterFold) counterFold {
	out := counterFold{a.count + b.count, a.first, b.last, a.resets + b.resets}
	if b.first.value < a.last.value {
		out.resets += a.last.value
	}
	return out
}

// rate returns the increase per second, extrapolated a little as rate does in
// Prometheus. Loki measures the time between samples in units a million times
// smaller than the range: the samples reach back to the beginning of the
// window by the number of its seconds, taken as microseconds, and all the way
// to its end. Recorded answers show this to the last digit.
func (f counterFold) rate(rang time.Duration) float64 {
	if f.count < 2 {
		return 0
	}
	increase := f.last.value - f.first.value + f.resets
	sampled := float64(f.last.time-f.first.time) / 1e3
	average := sampled / (f.count - 1)
	start := rang.Seconds()
	if increase > 0 && f.first.value >= 0 {
		// A counter begins at zero at the earliest.
		start = min(start, sampled*(f.first.value/increase))
	}
	extended := sampled
	if start < average*1.1 {
		extended += start
	} else {
		extended += average / 2
	}
	return increase * (extended / sampled) / rang.Seconds()
}
