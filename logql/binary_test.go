package logql

import (
	"strings"
	"testing"
)

// level is a log in which each level occurs as often as its place says, in
// two zones.
func levelEntries() []testEntry {
	return lines("level=info zone=x", "level=warn zone=x", "level=warn zone=y", "level=error zone=y", "level=error zone=y", "level=error zone=y")
}

func TestBinary(t *testing.T) {
	const (
		levels = `sum by (level) (count_over_time({app="a"} | logfmt [1m]))`
		both   = `sum by (level, zone) (count_over_time({app="a"} | logfmt [1m]))`
		errors = `sum by (level) (count_over_time({app="a"} | logfmt | level="error" [1m]))`
	)
	test := func(query string, want ...string) {
		t.Helper()
		for i, w := range want {
			want[i] = strings.Replace(w, "=", `="`, 1)
			want[i] = strings.Replace(want[i], "}", `"}`, 1)
			if strings.HasPrefix(w, "{}") {
				want[i] = w
			}
		}
		checkInstant(t, query, 10, levelEntries(), want...)
	}
	test(`1 + 2 * 3 ^ 2`, `{} 19`)
	test(`1 > 2`, `{} 0`)
	test(`1 / 0`, `{} NaN`)
	test(`vector(1) / 2`, `{} 0.5`)
	test(levels+` * 10`, `{level=info} 10`, `{level=warn} 20`, `{level=error} 30`)
	test(`10 - `+levels, `{level=info} 9`, `{level=warn} 8`, `{level=error} 7`)
	test(levels+` > 1`, `{level=warn} 2`, `{level=error} 3`)
	test(`1 < `+levels, `{level=warn} 2`, `{level=error} 3`)
	test(levels+` > bool 1`, `{level=info} 0`, `{level=warn} 1`, `{level=error} 1`)
	test(levels+` and `+errors, `{level=error} 3`)
	test(levels+` unless `+errors, `{level=info} 1`, `{level=warn} 2`)
	test(errors+` or `+levels, `{level=error} 3`, `{level=info} 1`, `{level=warn} 2`)
	test(errors+` or on () vector(0)`, `{level=error} 3`)
	test(errors+` / `+levels, `{level=error} 1`)
	test(levels + ` % vector(2)`)
	test(`sum(`+levels+`) / on () vector(2)`, `{} 3`)
	test(`max(`+both+` / on (level) group_left `+levels+`)`, `{} 1`)
	test(`sum(`+levels+` - on (level) group_right `+both+`)`, `{} 2`)
}

func TestBinary_ManyMatches(t *testing.T) {
	const by = `sum by (level) (count_over_time({app="a"} | logfmt [1m]))`
	for _, query := range []string{by + ` + on (zone) ` + by, by + ` == ignoring (level) ` + by} {
		got := instant(t, query, 10, levelEntries())
		if len(got) != 1 || !strings.Contains(got[0], "several series on the right side") {
			t.Errorf("%s = %v; want an error about several series", query, got)
		}
	}
}

func TestLabelReplace(t *testing.T) {
	const by = `sum by (level) (count_over_time({app="a"} | logfmt | level="warn" [1m]))`
	test := func(args, want string) {
		t.Helper()
		checkInstant(t, `label_replace(`+by+`, `+args+`)`, 10, levelEntries(), want)
	}
	test(`"sev", "$1!", "level", "(w).*"`, `{level="warn", sev="w!"} 2`)
	test(`"sev", "x", "level", "w"`, `{level="warn"} 2`)
	test(`"level", "", "level", ".*"`, `{} 2`)
	test(`"sev", "none", "nope", ""`, `{level="warn", sev="none"} 2`)
}

func TestVectorAgg(t *testing.T) {
	const by = `(sum by (level) (count_over_time({app="a"} | logfmt [1m])))`
	test := func(query string, want ...string) {
		t.Helper()
		checkInstant(t, query, 10, levelEntries(), want...)
	}
	test(`sum`+by, `{} 6`)
	test(`avg`+by, `{} 2`)
	test(`min`+by, `{} 1`)
	test(`max`+by, `{} 3`)
	test(`count`+by, `{} 3`)
	test(`stdvar`+by, `{} 0.6666666667`)
	test(`stddev`+by, `{} 0.8164965809`)
	test(`topk(2, `+by+`)`, `{level="error"} 3`, `{level="warn"} 2`)
	test(`bottomk(1, `+by+`)`, `{level="info"} 1`)
	test(`sort`+by, `{level="info"} 1`, `{level="warn"} 2`, `{level="error"} 3`)
	test(`sort_desc`+by, `{level="error"} 3`, `{level="warn"} 2`, `{level="info"} 1`)
	const all = `(count_over_time({app="a"} | logfmt level, zone, none [1m]))`
	test(`topk by (zone) (1, `+all+`)`, `{app="a", level="info", none="", zone="x"} 1`, `{app="a", level="error", none="", zone="y"} 3`)
	test(`sum without (app, level)`+all, `{zone="x"} 2`, `{zone="y"} 4`)
	test(`max by (none)`+all, `{none=""} 3`)
}
