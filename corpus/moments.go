package corpus

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// findMoments fills in the moments of a run's objects, in the order they were
// taken: that of the description if it names them all, else that of their
// times if all are known, else those named first and the others by name.
func (d *Description) findMoments(fsys fs.FS, r *runPlan, m *Manifest) error {
	seen := map[string]bool{}
	for _, f := range r.files {
		if f.spec.As != "objects" {
			continue
		}
		key, err := f.spec.key(f.captures)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		seen[key.Moment] = true
	}
	timed, listed := true, true
	for _, name := range sortedKeys(seen) {
		t, err := d.timeOfMoment(fsys, r, name)
		if err != nil {
			return err
		}
		x := Moment{Name: name}
		if t.IsZero() {
			timed = false
		} else {
			x.Time = &t
		}
		listed = listed && slices.Contains(d.Moments, name)
		m.Moments = append(m.Moments, x)
	}
	slices.SortStableFunc(m.Moments, func(a, b Moment) int {
		if timed && !listed {
			return a.Time.Compare(*b.Time)
		}
		return cmp.Or(cmp.Compare(d.momentRank(a.Name), d.momentRank(b.Name)), naturalCompare(a.Name, b.Name))
	})
	if !listed && !timed && len(m.Moments) > 1 {
		m.Notes = append(m.Notes, "the order of the moments is a guess: the import description neither names them all under moments nor says their times")
	}
	return nil
}

// momentRank is the place of a moment in the description; those that it does
// not name come last.
func (d *Description) momentRank(name string) int {
	if i := slices.Index(d.Moments, name); i >= 0 {
		return i
	}
	return len(d.Moments)
}

// timeOfMoment is zero where the files of the run do not tell.
func (d *Description) timeOfMoment(fsys fs.FS, r *runPlan, name string) (time.Time, error) {
	if d.MomentTime == nil {
		return time.Time{}, nil
	}
	captures := merged(r.captures, map[string]string{"moment": name, "build": r.info.Build, "scenario": r.info.Scenario})
	l := &lookup{fsys: fsys, dir: r.dir, captures: captures, files: map[string]string{}, optional: true}
	t := l.time(d.MomentTime.File, d.MomentTime.Path)
	if l.err != nil {
		return time.Time{}, fmt.Errorf("time of moment %q: %w", name, l.err)
	}
	return t, nil
}
