package rules

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/internal/source"
)

// Lookup returns the index of the rule that a person names: by its name, as
// group/name, either with the wildcards of [path.Match], or by a place in its
// file as file:line, where any line of the rule from its expression on will do.
// More than one rule of different expressions is an error that lists them;
// rules that stand at one place, such as the variants of a panel, are one.
func (s *Set) Lookup(name string) ([]int, error) {
	found := s.named(name)
	if len(found) == 0 {
		found = s.at(name)
	}
	switch {
	case len(found) == 0 && IsPattern(name):
		return nil, errorf("no rule is named like %q", name)
	case len(found) == 0 && s.isPlace(name):
		return nil, errorf("no rule stands at %s, nor before it in that file; to list the rules: stillfires rules ls", source.Clip(name, 100))
	case len(found) == 0:
		return nil, s.unknown(name)
	}
	for _, i := range found[1:] {
		if s.Rules[i].Pos != s.Rules[found[0]].Pos {
			return nil, s.several(name, found)
		}
	}
	return found[:1], nil
}

// named returns the rules of a name or a pattern, those of exactly that name
// alone if there are any.
func (s *Set) named(name string) (found []int) {
	for i, r := range s.Rules {
		if named(name, r.Group, r.Name) {
			found = append(found, i)
		}
	}
	if len(found) > 0 || !IsPattern(name) {
		return found
	}
	if _, err := path.Match(name, ""); err != nil {
		return nil
	}
	for i, r := range s.Rules {
		if matches(name, r.Group, r.Name) {
			found = append(found, i)
		}
	}
	return found
}

// at returns the rules at file:line: of each file of that name the last that
// begins at or before the line.
func (s *Set) at(place string) []int {
	file, line, ok := placeOf(place)
	if !ok {
		return nil
	}
	best := map[string]int{}
	for n, r := range s.Rules {
		of := path.Clean(r.Pos.File)
		if !isFile(of, file) || r.Pos.Line > line {
			continue
		}
		if b, ok := best[of]; !ok || r.Pos.Line >= s.Rules[b].Pos.Line {
			best[of] = n
		}
	}
	if n, ok := best[file]; ok {
		return []int{n}
	}
	return slices.Sorted(maps.Values(best))
}

// isPlace reports whether a name is that of a file with rules, and a line.
func (s *Set) isPlace(name string) bool {
	file, _, ok := placeOf(name)
	return ok && slices.ContainsFunc(s.Rules, func(r Rule) bool { return isFile(path.Clean(r.Pos.File), file) })
}

func isFile(path, name string) bool { return path == name || strings.HasSuffix(path, "/"+name) }

// placeOf reads file:line.
func placeOf(text string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 1 {
		return "", 0, false
	}
	line, err := strconv.Atoi(text[i+1:])
	return path.Clean(text[:i]), line, err == nil && line > 0
}

// several returns the error for a name that more than one rule has.
func (s *Set) several(name string, found []int) error {
	const most = 20
	var b strings.Builder
	for n, i := range found {
		if n == most {
			b.WriteString("\n  …")
			break
		}
		r := &s.Rules[i]
		b.WriteString("\n  " + r.Pos.String() + "  " + r.Kind.String() + " " + source.Clip(r.Name, 100))
		if r.Group != "" {
			b.WriteString(", group " + source.Clip(r.Group, 100))
		}
	}
	return fmt.Errorf("%q means %d rules; name one by its place:%s", source.Clip(name, 100), len(found), b.String())
}
