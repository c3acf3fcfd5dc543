package rules

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/suggest"
)

// Find returns the indexes in s.Rules of the rules that a pattern names, in
// order. The pattern is a rule's name or group/name, either of which can hold
// the wildcards of [path.Match]. A pattern with wildcards finds alert rules
// only, for saved queries and panels commonly have names alike; a plain name
// finds every rule of that name, in whichever group. A pattern that finds
// nothing is an error, which says what may have been meant, or that the rule
// is there but not valid.
func (s *Set) Find(pattern string) ([]int, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, errorf("pattern %q is not valid; close its brackets", pattern)
	}
	var exact, alerts []int
	others := 0
	for i, r := range s.Rules {
		switch {
		case named(pattern, r.Group, r.Name):
			exact = append(exact, i)
		case !IsPattern(pattern) || !matches(pattern, r.Group, r.Name):
		case r.Kind == Alert:
			alerts = append(alerts, i)
		default:
			others++
		}
	}
	switch {
	case len(exact) > 0 && !IsPattern(pattern):
		return exact, nil
	case len(exact)+len(alerts) > 0:
		found := append(exact, alerts...)
		slices.Sort(found)
		return found, nil
	case others > 0:
		return nil, errorf("pattern %q matches no alert rule, but %d others; name these without wildcards", pattern, others)
	}
	return nil, s.unknown(pattern)
}

// IsPattern reports whether a text holds wildcards of [path.Match].
func IsPattern(text string) bool { return strings.ContainsAny(text, `*?[\`) }

// named reports whether a text is the name of a rule, or group/name.
func named(text, group, name string) bool {
	return text == name || len(text) == len(group)+1+len(name) && text == group+"/"+name
}

// matches reports whether a pattern matches the name of a rule, or group/name.
func matches(pattern, group, name string) bool {
	short, err := path.Match(pattern, name)
	long, _ := path.Match(pattern, group+"/"+name)
	return err == nil && (short || long)
}

// unknown returns the error for a pattern that finds nothing.
func (s *Set) unknown(pattern string) error {
	for _, b := range s.Broken {
		if named(pattern, b.Group, b.Name) {
			return errorf("rule %q is named here, but it is not valid (%v)", pattern, b.Pos)
		}
	}
	if IsPattern(pattern) {
		for _, b := range s.Broken {
			if matches(pattern, b.Group, b.Name) {
				return errorf("pattern %q matches only rules that are not valid, such as %q (%v)", pattern, b.Name, b.Pos)
			}
		}
		return errorf("pattern %q matches no rule", pattern)
	}
	var names []string
	for _, r := range s.Rules {
		if strings.Contains(pattern, "/") {
			names = append(names, r.Group+"/"+r.Name)
		} else {
			names = append(names, r.Name)
		}
	}
	if hint := suggest.Hint(pattern, names); hint != "" {
		return errorf("no rule is named %q; %s", pattern, hint)
	}
	return errorf("no rule is named %q", pattern)
}

// errorf returns an error that quotes names and patterns, cut where they are
// long.
func errorf(format string, args ...any) error {
	return errors.New(source.Sprintf(format, args...))
}
