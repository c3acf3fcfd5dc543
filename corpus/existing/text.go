package existing

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/corpus"
)

// The description as it is written; corpus.Description reads it.
type (
	descriptionText struct {
		Version     int              `yaml:"version"`
		Note        string           `yaml:"note"`
		Build       *nameText        `yaml:"build,omitempty"`
		Scenario    *nameText        `yaml:"scenario,omitempty"`
		Environment *environmentText `yaml:"environment,omitempty"`
		Logs        []logText        `yaml:"logs"`
		Files       []fileText       `yaml:"files,omitempty"`
		LeaveOut    []corpus.LeftOut `yaml:"leaveOut,omitempty"`
	}
	nameText struct {
		Name string `yaml:"name"`
	}
	environmentText struct {
		FromFile environmentFile `yaml:"fromFile"`
	}
	environmentFile struct {
		File       string `yaml:"file"`
		Kubernetes string `yaml:"kubernetes"`
		Optional   bool   `yaml:"optional"`
	}
	logText struct {
		Epochs     []epochText       `yaml:"epochs"`
		Labels     map[string]string `yaml:"labels"`
		AllowEmpty bool              `yaml:"allowEmpty"`
	}
	epochText struct {
		Files []string `yaml:"files"`
		Order string   `yaml:"order,omitempty"`
	}
	fileText struct {
		Files   []string `yaml:"files"`
		As      string   `yaml:"as"`
		Moment  string   `yaml:"moment,omitempty"`
		Cluster string   `yaml:"cluster,omitempty"`
	}
)

const note = "Written by stillfires of what lies here. Patterns say what else of the same layout is taken; leaveOut lists what is not, and why. docs/corpus-format.md explains the keys."

// text writes the description.
func (s *scanner) text() ([]byte, error) {
	d := descriptionText{Version: 1, Note: note, LeaveOut: s.left}
	if s.opt.Build != "" {
		d.Build = &nameText{s.opt.Build}
	}
	if s.opt.Scenario != "" {
		d.Scenario = &nameText{s.opt.Scenario}
	}
	if s.version != "" {
		d.Environment = &environmentText{environmentFile{s.version, "string", true}}
	}
	d.Logs, d.Files = s.logs(), s.valueFiles()
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(&d); err != nil {
		return nil, err
	}
	return b.Bytes(), enc.Close()
}

// logs returns an entry for each group of each tree that has logs, and for each
// stream that belongs to none.
func (s *scanner) logs() []logText {
	var out []logText
	for i := range s.roots {
		root := &s.roots[i]
		for j := range root.layout.groups {
			if g := &root.layout.groups[j]; s.uses(root, g) {
				out = append(out, s.groupText(root, g))
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s.streams)) {
		if st := s.streams[key]; st.group == nil {
			out = append(out, st.text())
		}
	}
	return out
}

func (s *scanner) uses(root *bundle, g *group) bool {
	for _, st := range s.streams {
		if st.root == root && st.group == g {
			return true
		}
	}
	return false
}

func (s *scanner) groupText(root *bundle, g *group) logText {
	t := logText{Labels: map[string]string{}, AllowEmpty: true}
	for _, name := range g.labels {
		t.Labels[name] = "{" + name + "}"
	}
	if cluster := s.cluster(root); cluster != "" {
		t.Labels["cluster"] = cluster
	}
	for e, patterns := range g.epochs {
		if len(patterns) == 0 {
			continue
		}
		epoch := epochText{Order: "path"}
		if e == rotated {
			epoch.Order = "time"
		}
		for _, p := range patterns {
			epoch.Files = append(epoch.Files, escape(root.prefix)+p)
		}
		t.Epochs = append(t.Epochs, epoch)
	}
	return t
}

// text returns the entry of one stream.
func (st *stream) text() logText {
	t := logText{Labels: st.labels, AllowEmpty: true}
	if st.byTime {
		t.Epochs = []epochText{{Order: "time"}}
		for _, f := range st.files {
			t.Epochs[0].Files = append(t.Epochs[0].Files, escape(f.name))
		}
		return t
	}
	for _, f := range st.files {
		t.Epochs = append(t.Epochs, epochText{Files: []string{escape(f.name)}})
	}
	return t
}

// escape returns a pattern that matches a path, and nothing that is likely
// beside it: the letters of patterns stand for any one.
func escape(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`{}[]*?\`, r) {
			return '?'
		}
		return r
	}, name)
}

// valueFiles returns the entries of objects and events.
func (s *scanner) valueFiles() []fileText {
	entries := map[fileKey]*fileText{}
	for _, v := range s.values {
		key := fileKey{as: "objects", moment: v.moment, cluster: s.cluster(v.root)}
		if v.events {
			key.as, key.moment = "events", ""
		}
		e := entries[key]
		if e == nil {
			e = &fileText{As: key.as, Moment: key.moment, Cluster: key.cluster}
			entries[key] = e
		}
		for _, p := range v.patterns() {
			if !slices.Contains(e.Files, p) {
				e.Files = append(e.Files, p)
			}
		}
	}
	var out []fileText
	for _, e := range entries {
		out = append(out, *e)
	}
	// Events first: the patterns of objects would take them too.
	slices.SortFunc(out, func(a, b fileText) int {
		return cmp.Or(cmp.Compare(a.As, b.As), cmp.Compare(a.Moment, b.Moment), cmp.Compare(a.Cluster, b.Cluster))
	})
	return out
}

// fileKey is what makes an entry of files one.
type fileKey struct{ as, moment, cluster string }

// patterns returns those of the layout, or the file itself.
func (v *valueFile) patterns() []string {
	l := v.root.layout
	if len(l.objects) == 0 {
		return []string{escape(v.name)}
	}
	patterns, rel := l.objects, strings.TrimPrefix(v.name, v.root.prefix)
	if v.events {
		patterns = l.events
	}
	for _, p := range patterns {
		if matches([]string{p}, rel) {
			return []string{escape(v.root.prefix) + p}
		}
	}
	return nil
}
