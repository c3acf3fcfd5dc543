package corpus

import (
	"slices"
)

// checkAssertions reports the first fault of a list of assertions, which
// stands at path.
func (d *Description) checkAssertions(list []Assertion, path []any) error {
	names := map[string]bool{}
	for i := range list {
		at := append(slices.Clone(path), i)
		for _, f := range list[i].Faults() {
			for _, key := range f.Path {
				at = append(at, key)
			}
			if f.Hint != "" {
				return d.errorAt(at, "%s; %s", f.Msg, f.Hint)
			}
			return d.errorAt(at, "%s", f.Msg)
		}
		if names[list[i].Name] {
			return d.errorAt(append(at, "name"), "assertion %q is declared twice", list[i].Name)
		}
		names[list[i].Name] = true
	}
	return nil
}

// declare adds to a scenario what its description declares beside
// expectations.
func (l *lookup) declare(s *Scenario, spec *ScenarioSpec, from *scenarioPaths) {
	if text := l.pick(spec.Expected, from.File, from.Expected); text != "" {
		s.Expected, s.DeclaredAt = text, nil
	}
	if spec.DeclaredAt != nil {
		at := spec.DeclaredAt.UTC()
		s.DeclaredAt = &at
	} else if from.DeclaredAt != "" {
		if at := l.time(from.File, from.DeclaredAt); !at.IsZero() {
			s.DeclaredAt = &at
		}
	}
	if spec.LoadOf != "" {
		s.LoadOf = spec.LoadOf
	}
	for _, a := range spec.Assertions {
		// The time that a run's own file gives is that of its text: nobody
		// says that an assertion of the description is as old.
		if a.DeclaredAt.IsZero() && spec.DeclaredAt != nil {
			a.DeclaredAt = *spec.DeclaredAt
		}
		if !a.DeclaredAt.IsZero() {
			a.DeclaredAt = a.DeclaredAt.UTC()
		}
		i := slices.IndexFunc(s.Assertions, func(have Assertion) bool { return have.Name == a.Name })
		if i < 0 {
			s.Assertions = append(s.Assertions, a)
		} else {
			s.Assertions[i] = a // of one scenario, in place of that of all
		}
	}
}
