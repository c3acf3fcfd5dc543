package corpus

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"time"

	"github.com/tidwall/gjson"
)

// manifests returns the files that the description reads metadata from, by
// their path below a run's directory. Those named by captures are left out.
func (d *Description) manifests() map[string]bool {
	used := map[string]bool{}
	build := func(b *BuildSpec) {
		if b != nil && b.FromFile != nil {
			used[b.FromFile.File] = true
		}
	}
	build(&d.Build)
	for _, b := range d.Builds {
		build(&b)
	}
	for i := range d.Logs {
		build(d.Logs[i].Build)
		for j := range d.Logs[i].Epochs {
			build(d.Logs[i].Epochs[j].Build)
		}
	}
	if d.Scenario.FromFile != nil {
		used[d.Scenario.FromFile.File] = true
	}
	for _, s := range d.Scenarios {
		if s.FromFile != nil {
			used[s.FromFile.File] = true
		}
	}
	if d.MomentTime != nil {
		used[d.MomentTime.File] = true
	}
	if d.Environment.FromFile != nil {
		used[d.Environment.FromFile.File] = true
	}
	return used
}

// A lookup reads metadata of one run: texts with captures and paths in JSON
// files. It keeps the first error.
type lookup struct {
	fsys     fs.FS
	dir      string
	captures map[string]string
	files    map[string]string
	optional bool // what is missing in a file is left open
	err      error
}

func (l *lookup) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// text expands captures.
func (l *lookup) text(s string) string {
	out, err := expand(s, l.captures, nil)
	if err != nil {
		l.fail(err)
	}
	return out
}

// value reads one path of a JSON file of the run.
func (l *lookup) value(file, at string) gjson.Result {
	at = l.text(at)
	name := path.Join(l.dir, l.text(file))
	text, ok := l.files[name]
	if !ok {
		b, err := readMetadata(l.fsys, name)
		if errors.Is(err, fs.ErrNotExist) {
			if packed, err2 := readMetadata(l.fsys, name+".gz"); err2 == nil {
				b, err = packed, nil
			}
		}
		if l.optional && errors.Is(err, fs.ErrNotExist) {
			return gjson.Result{}
		}
		if err == nil && !validJSON(b) {
			err = errors.New("is not valid JSON")
		}
		if err != nil {
			l.fail(fmt.Errorf("%s: %w", name, err))
		}
		text = string(b)
		l.files[name] = text
	}
	r := gjson.Get(text, at)
	if !r.Exists() && !l.optional {
		l.fail(fmt.Errorf("%s: has no value at %q", name, at))
	}
	return r
}

// validJSON reports whether b is one JSON value, or lines that are one each.
func validJSON(b []byte) bool {
	if json.Valid(b) {
		return true
	}
	for line := range bytes.Lines(b) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !json.Valid(line) {
			return false
		}
	}
	return true
}

// readMetadata reads a file of at most maxManifest bytes, decompressed.
func readMetadata(fsys fs.FS, name string) ([]byte, error) {
	raw, err := openRaw(fsys, name, Limits{Bytes: maxManifest})
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(raw)
	return b, errors.Join(err, raw.Close())
}

// pick returns text with its captures, or else what the file says at path.
func (l *lookup) pick(text, file, at string) string {
	if text != "" || at == "" {
		return l.text(text)
	}
	return l.value(file, at).String()
}

func (l *lookup) pickMap(texts map[string]string, file string, paths map[string]string) map[string]string {
	out := map[string]string{}
	for _, k := range sortedKeys(texts) {
		out[k] = l.text(texts[k])
	}
	for _, k := range sortedKeys(paths) {
		if _, ok := out[k]; ok {
			continue
		}
		if v := l.value(file, paths[k]); v.Exists() {
			out[k] = v.String()
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// build fills in what spec says of a build; what it leaves open stays.
func (l *lookup) build(b Build, spec *BuildSpec) Build {
	from := cmp.Or(spec.FromFile, &buildPaths{})
	l.optional = from.Optional
	set := func(field *string, text, at string) {
		if v := l.pick(text, from.File, at); v != "" {
			*field = v
		}
	}
	set(&b.Name, spec.Name, "")
	set(&b.Component, spec.Component, from.Component)
	set(&b.Version, spec.Version, from.Version)
	set(&b.Commit, spec.Commit, from.Commit)
	set(&b.Image, spec.Image, from.Image)
	set(&b.Digest, spec.Digest, from.Digest)
	set(&b.Verbosity, spec.Verbosity, from.Verbosity)
	set(&b.LogEncoding, spec.LogEncoding, from.LogEncoding)
	switch {
	case len(spec.Flags) > 0:
		b.Flags = nil
		for _, f := range spec.Flags {
			b.Flags = append(b.Flags, l.text(f))
		}
	case from.Flags != "":
		b.Flags = nil
		for _, f := range l.value(from.File, from.Flags).Array() {
			b.Flags = append(b.Flags, f.String())
		}
	}
	return b
}

func (l *lookup) scenario(s Scenario, spec *ScenarioSpec) Scenario {
	from := cmp.Or(spec.FromFile, &scenarioPaths{})
	l.optional = from.Optional
	if text := l.pick(spec.Description, from.File, from.Description); text != "" {
		s.Description = text
	}
	params := l.pickMap(spec.Parameters, from.File, from.Parameters)
	if params = l.durations(params, from); params != nil {
		s.Parameters = params
	}
	if spec.Window != nil {
		s.Window = &Window{spec.Window.Start.UTC(), spec.Window.End.UTC()}
	} else if from.Start != "" {
		start, end := l.time(from.File, from.Start), l.time(from.File, from.End)
		if !start.IsZero() && !end.IsZero() {
			s.Window = &Window{start, end}
		}
	}
	for _, e := range spec.Expectations {
		s.Expectations = append(s.Expectations, Expectation{e.Rule, e.Expect, e.DeclaredAt.UTC()})
	}
	l.declare(&s, spec, from)
	return s
}

// durations adds to parameters the times between two times, rounded, as the
// same drill never takes the same nanoseconds.
func (l *lookup) durations(params map[string]string, from *scenarioPaths) map[string]string {
	for _, name := range sortedKeys(from.Durations) {
		if _, ok := params[name]; ok {
			continue
		}
		d := from.Durations[name]
		start, end := l.time(from.File, d.From), l.time(from.File, d.To)
		if start.IsZero() || end.IsZero() {
			continue
		}
		if params == nil {
			params = map[string]string{}
		}
		params[name] = end.Sub(start).Round(cmp.Or(d.Round, time.Second)).String()
	}
	return params
}

// time reads a time; it is zero where there is none.
func (l *lookup) time(file, at string) time.Time {
	text := l.value(file, at).String()
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		l.fail(fmt.Errorf("%s: %q is no RFC 3339 time", file, text))
	}
	return t.UTC()
}

func (l *lookup) environment(spec *EnvironmentSpec) *Environment {
	from := cmp.Or(spec.FromFile, &environmentPaths{})
	l.optional = from.Optional
	e := &Environment{
		Kubernetes: l.pick(spec.Kubernetes, from.File, from.Kubernetes),
		Nodes:      l.pickMap(spec.Nodes, from.File, from.Nodes),
		Devices:    l.pickMap(spec.Devices, from.File, from.Devices),
		Components: l.pickMap(spec.Components, from.File, from.Components),
	}
	if reflect.DeepEqual(e, &Environment{}) {
		return nil
	}
	return e
}

// manifest fills in what the description says of a run, and finds the build of
// every file of every stream: an index in Builds.
func (d *Description) manifest(fsys fs.FS, r *runPlan) (*Manifest, map[string]int, error) {
	l := &lookup{fsys: fsys, dir: r.dir, captures: merged(r.captures, map[string]string{"build": r.info.Build, "scenario": r.info.Scenario}), files: map[string]string{}}
	shared := l.captures
	m := &Manifest{Build: r.info.Build, Scenario: Scenario{Name: r.info.Scenario}, Repetition: r.info.Repetition}
	m.Scenario = l.scenario(m.Scenario, &d.Scenario)
	if s, ok := d.Scenarios[r.info.Scenario]; ok {
		m.Scenario = l.scenario(m.Scenario, &s)
	}
	m.Environment = l.environment(&d.Environment)
	if err := d.findMoments(fsys, r, m); err != nil {
		return nil, nil, err
	}
	base := l.build(Build{}, &d.Build)
	if b, ok := d.Builds[r.info.Build]; ok {
		base = l.build(base, &b)
	}
	base.Name = r.info.Build
	m.Builds = []Build{base}
	builds := map[string]int{}
	for _, s := range r.streams {
		for _, f := range s.files {
			l.captures = merged(shared, f.captures)
			b := base
			if s.spec.Build != nil {
				b = l.build(b, s.spec.Build)
			}
			if f.spec.Build != nil {
				b = l.build(Build{Component: b.Component}, f.spec.Build)
			}
			builds[f.name] = m.addBuild(b)
			if l.err != nil {
				return nil, nil, fmt.Errorf("%s: %w", f.name, l.err)
			}
		}
	}
	return m, builds, l.err
}

// addBuild returns the index of b in m.Builds, adding it if need be.
func (m *Manifest) addBuild(b Build) int {
	for i := range m.Builds {
		if reflect.DeepEqual(m.Builds[i], b) {
			return i
		}
	}
	m.Builds = append(m.Builds, b)
	return len(m.Builds) - 1
}
