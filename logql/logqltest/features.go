package logqltest

import (
	"fmt"
	"reflect"
	"text/template/parse"

	"github.com/stillfires/stillfires/logql/syntax"
)

// Features returns the constructs that a query uses, each under the name by
// which [Constructs] lists it.
func Features(e syntax.Expr) map[string]bool {
	f := make(features)
	syntax.Walk(e, func(n syntax.Node) bool {
		f.node(n)
		return true
	})
	return f
}

type features map[string]bool

func (f features) add(format string, args ...any) { f[fmt.Sprintf(format, args...)] = true }

func (f features) addIf(cond bool, format string, args ...any) {
	if cond {
		f.add(format, args...)
	}
}

// node adds what one node is. Every node has a type, many have operators.
func (f features) node(n syntax.Node) {
	f.add("node %s", typeName(n))
	switch n := n.(type) {
	case *syntax.Selector:
		for _, m := range n.Matchers {
			f.add("matcher %s", m.Op)
		}
	case *syntax.LabelString:
		f.add("label filter %s", n.Matcher.Op)
		f.addIf(n.Matcher.Name == "__error__", "__error__")
	case *syntax.LabelNumber:
		f.add("comparison %s", n.Op)
	case *syntax.LabelDuration:
		f.add("comparison %s", n.Op)
	case *syntax.LabelBytes:
		f.add("comparison %s", n.Op)
	case *syntax.LabelIP:
		f.add("ip %s", n.Op)
	case *syntax.LabelBinary:
		f.add("filters %s", pick(n.Or, "or", "and"))
	case *syntax.LineFilter:
		f.lineFilter(n)
	case *syntax.Grouping:
		f.add("grouping %s", pick(n.Without, "without", "by"))
	default:
		f.stage(n)
		f.metric(n)
	}
}

func (f features) lineFilter(n *syntax.LineFilter) {
	f.add("line filter %s", n.Op)
	f.addIf(len(n.Operands) > 1, "line filter or")
	for _, o := range n.Operands {
		f.addIf(o.IP, "line filter ip")
	}
}

func (f features) stage(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.JSONStage:
		f.add("json %s", pick(len(n.Extractions) > 0, "expressions", "all"))
	case *syntax.LogfmtStage:
		f.add("logfmt %s", pick(len(n.Extractions) > 0, "expressions", "all"))
		f.addIf(n.Strict, "logfmt strict")
		f.addIf(n.KeepEmpty, "logfmt keep-empty")
	case *syntax.LineFormat:
		f.template(n.Template)
	case *syntax.LabelFormat:
		for _, item := range n.Items {
			f.add("label_format %s", pick(item.Rename, "rename", "template"))
			if !item.Rename {
				f.template(item.Src)
			}
		}
	case *syntax.DropStage:
		f.items("drop", n.Items)
	case *syntax.KeepStage:
		f.items("keep", n.Items)
	case *syntax.Unwrap:
		f.add("unwrap %s", n.Conv)
		f.addIf(len(n.Filters) > 0, "unwrap filtered")
	}
}

func (f features) items(stage string, items []syntax.LabelItem) {
	for _, item := range items {
		f.add("%s %s", stage, pick(item.Matcher == nil, "name", "matcher"))
	}
}

func (f features) metric(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.LogRange:
		f.addIf(n.Offset > 0, "offset")
		f.addIf(n.Offset < 0, "offset negative")
	case *syntax.RangeAgg:
		f.add("range %s", n.Op)
		f.addIf(n.Op == syntax.Rate && n.Range.Unwrap != nil, "rate unwrapped")
		f.addIf(n.Grouping != nil, "range grouping")
	case *syntax.VectorAgg:
		f.add("vector %s", n.Op)
	case *syntax.BinaryExpr:
		f.add("binary %s", n.Op)
		f.addIf(n.Bool, "bool")
	case *syntax.VectorMatching:
		if n.On || len(n.Labels) > 0 {
			f.add("matching %s", pick(n.On, "on", "ignoring"))
		}
		f.add("cardinality %d", n.Card)
		f.addIf(len(n.Include) > 0, "group include")
	}
}

// template adds the functions and actions of a template.
func (f features) template(text string) {
	tree := parse.New("")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(text, "", "", make(map[string]*parse.Tree)); err != nil || tree.Root == nil {
		return
	}
	f.templateNode(reflect.ValueOf(tree.Root))
}

// templateNode walks a template by reflection: of its many node types only
// three matter here.
func (f features) templateNode(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return
		}
		switch n := v.Interface().(type) {
		case *parse.Tree:
			return
		case *parse.IdentifierNode:
			f.add("template %s", n.Ident)
		case *parse.IfNode:
			f.add("template if")
		case *parse.RangeNode:
			f.add("template range")
		case *parse.WithNode:
			f.add("template with")
		case *parse.VariableNode:
			f.add("template variable")
		}
		f.templateNode(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.templateNode(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.templateNode(v.Index(i))
		}
	}
}

// typeName is the name of a node's type, without package and pointer.
func typeName(n syntax.Node) string {
	t := reflect.TypeOf(n)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
