package compare

import (
	"cmp"
	"context"
	"slices"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/review"
	"github.com/stillfires/stillfires/internal/timeline"
)

// A choice is the profile that a comparison uses.
type choice struct {
	profile *profile.Profile // nil: none
	notes   []string
}

// chooseProfile returns the profile that was named, or the one that is meant
// for what was recorded.
func (o *Options) chooseProfile(ctx context.Context, deployed, candidate *side) (*choice, error) {
	switch name := cmp.Or(o.Profile, profile.Auto); name {
	case profile.None:
		return &choice{}, nil
	case profile.Auto:
		return autoProfile(ctx, deployed, candidate)
	default:
		p, err := profile.Load(name)
		return &choice{profile: p}, err
	}
}

// autoProfile asks the manifests first. Objects are read only where these do
// not tell.
func autoProfile(ctx context.Context, deployed, candidate *side) (*choice, error) {
	all, err := profile.Shipped()
	if err != nil {
		return nil, err
	}
	r := profile.Recorded{Components: []string{deployed.meta.Component, candidate.meta.Component}}
	p, note := profile.Choose(all, r)
	if p == nil && note == "" {
		if r.Kinds, err = kindsOf(ctx, deployed, candidate); err != nil {
			return nil, err
		}
		p, note = profile.Choose(all, r)
	}
	c := &choice{profile: p}
	if note != "" {
		c.notes = append(c.notes, note)
	}
	return c, nil
}

// kindsOf returns the kinds of objects in the first run of each side that has
// any, ordered.
func kindsOf(ctx context.Context, sides ...*side) ([]string, error) {
	var kinds []string
	for _, s := range sides {
		for _, info := range s.runs {
			run, err := s.corpus.OpenRun(info.Build, info.Scenario, info.Repetition)
			if err != nil {
				return nil, err
			}
			found, err := kindsIn(ctx, run)
			if err != nil {
				return nil, err
			}
			kinds = append(kinds, found...)
			if len(found) > 0 {
				break
			}
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), nil
}

func kindsIn(ctx context.Context, run *corpus.Run) ([]string, error) {
	f, err := run.Facts(ctx)
	if err != nil || f == nil {
		return nil, err
	}
	seen := map[string]bool{}
	var kinds []string
	for i := range f.Objects {
		o := &f.Objects[i]
		if kind := profile.Group(o.APIVersion) + "/" + o.Kind; !seen[kind] {
			seen[kind] = true
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

// recovery returns how a recovery is followed, and which objects belong
// together; nil: nothing says.
func (c *choice) recovery() (*profile.Milestones, *profile.Correlation) {
	if c.profile == nil {
		return nil, nil
	}
	return c.profile.Milestones, c.profile.Correlation
}

// declare adds what was declared of recoveries: by the review file, and by the
// profile where that says nothing. A budget of a milestone that does not exist
// is a problem.
func (c *choice) declare(in *analyzer.Input, f *review.File) {
	var p profile.Profile
	if c.profile != nil {
		p = *c.profile
	}
	if f == nil {
		f = &review.File{}
	}
	in.Capacity, in.Manual, in.Acceptance = f.Capacity.With(p.Capacity), f.Manual.With(p.Manual), slices.Clone(f.Acceptance)
	if len(in.Acceptance) == 0 {
		in.Acceptance = slices.Clone(p.Acceptance)
	}
	if in.Milestones != nil {
		in.Problems = append(in.Problems, profile.CheckMilestones(in.Acceptance, in.Milestones)...)
	}
}

// marks are the log queries that a recovery is followed by.
func (c *choice) marks() []outcome.MarkQuery {
	m, _ := c.recovery()
	return timeline.Queries(m)
}

// metricMarks are the metrics that a recovery is followed by.
func (c *choice) metricMarks() []*profile.MetricSource {
	m, _ := c.recovery()
	return timeline.Metrics(m)
}

// notifications joins what the profile says of alerts with what the review
// file does.
func (c *choice) notifications(f *review.File) *profile.Notifications {
	var base *profile.Notifications
	if c.profile != nil {
		base = c.profile.Notifications
	}
	if f == nil {
		return base
	}
	return f.Notifications.With(base)
}

// unused tells the reader where a profile's correlation had nothing to work
// on.
func (c *choice) unused(sides ...*side) []string {
	if c.profile == nil || c.profile.Correlation == nil {
		return nil
	}
	var out []string
	for _, s := range sides {
		n := 0
		for i := range s.results {
			if s.results[i].Correlation == nil {
				n++
			}
		}
		switch {
		case n > 0 && n == len(s.results):
			out = append(out, "correlation was not judged: no run of the "+s.role+" build "+s.build+" has recorded objects and a log")
		case n > 0:
			out = append(out, "correlation was not judged in every scenario: some runs of the "+s.role+" build "+s.build+" have no recorded objects or no log")
		}
	}
	return out
}
