package logqltest

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// tolerance is how far values may differ, relative to the larger: sums were
// recorded in no fixed order.
const tolerance = 1e-9

// Equal reports whether an answer equals the recorded one. Series may stand in
// any order unless the recorded vector is ordered.
func Equal(got, want *Answer) bool {
	if got.Status != want.Status || got.Stage != want.Stage {
		return false
	}
	return slices.EqualFunc(sorted(got.Streams, streamKey), sorted(want.Streams, streamKey), equalStreams) &&
		equalVectors(got.Vector, want.Vector, want.Ordered) &&
		slices.EqualFunc(sorted(got.Matrix, seriesKey), sorted(want.Matrix, seriesKey), equalSeries) &&
		equalValues(got.Scalar, want.Scalar)
}

func sorted[T any](in []T, key func(T) string) []T {
	return slices.SortedFunc(slices.Values(in), func(a, b T) int { return cmp.Compare(key(a), key(b)) })
}

func streamKey(s Stream) string { return labelsKey(s.Labels) }
func seriesKey(s Series) string { return labelsKey(s.Labels) }
func sampleKey(s Sample) string { return labelsKey(s.Labels) }

// labelsKey is a text by which label sets are ordered.
func labelsKey(labels map[string]string) string {
	var key strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		key.WriteString(name + "\x00" + labels[name] + "\x01")
	}
	return key.String()
}

// equalStreams compares entries in order, those of one time as a set: a server
// does not keep their order.
func equalStreams(a, b Stream) bool {
	return maps.Equal(a.Labels, b.Labels) && slices.Equal(sortTimes(a.Entries), sortTimes(b.Entries))
}

// sortTimes returns the entries with each run of equal times sorted by line.
func sortTimes(entries [][2]string) [][2]string {
	out := slices.Clone(entries)
	for from := 0; from < len(out); {
		to := from + 1
		for to < len(out) && out[to][0] == out[from][0] {
			to++
		}
		slices.SortFunc(out[from:to], func(a, b [2]string) int { return cmp.Compare(a[1], b[1]) })
		from = to
	}
	return out
}

func equalSeries(a, b Series) bool {
	return maps.Equal(a.Labels, b.Labels) && slices.EqualFunc(a.Points, b.Points, func(p, q [2]string) bool {
		return p[0] == q[0] && equalValues(p[1], q[1])
	})
}

func equalVectors(got, want []Sample, ordered bool) bool {
	if !ordered {
		got, want = sorted(got, sampleKey), sorted(want, sampleKey)
	}
	return slices.EqualFunc(got, want, func(a, b Sample) bool {
		return maps.Equal(a.Labels, b.Labels) && a.TS == b.TS && equalValues(a.Value, b.Value)
	})
}

func equalValues(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return false
	}
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return x == y
	}
	return math.Abs(x-y) <= tolerance*max(math.Abs(x), math.Abs(y))
}
