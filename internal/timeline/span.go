package timeline

import (
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
)

// farOff is how far a time may lie from the logs and metrics of a run, or else
// from the middle of all that was recorded, before it is taken for a wrong
// date.
const farOff = 24 * time.Hour

// span is the first and the last time of which anything was recorded. One
// record with a wrong date would stretch a run over years, and with it every
// length of time that had not ended; wrong counts those that lie far off.
func span(run *outcome.Run) (start, end int64, wrong int) {
	first, last := core(run)
	times := recordTimes(run.Facts)
	if first == 0 && last == 0 && len(times) > 0 {
		sorted := slices.Sorted(slices.Values(times))
		first = sorted[len(sorted)/2]
		last = first
	}
	start, end = first, last
	for _, t := range times {
		switch {
		case float64(t)-float64(last) > float64(farOff), float64(first)-float64(t) > float64(farOff):
			wrong++
		default:
			start, end = min(start, t), max(end, t)
		}
	}
	return start, end, wrong
}

// core is the span of the logs and metrics; zero: there are none.
func core(run *outcome.Run) (first, last int64) {
	for _, t := range []int64{run.First, run.Last, run.Scrapes.First, run.Scrapes.Last} {
		switch {
		case t == 0:
		case first == 0 && last == 0:
			first, last = t, t
		default:
			first, last = min(first, t), max(last, t)
		}
	}
	return first, last
}

// recordTimes are the times at which facts were recorded.
func recordTimes(f *facts.Facts) []int64 {
	if f == nil {
		return nil
	}
	out := make([]int64, 0, len(f.Probes)+len(f.Progress)+len(f.Actions)+len(f.Events)+len(f.Objects))
	add := func(t int64) {
		if t > 0 {
			out = append(out, t)
		}
	}
	for i := range f.Probes {
		add(f.Probes[i].Time)
	}
	for i := range f.Progress {
		add(f.Progress[i].Time)
	}
	for i := range f.Actions {
		add(f.Actions[i].Time)
	}
	for i := range f.Events {
		add(f.Events[i].Last)
	}
	for i := range f.Objects {
		add(f.Objects[i].Time)
	}
	return out
}

// reach is how far after the last record an object may say that something
// happened: a snapshot is often taken last, and has no time of its own.
const reach = 10 * time.Minute

// beyond reports whether a time lies after all that was recorded.
func (g *gatherer) beyond(t int64) bool {
	return g.end != 0 && float64(t)-float64(g.end) > float64(reach)
}

// dateObjects finds when each object was recorded, and moves the end of the run
// to the last of these times.
func (g *gatherer) dateObjects() {
	g.takenAt = make(map[*facts.Object]int64, len(g.facts.Objects))
	g.snapshots = map[snapshot]int64{}
	end := g.end
	for i := range g.facts.Objects {
		o := &g.facts.Objects[i]
		t := g.latest(o)
		g.takenAt[o] = t
		end = max(end, t)
		at := snapshot{o.Moment, o.Cluster}
		g.snapshots[at] = max(g.snapshots[at], t)
	}
	if g.start == 0 {
		g.start = end
	}
	g.end = end
}

// taken returns when an object was recorded, or the latest time that it holds:
// it was recorded no earlier. 0: nothing tells.
func (g *gatherer) taken(o *facts.Object) int64 { return g.takenAt[o] }

// A snapshot is the objects of one cluster at one moment.
type snapshot struct{ moment, cluster string }

// stood returns until when an object is known to have been as it was recorded:
// all objects of a snapshot were recorded together.
func (g *gatherer) stood(o *facts.Object) int64 {
	return max(g.takenAt[o], g.snapshots[snapshot{o.Moment, o.Cluster}])
}

func (g *gatherer) latest(o *facts.Object) int64 {
	if o.Time != 0 && !g.beyond(o.Time) {
		return o.Time
	}
	latest := int64(0)
	add := func(t int64) {
		if !g.beyond(t) {
			latest = max(latest, t)
		}
	}
	add(o.Created)
	for _, path := range []string{"status.conditions.#.lastTransitionTime", "metadata.managedFields.#.time"} {
		for _, v := range gjson.Get(o.Raw, path).Array() {
			if t, ok := timeOf(v); ok {
				add(t)
			}
		}
	}
	return latest
}
