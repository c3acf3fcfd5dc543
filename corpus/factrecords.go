package corpus

import (
	"maps"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
)

// A fieldReader finds the fields of a fact in values of one file.
type fieldReader struct {
	paths  map[string][]string
	values map[string]string
}

func newFieldReader(kind string, key FileKey) *fieldReader {
	r := &fieldReader{paths: map[string][]string{}, values: map[string]string{}}
	if key.Cluster != "" {
		r.values["cluster"] = key.Cluster
	}
	maps.Copy(r.values, key.Values)
	for name, paths := range factFields[kind] {
		r.paths[name] = paths
		if given := key.Fields[name]; given != nil {
			r.paths[name] = given
		}
	}
	return r
}

// get returns a field; it does not exist where no path leads to a value.
func (r *fieldReader) get(text, name string) gjson.Result {
	for _, p := range r.paths[name] {
		if v := gjson.Get(text, p); v.Exists() && v.Type != gjson.Null {
			return v
		}
	}
	if v, ok := r.values[name]; ok {
		return gjson.Result{Type: gjson.String, Str: v, Raw: v}
	}
	return gjson.Result{}
}

func (r *fieldReader) text(text, name string) string { return r.get(text, name).String() }

// record reads the time that every record has; false, and noted, without one.
func (l *factLoader) record(r *fieldReader, text string) (int64, bool) {
	t := timeIn(r.get(text, "time"))
	if t == 0 {
		l.note("records without a time under %s", strings.Join(r.paths["time"], ", "))
		return 0, false
	}
	return t, true
}

func (l *factLoader) probes(f *File) func(string) {
	r := newFieldReader("probes", f.FileKey)
	return func(text string) {
		t, ok := l.record(r, text)
		if !ok {
			return
		}
		reached, ok := truth(r.get(text, "ok"))
		if !ok {
			l.note("probes that do not say whether they succeeded, under %s", strings.Join(r.paths["ok"], ", "))
			return
		}
		l.keep(len(text))
		l.facts.Probes = append(l.facts.Probes, facts.Probe{Time: t, Cluster: r.text(text, "cluster"), Target: r.text(text, "target"), OK: reached, Raw: text})
	}
}

// truth reads a boolean, in the forms in which probes write one.
func truth(v gjson.Result) (yes, ok bool) {
	switch v.Type {
	case gjson.True:
		return true, true
	case gjson.False:
		return false, true
	case gjson.Number:
		return v.Num == 1, v.Num == 0 || v.Num == 1
	case gjson.String:
		switch strings.ToLower(v.Str) {
		case "true", "ok", "up", "yes", "success", "1":
			return true, true
		case "false", "down", "no", "failed", "failure", "error", "cut", "0":
			return false, true
		}
	}
	return false, false
}

func (l *factLoader) progress(f *File) func(string) {
	r := newFieldReader("progress", f.FileKey)
	return func(text string) {
		t, ok := l.record(r, text)
		if !ok {
			return
		}
		p := facts.Progress{
			Time: t, Cluster: r.text(text, "cluster"), Namespace: r.text(text, "namespace"),
			Pod: r.text(text, "pod"), PodUID: r.text(text, "podUID"), Job: r.text(text, "job"), Workload: r.text(text, "workload"),
			Event: r.text(text, "event"), Step: r.get(text, "step").Int(), Raw: text,
		}
		l.keep(len(text))
		l.facts.Progress = append(l.facts.Progress, p)
	}
}

func (l *factLoader) actions(f *File) func(string) {
	r := newFieldReader("actions", f.FileKey)
	return func(text string) {
		t, ok := l.record(r, text)
		if !ok {
			return
		}
		a := facts.Action{Time: t, Cluster: r.text(text, "cluster"), Actor: r.text(text, "actor"), Action: r.text(text, "action"), Target: r.text(text, "target"), Raw: text}
		a.Requested, _ = truth(r.get(text, "requested"))
		if a.Action == "" {
			l.note("actions without a name under %s", strings.Join(r.paths["action"], ", "))
			return
		}
		l.keep(len(text))
		l.facts.Actions = append(l.facts.Actions, a)
	}
}
