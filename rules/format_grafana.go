package rules

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/yamlpos"
)

// formatGrafana is what Grafana's alert rules are kept as.
const formatGrafana = "Grafana alert rules"

// grafanaName is a name as it is compared: noDataState, no_data_state and
// NoDataState are one.
func grafanaName(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// grafanaField returns a field of a mapping by its name in any of its
// spellings, or nil.
func grafanaField(d *yamlpos.Document, n *yaml.Node, name string) *yaml.Node {
	if v := child(d, n, name); v != nil {
		return v
	}
	if n = yamlpos.Resolve(n); n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	want := grafanaName(name)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if grafanaName(n.Content[i].Value) == want {
			if v := yamlpos.Resolve(n.Content[i+1]); !isNull(v) {
				return v
			}
		}
	}
	return nil
}

func grafanaText(d *yamlpos.Document, n *yaml.Node, name string) string {
	if v := grafanaField(d, n, name); v != nil && v.Kind == yaml.ScalarNode {
		return v.Value
	}
	return ""
}

// isGrafanaRule recognises one alert rule.
func isGrafanaRule(d *yamlpos.Document, n *yaml.Node) bool {
	if grafanaField(d, n, "grafana_alert") != nil {
		return true
	}
	if grafanaField(d, n, "condition") == nil && grafanaField(d, n, "title") == nil {
		return false
	}
	data := elements(child(d, n, "data"))
	return slices.ContainsFunc(data[:min(len(data), maxChain)], func(item *yaml.Node) bool {
		return grafanaField(d, item, "refId") != nil || grafanaField(d, item, "datasourceUid") != nil
	})
}

// isGrafanaGroup recognises a group of alert rules.
func isGrafanaGroup(d *yamlpos.Document, n *yaml.Node) bool {
	rules := grafanaRules(d, n)
	return slices.ContainsFunc(rules[:min(len(rules), 100)], func(r *yaml.Node) bool { return isGrafanaRule(d, r) })
}

// grafanaRules returns the rules of a group. Terraform calls each "rule".
func grafanaRules(d *yamlpos.Document, n *yaml.Node) []*yaml.Node {
	if list := elements(child(d, n, "rules")); list != nil {
		return list
	}
	return elements(child(d, n, "rule"))
}

// A grafanaGroup is a mapping that holds alert rules, with what is known of it
// from around it.
type grafanaGroup struct {
	node         *yaml.Node
	folder, name string
}

// grafanaGroups finds the groups of alert rules in a document: those of a
// provisioning file or export, of the two APIs, of the operator and of
// Terraform's JSON.
func grafanaGroups(d *yamlpos.Document) []grafanaGroup {
	root := yamlpos.Resolve(d.Root)
	if root == nil {
		return nil
	}
	if kind := scalarText(d, root, "kind"); kind != "" {
		if kind == "GrafanaAlertRuleGroup" && isOperatorAPI(scalarText(d, root, "apiVersion")) {
			return []grafanaGroup{{node: or(child(d, root, "spec"), root), name: scalarText(d, root, "metadata", "name")}}
		}
		return nil
	}
	var out []grafanaGroup
	if root.Kind == yaml.SequenceNode { // rules, or groups, by themselves
		if slices.ContainsFunc(root.Content, func(n *yaml.Node) bool { return isGrafanaRule(d, n) }) {
			return []grafanaGroup{{node: root}}
		}
		for _, g := range root.Content {
			if isGrafanaGroup(d, g) {
				out = append(out, grafanaGroup{node: yamlpos.Resolve(g)})
			}
		}
		return out
	}
	groups := elements(child(d, root, "groups"))
	if slices.ContainsFunc(groups, func(n *yaml.Node) bool { return isGrafanaGroup(d, n) }) ||
		len(groups) > 0 && scalarText(d, root, "apiVersion") == "1" {
		for _, g := range groups {
			out = append(out, grafanaGroup{node: yamlpos.Resolve(g)})
		}
		return out
	}
	if isGrafanaGroup(d, root) {
		return []grafanaGroup{{node: root}}
	}
	if isGrafanaRule(d, root) {
		return []grafanaGroup{{node: &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{root}, Line: root.Line, Column: root.Column}}}
	}
	return grafanaFolders(d, root)
}

// maxGroups bounds the groups of a document.
const maxGroups = 20_000

// grafanaFolders finds groups below the names of folders, as the ruler API
// gives them, and below the resources of Terraform.
func grafanaFolders(d *yamlpos.Document, root *yaml.Node) []grafanaGroup {
	var out []grafanaGroup
	if groups := below(d, root, "resource", "grafana_rule_group"); groups != nil {
		fields, _ := d.Fields(groups)
		for _, f := range fields {
			for _, g := range append(elements(f.Value), f.Value) {
				if isGrafanaGroup(d, g) {
					out = append(out, grafanaGroup{node: yamlpos.Resolve(g), name: f.Name})
				}
			}
		}
		return out
	}
	if root.Kind != yaml.MappingNode || len(root.Content) > 20_000 {
		return nil
	}
	fields, _ := d.Fields(root)
	for _, f := range fields {
		groups := elements(f.Value)
		if !slices.ContainsFunc(groups[:min(len(groups), 100)], func(g *yaml.Node) bool { return isGrafanaGroup(d, g) }) {
			continue
		}
		for _, g := range groups {
			if len(out) <= maxGroups {
				out = append(out, grafanaGroup{node: yamlpos.Resolve(g), folder: f.Name})
			}
		}
	}
	return out
}

// holdsGrafana recognises alert rules of Grafana.
func holdsGrafana(d *yamlpos.Document) bool {
	return d.Root != nil && len(grafanaGroups(d)) > 0
}

// A grafanaLoader loads the alert rules of one document.
type grafanaLoader struct {
	found
	doc   *yamlpos.Document
	names map[string]bool

	folder, group string // at hand
	interval      time.Duration
}

// loadGrafana loads alert rules of Grafana.
func loadGrafana(p *part) found {
	l := &grafanaLoader{found: found{budget: p.budget}, doc: p.doc, names: map[string]bool{}}
	groups := grafanaGroups(p.doc)
	if len(groups) > maxGroups {
		l.fault(p.doc.Errorf(p.doc.Root, "the document has more than %d groups: the rest is not read", maxGroups), "split it")
		groups = groups[:maxGroups]
	}
	for _, g := range groups {
		if l.spend(p.doc, g.node, 1) {
			break
		}
		l.loadGroup(g)
	}
	return l.found
}

func (l *grafanaLoader) loadGroup(g grafanaGroup) {
	l.folder, l.group, l.interval = g.folder, g.name, 0
	if g.node.Kind == yaml.MappingNode {
		if f := scalarText(l.doc, g.node, "folder"); f != "" {
			l.folder = f
		}
		for _, field := range []string{"name", "title"} {
			if name := scalarText(l.doc, g.node, field); name != "" {
				l.group = name
				break
			}
		}
		l.interval = l.duration(grafanaField(l.doc, g.node, "interval"))
		if s := grafanaField(l.doc, g.node, "intervalSeconds"); s != nil {
			l.interval = l.duration(s)
		}
	} else if g.node.Kind != yaml.SequenceNode {
		l.fault(l.doc.Errorf(g.node, "a group must have the fields name and rules"), "")
		return
	}
	rules := grafanaRules(l.doc, g.node)
	if g.node.Kind == yaml.SequenceNode {
		rules = g.node.Content
	} else if r := child(l.doc, g.node, "rules"); r != nil && r.Kind != yaml.SequenceNode {
		l.fault(l.doc.Errorf(r, "%q must be a list", "rules"), "")
	}
	for _, r := range rules {
		if l.spend(l.doc, r, 1) {
			return
		}
		l.rule(yamlpos.Resolve(r))
	}
}

// duration reads "1m" or a number of seconds.
func (l *grafanaLoader) duration(n *yaml.Node) time.Duration {
	if n == nil {
		return 0
	}
	d, ok := grafanaDuration(n)
	if !ok {
		l.fault(l.doc.Errorf(n, "%q is not a duration", n.Value), "write it as 1m or as a number of seconds")
	}
	return d
}

// maxSeconds bounds durations, so that they can be counted in nanoseconds.
const maxSeconds = 100 * 365 * 24 * 3600

func grafanaDuration(n *yaml.Node) (time.Duration, bool) {
	if n.Kind != yaml.ScalarNode {
		return 0, false
	}
	if s, err := strconv.ParseFloat(n.Value, 64); err == nil {
		return time.Duration(s * float64(time.Second)), s >= 0 && s <= maxSeconds
	}
	if d, err := model.ParseDuration(n.Value); err == nil {
		return time.Duration(d), d >= 0 && time.Duration(d).Seconds() <= maxSeconds
	}
	d, err := time.ParseDuration(n.Value)
	return d, err == nil && d >= 0 && d.Seconds() <= maxSeconds
}

// rule loads one alert rule.
func (l *grafanaLoader) rule(n *yaml.Node) {
	before := len(l.problems)
	if n.Kind != yaml.MappingNode {
		l.fault(l.doc.Errorf(n, "a rule must have the fields title, condition and data"), "")
		return
	}
	if _, problems := l.doc.Fields(n); len(problems) > 0 {
		l.problems = append(l.problems, problems...)
	}
	inner := n // title, condition, data
	if a := grafanaField(l.doc, n, "grafana_alert"); a != nil {
		inner = a
	}
	r := Rule{
		Kind: Alert, Name: grafanaText(l.doc, inner, "title"), Group: l.group, Format: formatGrafana, Interval: l.interval,
		Labels: l.texts(n, "labels"), Annotations: l.texts(n, "annotations"),
		For: l.duration(grafanaField(l.doc, n, "for")), KeepFiringFor: l.duration(grafanaField(l.doc, n, "keepFiringFor")),
	}
	if r.Name == "" {
		r.Name = grafanaText(l.doc, n, "name") // as Terraform calls it
	}
	if group := grafanaText(l.doc, n, "ruleGroup"); group != "" && r.Group == "" {
		r.Group = group
	}
	if r.Owner = r.Labels["owner"]; r.Owner == "" {
		r.Owner = r.Labels["team"]
	}
	if record := grafanaField(l.doc, inner, "record"); record != nil && record.Kind == yaml.MappingNode {
		r.Kind, r.NotEvaluated = Recording, "recording rules of Grafana are not evaluated"
		if metric := scalarText(l.doc, record, "metric"); metric != "" {
			r.Name = metric
		}
	}
	if strings.TrimSpace(r.Name) == "" {
		l.fault(l.doc.Errorf(n, "the alert rule has no title"), "add the field title")
	}
	l.finishRule(r, n, inner, before)
}

// finishRule reads the chain of a rule and adds the rule.
func (l *grafanaLoader) finishRule(r Rule, n, inner *yaml.Node, before int) {
	c := &chainLoader{grafanaLoader: l, rule: &r, chain: &GrafanaChain{Folder: l.folder}}
	c.load(inner)
	if l.breaks(r, before) {
		return
	}
	if isTrueText(grafanaText(l.doc, n, "isPaused")) || isTrueText(grafanaText(l.doc, inner, "isPaused")) {
		r.NotEvaluated = "the alert rule is paused"
	}
	if r.NotEvaluated == "" && c.reason != "" {
		r.NotEvaluated = c.reason
	}
	r.Grafana = c.chain
	key := l.folder + "\x00" + r.Group + "\x00" + r.Name
	if l.names[key] {
		l.fault(l.doc.Errorf(or(grafanaField(l.doc, inner, "title"), n), "the title %q is used twice in one group", r.Name), "give each alert rule its own title")
		l.breaks(r, before)
		return
	}
	l.names[key] = true
	l.add(r, c, n)
}

// add adds a rule whose expression is that of its first query.
func (l *grafanaLoader) add(r Rule, c *chainLoader, n *yaml.Node) {
	d := &draft{rule: r}
	if c.first == nil {
		d.rule.Language, d.rule.LanguageReason = Other, "it asks no Loki and no Prometheus"
		if d.rule.NotEvaluated == "" {
			d.rule.NotEvaluated = "it has no query for Loki or Prometheus"
		}
		d.place(l.doc.File, yamlpos.Places{{At: l.doc.Offset(n)}})
		l.drafts = append(l.drafts, d)
		return
	}
	first := c.chain.Node(c.first.refID)
	d.rule.Expr = first.Expr
	d.declared, d.declaredBy = first.Language, c.first.declaredBy
	d.place(c.first.file, c.first.places)
	l.drafts = append(l.drafts, d)
}

func isTrueText(text string) bool { return text == "true" }

// texts reads a mapping of texts.
func (l *grafanaLoader) texts(n *yaml.Node, name string) map[string]string {
	v := grafanaField(l.doc, n, name)
	out := map[string]string{}
	if v == nil {
		return out
	}
	if v.Kind != yaml.MappingNode {
		l.fault(l.doc.Errorf(v, "%q must be a mapping of names to texts", name), "")
		return out
	}
	fields, problems := l.doc.Fields(v)
	l.problems = append(l.problems, problems...)
	for _, f := range fields {
		if l.spend(l.doc, f.Value, 1+len(f.Value.Value)/64) {
			break
		}
		if f.Value.Kind != yaml.ScalarNode {
			l.fault(l.doc.Errorf(f.Value, "%q must be text", f.Name), "")
			continue
		}
		if name == "labels" && !model.LegacyValidation.IsValidLabelName(f.Name) {
			l.fault(l.doc.Errorf(f.Key, "%q is not the name of a label", f.Name), "")
			continue
		}
		out[f.Name] = value(f.Value)
	}
	return out
}
