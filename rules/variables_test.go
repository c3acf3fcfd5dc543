package rules

import (
	"testing"

	"github.com/stillfires/stillfires/internal/yamlpos"
)

func TestTemplate_Fill(t *testing.T) {
	vars := variables{
		{name: "one", kind: "custom", known: true, current: []string{"web"}},
		{name: "many", kind: "custom", known: true, multi: true, current: []string{"a.b", "c"}},
		{name: "single", kind: "custom", known: true, multi: true, current: []string{"a.b"}},
		{name: "all", kind: "query", known: true, includeAll: true, isAll: true, all: ".+"},
		{name: "listed", kind: "custom", known: true, includeAll: true, isAll: true, current: []string{"x", "y"}},
		{name: "lost", kind: "query"},
		{name: "quote", kind: "textbox", known: true, current: []string{`a'b`}},
		{name: "matcher", kind: "constant", known: true, current: []string{`b="c"`}},
		{name: "res", kind: "interval", known: true, current: []string{"$__auto_interval_res"}},
		{name: "empty", kind: "textbox", known: true, current: []string{""}},
	}
	f := func(language Language, text, want string) {
		t.Helper()
		got := (&template{text: text, places: yamlpos.Places{{}}, vars: vars, language: language}).fill(nil)
		if got.reason != "" {
			got.text = got.reason
		}
		if got.text != want {
			t.Errorf("%s becomes %s; want %s", text, got.text, want)
		}
	}
	f(LogQL, `{a="$one", b="${one}", c="[[one]]"}`, `{a="web", b="web", c="web"}`)
	f(LogQL, `{a="x"} |= "$" |= "${one" |= "${ one}"`, `{a="x"} |= "$" |= "${one" |= "${ one}"`)
	f(LogQL, `rate({a="x"}[$one_x])`, `the dashboard has no variable $one_x`)
	f(LogQL, `{a=~"$many"}`, `{a=~"a\\.b|c"}`)
	f(PromQL, `x{a=~"$many"}`, `x{a=~"(a\\.b|c)"}`)
	f(PromQL, `x{a=~"$single"}`, `x{a=~"a\\.b"}`)
	f(LogQL, `${many:regex} ${single:regex} ${one:regex}`, `(a\.b|c) a\.b web`)
	f(LogQL, `${many:pipe} ${many:csv} ${many:raw} ${many:glob} ${one:glob}`, `a.b|c a.b,c a.b,c {a.b,c} web`)
	f(LogQL, `${many:json} ${many:doublequote} ${many:singlequote} ${many:text} ${one:json}`, `["a.b","c"] "a.b","c" 'a.b','c' a.b + c "web"`)
	f(LogQL, `${many:percentencode}`, `%7Ba.b%2Cc%7D`)
	f(LogQL, `${many:lucene}`, `the variable $many cannot be put in: the format "lucene" is not known here`)
	f(LogQL, `{a=~"$all"} ${all:text}`, `{a=~".+"} All`)
	f(LogQL, `{a=~"$listed"}`, `{a=~"x|y"}`)
	f(LogQL, `{a="$lost"}`, `the value of the variable $lost is not known: its values come from a query that is asked when the dashboard is opened; save the dashboard with a value chosen`)
	f(LogQL, `{a="$quote"}`, `the variable $quote cannot be put in: its value holds a single quote or a backslash, which data sources escape; write it with a format, as ${name:raw}`)
	f(LogQL, `{a="x", $matcher}`, `{a="x", b="c"}`)
	f(LogQL, `[$res] [$__interval] [$__range] $__interval_ms $__range_s [$__rate_interval] [$__auto]`, `[1m] [1m] [3600s] 60000 3600 [75s] [1m]`)
	f(LogQL, `$empty`, `with the values of its variables the expression is empty`)
	f(LogQL, `a > $__from`, `$__from is the time that whoever looks has chosen`)
	f(LogQL, `{a="$unknown"}`, `the dashboard has no variable $unknown`)
	f(LogQL, `{a="x"} |= "$unknown"`, `the dashboard has no variable $unknown`)
	f(LogQL, `{a="x"} | line_format "{{ $x }}" | b=~"x$"`, `{a="x"} | line_format "{{ $x }}" | b=~"x$"`)
	f(PromQL, `label_replace(x, "a", "${name}-$1", "b", "(?P<name>.*)(.)")`, `label_replace(x, "a", "${name}-$1", "b", "(?P<name>.*)(.)")`)
	f(LogQL, `{a="x"} |~ "[[:alpha:]]" # $unknown`, `{a="x"} |~ "[[:alpha:]]" # $unknown`)
	f(LogQL, `$__user`, `the value of $__user is not known outside Grafana`)
}

// A piece that was put in stands where its variable begins, and what follows
// stands where it is written.
func TestTemplate_Places(t *testing.T) {
	vars := variables{{name: "v", kind: "custom", known: true, current: []string{"web"}}}
	text := `{a="${v}",b="[[v]]"}`
	got := (&template{text: text, places: yamlpos.Places{{Offset: 0, At: 100}}, vars: vars, language: LogQL}).fill(nil)
	if got.text != `{a="web",b="web"}` {
		t.Fatal(got.text)
	}
	for offset, want := range map[int]int{0: 100, 3: 103, 4: 104, 6: 104, 7: 108, 9: 110, 12: 113, 14: 113, 15: 118, 16: 119} {
		if at := got.places.At(offset); at != want {
			t.Errorf("byte %d stands at %d; want %d", offset, at, want)
		}
	}
}

func TestSplitOptions(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		got := splitOptions(text)
		if len(got) != len(want) {
			t.Fatalf("splitOptions(%q) = %q; want %q", text, got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("splitOptions(%q) = %q; want %q", text, got, want)
			}
		}
	}
	f("")
	f("a, b,,c", "a", "b", "c")
	f(`Text : value, a\,b`, "value", "a,b")
	f("http://x:80", "http://x:80")
}

// The values of a panel's variables are bounded, and those left out counted.
func TestDashboard_Variants(t *testing.T) {
	set := loadString(t, "d.json", `{"schemaVersion": 39, "title": "D", "templating": {"list": [
		{"name": "v", "type": "custom", "query": "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24", "includeAll": true, "current": {"value": "0"}}]},
		"panels": [{"title": "P", "datasource": {"type": "prometheus"}, "targets": [{"refId": "A", "expr": "up{a=~\"$v\"}"}]}]}`)
	if len(set.Rules) != 1+maxVariants {
		t.Errorf("%d rules; want %d", len(set.Rules), 1+maxVariants)
	}
	if len(set.Notes) != 1 || set.Notes[0].Msg != "D / P: 5 more values of its variables are not listed; at most 20 are for one panel" {
		t.Errorf("notes %v", set.Notes)
	}
}
