package existing

import (
	"crypto/sha256"
	"path"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/corpus"
)

// A valueFile is a file of objects or events.
type valueFile struct {
	name   string
	root   *bundle
	events bool
	ids    [][sha256.Size]byte
	moment string // of objects
}

// snapshot is the moment of objects of which no more is known.
const snapshot = "snapshot"

func isValues(rel string) bool {
	switch path.Ext(strings.TrimSuffix(strings.TrimSuffix(rel, ".gz"), ".zst")) {
	case ".json", ".yaml", ".yml":
		return true
	}
	return false
}

// addValues looks into a file of JSON or YAML.
func (s *scanner) addValues(name string, root *bundle, rel string) {
	if twin := s.twin(name); twin != "" {
		s.leave(name, "says in YAML what %s says in JSON", twin)
		return
	}
	look, err := corpus.LookAtValues(s.fsys, name)
	switch {
	case err != nil:
		s.leave(name, "cannot be read as objects: %s", strings.ToValidUTF8(err.Error(), "?"))
		return
	case look.Objects == 0 && look.Others == 0:
		s.leave(name, "holds no object")
		return
	case look.Others > 0:
		s.leave(name, "holds values that are no objects of Kubernetes: they have no kind or apiVersion")
		return
	case look.Secrets > 0:
		s.leave(name, "holds Secrets; give a description of your own with -f if they are to be taken along")
		return
	}
	v := valueFile{name: name, root: root, events: look.Events == look.Objects, ids: look.IDs, moment: snapshot}
	l := root.layout
	if len(l.objects) > 0 {
		v.events = matches(l.events, rel)
		if !v.events && !matches(l.objects, rel) {
			s.leave(name, "%s", unknown(rel, l))
			return
		}
	}
	s.values = append(s.values, v)
}

// twin returns the file of JSON beside a file of YAML that has its name.
func (s *scanner) twin(name string) string {
	ext := path.Ext(name)
	if ext != ".yaml" && ext != ".yml" {
		return ""
	}
	other := strings.TrimSuffix(name, ext) + ".json"
	if _, found := slices.BinarySearch(s.files, other); !found {
		return ""
	}
	return other
}

func matches(patterns []string, rel string) bool {
	return slices.ContainsFunc(patterns, func(text string) bool {
		p, err := corpus.CompilePattern(text)
		return err == nil && p.Match(rel) != nil
	})
}

// chooseMoments tells states of objects apart that were written one after the
// other: where an object is in two files, each folder is a moment.
func (s *scanner) chooseMoments() {
	seen := map[[sha256.Size]byte]string{}
	twice := false
	for _, v := range s.values {
		if v.root.layout.name != Kubectl || v.events {
			continue
		}
		for _, id := range v.ids {
			dir := path.Dir(v.name)
			other, ok := seen[id]
			twice = twice || ok && other != dir
			seen[id] = dir
		}
	}
	for i := range s.values {
		if v := &s.values[i]; twice && v.root.layout.name == Kubectl && !v.events {
			v.moment = momentOf(path.Dir(v.name))
		}
	}
}

func momentOf(dir string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' {
			return r
		}
		return '-'
	}, dir), "-.")
	if name == "" {
		return snapshot
	}
	return name[:min(len(name), 100)]
}
