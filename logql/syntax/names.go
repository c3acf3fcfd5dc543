package syntax

import "strings"

// unwrapRule says whether a range aggregation works on unwrapped values.
type unwrapRule int

const (
	unwrapRefused unwrapRule = iota + 1
	unwrapAllowed
	unwrapNeeded
)

// rangeOps describes the range aggregations, indexed by RangeOp.
var rangeOps = [...]struct {
	name   string
	unwrap unwrapRule
	group  bool // takes by (…) and without (…)
}{
	CountOverTime:    {"count_over_time", unwrapRefused, false},
	Rate:             {"rate", unwrapAllowed, false},
	BytesOverTime:    {"bytes_over_time", unwrapRefused, false},
	BytesRate:        {"bytes_rate", unwrapRefused, false},
	AbsentOverTime:   {"absent_over_time", unwrapAllowed, false},
	SumOverTime:      {"sum_over_time", unwrapNeeded, false},
	AvgOverTime:      {"avg_over_time", unwrapNeeded, true},
	MinOverTime:      {"min_over_time", unwrapNeeded, true},
	MaxOverTime:      {"max_over_time", unwrapNeeded, true},
	FirstOverTime:    {"first_over_time", unwrapNeeded, true},
	LastOverTime:     {"last_over_time", unwrapNeeded, true},
	StddevOverTime:   {"stddev_over_time", unwrapNeeded, true},
	StdvarOverTime:   {"stdvar_over_time", unwrapNeeded, true},
	QuantileOverTime: {"quantile_over_time", unwrapNeeded, true},
	RateCounter:      {"rate_counter", unwrapNeeded, false},
}

// vectorOps describes the vector aggregations, indexed by VectorOp.
var vectorOps = [...]struct {
	name  string
	param bool // takes a count as first argument
	group bool // takes by (…) and without (…)
}{
	Sum:        {"sum", false, true},
	Avg:        {"avg", false, true},
	Min:        {"min", false, true},
	Max:        {"max", false, true},
	Count:      {"count", false, true},
	Stddev:     {"stddev", false, true},
	Stdvar:     {"stdvar", false, true},
	TopK:       {"topk", true, true},
	BottomK:    {"bottomk", true, true},
	Sort:       {"sort", false, false},
	SortDesc:   {"sort_desc", false, false},
	ApproxTopK: {"approx_topk", true, false},
}

// binaryOps describes the binary operators, indexed by BinaryOp.
var binaryOps = [...]struct {
	name string
	prec int // a higher one binds tighter
}{
	OpOr:           {"or", 1},
	OpAnd:          {"and", 2},
	OpUnless:       {"unless", 2},
	OpEqual:        {"==", 3},
	OpNotEqual:     {"!=", 3},
	OpGreater:      {">", 3},
	OpGreaterEqual: {">=", 3},
	OpLess:         {"<", 3},
	OpLessEqual:    {"<=", 3},
	OpAdd:          {"+", 4},
	OpSub:          {"-", 4},
	OpMul:          {"*", 5},
	OpDiv:          {"/", 5},
	OpMod:          {"%", 5},
	OpPow:          {"^", 6},
}

var (
	matchOps      = [...]string{MatchEqual: "=", MatchNotEqual: "!=", MatchRegexp: "=~", MatchNotRegexp: "!~"}
	lineFilterOps = [...]string{LineContains: "|=", LineNotContains: "!=", LineMatches: "|~", LineNotMatches: "!~", LinePattern: "|>", LineNotPattern: "!>"}
	compareOps    = [...]string{CompareEqual: "==", CompareNotEqual: "!=", CompareGreater: ">", CompareGreaterEqual: ">=", CompareLess: "<", CompareLessEqual: "<="}
	unwrapConvs   = [...]string{UnwrapNumber: "", UnwrapDuration: "duration", UnwrapDurationSeconds: "duration_seconds", UnwrapBytes: "bytes"}
)

// stageNames are the words that begin a pipeline stage.
var stageNames = [...]string{
	"json", "logfmt", "pattern", "regexp", "unpack", "line_format",
	"label_format", "decolorize", "drop", "keep", "unwrap",
}

// reserved holds the words that cannot name a label. Function names are not
// among them: sum, duration or ip name a label wherever no "(" follows.
var reserved = map[string]bool{
	"json": true, "logfmt": true, "pattern": true, "regexp": true,
	"unpack": true, "line_format": true, "label_format": true,
	"decolorize": true, "drop": true, "keep": true, "unwrap": true,
	"by": true, "without": true, "and": true, "or": true, "unless": true,
	"on": true, "ignoring": true, "group_left": true, "group_right": true,
	"bool": true, "offset": true,
}

// String returns the operator as written in a query.
func (op MatchOp) String() string { return nameOf(matchOps[:], int(op)) }

// String returns the operator as written in a query.
func (op LineFilterOp) String() string { return nameOf(lineFilterOps[:], int(op)) }

// String returns the operator as written in a query.
func (op CompareOp) String() string { return nameOf(compareOps[:], int(op)) }

// String returns the conversion as written in a query; "" for UnwrapNumber.
func (c UnwrapConv) String() string {
	if c == UnwrapNumber {
		return ""
	}
	return nameOf(unwrapConvs[:], int(c))
}

// String returns the function's name.
func (op RangeOp) String() string {
	if op < 1 || int(op) >= len(rangeOps) {
		return "?"
	}
	return rangeOps[op].name
}

// String returns the aggregation's name.
func (op VectorOp) String() string {
	if op < 1 || int(op) >= len(vectorOps) {
		return "?"
	}
	return vectorOps[op].name
}

// String returns the operator as written in a query.
func (op BinaryOp) String() string {
	if op < 1 || int(op) >= len(binaryOps) {
		return "?"
	}
	return binaryOps[op].name
}

// Comparison reports whether op compares two values.
func (op BinaryOp) Comparison() bool { return op >= OpEqual && op <= OpLessEqual }

// Set reports whether op is and, or or unless.
func (op BinaryOp) Set() bool { return op >= OpOr && op <= OpUnless }

// nameOf returns the entry of an operator table, "?" for a value that is no
// operator.
func nameOf(names []string, op int) string {
	if op < 1 || op >= len(names) {
		return "?"
	}
	return names[op]
}

func rangeOpNamed(name string) (RangeOp, bool) {
	for op, d := range rangeOps {
		if op > 0 && strings.EqualFold(d.name, name) {
			return RangeOp(op), true
		}
	}
	return 0, false
}

func vectorOpNamed(name string) (VectorOp, bool) {
	for op, d := range vectorOps {
		if op > 0 && strings.EqualFold(d.name, name) {
			return VectorOp(op), true
		}
	}
	return 0, false
}
