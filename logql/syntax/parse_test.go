package syntax

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// mustParse parses a query that must be good and checks what every tree
// promises.
func mustParse(t *testing.T, query string) Expr {
	t.Helper()
	e, err := Parse(query)
	if err != nil {
		t.Fatalf("Parse(%q) = %v", query, err)
	}
	checkRoundTrip(t, query, e)
	checkSpans(t, query, e)
	return e
}

// checkCanonical checks how a query is printed.
func checkCanonical(t *testing.T, query, want string) {
	t.Helper()
	if got := mustParse(t, query).String(); got != want {
		t.Errorf("Parse(%q) prints as\n     %s\nwant %s", query, got, want)
	}
}

func TestParse_Selector(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkCanonical(t, query, want) }

	f(`{ a = "b" , c!="d",e=~"f.*",g !~ "h" }`, `{a="b", c!="d", e=~"f.*", g!~"h"}`)
	f("{a=`b`}", `{a="b"}`)
	f(`{a="\x41\u00e9\n"}`, `{a="Aé\n"}`)
	f(`{a="say \"x\""}`, "{a=`say \"x\"`}")
	f("{a=~`\\d+`}", "{a=~`\\d+`}")
	f(`{a="b\\"}`, "{a=`b\\`}")
	f("{a=\"`\\\\`\"}", "{a=\"`\\\\`\"}")
	f(`{été="x"}`, `{été="x"}`)
	f("{a=\"b\"} # c\n// d\n/* e\nf */", `{a="b"}`)
	f(`({a="b"})`, `{a="b"}`)

	// Names of functions are labels, those of stages and operators are not.
	f(`{sum="x", rate="y", ip="z", duration="1", vector="v"}`, `{sum="x", rate="y", ip="z", duration="1", vector="v"}`)
	for word := range reserved {
		for _, query := range []string{`{` + word + `="x"}`, `{` + strings.ToUpper(word) + `="x"}`} {
			if _, err := Parse(query); err == nil {
				t.Errorf("Parse(%q) succeeded; want an error about the keyword", query)
			}
		}
	}
}

func TestParse_EmptyMatchers(t *testing.T) {
	f := func(query string, want bool) {
		t.Helper()
		if _, err := Parse(query); (err == nil) != want {
			t.Errorf("Parse(%q) = %v; want it taken: %v", query, err, want)
		}
	}
	f(`{a=""}`, false)
	f(`{a!=""}`, true)
	f(`{a!="b"}`, false)
	f(`{a=~""}`, false)
	f(`{a=~".*"}`, false)
	f(`{a=~".+"}`, true)
	f(`{a=~"b|"}`, false)
	f(`{a!~".*"}`, true)
	f(`{a!~".+"}`, false)
	f(`{a!~"b"}`, false)
	f(`{a="", b="c"}`, true)
}

func TestParse_LineFilter(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkCanonical(t, query, want) }

	f("{a=\"b\"}|=\"x\"!=\"y\"|~`\\d`!~\"z\"|>\"<_>a\"!>\"b\"", "{a=\"b\"} |= \"x\" != \"y\" |~ `\\d` !~ \"z\" |> \"<_>a\" !> \"b\"")
	f(`{a="b"} |= "x" or "y" OR "z" |= "w"`, `{a="b"} |= "x" or "y" or "z" |= "w"`)
	f(`{a="b"} |= IP("::1") or "x" != ip("10.0.0.0/8")`, `{a="b"} |= ip("::1") or "x" != ip("10.0.0.0/8")`)
	f(`{a="b"} |= "x" // c`, `{a="b"} |= "x"`)
	f(`{a="b"} |= "# no comment"`, `{a="b"} |= "# no comment"`)
}

func TestParse_Stages(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkCanonical(t, `{a="b"} `+query, `{a="b"} `+want) }

	f(`|JSON|json x , y="a[0]" , z="z"`, `| json | json x, y="a[0]", z`)
	f(`| json x="[\"c d\"]"`, "| json x=`[\"c d\"]`")
	f(`| logfmt | logfmt --keep-empty --strict x, y="z"`, `| logfmt | logfmt --strict --keep-empty x, y="z"`)
	f(`| pattern "<x> <_>" | PATTERN "<<y>>"`, `| pattern "<x> <_>" | pattern "<<y>>"`)
	f("| regexp `(?P<r>\\d)`", "| regexp `(?P<r>\\d)`")
	f(`| unpack | decolorize != "x"`, `| unpack | decolorize != "x"`)
	f("| line_format \"{{.x}}\" | line_format `{{ \"y\" }}`", "| line_format \"{{.x}}\" | line_format `{{ \"y\" }}`")
	f(`| label_format x = y , z="{{.w}}"`, `| label_format x=y, z="{{.w}}"`)
	f(`| drop x, y="z", w!~"v" | keep a, b != "c"`, `| drop x, y="z", w!~"v" | keep a, b!="c"`)
}

func TestParse_LabelFilter(t *testing.T) {
	f := func(filter, want string) { t.Helper(); checkCanonical(t, `{a="b"} | `+filter, `{a="b"} | `+want) }

	// Strings, numbers, durations, sizes, addresses.
	f("x=``", `x=""`)
	f(`x!~"y"`, `x!~"y"`)
	f(`x=1`, `x == 1`)
	f(`x!=-1.50`, `x != -1.5`)
	f(`x>+1e3`, `x > 1000`)
	f(`x>=1_000`, `x >= 1000`)
	f(`x<0x1F`, `x < 31`)
	f(`x<=.5`, `x <= 0.5`)
	f(`x>1e22`, `x > 1e+22`)
	f(`x=90m`, `x == 1h30m`)
	f(`x=1500ms`, `x == 1.5s`)
	f(`x=-1h`, `x == -1h`)
	f(`x=30s1m`, `x == 1m30s`)
	f(`x=980µs`, `x == 980us`)
	f(`x=2w`, `x == 14d`)
	f(`x=1d12h`, `x == 36h`)
	f(`x=0s`, `x == 0s`)
	f(`x=1536B`, `x == 1.5KiB`)
	f(`x=1kB`, `x == 1KB`)
	f(`x=10M`, `x == 10MB`)
	f(`x=2Ti`, `x == 2TiB`)
	f(`x=1234B`, `x == 1234B`)
	f(`x=0KB`, `x == 0KB`)
	f(`ip!=IP("10.0.0.0/8")`, `ip!=ip("10.0.0.0/8")`)

	// Logic: or binds less than all else.
	f(`a="1" or b="2" and c="3"`, `a="1" or b="2" and c="3"`)
	f(`(a="1" or b="2") and c="3"`, `(a="1" or b="2") and c="3"`)
	f(`a="1", b="2" c="3" AND (d="4")`, `a="1" and b="2" and c="3" and d="4"`)
	f(`a="1" and (b="2" and c="3")`, `a="1" and (b="2" and c="3")`)
	f(`a="1" or (b="2" or c="3")`, `a="1" or (b="2" or c="3")`)
	f(`((a="1"))`, `a="1"`)
	f(`x>5and y<3or z=1`, `x > 5 and y < 3 or z == 1`)
	f(`a="1" |= "x" | b="2"`, `a="1" |= "x" | b="2"`)
}

func TestParse_Range(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkCanonical(t, query, want) }

	f(`rate({a="b"} [5m])`, `rate({a="b"}[5m])`)
	f(`RATE({a="b"}|json[1h30m]OFFSET -5m)`, `rate({a="b"} | json [1h30m] offset -5m)`)
	f(`rate({a="b"}[5m] |= "x" | json)`, `rate({a="b"} |= "x" | json [5m])`)
	f(`rate({a="b"}[5m] offset 1d | json)`, `rate({a="b"} | json [5m] offset 1d)`)
	f(`rate(({a="b"} | json)[5m] offset 1m)`, `rate({a="b"} | json [5m] offset 1m)`)
	f(`rate((({a="b"}[5m])))`, `rate({a="b"}[5m])`)
	f(`rate({a="b"}[5m] offset 0s)`, `rate({a="b"}[5m])`)
	f(`rate({a="b"}[0])`, `rate({a="b"}[0s])`)
	f(`rate({a="b"}[1w2d3h4m5s6ms])`, `rate({a="b"}[9d3h4m5s6ms])`)
	f(`rate({a="b"}[1y])`, `rate({a="b"}[365d])`)

	for _, bad := range []string{"", "m", "5", "5min", " 5m", "5m ", "-5m", "1.5h", "30m1h", "5m5m", "1us", "1ns", "5M", "00", "400y", "99999999999999999999s"} {
		if _, err := Parse(`rate({a="b"}[` + bad + `])`); err == nil {
			t.Errorf("the range [%s] is taken", bad)
		}
	}
}

func TestParse_Unwrap(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkCanonical(t, query, want) }

	f(`sum_over_time({a="b"} | UNWRAP x [5m])`, `sum_over_time({a="b"} | unwrap x [5m])`)
	f(`sum_over_time({a="b"} | unwrap duration [5m])`, `sum_over_time({a="b"} | unwrap duration [5m])`)
	f(`avg_over_time({a="b"} | unwrap Duration(x) | y="z" | w>1KB [5m]) by (y)`, `avg_over_time({a="b"} | unwrap duration(x) | y="z" | w > 1KB [5m]) by (y)`)
	f(`rate({a="b"} | unwrap bytes(x) [5m])`, `rate({a="b"} | unwrap bytes(x) [5m])`)
	f(`max_over_time({a="b"}[5m] | json | unwrap duration_seconds(x)) without ()`, `max_over_time({a="b"} | json | unwrap duration_seconds(x) [5m]) without ()`)
	f(`quantile_over_time(.99, {a="b"} | unwrap x [5m])`, `quantile_over_time(0.99, {a="b"} | unwrap x [5m])`)
}

// TestParse_RangeOps checks which range aggregations take an unwrap and which
// a grouping.
func TestParse_RangeOps(t *testing.T) {
	f := func(query string, want bool) {
		t.Helper()
		if _, err := Parse(query); (err == nil) != want {
			t.Errorf("Parse(%q) = %v; want it taken: %v", query, err, want)
		}
	}
	for op, info := range rangeOps {
		if op == 0 {
			continue
		}
		call := info.name + "("
		if RangeOp(op) == QuantileOverTime {
			call += "0.5, "
		}
		lines, values := call+`{a="b"}[5m])`, call+`{a="b"} | unwrap x [5m])`
		f(lines, info.unwrap != unwrapNeeded)
		f(values, info.unwrap != unwrapRefused)
		good := lines
		if info.unwrap == unwrapNeeded {
			good = values
		}
		f(good+" by (x)", info.group)
		f(good+" without (x)", info.group)
		f(strings.Replace(good, "(", " by (x) (", 1), false)
	}
}

func TestParse_VectorAgg(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkCanonical(t, query, want) }

	f(`SUM(rate({a="b"}[5m]))BY(x)`, `sum by (x) (rate({a="b"}[5m]))`)
	f(`avg without (x, y) (vector(1))`, `avg without (x, y) (vector(1))`)
	f(`max by (sum, x, x) (vector(1))`, `max by (sum, x, x) (vector(1))`)
	f(`min(vector(1)) by ()`, `min by () (vector(1))`)
	f(`topk by (x) (3, vector(1))`, `topk by (x) (3, vector(1))`)
	f(`bottomk(3, vector(1)) without (x)`, `bottomk without (x) (3, vector(1))`)
	f(`approx_topk(3, vector(1))`, `approx_topk(3, vector(1))`)
	f(`sort_desc(sort(vector(1)))`, `sort_desc(sort(vector(1)))`)
	f(`label_replace (vector(1), "a", "$1", "b", "(.*)")`, `label_replace(vector(1), "a", "$1", "b", "(.*)")`)
}

func TestParse_Binary(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkCanonical(t, query, want) }

	f(`1+2*3^4`, `1 + 2 * 3 ^ 4`)
	f(`(1+2)*3`, `(1 + 2) * 3`)
	f(`1-(2-3)`, `1 - (2 - 3)`)
	f(`(1-2)-3`, `1 - 2 - 3`)
	f(`2^3^2`, `2 ^ 3 ^ 2`)
	f(`(2^3)^2`, `(2 ^ 3) ^ 2`)
	f(`- 1 - -2 + +3`, `-1 - -2 + 3`)
	f(`-2^2`, `-2 ^ 2`)
	f(`1 < 2 == 3`, `1 < 2 == 3`)
	f(`vector(1) or vector(2) and vector(3) unless vector(4)`, `vector(1) or vector(2) and vector(3) unless vector(4)`)
	f(`(vector(1) or vector(2)) and vector(3)`, `(vector(1) or vector(2)) and vector(3)`)
	f(`vector(1)>BOOL 0`, `vector(1) > bool 0`)
	f(`vector(1)>1or vector(0)`, `vector(1) > 1 or vector(0)`)
	f(`vector(1) + on() vector(2)`, `vector(1) + on () vector(2)`)
	f(`vector(1) / ignoring(x,y) group_left vector(2)`, `vector(1) / ignoring (x, y) group_left () vector(2)`)
	f(`vector(1) == bool on (x) group_right (y) vector(2)`, `vector(1) == bool on (x) group_right (y) vector(2)`)
	f(`vector(1) and on (x) group_left vector(2)`, `vector(1) and on (x) vector(2)`)
	f(`1_000 + 1e3 + .5 + 1e-9`, `1000 + 1000 + 0.5 + 1e-09`)
}

// TestParse_Tree looks into a tree: at values that printing could hide, and
// at the places of the parts that findings point at.
func TestParse_Tree(t *testing.T) {
	query := `sum by (pod, ns) (avg_over_time({app="x"} |= "a" or ip("::1") | json lvl="level" | s>1.5KiB | unwrap duration(d) | e="" [5m] offset -1h)) >= on (pod) group_left (z) 0.5`
	b := mustParse(t, query).(*BinaryExpr)
	sum := b.LHS.(*VectorAgg)
	r := sum.Expr.(*RangeAgg).Range
	filter := r.Query.Stages[0].(*LineFilter)
	size := r.Query.Stages[2].(*LabelFilterStage).Filter.(*LabelBytes)

	f := func(what string, got, want any) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	f("operator", b.Op, OpGreaterEqual)
	f("card", b.Matching.Card, ManyToOne)
	f("include", b.Matching.Include, []string{"z"})
	f("labels", sum.Grouping.Labels, []string{"pod", "ns"})
	f("range", r.Range, 5*time.Minute)
	f("offset", r.Offset, -time.Hour)
	f("conversion", r.Unwrap.Conv, UnwrapDuration)
	f("filters after unwrap", len(r.Unwrap.Filters), 1)
	f("operand", filter.Operands[1].IP, true)
	f("size", size.Value, uint64(1536))

	at := func(what string, s Span, want string) {
		t.Helper()
		f(what, query[s.Start:s.End], want)
	}
	at("operator", b.OpPos, ">=")
	at("matching", b.Matching.Pos, "on (pod) group_left (z)")
	at("label", sum.Grouping.LabelPos[1], "ns")
	at("selector", r.Query.Selector.Pos, `{app="x"}`)
	at("value", r.Query.Selector.Matchers[0].ValuePos, `"x"`)
	at("query", r.Query.Pos, `{app="x"} |= "a" or ip("::1") | json lvl="level" | s>1.5KiB`)
	at("line filter", filter.Pos, `|= "a" or ip("::1")`)
	at("address", filter.Operands[1].Pos, `ip("::1")`)
	at("path", r.Query.Stages[1].(*JSONStage).Extractions[0].PathPos, `"level"`)
	at("stage", r.Query.Stages[2].Span(), `| s>1.5KiB`)
	at("unwrap", r.Unwrap.Pos, `| unwrap duration(d) | e=""`)
	at("unwrapped label", r.Unwrap.LabelPos, "d")
	at("range", r.RangePos, "[5m]")
	at("offset", r.OffsetPos, "-1h")
	at("number", b.RHS.Span(), "0.5")
}

func TestParse_Numbers(t *testing.T) {
	f := func(query string, want float64) {
		t.Helper()
		got := mustParse(t, query).(*NumberLit).Value
		if got != want || math.Signbit(got) != math.Signbit(want) {
			t.Errorf("Parse(%q) = %v; want %v", query, got, want)
		}
	}
	f("1", 1)
	f("- 1.5", -1.5)
	f("+2", 2)
	f("-0", math.Copysign(0, -1))
	f("1e3", 1000)
	f("1.", 1)
	f("0777", 777)
	f("0x1p4", 16)
	f("1_000_000", 1e6)
	f("1e308", 1e308)
	f("5e-324", 5e-324)

	for _, bad := range []string{"0x1F", "0b1", "0o7", "08", "1__0", "1_", "1e", "1e+", "0x", "1e999", "NaN", "Inf", "."} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("the number %s is taken", bad)
		}
	}
}

func TestParseSelector(t *testing.T) {
	s, err := ParseSelector(` {a="b", c=~"d"} `)
	if err != nil || s.String() != `{a="b", c=~"d"}` {
		t.Errorf("ParseSelector = %v, %v", s, err)
	}
	for _, bad := range []string{``, `{}`, `{a="b"} |= "x"`, `rate({a="b"}[5m])`} {
		if s, err := ParseSelector(bad); err == nil || s != nil {
			t.Errorf("ParseSelector(%q) = %v, %v; want an error", bad, s, err)
		}
	}
}

func TestParsePipeline(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		stages, err := ParsePipeline(text)
		if err != nil {
			t.Errorf("ParsePipeline(%q) = %v", text, err)
			return
		}
		if got := (&LogQuery{Stages: stages}).String(); got != want {
			t.Errorf("ParsePipeline(%q) prints as %q; want %q", text, got, want)
		}
	}
	f(``, ``)
	f(`|= "x"|json | y=1 # z`, `|= "x" | json | y == 1`)
	f(`!= "x"`, `!= "x"`)
	for _, bad := range []string{`json`, `{a="b"} | json`, `|= "x" | unwrap y`, `|= "x" [5m]`, `|`} {
		if _, err := ParsePipeline(bad); err == nil {
			t.Errorf("ParsePipeline(%q) succeeded; want an error", bad)
		}
	}
}
