package rules

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// vmGroupKeys and vmRuleKeys are the fields that a VMRule has beside those of
// Prometheus. They say where and how often it asks, not what.
var (
	vmGroupKeys = []string{
		"concurrency", "tenant", "params", "headers", "notifier_headers", "extra_filter_labels", "eval_offset",
		"eval_delay", "eval_alignment", "update_entries_limit", "debug",
	}
	vmRuleKeys = []string{"debug", "update_entries_limit", "enabled"}
)

// A ruleObject is a kind of Kubernetes object that holds rule groups.
type ruleObject struct {
	apiGroup, kind string
	home           home
}

// ruleObjects lists the objects that hold rule groups under spec.groups.
func ruleObjects() []ruleObject {
	return []ruleObject{
		{"monitoring.coreos.com", "PrometheusRule", home{name: "PrometheusRule", takes: PromQL}},
		{"operator.victoriametrics.com", "VMRule", home{
			name: "VMRule", takes: PromQL, strict: true, ruleKeys: vmRuleKeys, templates: true,
			types: map[string]Language{"": PromQL, "prometheus": PromQL, "vlogs": 0, "graphite": 0},
		}},
		{"loki.grafana.com", "AlertingRule", home{name: "AlertingRule", takes: LogQL, strict: true}},
		{"loki.grafana.com", "RecordingRule", home{name: "RecordingRule", takes: LogQL, strict: true}},
	}
}

// isObject reports whether a document is a Kubernetes object of a kind. The
// empty API group is that of the core kinds.
func isObject(d *yamlpos.Document, apiGroup, kind string) bool {
	if d.Root == nil || d.Root.Kind != yaml.MappingNode || value(d.Get(d.Root, "kind")) != kind {
		return false
	}
	group, _, grouped := strings.Cut(value(d.Get(d.Root, "apiVersion")), "/")
	if !grouped {
		group = ""
	}
	return group == apiGroup
}

// ruleObjectOf returns what kind of object a document is, or nil if that holds
// no rule groups. Other kinds of the shape of a PrometheusRule are taken for
// one.
func ruleObjectOf(d *yamlpos.Document) *ruleObject {
	for _, o := range ruleObjects() {
		if isObject(d, o.apiGroup, o.kind) {
			return &o
		}
	}
	if d.Root == nil || d.Root.Kind != yaml.MappingNode || value(d.Get(d.Root, "apiVersion")) == "" {
		return nil
	}
	kind, groups := value(d.Get(d.Root, "kind")), d.Get(d.Get(d.Root, "spec"), "groups")
	if kind == "" || groups == nil || groups.Kind != yaml.SequenceNode {
		return nil
	}
	for _, g := range groups.Content[:min(len(groups.Content), 100)] {
		rules := d.Get(g, "rules")
		if rules == nil || rules.Kind != yaml.SequenceNode || len(rules.Content) == 0 {
			continue
		}
		if first := rules.Content[0]; d.Get(first, "alert") != nil || d.Get(first, "record") != nil {
			return &ruleObject{kind: kind, home: home{name: kind, takes: PromQL}}
		}
	}
	return nil
}

func holdsRuleObject(d *yamlpos.Document) bool { return ruleObjectOf(d) != nil }

// loadRuleObject loads the groups of an object.
func loadRuleObject(p *part) found {
	o := ruleObjectOf(p.doc)
	l := newGroupsLoader(p)
	l.home = &o.home
	l.owner = ownerOf(p.doc)
	spec := p.doc.Get(p.doc.Root, "spec")
	fields, problems := p.doc.Fields(spec)
	l.problems = append(l.problems, problems...)
	if p.doc.Get(spec, "groups") == nil {
		l.fault(p.doc.Errorf(or(spec, p.doc.Root), "%s must have groups under spec", article(o.kind)), "")
	}
	for _, field := range fields {
		if field.Name != "groups" {
			continue // such as tenantID: not about what a rule asks
		}
		for _, g := range l.items(p.doc, field) {
			l.loadGroup(g)
		}
	}
	for _, d := range l.drafts {
		d.rule.Format = o.kind
		l.checkKind(d)
	}
	return l.found
}

// checkKind notes an alert in an object of recording rules, and the reverse.
func (l *groupsLoader) checkKind(d *draft) {
	want := map[string]Kind{"AlertingRule": Alert, "RecordingRule": Recording}[l.home.name]
	if want != 0 && d.rule.Kind != want {
		l.notes = append(l.notes, Note{Pos: d.rule.Pos, Msg: d.rule.Kind.String() + " rule in " + article(l.home.name) + ": the operator takes none there"})
	}
}

// ownerOf returns the owner that the labels of an object name.
func ownerOf(d *yamlpos.Document) string {
	labels := d.Get(d.Get(d.Root, "metadata"), "labels")
	return cmp.Or(value(d.Get(labels, "owner")), value(d.Get(labels, "team")))
}

// groupType reads the type of a group, which says what runs it. It returns the
// type if that is no language of ours. VictoriaMetrics has it in objects and
// in plain files.
func (l *groupsLoader) groupType(field yamlpos.Field) string {
	types := ruleObjects()[1].home.types
	if l.home != nil {
		types = l.home.types
	}
	if types == nil {
		l.unknown(l.doc, field, groupKeys())
		return ""
	}
	name := value(l.text(l.doc, field))
	language, known := types[name]
	if !known {
		var names []string
		for n := range types {
			names = append(names, n)
		}
		slices.Sort(names)
		l.fault(l.doc.Errorf(field.Value, "unknown type %q of a group", name), cmp.Or(suggest.Hint(name, names), "write prometheus, vlogs or graphite"))
		return ""
	}
	if language == 0 {
		return name
	}
	return ""
}
