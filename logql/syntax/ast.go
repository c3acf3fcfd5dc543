package syntax

import "time"

// A Span is the half-open range of byte offsets [Start, End) that a node
// takes in the query text. A node that was built by a program, not parsed,
// has the zero Span.
type Span struct{ Start, End int }

// A Node is any part of a parsed query. Nodes are plain data: they hold no
// compiled regexps, templates or evaluators, and nothing in this package
// changes a node after [Parse] returned it.
type Node interface {
	// Span returns where the node stands in the query text.
	Span() Span
	// String prints the node as LogQL. Parsing the text of an Expr again
	// gives an equal tree (spans aside).
	String() string
	node()
}

// An Expr is a whole query: a [LogQuery], which yields log lines, or one of
// the metric expressions, which yield samples.
//
// A switch over expressions lists them in this order: LogQuery, RangeAgg,
// VectorAgg, BinaryExpr, LabelReplace, VectorFunc, NumberLit.
type Expr interface {
	Node
	expr()
}

// A Stage is one step of a log pipeline.
//
// A switch over stages lists them in this order: LineFilter, JSONStage,
// LogfmtStage, PatternStage, RegexpStage, UnpackStage, LabelFilterStage,
// LineFormat, LabelFormat, Decolorize, DropStage, KeepStage.
type Stage interface {
	Node
	stage()
}

// at is embedded by every node and holds its place.
type at struct{ Pos Span }

func (a at) Span() Span { return a.Pos }
func (at) node()        {}

// A LogQuery is a stream selector and the pipeline that follows it:
//
//	{app="kueue"} |= "panic" | json | level="error"
type LogQuery struct {
	at
	Selector *Selector
	Stages   []Stage
}

// A Selector is the brace expression that chooses streams.
type Selector struct {
	at
	Matchers []*Matcher
}

// MatchOp compares a label with a string.
type MatchOp int

// The operators of a Matcher.
const (
	MatchEqual     MatchOp = iota + 1 // =
	MatchNotEqual                     // !=
	MatchRegexp                       // =~
	MatchNotRegexp                    // !~
)

// A Matcher compares one label with a string. An absent label is compared as
// the empty string. Regexps are anchored at both ends.
type Matcher struct {
	at
	Name     string
	Op       MatchOp
	Value    string // without quotes, escapes resolved
	ValuePos Span   // of the literal, quotes included
}

// LineFilterOp says how a LineFilter looks at a line.
type LineFilterOp int

// The operators of a LineFilter.
const (
	LineContains    LineFilterOp = iota + 1 // |=
	LineNotContains                         // !=
	LineMatches                             // |~
	LineNotMatches                          // !~
	LinePattern                             // |>
	LineNotPattern                          // !>
)

// A LineFilter keeps the lines that match one of its operands, or with a
// negative operator the lines that match none: |= "a" or "b".
type LineFilter struct {
	at
	Op       LineFilterOp
	Operands []LineOperand
}

// A LineOperand is one alternative of a LineFilter: a text, or with IP set an
// address, range or CIDR given as ip("…").
type LineOperand struct {
	at
	Value string
	IP    bool
}

// JSONStage is "| json" or "| json label="path", label2".
type JSONStage struct {
	at
	Extractions []Extraction // none: every field
}

// LogfmtStage is "| logfmt [--strict] [--keep-empty] [label="key", …]".
type LogfmtStage struct {
	at
	Strict, KeepEmpty bool
	Extractions       []Extraction
}

// An Extraction names one field to take from a line. In the short form
// "json label" Path equals Label.
type Extraction struct {
	at
	Label   string
	Path    string
	PathPos Span // of the quoted path, or of the label in the short form
}

// PatternStage is "| pattern "<a> - <_>"".
type PatternStage struct {
	at
	Pattern    string
	PatternPos Span
}

// RegexpStage is "| regexp "(?P<a>…)"".
type RegexpStage struct {
	at
	Regexp    string
	RegexpPos Span
}

// UnpackStage is "| unpack".
type UnpackStage struct{ at }

// LabelFilterStage is "| filter": a condition on labels.
type LabelFilterStage struct {
	at
	Filter LabelFilter
}

// A LabelFilter is a condition on the labels of an entry.
//
// A switch lists them in this order: LabelBinary, LabelString, LabelNumber,
// LabelDuration, LabelBytes, LabelIP.
type LabelFilter interface {
	Node
	labelFilter()
}

// LabelBinary joins two conditions. A comma, or nothing between them, means
// And. And binds tighter than Or.
type LabelBinary struct {
	at
	Or       bool // false: and
	LHS, RHS LabelFilter
}

// LabelString compares a label with a string or a regexp.
type LabelString struct {
	at
	Matcher *Matcher
}

// CompareOp compares numbers, in label filters and between vectors.
type CompareOp int

// The comparison operators.
const (
	CompareEqual        CompareOp = iota + 1 // ==
	CompareNotEqual                          // !=
	CompareGreater                           // >
	CompareGreaterEqual                      // >=
	CompareLess                              // <
	CompareLessEqual                         // <=
)

// LabelNumber compares a label's value, read as a number.
type LabelNumber struct {
	at
	Name  string
	Op    CompareOp
	Value float64
}

// LabelDuration compares a label's value, read as a duration.
type LabelDuration struct {
	at
	Name  string
	Op    CompareOp
	Value time.Duration
}

// LabelBytes compares a label's value, read as a size in bytes.
type LabelBytes struct {
	at
	Name  string
	Op    CompareOp
	Value uint64
}

// LabelIP tells whether a label's value is an address in a range:
// addr = ip("10.0.0.0/8"). Op is MatchEqual or MatchNotEqual.
type LabelIP struct {
	at
	Name    string
	Op      MatchOp
	Addr    string
	AddrPos Span
}

// LineFormat is "| line_format "template"".
type LineFormat struct {
	at
	Template    string
	TemplatePos Span
}

// LabelFormat is "| label_format dst=src, dst="template"".
type LabelFormat struct {
	at
	Items []LabelFormatItem
}

// A LabelFormatItem sets Dst. With Rename set, Src names the label that moves
// to Dst; otherwise Src is a template.
type LabelFormatItem struct {
	at
	Dst    string
	Rename bool
	Src    string
	SrcPos Span
}

// Decolorize is "| decolorize": strip ANSI colour codes from the line.
type Decolorize struct{ at }

// DropStage is "| drop a, b="x"".
type DropStage struct {
	at
	Items []LabelItem
}

// KeepStage is "| keep a, b="x"".
type KeepStage struct {
	at
	Items []LabelItem
}

// A LabelItem names a label and, optionally, a condition on its value.
type LabelItem struct {
	at
	Name    string
	Matcher *Matcher // nil: whatever the value
}

// UnwrapConv says how unwrap reads a label's value.
type UnwrapConv int

// The conversions of Unwrap.
const (
	UnwrapNumber          UnwrapConv = iota // unwrap x
	UnwrapDuration                          // unwrap duration(x)
	UnwrapDurationSeconds                   // unwrap duration_seconds(x)
	UnwrapBytes                             // unwrap bytes(x)
)

// Unwrap takes the sample value from a label: | unwrap x | filter.
type Unwrap struct {
	at
	Label    string
	LabelPos Span
	Conv     UnwrapConv
	Filters  []*LabelFilterStage // label filters after unwrap
}

// A LogRange is a log query over a window: {…} | json | unwrap x [5m] offset 1m.
// The window may also stand right after the selector, which means the same;
// printing puts it last.
type LogRange struct {
	at
	Query     *LogQuery
	Unwrap    *Unwrap       // nil for log ranges
	Range     time.Duration // whole milliseconds
	RangePos  Span          // of the window, brackets included
	Offset    time.Duration // may be negative
	OffsetPos Span          // of the offset's duration; zero if there is none
}

// A Grouping is by (…) or without (…).
type Grouping struct {
	at
	Without  bool
	Labels   []string
	LabelPos []Span // of each of Labels
}

// RangeOp is a function of a LogRange.
type RangeOp int

// The range aggregations.
const (
	CountOverTime RangeOp = iota + 1
	Rate                  // of lines, or with unwrap the sum per second
	BytesOverTime
	BytesRate
	AbsentOverTime
	SumOverTime
	AvgOverTime
	MinOverTime
	MaxOverTime
	FirstOverTime
	LastOverTime
	StddevOverTime
	StdvarOverTime
	QuantileOverTime
	RateCounter
)

// A RangeAgg turns the entries of each window into one sample a series.
type RangeAgg struct {
	at
	Op       RangeOp
	Param    float64 // of quantile_over_time
	Range    *LogRange
	Grouping *Grouping // nil: none
}

// VectorOp is an aggregation over a vector.
type VectorOp int

// The vector aggregations.
const (
	Sum VectorOp = iota + 1
	Avg
	Min
	Max
	Count
	Stddev
	Stdvar
	TopK
	BottomK
	Sort
	SortDesc
	ApproxTopK
)

// A VectorAgg aggregates the series of a vector at each instant.
type VectorAgg struct {
	at
	Op       VectorOp
	Param    int // of topk, bottomk, approx_topk
	Expr     Expr
	Grouping *Grouping // nil: one group without labels
}

// BinaryOp is an operator between two metric expressions.
type BinaryOp int

// The binary operators, by rising precedence: or; and, unless; comparisons;
// + -; * / %; ^.
const (
	OpOr BinaryOp = iota + 1
	OpAnd
	OpUnless
	OpEqual
	OpNotEqual
	OpGreater
	OpGreaterEqual
	OpLess
	OpLessEqual
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpMod
	OpPow
)

// Cardinality says how many series of each side may match one another.
type Cardinality int

// The cardinalities of VectorMatching.
const (
	OneToOne  Cardinality = iota
	ManyToOne             // group_left
	OneToMany             // group_right
	ManyToMany
)

// VectorMatching says which series of both sides belong together. Card is
// ManyToMany for the set operators.
type VectorMatching struct {
	at
	Card    Cardinality
	On      bool // on (…); false: ignoring (…)
	Labels  []string
	Include []string // labels taken from the "one" side
}

// A BinaryExpr joins two metric expressions.
type BinaryExpr struct {
	at
	Op       BinaryOp
	OpPos    Span
	LHS, RHS Expr
	Bool     bool            // comparisons give 0 or 1 instead of filtering
	Matching *VectorMatching // nil: none was written
}

// LabelReplace is label_replace(v, dst, replacement, src, regexp).
type LabelReplace struct {
	at
	Expr        Expr
	Dst         string
	Replacement string
	Src         string
	Regexp      string
	RegexpPos   Span
}

// VectorFunc is vector(n): one sample without labels.
type VectorFunc struct {
	at
	Value float64
}

// NumberLit is a number, signs included.
type NumberLit struct {
	at
	Value float64
}

func (*LogQuery) expr()     {}
func (*RangeAgg) expr()     {}
func (*VectorAgg) expr()    {}
func (*BinaryExpr) expr()   {}
func (*LabelReplace) expr() {}
func (*VectorFunc) expr()   {}
func (*NumberLit) expr()    {}

func (*LineFilter) stage()       {}
func (*JSONStage) stage()        {}
func (*LogfmtStage) stage()      {}
func (*PatternStage) stage()     {}
func (*RegexpStage) stage()      {}
func (*UnpackStage) stage()      {}
func (*LabelFilterStage) stage() {}
func (*LineFormat) stage()       {}
func (*LabelFormat) stage()      {}
func (*Decolorize) stage()       {}
func (*DropStage) stage()        {}
func (*KeepStage) stage()        {}

func (*LabelBinary) labelFilter()   {}
func (*LabelString) labelFilter()   {}
func (*LabelNumber) labelFilter()   {}
func (*LabelDuration) labelFilter() {}
func (*LabelBytes) labelFilter()    {}
func (*LabelIP) labelFilter()       {}
