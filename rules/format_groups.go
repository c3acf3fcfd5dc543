package rules

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/yamlpos"
)

// rulerGroupKeys are fields of groups that rulers other than Prometheus take:
// Thanos, Mimir and Loki; those of VictoriaMetrics are vmGroupKeys. They do not change what a rule gives on one log.
var rulerGroupKeys = []string{
	"partial_response_strategy", "source_tenants", "align_evaluation_time_on_interval", "evaluation_delay", "remote_write",
}

// groupFileKeys are the keys of a file of rule groups. lokitool and mimirtool
// write a namespace above the groups.
var groupFileKeys = []string{"groups", "namespace"}

// yamlKeys returns the keys that a struct of rulefmt is decoded from.
func yamlKeys(t reflect.Type) []string {
	var keys []string
	for field := range t.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); name != "" {
			keys = append(keys, name)
		}
	}
	return keys
}

func groupKeys() []string { return yamlKeys(reflect.TypeFor[rulefmt.RuleGroup]()) }
func ruleKeys() []string  { return yamlKeys(reflect.TypeFor[rulefmt.Rule]()) }

// holdsGroups recognises rule files of Prometheus and of Loki's ruler.
func holdsGroups(d *yamlpos.Document) bool {
	return holdsList(d, "groups", groupFileKeys, "rules")
}

// A groupsLoader loads one document of rule groups.
type groupsLoader struct {
	found
	doc    *yamlpos.Document
	home   *home                 // what the groups are kept in; nil: a plain file
	owner  string                // of rules that name none
	engine string                // of the group that is being loaded, when it is no language of ours
	group  rulefmt.RuleGroup     // that is being loaded
	names  map[string]bool       // of the groups
	copies map[string]*yaml.Node // rules of the group by all that tells them apart
	good   map[[3]string]bool    // names of labels and annotations, by use and kind of rule
}

// loadGroups loads rule groups. A group or rule that is not valid is left
// out and reported; the others are loaded.
func loadGroups(p *part) found {
	l := newGroupsLoader(p)
	fields, problems := p.doc.Fields(p.doc.Root)
	l.problems = problems
	for _, field := range fields {
		switch field.Name {
		case "groups":
			for _, g := range l.items(p.doc, field) {
				l.loadGroup(g)
			}
		case "namespace":
			l.text(p.doc, field)
		default:
			l.unknown(p.doc, field, groupFileKeys)
		}
	}
	return l.found
}

func newGroupsLoader(p *part) *groupsLoader {
	return &groupsLoader{found: found{budget: p.budget}, doc: p.doc, names: map[string]bool{}, good: map[[3]string]bool{}}
}

// loadGroup loads one group. A field of the group that is not valid is
// reported and taken as not given.
func (l *groupsLoader) loadGroup(n *yaml.Node) {
	if l.spend(l.doc, n, 1) {
		return
	}
	if yamlpos.Resolve(n).Kind != yaml.MappingNode {
		l.fault(l.doc.Errorf(n, "a group must have the fields name and rules"), "")
		return
	}
	l.checkGroupName(n)
	fields, problems := l.doc.Fields(n)
	l.problems = append(l.problems, problems...)
	l.group, l.engine = rulefmt.RuleGroup{}, ""
	l.copies = map[string]*yaml.Node{}
	var rules []*yaml.Node
	for _, field := range fields {
		switch field.Name {
		case "name":
			l.decode(field, &l.group.Name)
		case "interval":
			l.decode(field, &l.group.Interval)
		case "query_offset":
			l.decode(field, &l.group.QueryOffset)
		case "limit":
			l.decode(field, &l.group.Limit)
		case "labels":
			l.group.Labels = l.labels(field, l.checkGroupLabel)
		case "rules":
			rules = l.items(l.doc, field)
		case "type":
			l.engine = l.groupType(field)
		default:
			if !slices.Contains(rulerGroupKeys, field.Name) && !slices.Contains(vmGroupKeys, field.Name) {
				l.unknown(l.doc, field, groupKeys())
			}
		}
	}
	for _, r := range rules {
		if d := l.loadRule(r); d != nil {
			l.drafts = append(l.drafts, d)
		}
	}
}

// decode reads a scalar field into a value of rulefmt.
func (l *groupsLoader) decode(field yamlpos.Field, into any) {
	if field.Value.Kind != yaml.ScalarNode {
		l.fault(l.doc.Errorf(field.Value, "%q must be one value", field.Name), "")
		return
	}
	if err := field.Value.Decode(into); err != nil {
		l.fault(l.doc.Errorf(field.Value, "field %q: %v", field.Name, yamlpos.Message(err)), "")
	}
}

// labels reads a mapping of texts. An entry that check refuses is left out.
func (l *groupsLoader) labels(field yamlpos.Field, check func(name, value string, at yamlpos.Field) bool) map[string]string {
	if isNull(field.Value) {
		return nil
	}
	if field.Value.Kind != yaml.MappingNode {
		l.fault(l.doc.Errorf(field.Value, "%q must be a mapping of names to texts", field.Name), "")
		return nil
	}
	entries, problems := l.doc.Fields(field.Value)
	l.problems = append(l.problems, problems...)
	labels := map[string]string{}
	for _, e := range entries {
		if l.spend(l.doc, e.Value, 1+len(e.Value.Value)/64) {
			return nil
		}
		var text string
		before := len(l.problems)
		l.decode(e, &text)
		if len(l.problems) == before && check(e.Name, text, e) {
			labels[e.Name] = text
		}
	}
	return labels
}

// loadRule loads one rule. It returns nil if that is not valid.
func (l *groupsLoader) loadRule(n *yaml.Node) *draft {
	if l.spend(l.doc, n, 1) {
		return nil
	}
	before := len(l.problems)
	if yamlpos.Resolve(n).Kind != yaml.MappingNode {
		l.fault(l.doc.Errorf(n, "a rule must have the fields alert or record, and expr"), "")
		return nil
	}
	fields, problems := l.doc.Fields(n)
	l.problems = append(l.problems, problems...)
	var r rulefmt.Rule
	at := map[string]*yaml.Node{"": n}
	for _, field := range fields {
		if l.spend(l.doc, field.Value, work(field.Value.Value)) {
			return nil
		}
		at[field.Name] = field.Value
		switch field.Name {
		case "record":
			l.decode(field, &r.Record)
		case "alert":
			l.decode(field, &r.Alert)
		case "expr":
			l.decode(field, &r.Expr)
		case "for":
			l.decode(field, &r.For)
		case "keep_firing_for":
			l.decode(field, &r.KeepFiringFor)
		case "labels", "annotations": // below: their checks need the name
		default:
			if !l.home.ruleKey(field.Name) {
				l.unknown(l.doc, field, ruleKeys())
			}
		}
	}
	for _, field := range fields {
		switch field.Name {
		case "labels":
			r.Labels = l.labels(field, l.checkLabel(r))
		case "annotations":
			r.Annotations = l.labels(field, l.checkAnnotation(r))
		}
	}
	if len(l.problems) == before {
		l.checkRule(r, at)
	}
	d := l.draft(r)
	if len(l.problems) == before {
		l.checkCopy(d, at)
	}
	if l.breaks(d.rule, before) {
		return nil
	}
	d.placeQuery(l.doc.File, l.doc.Scalar(at["expr"]))
	if l.engine != "" {
		d.settle("the type of its group is "+l.engine, "groups of type "+l.engine+" are not evaluated: only LogQL and PromQL are")
	}
	return d
}

// draft makes a rule of what was read. As in Prometheus the group's labels
// are added to those of the rule, which win.
func (l *groupsLoader) draft(r rulefmt.Rule) *draft {
	labels := maps.Clone(l.group.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, r.Labels)
	rule := Rule{
		Kind: Alert, Name: r.Alert, Group: l.group.Name, Expr: r.Expr,
		Interval:      time.Duration(l.group.Interval),
		QueryOffset:   time.Duration(deref(l.group.QueryOffset)),
		Limit:         l.group.Limit,
		For:           time.Duration(r.For),
		KeepFiringFor: time.Duration(r.KeepFiringFor),
		Labels:        labels,
		Annotations:   r.Annotations,
		Owner:         labels["owner"],
	}
	if r.Record != "" && r.Alert == "" {
		rule.Kind, rule.Name = Recording, r.Record
	}
	rule.Owner = cmp.Or(rule.Owner, labels["team"], l.owner)
	return &draft{rule: rule, home: l.home}
}

func deref(d *model.Duration) model.Duration {
	if d == nil {
		return 0
	}
	return *d
}
