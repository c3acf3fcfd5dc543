package rules

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql"
)

// counted returns the lines that the query of a rule yields, each pushed by
// itself to the stream {app="web", env="prod"}.
func counted(t testing.TB, r *Rule, lines []string) string {
	t.Helper()
	if r.NotEvaluated != "" {
		return "not evaluated: " + r.NotEvaluated
	}
	q, err := logql.ParseAndCompile(r.Expr)
	if err != nil {
		t.Fatalf("%s: %s: %v", r.Name, r.Expr, err)
	}
	stream := logs.New(logs.Label{Name: "app", Value: "web"}, logs.Label{Name: "env", Value: "prod"}, logs.Label{Name: "service_name", Value: "web"})
	var kept []string
	for _, line := range lines {
		n, err := logql.CountLines(context.Background(), q, stream, strings.NewReader(line+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// count is a metric of a pipeline; its fields follow.
const count = "metrics: {n: {type: Counter, "

// Each case has the stages of a pipeline with one metric, and the lines that
// increment it.
func TestLoad_PipelineCounts(t *testing.T) {
	lines := []string{
		`{"level":"error","msg":"lost \"w1\"","http":{"code":500},"nested":"{\"a\":\"b\"}"}`,
		`{"level":"info","msg":"debug","http":{"code":"200"}}`,
		`level=error msg="lost w2" n=-3`,
		`level=info msg=ok n=4.5`,
		`plain lost debug line`,
	}
	all := []int{0, 1, 2, 3, 4}
	for _, c := range []struct {
		name   string
		stages []string
		want   []int
		why    string
	}{
		{"match_all", []string{count + "config: {match_all: true, action: inc}}}"}, all, ""},
		{"name is the source", []string{"json: {expressions: {n: level}}", count + "config: {action: inc}}}"}, []int{0, 1}, ""},
		{"value", []string{"json: {expressions: {level: }}", count + "source: level, config: {action: inc, value: error}}}"}, []int{0}, ""},
		{"path", []string{"json: {expressions: {c: http.code}}", count + "source: c, config: {action: inc, value: '500'}}}"}, []int{0}, ""},
		{"quoted path", []string{`json: {expressions: {c: '"http"."code"'}}`, count + "source: c, config: {action: inc}}}"}, []int{0, 1}, ""},
		{"source of json", []string{"json: {expressions: {nested: }}", "json: {source: nested, expressions: {a: }}", "json: {expressions: {level: }}",
			count + "source: a, config: {action: inc, value: b}}}"}, []int{0}, ""},
		{"the line is put back", []string{"json: {expressions: {nested: }}", "regex: {source: nested, expression: '(?P<a>b)'}", "drop: {expression: plain}",
			count + "config: {match_all: true, action: inc}}}"}, []int{0, 1, 2, 3}, ""},
		{"regex", []string{`regex: {expression: 'lost \W*(?P<w>w\d)'}`, count + "source: w, config: {action: inc}}}"}, []int{0, 2}, ""},
		{"logfmt", []string{"logfmt: {mapping: {lvl: level}}", count + "source: lvl, config: {action: inc, value: error}}}"}, []int{2}, ""},
		{"numbers", []string{"logfmt: {mapping: {n: }}", count + "config: {action: add}}}"}, []int{3}, ""},
		{"gauge", []string{"logfmt: {mapping: {n: }}", "metrics: {n: {type: Gauge, config: {action: set}}}"}, []int{2, 3}, ""},
		{"match", []string{`match: {selector: '{app="web"} |= "lost" != "plain"', stages: [{` + count + "config: {match_all: true, action: inc}}}}]}"}, []int{0, 2}, ""},
		{"match of another stream", []string{`match: {selector: '{app="db"}', stages: [{` + count + "config: {match_all: true, action: inc}}}}]}"}, nil, ""},
		{"match within match", []string{`match: {selector: '{app="web"} |= "lost"', stages: [{match: {selector: '{env=~"p.*"} |~ "w[0-9]"', stages: [{` + count + "config: {match_all: true, action: inc}}}}]}}]}"}, []int{0, 2}, ""},
		{"match by a label of a stage", []string{"json: {expressions: {level: }}", "labels: {level: }", `match: {selector: '{level="error"}', stages: [{` + count + "config: {match_all: true, action: inc}}}}]}"}, []int{0}, ""},
		{"match by a renamed label", []string{"json: {expressions: {lvl: level}}", "labels: {level: lvl}", `match: {selector: '{app="web", level!="error"}', stages: [{` + count + "config: {match_all: true, action: inc}}}}]}"}, []int{1, 2, 3, 4}, ""},
		{"static label", []string{"static_labels: {kind: a}", `match: {selector: '{kind=~"a|b"}', stages: [{` + count + "config: {match_all: true, action: inc}}}}]}"}, all, ""},
		{"static label of another value", []string{"static_labels: {kind: a}", `match: {selector: '{kind="b"}', stages: [{` + count + "config: {match_all: true, action: inc}}}}]}"}, nil, `no line gets here: the label kind is always "a"`},
		{"drop", []string{"drop: {expression: 'lo.t'}", count + "config: {match_all: true, action: inc}}}"}, []int{1, 3}, ""},
		{"drop by value", []string{"json: {expressions: {level: }}", "drop: {source: level, value: error}", count + "config: {match_all: true, action: inc}}}"}, []int{1, 2, 3, 4}, ""},
		{"drop by expression", []string{"json: {expressions: {level: }}", "drop: {source: level, expression: '^e|$x'}", count + "config: {match_all: true, action: inc}}}"}, []int{1, 2, 3, 4}, ""},
		{"drop what has a value", []string{"json: {expressions: {level: }}", "drop: {source: level}", count + "config: {match_all: true, action: inc}}}"}, []int{2, 3, 4}, ""},
		{"drop matched lines", []string{`match: {selector: '{app="web"} |= "lost"', action: drop}`, count + "config: {match_all: true, action: inc}}}"}, []int{1, 3}, ""},
		{"drop matched lines of another stream", []string{`match: {selector: '{app="db"} |= "lost"', action: drop}`, count + "config: {match_all: true, action: inc}}}"}, all, ""},
		{"drop lines that pass two filters", []string{`match: {selector: '{app=~"w.*"} |= "lost" !~ "w[0-9]"', action: drop}`, count + "config: {match_all: true, action: inc}}}"}, []int{0, 1, 2, 3}, ""},
		{"drop in the same streams", []string{`match: {selector: '{app="web"}', stages: [{match: {selector: '{app="web"} |~ "los."', action: drop}}, {` + count + "config: {match_all: true, action: inc}}}}]}"}, []int{1, 3}, ""},
		{"output", []string{"json: {expressions: {msg: }}", "output: {source: msg}", `match: {selector: '{app="web"} |= "error"', stages: [{` + count + "config: {match_all: true, action: inc}}}}]}"}, []int{2}, ""},
		{"cri", []string{"cri: {}", "docker", "timestamp: {source: t, format: RFC3339}", count + "config: {match_all: true, action: inc}}}"}, all, ""},
		{"label of the stream", []string{count + "source: env, config: {action: inc, value: prod}}}"}, all, ""},

		{"template", []string{"json: {expressions: {level: }}", "template: {source: level, template: '{{ .Value }}'}", count + "source: level, config: {action: inc}}}"}, nil, "stage template makes the value of level"},
		{"sampling", []string{"sampling: {rate: 0.5}", count + "config: {match_all: true, action: inc}}}"}, nil, "stage sampling before it is not evaluated"},
		{"unknown stage", []string{"magic: {}", count + "config: {match_all: true, action: inc}}}"}, nil, "stage magic before it is not evaluated"},
		{"longer_than", []string{"drop: {longer_than: 8kb}", count + "config: {match_all: true, action: inc}}}"}, nil, "stage drop before it asks for longer_than"},
		{"extracted within a match", []string{`match: {selector: '{app="web"} |= "x"', stages: [{json: {expressions: {level: }}}]}`, count + "source: level, config: {action: inc}}}"}, nil, "level is extracted within a match stage, from some lines only"},
		{"dropped within a match", []string{`match: {selector: '{app="web"} |= "x"', stages: [{drop: {expression: y}}]}`, count + "config: {match_all: true, action: inc}}}"}, nil, "a match stage before it drops some lines"},
		{"extracted twice", []string{"json: {expressions: {level: }}", "logfmt: {mapping: {level: }}", count + "source: level, config: {action: inc}}}"}, nil, "level is extracted more than once"},
		{"replaced", []string{"replace: {expression: '(a)', replace: b}", "json: {expressions: {level: }}", count + "source: level, config: {action: inc}}}"}, nil, "stage replace changes the line"},
	} {
		set := loadString(t, "promtail.yaml", "scrape_configs:\n- job_name: j\n  kubernetes_sd_configs: []\n  pipeline_stages:\n  - "+strings.Join(c.stages, "\n  - ")+"\n")
		if len(set.Problems) > 0 || len(set.Rules) != 1 {
			t.Errorf("%s: %d rules, problems %v", c.name, len(set.Rules), set.Problems)
			continue
		}
		var want []string
		for _, i := range c.want {
			want = append(want, lines[i])
		}
		expect := strings.Join(want, "\n")
		if c.why != "" {
			expect = "not evaluated: " + c.why
		}
		if diff := cmp.Diff(expect, counted(t, &set.Rules[0], lines)); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", c.name, set.Rules[0].Expr, diff)
		}
	}
}

func TestLoad_PipelineStreams(t *testing.T) {
	for _, c := range []struct{ job, want string }{
		{"static_configs: [{labels: {job: a, env: x, __path__: /p}}]", `{job="a", env="x"}`},
		{"static_configs: [{labels: {job: a, b: c}}, {labels: {job: a.b}}]", "{job=~`a|a\\.b`}"},
		{"static_configs: [{labels: {job: a}}]\n  relabel_configs: []", `{service_name=~".+"}`},
		{"kubernetes_sd_configs: [{role: pod}]", `{service_name=~".+"}`},
	} {
		set := loadString(t, "p.yaml", "scrape_configs:\n- "+c.job+"\n  pipeline_stages:\n  - "+count+"config: {match_all: true, action: inc}}}\n")
		if len(set.Rules) != 1 || len(set.Problems) > 0 {
			t.Fatalf("%s: %v", c.job, set.Problems)
		}
		if got := strings.ReplaceAll(set.Rules[0].Expr, `"a|a\\.b"`, "`a|a\\.b`"); got != c.want {
			t.Errorf("%s: %s; want %s", c.job, got, c.want)
		}
	}
}

func TestRenameGroups(t *testing.T) {
	for _, c := range []struct{ re, want string }{
		{`(?P<a>x)(?<b>y)`, `(?P<_a>x)(?P<_b>y)`},
		{`\(?P<a>x[(?P<b>]`, `\(?P<a>x[(?P<b>]`},
		{`[^](?P<b>](?P<c>.)`, `[^](?P<b>](?P<_c>.)`},
		{`\Q(?P<a>\E(?P<b>.)`, `\Q(?P<a>\E(?P<_b>.)`},
	} {
		if got, _ := renameGroups(c.re, func(n string) string { return "_" + n }); got != c.want {
			t.Errorf("renameGroups(%q) = %q; want %q", c.re, got, c.want)
		}
	}
}
