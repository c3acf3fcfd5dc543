package rules

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// The checks here are those of Prometheus's own rulefmt. It is called on
// small pieces, one label or one rule at a time, so that each fault can be
// given its place.

// anyExpr is a parser for rulefmt that takes every expression: whether it is
// LogQL or PromQL is decided later.
type anyExpr struct{ parser.Parser }

func (anyExpr) ParseExpr(string) (parser.Expr, error) { return nil, nil }

// validateRule returns what rulefmt has against a rule. As it names the field
// at fault by a line number only, each field is given a line of its own.
func validateRule(r rulefmt.Rule) []rulefmt.WrappedError {
	node := rulefmt.RuleNode{
		Record: yaml.Node{Line: lineRecord}, Alert: yaml.Node{Line: lineAlert}, Expr: yaml.Node{Line: lineExpr},
	}
	return r.Validate(node, model.UTF8Validation, anyExpr{})
}

// The lines that stand for fields in validateRule.
const (
	lineRecord = iota + 1
	lineAlert
	lineExpr
)

// checkRule reports what is wrong in a rule as a whole. Its labels, and the
// annotations of an alert, have been checked.
func (l *groupsLoader) checkRule(r rulefmt.Rule, at map[string]*yaml.Node) {
	r.Labels = nil
	if r.Record == "" {
		r.Annotations = nil
	}
	for _, err := range validateRule(r) {
		node := at[""]
		var line int
		if n, _ := fmt.Sscanf(err.Error(), "%d:", &line); n == 1 {
			name := [...]string{lineRecord: "record", lineAlert: "alert", lineExpr: "expr"}[line]
			node = or(at[name], node)
		}
		l.fault(l.doc.Errorf(node, "%s%s", describe(r), errors.Unwrap(&err)), "")
	}
	if len(r.Expr) > 0 && strings.TrimSpace(r.Expr) == "" {
		l.fault(l.doc.Errorf(at["expr"], "%sthe expression is empty", describe(r)), "")
	}
}

// checkLabel returns the check of the labels of a rule.
func (l *groupsLoader) checkLabel(r rulefmt.Rule) func(name, value string, at yamlpos.Field) bool {
	return func(name, value string, at yamlpos.Field) bool {
		piece := func(value string) rulefmt.Rule {
			p := bare(r)
			p.Labels = map[string]string{name: value}
			return p
		}
		return l.accept(r, "label", name, value, at, piece)
	}
}

// checkAnnotation returns the check of the annotations of a rule.
func (l *groupsLoader) checkAnnotation(r rulefmt.Rule) func(name, value string, at yamlpos.Field) bool {
	return func(name, value string, at yamlpos.Field) bool {
		if bare(r).Record != "" {
			return true // refused as a whole by checkRule
		}
		piece := func(value string) rulefmt.Rule {
			p := bare(r)
			p.Annotations = map[string]string{name: value}
			return p
		}
		return l.accept(r, "annotation", name, value, at, piece)
	}
}

// accept checks the name, then the value of a label or annotation of rule r.
// The checks take most of the time of loading, so what was found good is not
// checked again: rules share names, and values without a template.
func (l *groupsLoader) accept(r rulefmt.Rule, what, name, value string, at yamlpos.Field, piece func(value string) rulefmt.Rule) bool {
	key := [3]string{what, bare(r).Record, name}
	if !l.good[key] {
		if l.refuse(r, piece(""), at.Key) {
			return false
		}
		l.good[key] = true
	}
	if utf8.ValidString(value) && (!strings.Contains(value, "{{") || l.home.ownTemplates()) {
		return true // as good as the empty one
	}
	return !l.refuse(r, piece(value), at.Value)
}

// bare returns a valid rule of the same kind and name.
func bare(r rulefmt.Rule) rulefmt.Rule {
	if r.Alert == "" && r.Record != "" {
		return rulefmt.Rule{Record: "x", Expr: "1"}
	}
	return rulefmt.Rule{Alert: cmp.Or(r.Alert, "x"), Expr: "1"}
}

// refuse reports what rulefmt has against a piece of rule r.
func (l *groupsLoader) refuse(r, piece rulefmt.Rule, at *yaml.Node) bool {
	faults := validateRule(piece)
	for _, err := range faults {
		l.fault(l.doc.Errorf(at, "%s%s", describe(r), errors.Unwrap(&err)), "")
	}
	return len(faults) > 0
}

// maxName bounds the name of a rule before a message, which may name it again.
const maxName = 70

// describe returns the beginning of a message about a rule.
func describe(r rulefmt.Rule) string {
	switch {
	case r.Alert != "":
		return fmt.Sprintf("alert %q: ", source.Clip(r.Alert, maxName))
	case r.Record != "":
		return fmt.Sprintf("record %q: ", source.Clip(r.Record, maxName))
	}
	return ""
}

// validateGroups returns what rulefmt has against groups without rules, each
// given as a YAML flow mapping on its own line.
func validateGroups(groups ...string) []error {
	text := "groups:\n- " + strings.Join(groups, "\n- ") + "\n"
	_, errs := rulefmt.Parse([]byte(text), false, model.UTF8Validation, anyExpr{}, slog.New(slog.DiscardHandler))
	return errs
}

// spell writes a text as a double-quoted YAML scalar on one line.
func spell(text string) string { return strconv.QuoteToASCII(text) }

// checkGroupName reports a group without a name, or with one used before.
func (l *groupsLoader) checkGroupName(n *yaml.Node) {
	node := l.doc.Get(n, "name")
	piece := "{name: " + spell(value(node)) + "}"
	faults := validateGroups(piece)
	if len(faults) == 0 && l.names[value(node)] {
		faults = validateGroups(piece, piece)
	}
	l.names[value(node)] = true
	for _, err := range faults {
		// rulefmt gives no line here: it writes 0:0 before the message.
		l.fault(l.doc.Errorf(or(node, n), "%v", errors.New(strings.TrimPrefix(err.Error(), "0:0: "))), "")
	}
}

// checkGroupLabel checks one label of a group.
func (l *groupsLoader) checkGroupLabel(name, value string, at yamlpos.Field) bool {
	piece := func(value string) string {
		return "{name: g, labels: {" + spell(name) + ": " + spell(value) + "}}"
	}
	faults, node := validateGroups(piece("")), at.Key
	if len(faults) == 0 {
		faults, node = validateGroups(piece(value)), at.Value
	}
	for _, err := range faults {
		l.fault(l.doc.Errorf(node, "group %q: %s", l.group.Name, err), "")
	}
	return len(faults) == 0
}

// checkCopy notes a rule that repeats an earlier one of its group in all that
// decides when it fires. It is loaded all the same, as Prometheus does. Rules
// that differ in how long they wait, or are in different groups, are no copies.
func (l *groupsLoader) checkCopy(d *draft, at map[string]*yaml.Node) {
	r := d.rule
	key := []string{r.Kind.String(), r.Name, r.Expr, r.For.String(), r.KeepFiringFor.String()}
	for _, name := range slices.Sorted(maps.Keys(r.Labels)) {
		key = append(key, name, r.Labels[name])
	}
	identity := strings.Join(key, "\x00")
	name := or(at["alert"], at["record"])
	if first := l.copies[identity]; first != nil {
		l.notes = append(l.notes, Note{Pos: l.doc.Position(name), Msg: source.Sprintf("%s %q repeats the rule in line %d of the same group", r.Kind, r.Name, l.doc.Position(first).Line)})
		return
	}
	l.copies[identity] = name
}
