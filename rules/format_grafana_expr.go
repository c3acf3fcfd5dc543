package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// expressionTypes are the types of expressions that Grafana has.
var expressionTypes = []string{"reduce", "math", "threshold", "resample", "classic_conditions", "sql"}

// expression reads an expression over other elements of the chain.
func (c *chainLoader) expression(it *chainItem, node *GrafanaNode) {
	node.Type = scalarText(it.doc, it.model, "type")
	switch node.Type {
	case "reduce":
		c.reduce(it, node)
	case "math":
		c.math(it, node)
	case "threshold":
		c.input(it, node)
		c.conditions(it, node)
	case "classic_conditions":
		c.conditions(it, node)
	case "resample", "sql":
		if node.Type == "resample" {
			c.input(it, node)
		}
		it.reason = fmt.Sprintf("expression %s is of the type %q, which is not evaluated", it.refID, node.Type)
	default:
		hint := suggest.Hint(node.Type, expressionTypes)
		if hint == "" {
			hint = "known are " + strings.Join(expressionTypes, ", ")
		}
		at := child(it.doc, it.model, "type")
		if at == nil {
			at = it.model
		}
		c.fault(it.doc.Errorf(at, "expression %s has the unknown type %q", it.refID, node.Type), hint)
	}
}

// input reads the one refID that an expression takes. It may be written with a
// dollar sign.
func (c *chainLoader) input(it *chainItem, node *GrafanaNode) {
	v := child(it.doc, it.model, "expression")
	if v == nil || v.Kind != yaml.ScalarNode || strings.TrimSpace(v.Value) == "" {
		c.fault(it.doc.Errorf(or(v, it.model), "expression %s names no input", it.refID), "give a refId as expression")
		return
	}
	node.Input = strings.Trim(strings.TrimLeft(strings.TrimSpace(v.Value), "$"), "{}")
	it.inputs = append(it.inputs, chainInput{refID: node.Input, node: v, doc: it.doc})
}

func (c *chainLoader) reduce(it *chainItem, node *GrafanaNode) {
	c.input(it, node)
	node.Reducer = scalarText(it.doc, it.model, "reducer")
	if !slices.Contains([]string{"last", "mean", "min", "max", "sum", "count"}, node.Reducer) {
		it.reason = fmt.Sprintf("expression %s reduces by %q, which is not evaluated", it.refID, node.Reducer)
	}
	node.Mode = scalarText(it.doc, it.model, "settings", "mode")
	switch node.Mode {
	case "strict":
		node.Mode = ""
	case "", "dropNN":
	case "replaceNN":
		v := below(it.doc, it.model, "settings", "replaceWithValue")
		if v == nil || v.Decode(&node.ReplaceWith) != nil {
			c.fault(it.doc.Errorf(or(v, it.model), "expression %s does not say what to replace by", it.refID), "add replaceWithValue, a number, to its settings")
		}
	default:
		it.reason = fmt.Sprintf("expression %s has the mode %q, which is not evaluated", it.refID, node.Mode)
	}
}

func (c *chainLoader) math(it *chainItem, node *GrafanaNode) {
	v := child(it.doc, it.model, "expression")
	if v == nil || v.Kind != yaml.ScalarNode {
		c.fault(it.doc.Errorf(or(v, it.model), "expression %s has no expression", it.refID), "")
		return
	}
	if c.spend(c.doc, it.node, work(v.Value)) {
		return
	}
	e, err := ParseMath(v.Value)
	if wrong, ok := errors.AsType[*MathError](err); ok {
		c.fault(errorWithin(it.doc, v, wrong.Start, wrong.End, "expression %s is not valid: %s", it.refID, wrong.Msg), dollarHint(v.Value))
		return
	}
	node.Math = e
	var walk func(*MathExpr)
	walk = func(e *MathExpr) {
		if e.Var != "" {
			it.inputs = append(it.inputs, chainInput{e.Var, v, it.doc, e.Start, e.End})
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	walk(e)
}

// dollarHint tells of a trap of provisioning files.
func dollarHint(text string) string {
	if strings.Contains(text, "$") {
		return ""
	}
	return "was $A taken for an environment variable? write $$A"
}

// evaluatorParams returns how many parameters a type of evaluator has.
func evaluatorParams(kind string) (int, bool) {
	switch kind {
	case "gt", "lt", "eq", "ne", "gte", "lte":
		return 1, true
	case "within_range", "outside_range", "within_range_included", "outside_range_included":
		return 2, true
	case "no_value":
		return 0, true
	}
	return 0, false
}

// conditions reads the conditions of a threshold or of classic conditions.
func (c *chainLoader) conditions(it *chainItem, node *GrafanaNode) {
	list := child(it.doc, it.model, "conditions")
	items := elements(list)
	if len(items) == 0 || len(items) > maxChain {
		c.fault(it.doc.Errorf(or(list, it.model), "expression %s needs a list of conditions", it.refID), "")
		return
	}
	classic := node.Type == "classic_conditions"
	if !classic {
		items = items[:1] // Grafana looks at no other
	}
	for _, n := range items {
		n = yamlpos.Resolve(n)
		cond := GrafanaCondition{Evaluator: scalarText(it.doc, n, "evaluator", "type")}
		if below(it.doc, n, "unloadEvaluator") != nil {
			it.reason = fmt.Sprintf("expression %s has a recovery threshold, which is not evaluated", it.refID)
		}
		c.params(it, n, &cond)
		if !classic && cond.Evaluator == "no_value" {
			it.reason = fmt.Sprintf("expression %s compares by no_value, which a threshold has not", it.refID)
		}
		if classic {
			c.classic(it, n, &cond)
		}
		node.Conditions = append(node.Conditions, cond)
	}
}

// params reads the numbers that an evaluator compares with.
func (c *chainLoader) params(it *chainItem, n *yaml.Node, cond *GrafanaCondition) {
	want, known := evaluatorParams(cond.Evaluator)
	if !known {
		it.reason = fmt.Sprintf("expression %s compares by %q, which is not evaluated", it.refID, cond.Evaluator)
		return
	}
	list := below(it.doc, n, "evaluator", "params")
	for _, p := range elements(list) {
		var f float64
		if p = yamlpos.Resolve(p); p.Kind != yaml.ScalarNode || p.Decode(&f) != nil {
			c.fault(it.doc.Errorf(p, "a parameter of expression %s must be a number", it.refID), "")
			return
		}
		if cond.Params = append(cond.Params, f); len(cond.Params) == want {
			break // Grafana's editor leaves a second one behind
		}
	}
	if len(cond.Params) < want {
		c.fault(it.doc.Errorf(or(list, n), "%s of expression %s needs %d numbers in params", cond.Evaluator, it.refID, want), "")
	}
}

// classic reads what a classic condition has beside its evaluator.
func (c *chainLoader) classic(it *chainItem, n *yaml.Node, cond *GrafanaCondition) {
	params := elements(below(it.doc, n, "query", "params"))
	if len(params) == 0 || yamlpos.Resolve(params[0]).Kind != yaml.ScalarNode {
		c.fault(it.doc.Errorf(n, "a condition of expression %s names no query", it.refID), "give a refId in query.params")
		return
	}
	at := yamlpos.Resolve(params[0])
	cond.Query = at.Value
	it.inputs = append(it.inputs, chainInput{refID: cond.Query, node: at, doc: it.doc})
	cond.Or = scalarText(it.doc, n, "operator", "type") == "or"
	cond.Reducer = scalarText(it.doc, n, "reducer", "type")
	switch cond.Reducer {
	case "avg", "min", "max", "sum", "count", "last", "median", "diff", "diff_abs", "percent_diff", "percent_diff_abs", "count_non_null":
	default:
		it.reason = fmt.Sprintf("expression %s reduces by %q, which is not evaluated", it.refID, cond.Reducer)
	}
}
