package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// How far the times of a kind of record can be from the truth, where neither
// the profile nor the record itself says more.
const (
	ofRecord  = 100 * time.Millisecond // written as it happens
	ofSecond  = time.Second            // written in whole seconds
	ofRuntime = time.Second            // seen by looking, as progress and probes are
)

// A hit is something that a source shows.
type hit struct {
	at, arrived int64
	res         time.Duration
	work        int    // whose; negative: nobody's
	clock       string // whose clock told
	pod         string // of a progress record: what told
	uid         string // of the object that it is about; empty: none, or not known
	line        string
}

// A source is one evidence, looked up in one run.
type source struct {
	e    *profile.Evidence
	kind string
	hits []hit // in time order
	// of are the places in hits of what is shown of each piece of work.
	of map[int][]int
	// none says why nothing could be there, in words; empty: there could.
	none string
	// unwritten: none says that no run of the build has such a record.
	unwritten bool
	gaps      []gap
	// ended are the pieces of work of which it was shown and then denied, with
	// the time of that.
	ended map[int]int64
}

// A gap is a stretch of which a source lacks records.
type gap struct {
	to  int64  // its end
	why string // in words
}

// A gatherer looks up evidence in one run.
type gatherer struct {
	run    *outcome.Run
	others []*outcome.Run // further runs of the build
	facts  *facts.Facts
	things *things
	index  *index
	root   int // the entity that work is; negative: none
	marks  map[string]*outcome.Marks
	notes  map[string]bool
	// start and end are the first and last time of which anything was recorded.
	start, end int64
	takenAt    map[*facts.Object]int64 // when each object was recorded
	snapshots  map[snapshot]int64      // the latest of these
}

func newGatherer(run *outcome.Run, m *profile.Milestones, corr *profile.Correlation, others []*outcome.Run) *gatherer {
	g := &gatherer{run: run, others: others, facts: run.Facts, marks: map[string]*outcome.Marks{}, notes: map[string]bool{}}
	if g.facts == nil {
		g.facts = &facts.Facts{}
	}
	if corr == nil {
		corr = &profile.Correlation{}
	}
	var wrong int
	if g.start, g.end, wrong = span(run); wrong > 0 {
		g.note("%s dated more than %s from the rest of the run and %s left out: is a clock wrong?", counted(wrong, "record is", "records are"), farOff, counted(wrong, "was", "were"))
	}
	g.dateObjects()
	g.things = learn(corr, g.facts)
	g.index, g.root = newIndex(m, g.things, g.facts), g.things.entity(m.Work.Entity)
	if g.things.cut {
		g.note("more than %d objects were recorded; the others were not looked at", maxThings)
	}
	for link := range g.things.wide {
		g.note("the link of %s joins more things than can be followed; some of them are of no work", short(link))
	}
	for i := range run.Marks {
		g.marks[markKey(run.Marks[i].Query, run.Marks[i].Labels)] = &run.Marks[i]
	}
	return g
}

func markKey(query string, labels []string) string {
	return query + "\x00" + strings.Join(labels, "\x00")
}

// look finds what a source shows.
func (g *gatherer) look(e *profile.Evidence) *source {
	s := &source{e: e}
	switch {
	case e.Probe != nil:
		s.kind = "probe"
		g.probes(s)
	case e.Action != nil:
		s.kind = "action"
		g.actions(s)
	case e.Condition != nil:
		s.kind = "condition"
		g.conditions(s)
	case e.Object != nil:
		s.kind = "object"
		g.fields(s)
	case e.Event != nil:
		s.kind = "event"
		g.events(s)
	case e.Log != nil:
		s.kind = "log"
		g.logs(s)
	case e.Progress != nil:
		s.kind = "progress"
		g.progress(s)
	case e.Metric != nil:
		s.kind = "metric"
		g.metrics(s)
	}
	if e.Resolution > 0 {
		for i := range s.hits {
			s.hits[i].res = time.Duration(e.Resolution)
		}
	}
	s.hits = slices.DeleteFunc(s.hits, func(h hit) bool { return h.at <= 0 || g.beyond(h.at) })
	slices.SortStableFunc(s.hits, func(a, b hit) int { return cmp.Compare(a.at, b.at) })
	g.confirm(s)
	s.of = map[int][]int{}
	for i := range s.hits {
		if w := s.hits[i].work; w >= 0 {
			s.of[w] = append(s.of[w], i)
		}
	}
	return s
}

func (g *gatherer) all(by []profile.Evidence) []*source {
	out := make([]*source, len(by))
	for i := range by {
		out[i] = g.look(&by[i])
	}
	return out
}

func (s *source) add(h hit) { s.hits = append(s.hits, h) }

// arrival reads when a record arrived; 0: not said, or when it happened.
func (s *source) arrival(raw string, at int64) int64 {
	if s.e.Arrival == "" {
		return 0
	}
	if t, ok := timeOf(gjson.Get(raw, s.e.Arrival)); ok && t != at {
		return t
	}
	return 0
}

// timeOf reads a time that a record or an object holds.
func timeOf(v gjson.Result) (int64, bool) {
	switch v.Type {
	case gjson.String:
		t, err := time.Parse(time.RFC3339Nano, v.Str)
		if err != nil || t.Year() < 1971 || t.Year() > 2200 {
			return 0, false
		}
		return t.UnixNano(), true
	case gjson.Number:
		// Seconds, or what smaller unit makes a date of this time of it.
		for n, unit := v.Num, 1e9; unit >= 1; unit /= 1e3 {
			if n > 3e7 && n*unit < 7.3e18 && n*unit > 3e16 {
				return int64(n * unit), true
			}
		}
	}
	return 0, false
}

// precision is the resolution of a time as it is written.
func precision(at int64) time.Duration {
	if at%int64(time.Second) == 0 {
		return ofSecond
	}
	return ofRecord
}

func (g *gatherer) probes(s *source) {
	n, last := 0, map[string]int64{}
	for i := range g.facts.Probes {
		p := &g.facts.Probes[i]
		if !g.things.inCluster(s.e.Cluster, p.Cluster) || !profile.Glob(s.e.Probe.Target, p.Target) {
			continue
		}
		n++
		// What a probe finds may have been so since the one before it.
		res := ofRuntime
		if t, ok := last[p.Target]; ok && p.Time > t {
			res = time.Duration(p.Time - t).Round(time.Millisecond)
		}
		last[p.Target] = p.Time
		if p.OK == s.e.Probe.OK {
			word := "ok"
			if !p.OK {
				word = "not ok"
			}
			s.add(hit{at: p.Time, arrived: s.arrival(p.Raw, p.Time), res: res, work: -1, clock: "probe", line: "probe " + short(p.Target) + " " + word})
		}
	}
	if n == 0 {
		s.none = "no probes were recorded"
	}
}

// chosen reports whether an action is what a selector means.
func chosen(s *profile.ActionSelector, a *facts.Action) bool {
	return profile.Glob(s.Actor, a.Actor) && profile.Glob(s.Action, a.Action) && profile.Glob(s.Target, a.Target) && shows(a.Raw, s.Where)
}

// shows reports whether a record or an object holds all values.
func shows(raw string, where map[string]string) bool {
	for path, want := range where {
		if v := gjson.Get(raw, path); !v.Exists() || v.String() != want {
			return false
		}
	}
	return true
}

func text(raw, path string) string { return gjson.Get(raw, path).String() }

func (g *gatherer) actions(s *source) {
	if len(g.facts.Actions) == 0 {
		s.none = "no actions were recorded"
	}
	for i := range g.facts.Actions {
		a := &g.facts.Actions[i]
		if !chosen(s.e.Action, a) || s.e.Cluster != "" && a.Cluster != "" && !g.things.inCluster(s.e.Cluster, a.Cluster) {
			continue
		}
		s.add(hit{
			at: a.Time, arrived: s.arrival(a.Raw, a.Time), res: precision(a.Time),
			work: g.index.ofTarget(a.Target, a.Raw), clock: cmp.Or("actions of "+a.Actor, "actions"), line: actionLine(a.Actor, a.Action, a.Target),
		})
	}
}

func (g *gatherer) progress(s *source) {
	if len(g.facts.Progress) == 0 {
		s.none = "no progress records were recorded"
	}
	sel := s.e.Progress
	for i := range g.facts.Progress {
		p := &g.facts.Progress[i]
		if !g.things.inCluster(s.e.Cluster, p.Cluster) || !profile.Glob(sel.Event, p.Event) || !profile.Glob(sel.Cluster, p.Cluster) ||
			!profile.Glob(sel.Namespace, p.Namespace) || !profile.Glob(sel.Job, p.Job) || !profile.Glob(sel.Workload, p.Workload) || !profile.Glob(sel.Pod, p.Pod) {
			continue
		}
		line := "progress " + short(p.Event) + " of " + short(cmp.Or(p.Pod, p.Job, p.Workload))
		clock := "progress"
		if p.Cluster != "" {
			clock += " of " + short(p.Cluster)
		}
		s.add(hit{
			at: p.Time, arrived: s.arrival(p.Raw, p.Time), res: precision(p.Time), work: g.index.ofProgress(p),
			clock: clock, pod: cmp.Or(p.PodUID, p.Pod), line: line,
		})
	}
}

// clock names the clock of a cluster.
func (g *gatherer) clock(cluster string) string {
	return cmp.Or(short(cluster), "the cluster")
}
