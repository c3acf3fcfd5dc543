package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/suggest"
)

// Find returns the indexes in s.Rules of the rules that a pattern names, in
// order. The pattern is a rule's name or group/name, either of which can hold
// the wildcards of [path.Match]. A pattern with wildcards finds alert rules
// only, for saved queries and panels commonly have names alike; a plain name
// finds every rule of that name. A pattern that finds nothing is an error,
// which says what may have been meant.
func (s *Set) Find(pattern string) ([]int, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("pattern %q is not valid; close its brackets", pattern)
	}
	var exact, alerts []int
	others := 0
	for i, r := range s.Rules {
		full := r.Group + "/" + r.Name
		switch {
		case pattern == r.Name || pattern == full:
			exact = append(exact, i)
		case !matches(pattern, r.Name) && !matches(pattern, full):
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
		return nil, fmt.Errorf("pattern %q matches no alert rule, but %d others; name these without wildcards", pattern, others)
	}
	return nil, s.unknown(pattern)
}

// IsPattern reports whether a text holds wildcards of [path.Match].
func IsPattern(text string) bool { return strings.ContainsAny(text, `*?[\`) }

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// unknown returns the error for a pattern that finds nothing.
func (s *Set) unknown(pattern string) error {
	if IsPattern(pattern) {
		return fmt.Errorf("pattern %q matches no rule", pattern)
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
		return fmt.Errorf("no rule is named %q; %s", pattern, hint)
	}
	return fmt.Errorf("no rule is named %q", pattern)
}
