package syntax

import (
	"errors"
	"strings"
	"testing"
)

// checkMessage holds a message to its wording: it is what a user sees.
func checkMessage(t *testing.T, query, want string) {
	t.Helper()
	_, err := Parse(query)
	if err == nil {
		t.Errorf("Parse(%q) succeeded; want %q", query, want)
		return
	}
	checkError(t, query, err)
	if got := err.Error(); got != want {
		t.Errorf("Parse(%q)\n got %s\nwant %s", query, got, want)
	}
}

func TestErrors_Query(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkMessage(t, query, want) }

	f(``, `1:1: the query is empty; write a selector such as {app="x"} or a function such as rate({app="x"}[5m])`)
	f("# only a comment", `1:17: the query is empty; write a selector such as {app="x"} or a function such as rate({app="x"}[5m])`)
	f(`{a="b"} limit 10`, `1:9: expected the end of the query, found "limit"; the limit is a parameter of the request, not part of the query`)
	f(`{a="b"}[5m]`, `1:8: expected the end of the query, found the range [5m]; a range needs a function around it: count_over_time({…}[5m])`)
	f(`rate({a="b"}[5m]);`, `1:18: unexpected character ';'; write one query only, without a semicolon`)
	f(`rate({a="b"}[5m]))`, `1:18: expected the end of the query, found ")"; there is no "(" for it`)
	f(`|= "x"`, `1:1: expected a query, found "|="; a pipeline needs a selector before it: {app="x"}`)
}

func TestErrors_Selector(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkMessage(t, query, want) }

	f(`{}`, `1:1: the selector has no matcher; add a matcher, for example {app=~".+"}`)
	f(`{a=~".*", b!="c"}`, `1:1: no matcher of the selector requires a label to be present: all of them also match the empty string; add one such as app="kueue" or app=~".+"`)
	f(`{a=b}`, `1:4: expected a string in double quotes or backticks after =, found "b"; put the value in quotes: a="b"`)
	f(`{a=5m}`, `1:4: expected a string in double quotes or backticks after =, found the duration 5m; put the value in quotes: a="5m"`)
	f(`{a='b'}`, `1:4: unexpected character '\''; put strings in double quotes or backticks`)
	f(`{a=“b”}`, `1:4: unexpected character '“'; put strings in plain double quotes: "`)
	f(`{a=="b"}`, `1:3: expected =, !=, =~ or !~, found "=="; compare strings with one "="`)
	f(`{a|="b"}`, `1:3: expected =, !=, =~ or !~, found "|="; |= and |~ search the line; labels are compared with = and =~`)
	f(`{a="b",}`, `1:8: expected another matcher, found "}"; leave out the comma before it`)
	f(`{a="b" c="d"}`, `1:8: expected "," or "}" after the matcher, found "c"; separate matchers with a comma`)
	f(`{a="b" or a="c"}`, `1:8: expected "," or "}" after the matcher, found the keyword "or"; for several values write one regexp: app=~"a|b"`)
	f(`{"a"="b"}`, `1:2: expected a label name, found the string "a"; label names are written without quotes`)
	f(`{a.b="c"}`, `1:3: unexpected character '.'; a label name holds letters, digits and _ only; where a key has a dot, its label has _`)
	f(`{a-b="c"}`, `1:3: expected =, !=, =~ or !~ after the label a, found "-"; a label name holds letters, digits and _ only; where a key has a hyphen, its label has _`)
	f(`{json="x"}`, `1:2: "json" is a keyword of LogQL and cannot name a label; take a field of that name under another one: | json json_="json"`)
	f(`{a=~"("}`, "1:5: the regexp is not valid: missing closing ): `(`; escape a literal bracket with a backslash")
	f(`{a=~"*x"}`, "1:5: the regexp is not valid: missing argument to repetition operator: `*`; \"any text\" is .*; a literal * + or ? needs a backslash")
	f(`{a=~"(?!x)"}`, "1:5: the regexp is not valid: invalid or unsupported Perl syntax: `(?!`; RE2 has no look-around: filter twice instead")
	f(`app="x"`, `1:1: expected a query, found "app"; put the matchers in braces: {app="…"}`)
}

func TestErrors_Text(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkMessage(t, query, want) }

	f("{a=\"b}\n|= `x`", `1:4: this string never ends; close it with " on the same line, write a newline as \n, or use backticks`)
	f(`{a="b}`, `1:4: this string never ends; add the closing "`)
	f("{a=`b}", "1:4: this string never ends; add the closing `")
	f(`{a="b"} |~ "x\d"`, `1:14: \d is no escape of a double-quoted string; write a backslash as \\, or put the text in backticks`)
	f(`{a="b"} /* x`, `1:9: this comment never ends; close it with */`)
}

func TestErrors_LineFilter(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkMessage(t, query, want) }

	f(`{a="b"} |= x`, `1:12: expected a string after |=, found "x"; put it in quotes: "x"`)
	f(`{a="b"} |= "x" "y"`, `1:16: expected the end of the query, found the string "y"; write "or" between two strings`)
	f(`{a="b"} |= "x" and "y"`, `1:16: and cannot join log queries; to require two texts write two line filters: |= "a" |= "b"`)
	f(`{a="b"} |= "x" or |= "y"`, `1:19: expected a string after or, found "|="; write the operator once: |= "a" or "b"`)
	f(`{a="b"} |~ ip("::1")`, `1:12: |~ does not take ip(…); write |= ip("…") or != ip("…")`)
	f(`{a="b"} | "x"`, `1:11: expected a stage or a label filter after |, found the string "x"; a line filter is written |= "…"`)
}

func TestErrors_Stage(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkMessage(t, query, want) }

	f(`{a="b"} | json |`, `1:16: nothing follows this |; leave out the pipe or write a stage after it, such as json`)
	f(`{a="b"} | json | | x="y"`, `1:18: expected a stage or a label filter after |, found "|"; write one | before each stage, and none before |= |~ |>`)
	f(`{a="b"} | lofgmt`, `1:11: "lofgmt" is no stage, and no comparison follows it; did you mean logfmt?`)
	f(`{a="b"} | limit 10`, `1:11: "limit" is no stage, and no comparison follows it; the limit is a parameter of the request, not part of the query`)
	f(`{a="b"} | json x y`, `1:18: expected the end of the query, found "y"; write a comma between two labels`)
	f(`{a="b"} | json(x)`, `1:15: expected the end of the query, found "("; json takes no brackets`)
	f(`{a="b"} | json x=y`, `1:18: expected a path in quotes after =, found "y"; put it in quotes: "y"`)
	f(`{a="b"} | logfmt --stric`, `1:18: expected --strict or --keep-empty, found "--stric"`)
	f(`{a="b"} | pattern "<a><b>"`, `1:19: the pattern has two captures side by side at <b>; put the text that separates them in between`)
	f(`{a="b"} | pattern "<_>"`, `1:19: the pattern captures nothing; name a part of the line, for example "<level> <_>"`)
	f(`{a="b"} | regexp "(x)"`, `1:18: the regexp captures nothing by name; name a group: (?P<level>\w+)`)
	f(`{a="b"} | label_format x=="y"`, `1:25: expected = after the label x, found "=="; label_format sets labels: dst=src, dst="{{.template}}"`)
	f(`{a="b"} | drop "x"`, `1:16: expected a label name, found the string "x"; label names are written without quotes`)
	f(`{a="b"} | keep x,`, `1:18: expected a label name, found the end of the query; leave out the comma before it`)
}

func TestErrors_LabelFilter(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkMessage(t, query, want) }

	f(`{a="b"} | level=error`, `1:17: expected a string, number, duration or size after =, found "error"; put it in quotes: level="error"`)
	f(`{a="b"} | level=="x"`, `1:16: == compares numbers, not strings; compare strings with one "="`)
	f(`{a="b"} | status>"400"`, `1:18: > compares numbers, not strings; leave out the quotes to compare numbers, durations or sizes`)
	f(`{a="b"} | status=~5`, `1:19: expected a regexp in quotes after =~, found the number 5; put it in quotes: status=~"5"`)
	f(`{a="b"} | x="y" && z="w"`, `1:17: "&&" is no operator of LogQL; write "and"`)
	f(`{a="b"} | x="y" || z="w"`, `1:17: "||" is no operator of LogQL; write "or" between two conditions, and one | before a stage`)
	f(`{a="b"} | x="y" unless z="w"`, `1:17: unless cannot join log queries; label filters are joined by and and or; negate a comparison with != or !~`)
	f(`{a="b"} | x in ("y")`, `1:11: "x" is no stage, and no comparison follows it; write x=~"a|b"`)
	f(`{a="b"} | not x="y"`, `1:11: "not" is no stage, and no comparison follows it; negate the operator: != or !~, or turn the comparison round`)
	f(`{a="b"} | x-y="z"`, `1:12: expected a comparison after the label x, found "-"; a label name holds letters, digits and _ only; where a key has a hyphen, its label has _`)
	f(`{a="b"} | x="y",`, `1:17: expected a condition after the comma, found the end of the query; leave out the comma before it`)
	f(`{a="b"} | 400<=x`, `1:11: expected a stage or a label filter after |, found the number 400`)
	f(`{a="b"} | logfmt -strict`, `1:18: a parser is not followed by a minus; flags of logfmt are written --strict and --keep-empty`)
	f(`{a="b"} | json --strict`, `1:16: json takes no flags; --strict and --keep-empty are for logfmt`)
	f(`{a="b"} | x>1.5d`, `1:16: expected the end of the query, found "d"; 1.5d: days, weeks and years are whole; write hours, such as 36h`)
	f(`{a="b"} | x>1kb`, `1:15: expected the end of the query, found "b"; 1kb is neither a duration (ns, us, ms, s, m, h, d, w, y) nor a size (B, KB, MB, GB, TB, KiB, MiB, GiB, TiB)`)
	f(`{a="b"} | x>0B`, `1:13: the number 0B has no digits; for zero bytes write 0KB`)
	f(`{a="b"} | x>1h 30m`, `1:16: expected the end of the query, found the duration 30m; write a duration without blanks: 1h30m`)
	f(`{a="b"} | x>-1KB`, `1:13: a size has no sign; leave out the sign`)
	f(`{a="b"} | x=~ip("::1")`, `1:12: =~ does not take ip(…); compare addresses with = or !=`)
	f(`{a="b"} | x=$y`, `1:13: unexpected character '$'; put a value in the variable's place`)
}

func TestErrors_Range(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkMessage(t, query, want) }

	f(`rate({a="b"})`, `1:6: rate needs a range; add one before the closing bracket, for example [5m]`)
	f(`rate({a="b"} 5m)`, `1:14: expected a range, found the duration 5m; put it in square brackets: [5m]`)
	f(`rate({a="b"}[])`, `1:13: the range [] is empty; write whole numbers with the units y, w, d, h, m, s, ms, larger ones first, for example [1h30m]`)
	f(`rate({a="b"}[ 5m])`, `1:13: the range [ 5m] is no duration; write [5m] without blanks`)
	f(`rate({a="b"}[30m1h])`, `1:13: the range [30m1h] has its units out of order; write whole numbers with the units y, w, d, h, m, s, ms, larger ones first, for example [1h30m]`)
	f(`rate({a="b"}[$__interval])`, `1:13: the range [$__interval] is no duration; put a duration in the variable's place, for example [5m]`)
	f(`rate({a="b"}[5m:1m])`, `1:13: the range [5m:1m] is no duration; LogQL has no subqueries: leave out the part from the colon`)
	f(`rate({a="b"} offset 1h [5m])`, `1:14: expected a range such as [5m], found the keyword "offset"; the offset follows the range: [5m] offset 1h`)
	f(`rate({a="b"}[5m] offset 5)`, `1:25: expected a duration after offset, found the number 5; write offset 5m`)
	f(`rate({a="b"} | json [5m] | x="y")`, `1:26: expected ")" after the range, found "|"; write the range after the last stage`)
	f(`rate({a="b"}[5m]`, `1:17: expected ")" after the range, found the end of the query; add the closing ")"`)
	f(`{a="b"} | unwrap x`, `1:9: unwrap has no meaning without a range aggregation around the query; wrap the query: sum_over_time({…} | unwrap x [5m])`)
	f(`sum_over_time({a="b"}[5m])`, `1:1: sum_over_time works on values and needs an unwrap; add | unwrap label before the range; to count lines use count_over_time`)
	f(`count_over_time({a="b"} | unwrap x [5m])`, `1:25: count_over_time works on lines and takes no unwrap; leave out unwrap, or aggregate its values with sum_over_time and the like`)
	f(`sum_over_time({a="b"} | unwrap seconds(x) [5m])`, `1:32: unwrap has no conversion "seconds"; write unwrap label, or one of duration(label), duration_seconds(label), bytes(label)`)
	f(`sum_over_time({a="b"} | unwrap x | json [5m])`, `1:36: json cannot follow unwrap, only label filters can; put it before unwrap`)
	f(`rate({a="b"}[5m]) by (x)`, `1:19: rate takes no grouping; write sum by (x) (rate(…))`)
	f(`max_over_time by (x) ({a="b"} | unwrap y [5m])`, `1:15: max_over_time takes no grouping before its argument; write it after the bracket: max_over_time(…) by (x)`)
	f(`quantile_over_time({a="b"} | unwrap x [5m])`, `1:20: expected a number without sign as first argument, found "{"; write quantile_over_time(0.99, {…} | unwrap x [5m])`)
}

func TestErrors_VectorAgg(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkMessage(t, query, want) }

	f(`sum by x (rate({a="b"}[5m]))`, `1:8: expected "(" before the labels, found "x"; put the labels in brackets: (x)`)
	f(`sum by (x,) (rate({a="b"}[5m]))`, `1:11: expected another label, found ")"; leave out the comma before it`)
	f(`sum(rate({a="b"}[5m])) by (x) by (y)`, `1:31: expected the end of the query, found the keyword "by"; grouping belongs to an aggregation: sum by (…) (…)`)
	f(`sum({a="b"})`, `1:5: sum works on a metric query, and this is a log query; write sum(count_over_time({…}[5m]))`)
	f(`count({a="b"}[5m])`, `1:7: count works on a metric query, and this is a log query; to count lines write count_over_time({…}[5m])`)
	f(`topk(rate({a="b"}[5m]))`, `1:6: topk needs a whole number above 0 first, found "rate"; write topk(3, …)`)
	f(`topk(0, rate({a="b"}[5m]))`, `1:6: topk needs a whole number above 0 first, found the number 0; write topk(3, …)`)
	f(`avg(3, rate({a="b"}[5m]))`, `1:6: expected ")", found ","; avg has one metric query as argument`)
	f(`sort(rate({a="b"}[5m])) by (x)`, `1:25: sort takes no grouping; group inside: sort(sum by (…) (…))`)
	f(`vector(-1)`, `1:8: expected a number without sign, found "-"; write 0 - vector(…) for a negative one`)
	f(`label_replace(vector(1), "a", "b", "c", "(")`, "1:41: the regexp is not valid: missing closing ): `(`; escape a literal bracket with a backslash")
	f(`rte({a="b"}[5m])`, `1:1: there is no function "rte"; did you mean rate?`)
}

func TestErrors_Binary(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkMessage(t, query, want) }

	f(`rate({a="b"}[5m]) = 1`, `1:19: expected the end of the query, found "="; compare numbers with "=="`)
	f(`rate({a="b"}[5m]) > 5m`, `1:21: expected a query, found the duration 5m; numbers of a metric query have no unit: durations are seconds, sizes bytes`)
	f(`rate({a="b"}[5m]) > "5"`, `1:21: expected a query, found the string "5"; compare with a number, without quotes`)
	f(`rate({a="b"}[5m]) or 0`, `1:22: or joins vectors, and this is a number; write vector(…) around the number`)
	f(`{a="b"} or {a="c"}`, `1:9: or cannot join log queries; join metric queries, for example count_over_time({…}[5m]); to select more streams use one selector with =~`)
	f(`-rate({a="b"}[5m])`, `1:2: expected a number after -, found "rate"; negate a vector with 0 - … or -1 * …`)
	f(`0x10`, `1:1: 0x10 is no decimal number; write 16`)
	f(`1,000`, `1:2: expected the end of the query, found ","; write digits without commas, or with _ between them`)
	f(`vector(1) + group_left (x) vector(1)`, `1:13: expected on or ignoring before group_left, found the keyword "group_left"; say which labels to match: on (…) group_left (…)`)
}

func TestErrors_PromQL(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkMessage(t, query, want) }

	f(`http_requests_total{job="x"}`, `1:1: "http_requests_total" is a metric name of PromQL; LogQL selects streams by labels: leave out the name, or evaluate the query as PromQL`)
	f(`rate(http_requests_total[5m])`, `1:6: expected a stream selector, but "http_requests_total" is a metric name of PromQL; write rate({app="x"}[5m]), or evaluate the query as PromQL`)
	f(`sum(rate(x_total{a="b"}[5m]))`, `1:10: expected a stream selector, but "x_total" is a metric name of PromQL; write rate({app="x"}[5m]), or evaluate the query as PromQL`)
	f(`increase({a="b"}[5m])`, `1:1: there is no function "increase"; count_over_time counts the lines of a range; for counters in lines use sum_over_time or rate_counter with unwrap`)
	f(`histogram_quantile(0.9, rate(x[5m]))`, `1:1: there is no function "histogram_quantile"; LogQL has no histograms; use quantile_over_time(0.99, {…} | unwrap x [5m])`)
	f(`rate({a="b"}[5m] @ 1)`, `1:18: unexpected character '@'; the @ modifier is PromQL; LogQL has only offset`)
	f(`rate(rate({a="b"}[5m])[5m])`, `1:6: rate works on log lines, not on the result of rate; write rate({…}[5m]); LogQL has no subqueries`)
}

// TestErrors_Place checks that places count lines, and characters rather than bytes.
func TestErrors_Place(t *testing.T) {
	f := func(query, want string) { t.Helper(); checkMessage(t, query, want) }

	f("{a=\"b\"}\n  | żółw=x", `2:10: expected a string, number, duration or size after =, found "x"; put it in quotes: żółw="x"`)
	f("{a=\"b\xff\"}", `1:6: the query is not valid UTF-8; write the byte as "\x.." in a string`)
	f("{a=\"b\x00\"}", `1:6: the query holds a NUL character; write it as "\x00"`)
}

func TestError_Caret(t *testing.T) {
	f := func(query, want string) {
		t.Helper()
		_, err := Parse(query)
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("Parse(%q) = %v; want an *Error", query, err)
		}
		if got := e.Caret(); got != want {
			t.Errorf("Parse(%q), Caret:\n%s\nwant:\n%s", query, got, want)
		}
	}
	f("", "\n^")
	f(`{a=bcd}`, "{a=bcd}\n   ^^^")
	f("{a=\"b\"}\n|= \"x\"\n|= y # c\n", "|= y # c\n   ^")
	f("\t{ż=ó}", " {ż=ó}\n    ^") // a tab counts as one character
	f("{a=\"\x1b[1m\"} |= x", "{a=\"?[1m\"} |= x\n              ^")
	long := strings.Repeat("x", 100)
	f(`{a="`+long+`"} |= x or "`+long+`"`, "…"+long[:54]+`"} |= x or "`+long[:55]+"…\n"+strings.Repeat(" ", 61)+"^")
}

func TestNewError(t *testing.T) {
	e := NewError(PhaseCompile, "ab\ncd", Span{4, 99}, "bad", "")
	if got, want := e.Error(), "2:2: bad"; got != want {
		t.Errorf("Error() = %q; want %q", got, want)
	}
	if got, want := e.Span, (Span{4, 5}); got != want {
		t.Errorf("Span = %v; want %v", got, want)
	}
	if got := e.Phase.String(); got != "compile" {
		t.Errorf("Phase = %s; want compile", got)
	}
}

// TestLimits checks that what a user can make as large as he likes is refused
// and does not exhaust the stack.
func TestLimits(t *testing.T) {
	f := func(query, want string) {
		t.Helper()
		_, err := Parse(query)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("Parse(%.20q…) = %v; want … %s", query, err, want)
		}
	}
	const deep = "the query is nested deeper than 1000 levels"
	f(strings.Repeat("(", 60000), deep)
	f(strings.Repeat("(", 1500)+"1"+strings.Repeat(")", 1500), deep)
	f("1"+strings.Repeat("+1", 1500), deep)
	f("1"+strings.Repeat("^1", 1500), deep)
	f("rate("+strings.Repeat("(", 1500), deep)
	f(`{a="b"} | `+strings.Repeat("(", 1500), deep)
	f(`{a="b"} | x=1`+strings.Repeat(" or x=1", 1500), deep)
	f(strings.Repeat("sum(", 1500), deep)
	f(strings.Repeat("label_replace(", 1500), deep)
	f(strings.Repeat(" ", MaxQueryLen+1), "the query is longer than 131072 bytes")

	wide := `{a="b"}` + strings.Repeat(` |= "x"`, 10000)
	if _, err := Parse(wide); err != nil {
		t.Errorf("a long pipeline is refused: %v", err)
	}
	many := `{a="b"} |= "x"` + strings.Repeat(` or "x"`, 10000)
	if _, err := Parse(many); err != nil {
		t.Errorf("a long chain of strings is refused: %v", err)
	}
}
