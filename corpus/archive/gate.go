package archive

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the names of members. What a gate remembers grows with depth and
// length.
const (
	maxPath    = 1000 // bytes
	maxElement = 255  // bytes: what file systems take
	maxDepth   = 24   // elements
	maxNames   = 32 << 20
)

// A gate knows the members that passed.
type gate struct {
	portable bool
	seen     map[string]place // by name in one case
	bytes    int              // of all names
}

// A place is a file or directory that a member named or needs.
type place struct {
	name string // as spelled
	file bool
	said bool // a member is it; otherwise one only lies below it
}

func newGate(portable bool) *gate {
	return &gate{portable: portable, seen: map[string]place{}}
}

// take cleans the name of a member and lets it pass, or says why not.
func (g *gate) take(m *Member) error {
	name := m.Name
	if err := checkText(name); err != nil {
		return err
	}
	if m.Dir {
		name = strings.TrimSuffix(name, "/")
	}
	name = strings.TrimPrefix(name, "./")
	if m.Dir && (name == "" || name == ".") {
		m.Name = "."
		return nil
	}
	switch {
	case strings.HasPrefix(name, "/"):
		return errors.New("has an absolute name")
	case name == "..", strings.HasPrefix(name, "../"), strings.Contains(name, "/../"), strings.HasSuffix(name, "/.."):
		return errors.New("has a name that leads out of the archive")
	case name == "", path.Clean(name) != name, name == ".":
		return errors.New("has a name that is not written in its only form")
	case len(name) > maxPath:
		return fmt.Errorf("has a name of more than %d bytes", maxPath)
	case strings.Count(name, "/") >= maxDepth:
		return fmt.Errorf("lies more than %d directories deep", maxDepth)
	}
	if g.bytes += len(name); g.bytes > maxNames {
		return fmt.Errorf("is one too many: the names have more than %d bytes together", maxNames)
	}
	for element := range strings.SplitSeq(name, "/") {
		if err := g.element(element); err != nil {
			return err
		}
	}
	m.Name = name
	return g.enter(name, !m.Dir)
}

func checkText(name string) error {
	if !utf8.ValidString(name) {
		return errors.New("has a name that is not valid UTF-8")
	}
	for _, r := range name {
		if r < ' ' || unicode.In(r, unicode.Cc, unicode.Cf) {
			return fmt.Errorf("has a name that holds %q", r)
		}
	}
	return nil
}

func (g *gate) element(s string) error {
	if len(s) > maxElement {
		return fmt.Errorf("has a name with an element of more than %d bytes", maxElement)
	}
	if !g.portable {
		return nil
	}
	if i := strings.IndexAny(s, `\:*?"<>|`); i >= 0 {
		return fmt.Errorf("has a name that holds %q, which not all systems take", s[i])
	}
	if strings.HasPrefix(s, ".") || strings.HasSuffix(s, ".") || strings.TrimSpace(s) != s {
		return errors.New("has a name with an element that begins or ends with '.' or a space, which not all systems take")
	}
	return nil
}

// enter remembers a name and the directories above it, and reports what does
// not fit with the members before.
func (g *gate) enter(name string, file bool) error {
	for i := 0; i < len(name); i++ {
		if name[i] != '/' {
			continue
		}
		if err := g.one(name[:i], false, false); err != nil {
			return err
		}
	}
	return g.one(name, file, true)
}

func (g *gate) one(name string, file, said bool) error {
	key := fold(name)
	had, ok := g.seen[key]
	switch {
	case !ok:
	case had.name != name:
		return fmt.Errorf("has a name that differs in case alone from %q; not all systems tell them apart", had.name)
	case had.file && !file:
		return fmt.Errorf("needs the directory %q, which is a file here", name)
	case !had.file && file:
		return errors.New("is a file where members before have a directory")
	case had.said && said && file:
		return errors.New("is there twice")
	}
	g.seen[key] = place{name, file, said || had.said}
	return nil
}

// fold returns name as file systems see it that do not tell case.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		// The least of the runes that are equal but for case.
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name)
}

// CheckNames reports names of files that [Walk] would refuse with
// Options.Portable.
func CheckNames(names []string) error {
	g := newGate(true)
	for _, name := range names {
		if err := g.take(&Member{Name: name}); err != nil {
			return fmt.Errorf("file %q: %w", name, err)
		}
	}
	return nil
}
