package rules

import (
	"cmp"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// A libraryPanel is a panel that an export holds beside its dashboard.
type libraryPanel struct {
	id, name string
	model    *yaml.Node
	loaded   bool
}

// readLibrary notes the library panels of an export.
func (l *dashboardLoader) readLibrary(n *yaml.Node) {
	list := child(l.doc, n, "__elements")
	add := func(e *yaml.Node, key string) {
		if model := child(l.doc, e, "model"); model != nil && model.Kind == yaml.MappingNode {
			l.library = append(l.library, &libraryPanel{
				id: cmp.Or(scalarText(l.doc, e, "uid"), key), name: cmp.Or(scalarText(l.doc, e, "name"), key), model: model,
			})
		}
	}
	for _, e := range elements(list) { // as early versions write them
		if l.spend(l.doc, e, 1) {
			return
		}
		add(e, "")
	}
	if list == nil || list.Kind != yaml.MappingNode {
		return
	}
	fields, problems := l.doc.Fields(list)
	l.problems = append(l.problems, problems...)
	for _, f := range fields {
		if l.spend(l.doc, f.Value, 1) {
			return
		}
		add(f.Value, f.Name)
	}
}

// libraryPanel loads a library panel that panel p shows. Its queries stand
// where it is named, or with the library panels of the export. Else it is
// listed only.
func (l *dashboardLoader) libraryPanel(p, n *yaml.Node, title string) {
	id, what := scalarText(l.doc, n, "uid"), scalarText(l.doc, n, "name")
	model := child(l.doc, n, "model")
	for _, e := range l.library {
		if model != nil || id == "" || e.id != id {
			continue
		}
		if e.loaded {
			l.skip(l.doc, n, source.Sprintf("the library panel %q is listed once, for the first panel that shows it", e.name))
			return
		}
		e.loaded, model = true, e.model
	}
	title = cmp.Or(title, scalarText(l.doc, model, "title"), what)
	name := l.panelName(p, title)
	if child(l.doc, model, "targets") == nil {
		if model != nil && child(l.doc, model, "type") != nil {
			return // a panel that asks nothing, such as text
		}
		l.unread(n, name, source.Sprintf("the queries of the library panel %q are not in the dashboard; export it with its library panels", cmp.Or(what, id)))
		return
	}
	l.targets(model, l.list(model, "the targets of "+name, "targets"), name)
}

// restOfLibrary loads the library panels that no panel shows.
func (l *dashboardLoader) restOfLibrary() {
	for _, e := range l.library {
		if e.loaded || child(l.doc, e.model, "targets") == nil {
			continue
		}
		e.loaded = true
		name := l.panelName(yamlpos.Resolve(e.model), cmp.Or(scalarText(l.doc, e.model, "title"), e.name))
		l.targets(e.model, l.list(e.model, "the targets of "+name, "targets"), name)
	}
}
