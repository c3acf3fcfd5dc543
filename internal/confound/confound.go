// Package confound finds what differs between the runs of two builds besides
// the build: the environment, nodes, flags, images, replicas, manifests and
// configuration, and the drill itself. It explains why a difference in time may
// have another cause.
//
//	res := confound.Compare(scenario, deployed, candidate)
//
// Only what was recorded on both sides is compared; the rest is noted. What
// makes the builds two, such as their version and image, is no difference.
package confound

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/prose"
	"github.com/stillfires/stillfires/internal/timeline"
)

// A Kind says what differs.
type Kind string

// The kinds, in the order in which they are shown.
const (
	Loss          Kind = "loss"      // how long it lasted
	History       Kind = "history"   // work that was finished before it
	Work          Kind = "work"      // how much was handed in during it
	Parameter     Kind = "parameter" // of the scenario
	Kubernetes    Kind = "kubernetes"
	Node          Kind = "node"
	Device        Kind = "device"
	Replicas      Kind = "replicas"
	Flag          Kind = "flag"
	Verbosity     Kind = "verbosity"
	Encoding      Kind = "encoding" // of the log
	Image         Kind = "image"
	Component     Kind = "component" // another one's version
	Configuration Kind = "configuration"
	Manifest      Kind = "manifest" // what is wanted of an object
)

var order = []Kind{Loss, History, Work, Parameter, Kubernetes, Node, Device, Replicas, Flag, Verbosity, Encoding, Image, Component, Configuration, Manifest}

// A Difference is one thing that differs. All texts are safe to show.
type Difference struct {
	Kind    Kind
	Subject string // such as the name of a flag, or an object and a path
	// Deployed and Candidate are the values of the runs, each once, ordered.
	Deployed, Candidate []string
	// Timing says that it can explain that something takes another time.
	Timing bool
	// Decisive says that the drills differ: what was compared is not the same
	// thing, so that nothing follows from a difference.
	Decisive bool
}

// A Result is what differs in one scenario.
type Result struct {
	Scenario    string
	Compared    int          // things that were compared
	Differences []Difference // decisive ones first, then those that explain a time; bounded
	Cut         int          // differences that did not fit the bound
	Notes       []string     // what was not compared
}

// Decisive returns the differences that make the comparison prove nothing.
func (r *Result) Decisive() []Difference {
	return slices.DeleteFunc(slices.Clone(r.Differences), func(d Difference) bool { return !d.Decisive })
}

// maxDifferences bounds the differences of a scenario.
const maxDifferences = 200

// A Run is one run with its timeline; of one without a loss it is nil.
type Run struct {
	Run  *outcome.Run
	Line *timeline.Run
}

// Compare finds what differs between the runs of both builds.
func Compare(scenario string, deployed, candidate []Run) Result {
	r := Result{Scenario: scenario}
	if len(deployed) == 0 || len(candidate) == 0 {
		r.Notes = []string{"one build has no run"}
		return r
	}
	d, c := describe(deployed), describe(candidate)
	r.drills(d, c)
	r.facets(d, c)
	slices.SortStableFunc(r.Differences, func(a, b Difference) int {
		return cmp.Or(first(a.Decisive, b.Decisive), first(a.Timing, b.Timing), cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)), cmp.Compare(a.Subject, b.Subject))
	})
	if r.Cut = len(r.Differences) - maxDifferences; r.Cut > 0 {
		r.Differences = r.Differences[:maxDifferences]
	}
	r.Cut = max(r.Cut, 0)
	slices.Sort(r.Notes)
	r.Notes = slices.Compact(r.Notes)
	return r
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// A facet is one thing that is known of a run.
type facet struct {
	kind    Kind
	subject string
	// family is what it was recorded with: a run that has nothing of the family
	// did not record it. strict: one of the family that a run lacks is absent
	// there; else it is not compared.
	family string
	strict bool
	value  string
	timing bool
	// each counts the values of things that all have one; nil: it is no such
	// tally.
	each map[string]int
	// measured: it is what was measured of the run, which is compared instead.
	measured bool
}

type facetKey struct {
	kind    Kind
	subject string
}

// A side is what is known of all runs of a build.
type side struct {
	runs     []Run
	facets   []map[facetKey]facet // of each run
	families map[string]bool
}

func describe(runs []Run) *side {
	s := &side{runs: runs, families: map[string]bool{}}
	for _, r := range runs {
		d := &describer{run: r.Run, line: r.Line, out: map[facetKey]facet{}, families: s.families}
		d.manifest()
		d.objects()
		s.facets = append(s.facets, d.out)
	}
	return s
}

// A describer gathers the facets of one run.
type describer struct {
	run      *outcome.Run
	line     *timeline.Run
	out      map[facetKey]facet
	families map[string]bool
}

// measuredBoth reports whether a thing is what was measured in every run of both
// sides.
func measuredBoth(k facetKey, sides ...*side) bool {
	for _, s := range sides {
		for _, m := range s.facets {
			if f, ok := m[k]; !ok || !f.measured {
				return false
			}
		}
	}
	return true
}

func (d *describer) add(f facet) {
	d.families[f.family] = true
	d.out[facetKey{f.kind, f.subject}] = f
}

// values returns the values of a thing in the runs, each once; nil: it was
// not recorded. absent: some runs have none of it.
func (s *side) values(k facetKey) (values []string, one facet) {
	absent := false
	for _, m := range s.facets {
		f, ok := m[k]
		if !ok {
			absent = true
			continue
		}
		one = f
		values = append(values, f.value)
	}
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) > 0 && absent && one.strict {
		values = append(values, none)
	}
	return values, one
}

const none = "none"

// facets compares what is known of both sides.
func (r *Result) facets(d, c *side) {
	seen := map[facetKey]bool{}
	for _, s := range []*side{d, c} {
		for _, m := range s.facets {
			for k := range m {
				seen[k] = true
			}
		}
	}
	for k := range seen {
		dv, df := d.values(k)
		cv, cf := c.values(k)
		f := df
		if dv == nil {
			f = cf
		}
		switch {
		case dv != nil && cv != nil && df.family != cf.family:
			r.Notes = append(r.Notes, df.family+" on deployed and "+cf.family+" on candidate were not compared")
			continue
		case !d.families[f.family]:
			r.Notes = append(r.Notes, f.family+" were recorded on candidate only")
			continue
		case !c.families[f.family]:
			r.Notes = append(r.Notes, f.family+" were recorded on deployed only")
			continue
		case f.measured && measuredBoth(k, d, c):
			continue
		case (dv == nil || cv == nil) && !f.strict:
			if k.kind == Parameter {
				r.Notes = append(r.Notes, short("the parameter "+k.subject+" of the scenario")+" is known of one build only")
			}
			continue
		}
		r.Compared++
		x := Difference{Kind: k.kind, Subject: k.subject, Deployed: dv, Candidate: cv, Timing: f.timing, Decisive: k.kind == Parameter}
		if dv == nil || cv == nil {
			x.Deployed, x.Candidate = orNone(dv), orNone(cv)
		}
		if slices.Equal(x.Deployed, x.Candidate) && len(x.Deployed) == 1 {
			continue
		}
		if len(dv) == 1 && len(cv) == 1 && moreOfTheSame(df, cf) {
			continue
		}
		if x.Timing && slices.Contains([]Kind{Flag, Configuration, Manifest}, x.Kind) && (isPort(k.subject) || harmless(x.Deployed, x.Candidate)) {
			x.Timing = false
		}
		// Where every build varies in the same way, no build is favoured.
		x.Decisive = x.Decisive && !slices.Equal(x.Deployed, x.Candidate)
		if secret(k.subject) {
			x.hide()
		}
		r.Differences = append(r.Differences, x.safe())
	}
}

// hide puts numbers in the place of values: that they differ may be told.
func (x *Difference) hide() {
	all := slices.Concat(x.Deployed, x.Candidate)
	slices.Sort(all)
	all = slices.Compact(all)
	for _, list := range []*[]string{&x.Deployed, &x.Candidate} {
		out := make([]string, len(*list))
		for i, v := range *list {
			out[i] = fmt.Sprintf("value %d (not shown)", slices.Index(all, v)+1)
		}
		*list = out
	}
}

func orNone(v []string) []string {
	if v == nil {
		return []string{none}
	}
	return v
}

// safe makes the texts safe to show.
func (x Difference) safe() Difference {
	x.Subject = short(x.Subject)
	for _, list := range []*[]string{&x.Deployed, &x.Candidate} {
		out := make([]string, 0, min(len(*list), maxValues+1))
		for i, v := range *list {
			if i == maxValues {
				out = append(out, fmt.Sprintf("… and %d more", len(*list)-i))
				break
			}
			out = append(out, short(v))
		}
		*list = out
	}
	return x
}

const maxValues = 5

func short(s string) string { return prose.Line(s, 120) }
