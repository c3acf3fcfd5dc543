package capturefile

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/corpus/capture"
	"github.com/stillfires/stillfires/corpus/capture/api"
	"github.com/stillfires/stillfires/corpus/capture/local"
	"github.com/stillfires/stillfires/internal/strictyaml"
	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// kinds are the kinds of sources, by the key that an entry of sources has. Each
// reads the entries of its kind; an error of an entry is given its place.
var kinds = []struct {
	name string
	read func(env *Env, doc *yamlpos.Document, entries []*yaml.Node) ([]capture.Source, error)
}{
	{"files", each(func(*Env, *local.Files) {})},
	{"process", each(func(*Env, *local.Process) {})},
	{"stdin", each(func(env *Env, s *local.Stdin) { s.In = env.Stdin })},
	{"probe", each(func(*Env, *local.Probe) {})},
	{"scrape", each(func(*Env, *local.Scrape) {})},
	{"progress", each(func(*Env, *local.Progress) {})},
	{"loki", each(func(env *Env, s *api.Loki) { s.UserAgent = env.UserAgent })},
	{"kubernetes", kubernetes},
}

// Kinds returns the names of the kinds of sources.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// A spec is what an entry of sources says.
type spec[T any] interface {
	*T
	Sources() ([]capture.Source, error)
}

// each reads entries that stand each for itself. Set gives one what it needs of
// the program.
func each[T any, S spec[T]](set func(*Env, S)) func(*Env, *yamlpos.Document, []*yaml.Node) ([]capture.Source, error) {
	return func(env *Env, doc *yamlpos.Document, entries []*yaml.Node) ([]capture.Source, error) {
		var out []capture.Source
		var errs []error
		for _, n := range entries {
			s := S(new(T))
			err := strictyaml.DecodeNode(doc, n, "", s)
			if err == nil {
				set(env, s)
				var more []capture.Source
				if more, err = s.Sources(); err != nil {
					err = doc.Errorf(n, "%v", err)
				}
				out = append(out, more...)
			}
			errs = append(errs, err)
		}
		return out, errors.Join(errs...)
	}
}

// Open returns the sources of the file.
func (f *File) Open(env *Env) ([]capture.Source, error) {
	entries := map[string][]*yaml.Node{}
	var errs []error
	for _, it := range f.Sources {
		fields, problems := f.doc.Fields(yamlpos.Resolve(it.node))
		for _, p := range problems {
			errs = append(errs, p)
		}
		switch {
		case yamlpos.Resolve(it.node).Kind != yaml.MappingNode || len(fields) != 1:
			e := f.doc.Errorf(it.node, "a source is one kind and what it records")
			e.Hint = "such as \"- files: {paths: [app.log], labels: {app: kueue}}\"; the kinds are " + strings.Join(Kinds(), ", ")
			errs = append(errs, e)
		case !known(fields[0].Name):
			e := f.doc.Errorf(fields[0].Key, "kind of source %q is not known", fields[0].Name)
			if e.Hint = suggest.Hint(fields[0].Name, Kinds()); e.Hint == "" {
				e.Hint = "the kinds are " + strings.Join(Kinds(), ", ")
			}
			errs = append(errs, e)
		default:
			entries[fields[0].Name] = append(entries[fields[0].Name], fields[0].Value)
		}
	}
	var out []capture.Source
	for _, k := range kinds {
		if len(entries[k.name]) == 0 {
			continue
		}
		more, err := k.read(env, f.doc, entries[k.name])
		out, errs = append(out, more...), append(errs, err)
	}
	return out, errors.Join(errs...)
}

func known(name string) bool {
	for _, k := range kinds {
		if k.name == name {
			return true
		}
	}
	return false
}
