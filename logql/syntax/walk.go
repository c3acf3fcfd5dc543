package syntax

import (
	"fmt"
	"reflect"
)

// Walk calls visit for n and for all nodes below it, a node before those
// below it and these in the order of the printed text. Where visit returns
// false, what is below the node is left out. A nil node is not visited.
func Walk(n Node, visit func(Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for _, c := range children(n) {
		Walk(c, visit)
	}
}

// children returns the nodes right below n.
func children(n Node) []Node {
	switch n := n.(type) {
	case *LogQuery:
		return append(some(n.Selector), nodes(n.Stages)...)
	case *Selector:
		return nodes(n.Matchers)
	case *LineFilter:
		return nodes(n.Operands)
	case *JSONStage:
		return nodes(n.Extractions)
	case *LogfmtStage:
		return nodes(n.Extractions)
	case *LabelFilterStage:
		return []Node{n.Filter}
	case *LabelBinary:
		return []Node{n.LHS, n.RHS}
	case *LabelString:
		return some(n.Matcher)
	case *LabelFormat:
		return nodes(n.Items)
	case *DropStage:
		return nodes(n.Items)
	case *KeepStage:
		return nodes(n.Items)
	case LabelItem:
		return some(n.Matcher)
	case *Unwrap:
		return nodes(n.Filters)
	case *LogRange:
		return append(some(n.Query), some(n.Unwrap)...)
	case *RangeAgg:
		return append(some(n.Range), some(n.Grouping)...)
	case *VectorAgg:
		return append(some(n.Grouping), n.Expr)
	case *BinaryExpr:
		return append(append([]Node{n.LHS}, some(n.Matching)...), n.RHS)
	case *LabelReplace:
		return []Node{n.Expr}
	case *Matcher, LineOperand, Extraction, *PatternStage, *RegexpStage, *UnpackStage,
		*LabelNumber, *LabelDuration, *LabelBytes, *LabelIP, *LineFormat, LabelFormatItem,
		*Decolorize, *Grouping, *VectorMatching, *VectorFunc, *NumberLit:
		return nil
	}
	panic(fmt.Sprintf("syntax: unknown node %T", n))
}

func nodes[N Node](list []N) []Node {
	all := make([]Node, len(list))
	for i, n := range list {
		all[i] = n
	}
	return all
}

// some returns n unless it is nil.
func some[T any, N interface {
	*T
	Node
}](n N) []Node {
	if n == nil {
		return nil
	}
	return []Node{n}
}

// tooDeep returns a node that lies more than MaxDepth below n, nil if there is
// none. It keeps its own stack: the tree it looks at may be deep.
func tooDeep(n Node) Node {
	type place struct {
		node  Node
		depth int
	}
	stack := []place{{n, 1}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if top.depth > MaxDepth {
			return top.node
		}
		for _, c := range children(top.node) {
			stack = append(stack, place{c, top.depth + 1})
		}
	}
	return nil
}

// Equal reports whether two nodes are of one kind and mean the same, wherever
// they stand in their texts.
func Equal(a, b Node) bool { return equal(reflect.ValueOf(a), reflect.ValueOf(b)) }

var (
	spanType  = reflect.TypeFor[Span]()
	spansType = reflect.TypeFor[[]Span]()
	atType    = reflect.TypeFor[at]()
)

func equal(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if a.Type() != b.Type() {
		return false
	}
	switch a.Type() {
	case spanType, spansType, atType:
		return true
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return equal(a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}
