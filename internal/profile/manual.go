package profile

import (
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/strictyaml"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// Manual says which recorded actions a person did on the way from a failure to
// the recovery. docs/acceptance.md explains the keys.
type Manual struct {
	// Actors stand for people, globs of any case. None: [DefaultActors].
	Actors []string `yaml:"actors"`
	// Except are actions that are none, such as a look: globs, beside
	// [DefaultLooks].
	Except []string `yaml:"except"`
	// Managers are the field managers through which people change objects,
	// globs. None: [DefaultManagers].
	Managers []string `yaml:"managers"`
}

// With returns what holds if m, of a review file, stands above what a profile
// says. Either may be nil.
func (m *Manual) With(base *Manual) *Manual {
	if m == nil || base == nil {
		if m == nil {
			return base
		}
		return m
	}
	out := *m
	if len(out.Actors) == 0 {
		out.Actors = base.Actors
	}
	if len(out.Except) == 0 {
		out.Except = base.Except
	}
	if len(out.Managers) == 0 {
		out.Managers = base.Managers
	}
	return &out
}

// ReadManual reads what a document says of manual actions; path names it in
// errors.
func ReadManual(doc *yamlpos.Document, n *yaml.Node, path string) (*Manual, []*source.Error) {
	m := &Manual{}
	if err := strictyaml.DecodeNode(doc, n, path, m); err != nil {
		return nil, sourceErrors(doc, n, err)
	}
	return m, nil
}

// DefaultActors are the actors that stand for people.
func DefaultActors() []string {
	return []string{"operator", "operator:*", "human*", "person*", "user", "user:*", "admin", "administrator", "sre", "sre-*", "oncall*", "on-call*", "manual", "kubectl*", "kubernetes-admin", "*@*"}
}

// DefaultLooks are actions that change nothing.
func DefaultLooks() []string {
	return []string{"get", "list", "watch", "look*", "view*", "observe*", "describe*", "note*", "comment*", "acknowledge*", "ack", "dump-*"}
}

// DefaultManagers are the field managers through which people change objects.
func DefaultManagers() []string {
	return []string{"kubectl*", "oc", "k9s", "*lens", "headlamp*"}
}
