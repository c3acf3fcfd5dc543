package syntax

import (
	"strconv"
	"strings"
)

// quote prints a string so that it reads well: raw if it holds quotes or
// backslashes, else in double quotes.
func quote(s string) string {
	if strings.ContainsAny(s, `"\`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

func (q *LogQuery) String() string {
	var b strings.Builder
	if q.Selector != nil {
		b.WriteString(q.Selector.String())
	}
	for _, s := range q.Stages {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.String())
	}
	return b.String()
}

func (s *Selector) String() string { return "{" + join(s.Matchers) + "}" }

func (m *Matcher) String() string { return m.Name + m.Op.String() + quote(m.Value) }

func (f *LineFilter) String() string {
	var b strings.Builder
	b.WriteString(f.Op.String())
	for i, o := range f.Operands {
		if i > 0 {
			b.WriteString(" or")
		}
		b.WriteString(" " + o.String())
	}
	return b.String()
}

func (o LineOperand) String() string {
	if o.IP {
		return "ip(" + quote(o.Value) + ")"
	}
	return quote(o.Value)
}

func (s *JSONStage) String() string { return "| json" + spaced(join(s.Extractions)) }

func (s *LogfmtStage) String() string {
	text := "| logfmt"
	if s.Strict {
		text += " --strict"
	}
	if s.KeepEmpty {
		text += " --keep-empty"
	}
	return text + spaced(join(s.Extractions))
}

func (x Extraction) String() string {
	if x.Path == x.Label {
		return x.Label
	}
	return x.Label + "=" + quote(x.Path)
}

func (s *PatternStage) String() string { return "| pattern " + quote(s.Pattern) }

func (s *RegexpStage) String() string { return "| regexp " + quote(s.Regexp) }

func (s *UnpackStage) String() string { return "| unpack" }

func (s *LabelFilterStage) String() string { return "| " + s.Filter.String() }

func (f *LabelBinary) String() string {
	op := " and "
	if f.Or {
		op = " or "
	}
	return f.side(f.LHS, false) + op + f.side(f.RHS, true)
}

// side prints an operand, in brackets where the tree would change without.
func (f *LabelBinary) side(operand LabelFilter, right bool) string {
	b, ok := operand.(*LabelBinary)
	if ok && (b.Or && !f.Or || right && b.Or == f.Or) {
		return "(" + b.String() + ")"
	}
	return operand.String()
}

func (f *LabelString) String() string { return f.Matcher.String() }

func (f *LabelNumber) String() string {
	return f.Name + " " + f.Op.String() + " " + formatNumber(f.Value)
}

func (f *LabelDuration) String() string {
	return f.Name + " " + f.Op.String() + " " + formatDuration(f.Value)
}

func (f *LabelBytes) String() string {
	return f.Name + " " + f.Op.String() + " " + formatBytes(f.Value)
}

func (f *LabelIP) String() string { return f.Name + f.Op.String() + "ip(" + quote(f.Addr) + ")" }

func (s *LineFormat) String() string { return "| line_format " + quote(s.Template) }

func (s *LabelFormat) String() string { return "| label_format " + join(s.Items) }

func (i LabelFormatItem) String() string {
	if i.Rename {
		return i.Dst + "=" + i.Src
	}
	return i.Dst + "=" + quote(i.Src)
}

func (s *Decolorize) String() string { return "| decolorize" }

func (s *DropStage) String() string { return "| drop " + join(s.Items) }

func (s *KeepStage) String() string { return "| keep " + join(s.Items) }

func (i LabelItem) String() string {
	if i.Matcher != nil {
		return i.Matcher.String()
	}
	return i.Name
}

func (u *Unwrap) String() string {
	text := "| unwrap " + u.Label
	if u.Conv != UnwrapNumber {
		text = "| unwrap " + u.Conv.String() + "(" + u.Label + ")"
	}
	for _, f := range u.Filters {
		text += " " + f.String()
	}
	return text
}

func (r *LogRange) String() string {
	text := r.Query.String()
	if r.Unwrap != nil {
		text += " " + r.Unwrap.String()
	}
	if r.Unwrap != nil || len(r.Query.Stages) > 0 {
		text += " "
	}
	text += "[" + formatRange(r.Range) + "]"
	if r.Offset != 0 {
		text += " offset " + formatDuration(r.Offset)
	}
	return text
}

func (g *Grouping) String() string {
	word := "by"
	if g.Without {
		word = "without"
	}
	return word + " (" + strings.Join(g.Labels, ", ") + ")"
}

func (a *RangeAgg) String() string {
	text := a.Op.String() + "("
	if a.Op == QuantileOverTime {
		text += formatNumber(a.Param) + ", "
	}
	text += a.Range.String() + ")"
	if a.Grouping != nil {
		text += " " + a.Grouping.String()
	}
	return text
}

func (a *VectorAgg) String() string {
	text := a.Op.String()
	if a.Grouping != nil {
		text += " " + a.Grouping.String() + " "
	}
	text += "("
	if a.Op >= 1 && int(a.Op) < len(vectorOps) && vectorOps[a.Op].param {
		text += strconv.Itoa(a.Param) + ", "
	}
	return text + a.Expr.String() + ")"
}

func (m *VectorMatching) String() string {
	text := "ignoring"
	if m.On {
		text = "on"
	}
	text += " (" + strings.Join(m.Labels, ", ") + ")"
	switch m.Card {
	case ManyToOne:
		text += " group_left (" + strings.Join(m.Include, ", ") + ")"
	case OneToMany:
		text += " group_right (" + strings.Join(m.Include, ", ") + ")"
	}
	return text
}

func (b *BinaryExpr) String() string {
	text := b.side(b.LHS, false) + " " + b.Op.String()
	if b.Bool {
		text += " bool"
	}
	if b.Matching != nil {
		text += " " + b.Matching.String()
	}
	return text + " " + b.side(b.RHS, true)
}

// side prints an operand, in brackets where the tree would change without.
func (b *BinaryExpr) side(operand Expr, right bool) string {
	o, ok := operand.(*BinaryExpr)
	if !ok {
		return operand.String()
	}
	outer, inner := b.prec(), o.prec()
	if inner < outer || inner == outer && right != (b.Op == OpPow) {
		return "(" + o.String() + ")"
	}
	return o.String()
}

func (b *BinaryExpr) prec() int {
	if b.Op < 1 || int(b.Op) >= len(binaryOps) {
		return 0
	}
	return binaryOps[b.Op].prec
}

func (r *LabelReplace) String() string {
	return "label_replace(" + r.Expr.String() + ", " + quote(r.Dst) + ", " + quote(r.Replacement) +
		", " + quote(r.Src) + ", " + quote(r.Regexp) + ")"
}

func (v *VectorFunc) String() string { return "vector(" + formatNumber(v.Value) + ")" }

func (n *NumberLit) String() string { return formatNumber(n.Value) }

// join prints a list with commas.
func join[N Node](list []N) string {
	var b strings.Builder
	for i, n := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(n.String())
	}
	return b.String()
}

func spaced(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}
