package cases

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// A hit is something that was recorded at a time.
type hit struct {
	time    int64  // nanoseconds
	subject string // what it is about
	count   int64  // occurrences
	line    string // for evidence
}

// start returns when the run began: its first record, probe, progress record or
// action; 0: not known.
func start(run *outcome.Run) int64 {
	first := int64(0)
	earlier := func(t int64) {
		if t != 0 && (first == 0 || t < first) {
			first = t
		}
	}
	if run.Records > 0 || run.First != 0 {
		earlier(run.First)
	}
	eachTime(run, earlier)
	return first
}

// end returns the last time of which something was recorded.
func end(run *outcome.Run) int64 {
	last := run.Last
	eachTime(run, func(t int64) { last = max(last, t) })
	return last
}

func eachTime(run *outcome.Run, f func(int64)) {
	if run.Facts == nil {
		return
	}
	for i := range run.Facts.Probes {
		f(run.Facts.Probes[i].Time)
	}
	for i := range run.Facts.Progress {
		f(run.Facts.Progress[i].Time)
	}
	for i := range run.Facts.Actions {
		f(run.Facts.Actions[i].Time)
	}
}

// clock prints a time of a run.
func clock(ns int64) string { return time.Unix(0, ns).UTC().Format("15:04:05.000") }

// find returns what a record chooses, in time order. Without evidence of that
// kind at all the result says so and ok is false.
func find(r *profile.Record, run *outcome.Run) (hits []hit, missing Result, ok bool) {
	f := run.Facts
	if f == nil {
		f = &facts.Facts{}
	}
	var of string
	n := 0
	switch {
	case r == nil || r.Start:
		if t := start(run); t != 0 {
			return []hit{{time: t, subject: "start", count: 1, line: "start of the run at " + clock(t)}}, Result{}, true
		}
		return nil, notJudged("nothing says when the run began"), false
	case r.Moment != "":
		return findMoment(r.Moment, f)
	case r.Action != nil:
		of, n = "actions", len(f.Actions)
		hits = findActions(r.Action, f)
	case r.Event != nil:
		of, n = "events", len(f.Events)
		hits = findEvents(r.Event, f)
	case r.Progress != nil:
		of, n = "progress records", len(f.Progress)
		hits = findProgress(r.Progress, f)
	case r.Probe != nil:
		of, n = "probes", len(f.Probes)
		for i := range f.Probes {
			if p := &f.Probes[i]; p.OK == r.Probe.OK && profile.Glob(r.Probe.Target, p.Target) {
				hits = append(hits, hit{p.Time, p.Target, 1, fmt.Sprintf("%s probe %s ok=%t", clock(p.Time), short(p.Target), p.OK)})
			}
		}
	case r.Object != nil:
		return findObjectTimes(r.Object, f)
	}
	if n == 0 {
		return nil, notJudged("no %s were recorded", of), false
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.time, b.time) })
	return hits, Result{}, true
}

func findMoment(moment string, f *facts.Facts) ([]hit, Result, bool) {
	first := int64(0)
	for i := range f.Objects {
		if o := &f.Objects[i]; o.Moment == moment && o.Time != 0 && (first == 0 || o.Time < first) {
			first = o.Time
		}
	}
	if first == 0 {
		return nil, notJudged("nothing says when the objects of %q were recorded", short(moment)), false
	}
	return []hit{{first, moment, 1, clock(first) + " moment " + short(moment)}}, Result{}, true
}

func findActions(s *profile.ActionSelector, f *facts.Facts) []hit {
	var hits []hit
	for i := range f.Actions {
		if a := &f.Actions[i]; action(s, a) {
			hits = append(hits, hit{a.Time, a.Target, 1, actionLine(a)})
		}
	}
	return hits
}

func action(s *profile.ActionSelector, a *facts.Action) bool {
	return profile.Glob(s.Actor, a.Actor) && profile.Glob(s.Action, a.Action) && profile.Glob(s.Target, a.Target) && has(a.Raw, s.Where)
}

func actionLine(a *facts.Action) string {
	line := clock(a.Time) + " " + short(a.Action)
	if a.Target != "" {
		line += " " + short(a.Target)
	}
	if a.Actor != "" {
		line += " by " + short(a.Actor)
	}
	return line
}

func findEvents(s *profile.EventSelector, f *facts.Facts) []hit {
	message, err := regexp.Compile(s.Message)
	if err != nil {
		return nil
	}
	var hits []hit
	for i := range f.Events {
		e := &f.Events[i]
		if !profile.Glob(s.Cluster, e.Cluster) || !profile.Glob(s.Type, e.Type) || !profile.Glob(s.Reason, e.Reason) || !profile.Glob(s.Kind, e.Object.Kind) ||
			!profile.Glob(s.Namespace, e.Object.Namespace) || !profile.Glob(s.Name, e.Object.Name) || !message.MatchString(e.Message) {
			continue
		}
		subject := e.Object.Kind + " " + e.Object.Namespace + "/" + e.Object.Name
		line := fmt.Sprintf("%s event %s of %s", clock(e.First), short(e.Reason), short(subject))
		if e.Count > 1 {
			line += fmt.Sprintf(", %d times until %s", e.Count, clock(e.Last))
		}
		hits = append(hits, hit{endOfSecond(e.First), subject, max(e.Count, 1), line})
		if e.Last != e.First {
			hits = append(hits, hit{endOfSecond(e.Last), subject, 0, line})
		}
	}
	return hits
}

// endOfSecond takes a time that is given in whole seconds for the end of its
// second: so nothing is thought earlier than it was.
func endOfSecond(ns int64) int64 {
	if ns != 0 && ns%int64(time.Second) == 0 {
		return ns + int64(time.Second) - 1
	}
	return ns
}

func findProgress(s *profile.ProgressSelector, f *facts.Facts) []hit {
	var hits []hit
	for i := range f.Progress {
		p := &f.Progress[i]
		if !profile.Glob(s.Event, p.Event) || !profile.Glob(s.Cluster, p.Cluster) || !profile.Glob(s.Namespace, p.Namespace) ||
			!profile.Glob(s.Job, p.Job) || !profile.Glob(s.Workload, p.Workload) || !profile.Glob(s.Pod, p.Pod) {
			continue
		}
		subject := p.Namespace + "/" + cmp.Or(p.Workload, p.Job, p.Pod)
		line := fmt.Sprintf("%s %s of %s", clock(p.Time), short(p.Event), short(subject))
		if p.Pod != "" {
			line += " in pod " + short(p.Pod)
		}
		if p.Cluster != "" {
			line += " on " + short(p.Cluster)
		}
		hits = append(hits, hit{p.Time, subject, 1, line})
	}
	return hits
}

// findObjectTimes returns the times that objects hold. An object without one
// is there with time 0: it has not got so far.
func findObjectTimes(s *profile.ObjectTime, f *facts.Facts) ([]hit, Result, bool) {
	objects, missing, ok := at(&s.ObjectSelector, s.Moment, f)
	if !ok {
		return nil, missing, false
	}
	if len(objects) == 0 {
		return nil, notJudged("no such object was recorded at %q: %s", short(s.Moment), wanted(&s.ObjectSelector)), false
	}
	var hits []hit
	for _, o := range objects {
		v := get(o.Raw, s.Path)
		t, err := time.Parse(time.RFC3339Nano, text(v))
		switch {
		case !exists(v) || text(v) == "":
			hits = append(hits, hit{0, name(o), 1, fmt.Sprintf("%s: %s is absent", name(o), short(s.Path))})
		case err != nil:
			return nil, notJudged("%s: %s is %s, which is no time", name(o), short(s.Path), shown(v)), false
		default:
			ns := endOfSecond(t.UnixNano())
			hits = append(hits, hit{ns, name(o), 1, fmt.Sprintf("%s: %s is %s", name(o), short(s.Path), clock(t.UnixNano()))})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.time, b.time) })
	return hits, Result{}, true
}

// judgeWindow asks whether something is reached in time.
func judgeWindow(a *profile.Assertion, run *outcome.Run) Result {
	starts, missing, ok := find(a.After, run)
	if !ok {
		return missing
	}
	starts = slices.DeleteFunc(starts, func(h hit) bool { return h.time == 0 })
	if len(starts) == 0 {
		return notJudged("what the window begins after was not recorded")
	}
	hits, missing, ok := find(a.Reaches, run)
	if !ok {
		return missing
	}
	from, d := starts[0].time, time.Duration(a.Within)
	until := from + int64(a.Within)
	in, late, open := reached(a, hits, from, until)
	least := int64(1)
	if a.Reaches.Object != nil {
		least = int64(len(in) + len(late))
	}
	count := profile.Count{AtLeast: &least}
	if a.Count != nil {
		count = *a.Count
	}
	said := fmt.Sprintf("%d within %s after %s, want %s", len(in), d, starts[0].line, boundsText(count, 0))
	if within(count, int64(len(in)), 0) && (len(in) > 0 || !bounded(count)) {
		return holds("%s", said).with(in)
	}
	if end(run) < until && int64(len(in)) < deref(count.AtLeast, deref(count.Equals, 0)) {
		return notJudged("the run ended %s after %s, before the window of %s did", seconds(max(end(run)-from, 0)), starts[0].line, d)
	}
	if len(in) == 0 && within(count, 0, 0) {
		return holds("%s", said)
	}
	out := fails("%s", said).with(append(late, in...)).by(beyond(count, int64(len(in)), 0))
	out.Late = len(late) > open
	return out
}

// reached parts what was reached in the window from what was reached late.
// Open counts the objects that did not get so far; they are among the late.
func reached(a *profile.Assertion, hits []hit, from, until int64) (in, late []string, open int) {
	seen := map[string]bool{}
	for _, h := range hits {
		switch {
		case h.time == 0:
			open++
			late = append(late, h.line)
		case h.time < from && !a.OrBefore || seen[h.subject]:
		case h.time < from:
			seen[h.subject] = true
			in = append(in, h.line+", before it")
		case h.time <= until:
			seen[h.subject] = true
			in = append(in, fmt.Sprintf("%s, after %s", h.line, seconds(h.time-from)))
		default:
			seen[h.subject] = true
			late = append(late, fmt.Sprintf("%s, after %s", h.line, seconds(h.time-from)))
		}
	}
	return in, late, open
}

func deref(p *int64, or int64) int64 {
	if p == nil {
		return or
	}
	return *p
}

func seconds(ns int64) string {
	return time.Duration(ns).Round(time.Millisecond).String()
}
