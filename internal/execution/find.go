package execution

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
)

// A Kind says how it shows that work was executed twice.
type Kind string

// The kinds.
const (
	ActiveTwice    Kind = "active-twice"    // more of its pods ran at once than it asks for
	StepTwice      Kind = "step-twice"      // one pod reported a step twice
	CompletedTwice Kind = "completed-twice" // it was done more often than it asks for
)

// A Duplicate is one piece of work that was executed twice.
type Duplicate struct {
	Work     string // namespace/name
	Kind     Kind
	At       int64 // nanoseconds
	Clusters []string
	Detail   string   // in words, safe to show
	Evidence []string // the records, safe to show; bounded
}

// A Repeat is work that was begun again after it had ended: it did steps
// again that an earlier pod had done. Work that goes on from a checkpoint
// repeats nothing.
type Repeat struct {
	Work  string
	At    int64
	Steps int64 // done again
	Pod   string
}

// A Result is what one run showed.
type Result struct {
	// Judged is the number of pieces of work that could be judged, Unjudged are
	// those that ran and could not, ordered; bounded.
	Judged     int
	Unjudged   []string
	Duplicates []Duplicate // ordered by time, work and kind; bounded
	Repeats    []Repeat    // likewise
	Resumed    int         // pods that went on where an earlier one had ended
	Notes      []string    // what could not be judged
}

const (
	maxDuplicates = 1000
	maxEvidence   = 4
	tolerance     = int64(time.Second) // Kubernetes writes whole seconds
)

// A runner is one pod of a piece of work.
type runner struct {
	cluster, name, id string
	index             string
	job               bool // a Job that was active, of which no pod was recorded
	start, end        int64
	steps             []report   // in time order, since its container began
	earlier           [][]report // of containers before that
	done              []int64    // times at which it reported its completion
	podDone           bool       // its object says that it did its work
}

// A report is a step that was reported.
type report struct{ step, at int64 }

// A piece is one piece of work.
type piece struct {
	id      string
	runners map[string]*runner
	// Parallel is how many of its pods run at once, and completions how often
	// it is done; 0: not known.
	parallel, completions int64
}

// Find looks for work that was executed twice. Line joins objects of several
// clusters to pieces of work. Jobs of one namespace and name that nothing joins
// are each cluster's own, unless they report progress or say that they are
// copies. Line may be nil.
func Find(run *outcome.Run, line *timeline.Run) Result {
	var r Result
	if run.Facts == nil {
		r.Notes = []string{"neither pods nor progress were recorded"}
		return r
	}
	g := gather(run.Facts, line)
	r.Notes = g.notes
	if len(g.pieces) == 0 {
		r.Notes = append(r.Notes, "no pod of a job and no progress of work was recorded")
	}
	unknown := 0
	for _, id := range slices.Sorted(maps.Keys(g.pieces)) {
		p := g.pieces[id]
		list := p.ordered()
		if p.parallel == 0 && len(list) > 1 && sameCluster(list) {
			unknown++
			r.Unjudged = append(r.Unjudged, id)
			continue
		}
		r.Judged++
		p.active(&r, list)
		p.completed(&r, list)
		p.stepped(&r, list)
		p.repeated(&r, list)
	}
	if unknown > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d pieces of work have several pods and no recorded object says how many run at once", unknown))
	}
	r.unseen(g, line)
	slices.SortStableFunc(r.Duplicates, func(a, b Duplicate) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Work, b.Work), cmp.Compare(a.Kind, b.Kind))
	})
	if n := len(r.Duplicates) - maxDuplicates; n > 0 {
		r.Duplicates = r.Duplicates[:maxDuplicates]
		r.Notes = append(r.Notes, fmt.Sprintf("%d more duplicates are not listed", n))
	}
	slices.SortStableFunc(r.Repeats, func(a, b Repeat) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Work, b.Work)) })
	r.Repeats = r.Repeats[:min(len(r.Repeats), maxDuplicates)]
	return r
}

// unseen notes work that ran, by its timeline, and of which neither a pod nor
// progress was recorded.
func (r *Result) unseen(g *gathering, line *timeline.Run) {
	if line == nil {
		return
	}
	n := 0
	for i := range line.Workloads {
		w := &line.Workloads[i]
		if g.pieces[w.ID] == nil && ran(w, line) {
			n++
			r.Unjudged = append(r.Unjudged, w.ID)
		}
	}
	if n > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d pieces of work ran and neither pods nor progress of theirs were recorded", n))
	}
	slices.Sort(r.Unjudged)
	r.Unjudged = r.Unjudged[:min(len(r.Unjudged), maxDuplicates)]
}

// ran reports whether a piece of work is known to have run after the failure.
func ran(w *timeline.Workload, line *timeline.Run) bool {
	if w.Affected == "" {
		return false
	}
	if w.Finished != 0 {
		return true
	}
	for i := range w.Milestones {
		for _, d := range line.Declared {
			if d.Name == w.Milestones[i].Name && w.Milestones[i].State != timeline.Missing && slices.Contains([]string{profile.Running, profile.Useful, profile.Finished}, d.As) {
				return true
			}
		}
	}
	return false
}

// ordered returns the runners by start.
func (p *piece) ordered() []*runner {
	return slices.SortedFunc(maps.Values(p.runners), func(a, b *runner) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.cluster, b.cluster), cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
}

func sameCluster(list []*runner) bool {
	return !slices.ContainsFunc(list, func(r *runner) bool { return r.cluster != list[0].cluster })
}

// active finds the first time at which more pods run than the work asks for, or
// at which it runs in two clusters: those are copies of it, however many pods
// each has.
func (p *piece) active(r *Result, list []*runner) {
	allowed := max(p.parallel, 1)
	var running []*runner // by start
	for _, one := range list {
		running = slices.DeleteFunc(running, func(other *runner) bool { return other.end-one.start <= tolerance })
		if one.end-one.start <= tolerance {
			continue
		}
		var apart, same []*runner
		for _, other := range running {
			if other.cluster != one.cluster {
				apart = append(apart, other)
			}
			if one.index != "" && other.index == one.index && other.cluster == one.cluster {
				same = append(same, other)
			}
		}
		running = append(running, one)
		switch {
		case len(apart) > 0:
			p.duplicate(r, ActiveTwice, one.start, append(apart, one), fmt.Sprintf("%s ran in two clusters at once", short(p.id)))
			return
		case len(same) > 0:
			p.duplicate(r, ActiveTwice, one.start, append(same, one), fmt.Sprintf("index %s of %s ran in %s at once", short(one.index), short(p.id), pods(len(same)+1)))
			return
		case int64(len(running)) > allowed:
			p.duplicate(r, ActiveTwice, one.start, running, fmt.Sprintf("%s of %s ran at once, which asks for %d", pods(len(running)), short(p.id), allowed))
			return
		}
	}
}

// completed finds the first time at which it was done once too often.
func (p *piece) completed(r *Result, list []*runner) {
	allowed := max(p.completions, 1)
	if p.completions == 0 && p.parallel > 1 {
		allowed = p.parallel
	}
	type done struct {
		at int64
		by *runner
	}
	var all []done
	for _, one := range list {
		switch {
		case len(one.done) > 0:
			for _, at := range one.done {
				all = append(all, done{at, one})
			}
		case one.podDone:
			all = append(all, done{one.end, one})
		}
	}
	if int64(len(all)) <= allowed {
		return
	}
	slices.SortStableFunc(all, func(a, b done) int { return cmp.Compare(a.at, b.at) })
	var by []*runner
	for _, d := range all {
		if !slices.Contains(by, d.by) {
			by = append(by, d.by)
		}
	}
	p.duplicate(r, CompletedTwice, all[allowed].at, by, fmt.Sprintf("%s was completed %d times, which asks for %d", short(p.id), len(all), allowed))
}

// stepped finds steps that one pod reported twice without a new start. Of a
// pod that reports half of its steps more than once that is the way.
func (p *piece) stepped(r *Result, list []*runner) {
	for _, one := range list {
		seen := map[int64]int{}
		var first *report
		again := 0
		for i, s := range one.steps {
			seen[s.step]++
			if seen[s.step] == 2 {
				again++
				if first == nil {
					first = &one.steps[i]
				}
			}
		}
		if first != nil && again*2 < len(seen) {
			p.duplicate(r, StepTwice, first.at, []*runner{one}, fmt.Sprintf("step %d of %s was reported twice by one pod", first.step, short(p.id)))
			return
		}
	}
}

// repeated tells work that began again from work that went on.
func (p *piece) repeated(r *Result, list []*runner) {
	if p.parallel > 1 {
		return // whose steps these are is not known
	}
	most := map[string]int64{}
	for _, one := range list {
		for _, steps := range append(slices.Clone(one.earlier), one.steps) {
			if len(steps) == 0 {
				continue
			}
			before, known := most[one.index]
			first := steps[0].step
			last := first
			for _, s := range steps {
				last = max(last, s.step)
			}
			switch {
			case !known:
			case first <= before:
				r.Repeats = append(r.Repeats, Repeat{Work: p.id, At: steps[0].at, Steps: min(before, last) - first + 1, Pod: one.name})
			default:
				r.Resumed++
			}
			most[one.index] = max(before, last)
		}
	}
}

func (p *piece) duplicate(r *Result, kind Kind, at int64, by []*runner, detail string) {
	d := Duplicate{Work: p.id, Kind: kind, At: at, Detail: detail}
	for _, one := range by {
		if !slices.Contains(d.Clusters, one.cluster) {
			d.Clusters = append(d.Clusters, one.cluster)
		}
		if len(d.Evidence) < maxEvidence {
			d.Evidence = append(d.Evidence, one.line())
		}
	}
	slices.Sort(d.Clusters)
	r.Duplicates = append(r.Duplicates, d)
}

// line says in words what is known of a pod.
func (one *runner) line() string {
	text := "pod " + short(one.name)
	if one.job {
		text = "Job " + short(one.name)
	}
	if one.cluster != "" {
		text += " on " + short(one.cluster)
	}
	return text + " from " + clock(one.start) + " to " + clock(one.end)
}

func pods(n int) string { return fmt.Sprintf("%d pods", n) }

func clock(at int64) string { return time.Unix(0, at).UTC().Format("15:04:05.000") }
