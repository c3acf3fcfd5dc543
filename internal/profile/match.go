package profile

import (
	"fmt"
	"slices"
	"strings"
)

// What may be given in place of the name of a profile.
const (
	None = "none" // use no profile
	Auto = "auto" // choose by what was recorded
)

// A Match says for which recordings a profile is meant. What is declared must
// hold: one of the component's names, one of the kinds. A profile that
// declares neither is only used by name.
type Match struct {
	// Component are patterns for the component as the run's manifest names it.
	Component []Pattern `yaml:"component"`
	// Kinds are kinds of recorded objects, as GROUP/KIND or GROUP/*.
	Kinds []string `yaml:"kinds"`
}

func (m *Match) check(f *faults) {
	for i, k := range m.Kinds {
		if group, kind := SplitKind(k); group == "" || kind == "" {
			f.at("match", "kinds", i).fail("write GROUP/KIND, such as apps/Deployment, or GROUP/*", "%q names no kind of an API group", k)
		}
	}
}

// SplitKind takes GROUP/KIND apart. A kind alone is one of the core group.
func SplitKind(s string) (group, kind string) {
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		return s[:i], s[i+1:]
	}
	return "", s
}

// Group returns the API group of an apiVersion; the core group is empty.
func Group(apiVersion string) string {
	if group, _, ok := strings.Cut(apiVersion, "/"); ok {
		return group
	}
	return ""
}

// Recorded is what a choice of profile rests on.
type Recorded struct {
	Components []string // of the builds; empty texts say nothing
	Kinds      []string // of the recorded objects, as GROUP/KIND
}

// reason says why the profile is meant for what was recorded; empty: it is
// not.
func (m *Match) reason(r Recorded) string {
	for _, p := range m.Component {
		for _, c := range r.Components {
			if p.Fits(c) {
				return fmt.Sprintf("the component is %q", c)
			}
		}
	}
	for _, k := range m.Kinds {
		group, kind := SplitKind(k)
		for _, have := range r.Kinds {
			if g, h := SplitKind(have); g == group && (h == kind || kind == "*") {
				return "objects of kind " + have + " were recorded"
			}
		}
	}
	return ""
}

// Choose returns the one profile that is meant for what was recorded, with a
// note that says why. Of none or several it returns nil; the note then names
// those that fit, and is empty where none does.
func Choose(profiles []*Profile, r Recorded) (*Profile, string) {
	slices.Sort(r.Kinds)
	var fits []*Profile
	var names []string
	reason := ""
	for _, p := range profiles {
		if why := p.Match.reason(r); why != "" {
			fits, names, reason = append(fits, p), append(names, p.Name), why
		}
	}
	switch len(fits) {
	case 0:
		return nil, ""
	case 1:
		return fits[0], fmt.Sprintf("profile %s was chosen: %s; another can be named with --profile, or none", fits[0].Name, reason)
	}
	return nil, fmt.Sprintf("no profile was chosen: %s fit what was recorded; name one with --profile", strings.Join(names, " and "))
}
