package corpus

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A FileSpec carries files that are not logs into the corpus.
type FileSpec struct {
	Files oneOrMany `yaml:"files"`
	As    string    `yaml:"as"` // events, objects, probes, progress or actions
	// Moment names the objects of one moment.
	Moment string `yaml:"moment"`
	// Name tells files of one kind apart that are not to be merged.
	Name    string                       `yaml:"name"`
	Cluster string                       `yaml:"cluster"`
	Map     map[string]map[string]string `yaml:"map"` // capture to value to value in moment, name, cluster and values

	// Fields says where fields stand in the values, Values what stands in for
	// those that are not there; see [FileKey].
	Fields map[string]oneOrMany `yaml:"fields"`
	Values map[string]string    `yaml:"values"`

	patterns []*pattern
}

// momentPath says where a file of the run tells the time of a moment. Path can
// hold {moment}.
type momentPath struct {
	File string `yaml:"file"`
	Path string `yaml:"path"`
}

// durationPaths is a length of time between two times in a file.
type durationPaths struct {
	From  string        `yaml:"from"`
	To    string        `yaml:"to"`
	Round time.Duration `yaml:"round"` // 0: to the second
}

// factFields are the fields of each kind of fact that has no form of its own,
// with the paths they are looked for at if nothing else is said.
var factFields = map[string]map[string][]string{
	"probes": {
		"time":    {"ts", "time", "timestamp"},
		"cluster": {"cluster"},
		"target":  {"target", "url", "name"},
		"ok":      {"ok", "success", "up"},
	},
	"progress": {
		"time":    {"ts", "time", "timestamp"},
		"cluster": {"cluster"}, "namespace": {"namespace"},
		"pod": {"pod"}, "podUID": {"podUID", "pod_uid"},
		"job": {"job"}, "workload": {"workload"},
		"event": {"event", "action"}, "step": {"step"},
	},
	"actions": {
		"time":    {"ts", "time", "timestamp"},
		"cluster": {"cluster"},
		"actor":   {"actor"},
		"action":  {"action", "event"},
		"target":  {"target"},
		// A process that somebody asked to end did not fail.
		"requested": {"requested"},
	},
}

// Bounds of the fields that one file names.
const (
	maxFieldPaths = 32
	maxFieldPath  = 200
)

// checkFields holds the fields of a file of one kind to those that it has.
func checkFields(kind string, fields map[string][]string, values map[string]string) error {
	known := factFields[kind]
	if known == nil && len(fields)+len(values) > 0 {
		return fmt.Errorf("fields and values are for probes, progress and actions; %s have a form of their own", kind)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if known[name] == nil {
			return fmt.Errorf("field %q: %s have %s", name, kind, strings.Join(sortedKeys(known), ", "))
		}
		if n := len(fields[name]); n == 0 || n > maxFieldPaths {
			return fmt.Errorf("field %q has %d paths; want 1 to %d", name, n, maxFieldPaths)
		}
		for _, p := range fields[name] {
			// Modifiers and queries could make a small value a large one.
			if p == "" || len(p) > maxFieldPath || strings.ContainsAny(p, "@|{}[]()!~*?#") {
				return fmt.Errorf("field %q: path %q: want keys joined by dots, at most %d bytes", name, p, maxFieldPath)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if known[name] == nil || name == "time" {
			return fmt.Errorf("value of %q: %s take values for %s", name, kind, strings.Join(slices.DeleteFunc(sortedKeys(known), func(k string) bool { return k == "time" }), ", "))
		}
	}
	return nil
}

func (f *FileSpec) check() error {
	if _, ok := fileKinds[f.As]; !ok {
		return fmt.Errorf("as %q: want events, objects, probes, progress or actions", f.As)
	}
	if (f.As == "objects") != (f.Moment != "") {
		return fmt.Errorf("moment is given with \"as: objects\", and only then")
	}
	if f.As == "objects" && f.Name != "" {
		return fmt.Errorf("objects are told apart by moment and cluster, and take no name")
	}
	if err := checkFields(f.As, f.fields(), f.Values); err != nil {
		return err
	}
	for _, text := range f.Files {
		p, err := compilePattern(text)
		if err != nil {
			return err
		}
		f.patterns = append(f.patterns, p)
	}
	if len(f.patterns) == 0 {
		return fmt.Errorf("names no files")
	}
	return nil
}

func (f *FileSpec) fields() map[string][]string {
	if len(f.Fields) == 0 {
		return nil
	}
	out := make(map[string][]string, len(f.Fields))
	for k, v := range f.Fields {
		out[k] = v
	}
	return out
}

// key returns the key of the file that a file of the tree goes into.
func (f *FileSpec) key(captures map[string]string) (FileKey, error) {
	key := FileKey{Fields: f.fields()}
	for _, name := range sortedKeys(f.Values) {
		value, err := expand(f.Values[name], captures, f.Map)
		if err != nil {
			return key, fmt.Errorf("value of %q: %w", name, err)
		}
		if key.Values == nil {
			key.Values = map[string]string{}
		}
		key.Values[name] = value
	}
	for _, part := range []struct {
		kind, text string
		to         *string
	}{{"moment", f.Moment, &key.Moment}, {"name", f.Name, &key.Name}, {"cluster", f.Cluster, &key.Cluster}} {
		if part.text == "" {
			continue
		}
		text, err := expand(part.text, captures, f.Map)
		if err == nil {
			err = checkName(part.kind, text)
		}
		if err != nil {
			return key, fmt.Errorf("%s: %w", part.kind, err)
		}
		*part.to = text
	}
	return key, nil
}

func (d *Description) checkMoments() error {
	for i, m := range d.Moments {
		err := checkName("moment", m)
		if err == nil && slices.Contains(d.Moments[:i], m) {
			err = fmt.Errorf("moment %q is named twice", m)
		}
		if err != nil {
			return d.errorAt([]any{"moments", i}, "moments: %v", err)
		}
	}
	if t := d.MomentTime; t != nil && (t.File == "" || t.Path == "") {
		return d.errorAt([]any{"momentTime"}, "momentTime: give file and path")
	}
	return nil
}
