package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/logs"
)

// raw writes log lines, a second apart. JSON and logfmt get their times.
func raw(t *testing.T, dir, name string, lines []string) string {
	t.Helper()
	var b strings.Builder
	for i, l := range lines {
		at := fmt.Sprintf("2026-01-01T00:00:%02dZ", i)
		switch {
		case strings.HasPrefix(l, "{"):
			l = `{"ts":"` + at + `",` + l[1:]
		case strings.HasPrefix(l, "level="):
			l = "ts=" + at + " " + l
		}
		b.WriteString(l + "\n")
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// each returns a line for each of n crates: %d is the number of the crate.
func each(n int, format string) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(format, i))
	}
	return out
}

// mend compares two logs with one query and returns its repair.
func mend(t *testing.T, query string, deployed, candidate []string) *analyzer.Repair {
	t.Helper()
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules.yaml")
	indented := strings.ReplaceAll(query, "\n", "\n    ")
	if err := os.WriteFile(rules, []byte("queries:\n- name: q\n  language: logql\n  expr: |\n    "+indented+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rep := compare(t, Options{
		Deployed: raw(t, dir, "deployed.log", deployed), Candidate: raw(t, dir, "candidate.log", candidate),
		Rules: []string{rules}, Labels: logs.FromMap(map[string]string{"app": "web"}), Base: dir,
		Raw: RawOptions{Year: 2026, Zone: "UTC"},
	})
	r := repairsOf(t, rep)["q"]
	if r == nil {
		t.Fatalf("nothing was looked for: %v", findings(rep))
	}
	if r.Expr != "" {
		provenBy(t, "q", r)
		if r.Diff == "" {
			t.Errorf("no diff: %s", r.NoDiff)
		}
	}
	return r
}

// Each kind of change, on what two builds may write.
func TestRepair_Kinds(t *testing.T) {
	both := `{"level":"info","msg":"Starting workers","logger":"main"}`
	tests := []struct {
		name                string
		query               string
		deployed, candidate []string
		want                string // the changed part; empty: none is found
		missing             string
	}{
		{
			"text", `{app="web"} |= "lost connection to"`,
			[]string{both, `{"level":"error","msg":"The manager lost connection to the worker cluster","cluster":"a"}`},
			[]string{both, `{"level":"error","msg":"The manager is disconnected from the worker cluster","cluster":"a"}`},
			`|= "lost connection to" or "is disconnected from"`, "",
		},
		{
			"regexp", "{app=\"web\"} |~ `(?i)Lost connection to (the )?worker`",
			[]string{both, `{"level":"error","msg":"The manager lost connection to the worker cluster","cluster":"a"}`},
			[]string{both, `{"level":"error","msg":"The manager dropped its link to the worker cluster","cluster":"a"}`},
			"|~ `(?i)Lost connection to (the )?worker|dropped its link to the worker`", "",
		},
		{
			"equality", `{app="web"} | json | msg="Job changed queues, updating workload"`,
			[]string{both, `{"level":"info","msg":"Job changed queues, updating workload","logger":"job"}`},
			[]string{both, `{"level":"info","msg":"Job changed queue-name, updating workload","logger":"job"}`},
			`msg=~"Job changed (queues|queue-name), updating workload"`, "",
		},
		{
			"logfmt", `{app="web"} | logfmt | msg="compaction run finished early"`,
			[]string{`level=info msg="compaction run finished early" blocks=3`, `level=info msg="other thing here"`},
			[]string{`level=info msg="compaction cycle finished early" blocks=3`, `level=info msg="other thing here"`},
			`msg=~"compaction (run|cycle) finished early"`, "",
		},
		{
			"field renamed", `{app="web"} | json | component="binder" | level="error"`,
			[]string{both, `{"level":"error","msg":"Pod cannot be bound","component":"binder"}`, `{"level":"error","msg":"Node cannot be read","component":"cache"}`},
			[]string{both, `{"level":"error","msg":"Pod cannot be bound","subsystem":"binder"}`, `{"level":"error","msg":"Node cannot be read","subsystem":"cache"}`},
			`| component="binder" or subsystem="binder" |`, "",
		},
		{
			"field renamed in a conjunction", `{app="web"} | json | level="error" and component="binder"`,
			[]string{both, `{"level":"error","msg":"Pod cannot be bound","component":"binder"}`},
			[]string{both, `{"level":"error","msg":"Pod cannot be bound","subsystem":"binder"}`},
			`| level="error" and (component="binder" or subsystem="binder")`, "",
		},
		{
			"text moved to another field", `{app="web"} | json | msg=~"Admitted by queue .*"`,
			[]string{both, `{"level":"info","msg":"Admitted by queue gpu","logger":"events"}`, `{"level":"info","msg":"Quota reserved","logger":"events"}`},
			[]string{both, `{"level":"info","msg":"Event occurred","note":"Admitted by queue gpu","logger":"events"}`, `{"level":"info","msg":"Event occurred","note":"Quota reserved","logger":"events"}`},
			`msg=~"Admitted by queue .*" or note=~"Admitted by queue .*"`, "",
		},
		{
			"level", `{app="web"} | json | level="error" | msg="Pod cannot be bound"`,
			[]string{both, `{"level":"error","msg":"Pod cannot be bound"}`},
			[]string{both, `{"level":"warn","msg":"Pod cannot be bound"}`},
			`| level=~"error|warn" |`, "",
		},
		{
			"caller", `{app="web"} | json | caller="job/reconciler.go:42"`,
			[]string{both, `{"level":"info","msg":"Reconciling Job","caller":"job/reconciler.go:42"}`, `{"level":"info","msg":"Job is gone","caller":"job/reconciler.go:77"}`},
			[]string{both, `{"level":"info","msg":"Reconciling Job","caller":"job/reconciler.go:45"}`, `{"level":"info","msg":"Job is gone","caller":"job/reconciler.go:80"}`},
			"| caller=~`job/reconciler\\.go:.*` | msg=\"Reconciling Job\"", "",
		},
		{
			"caller in the line", `{app="web"} |= "job/reconciler.go:42"`,
			[]string{both, `{"level":"info","msg":"Reconciling Job","caller":"job/reconciler.go:42"}`, `{"level":"info","msg":"Job is gone","caller":"job/reconciler.go:77"}`},
			[]string{both, `{"level":"info","msg":"Reconciling Job","caller":"job/reconciler.go:45"}`, `{"level":"info","msg":"Job is gone","caller":"job/reconciler.go:80"}`},
			`|= "job/reconciler.go:" |= "Reconciling Job"`, "",
		},
		{
			"member as it is written", `{app="web"} |= "\"msg\":\"Job changed queues"`,
			[]string{both, `{"level":"info","msg":"Job changed queues, updating workload"}`},
			[]string{both, `{"level":"info","msg":"Job changed queue-name, updating workload"}`},
			"or `\"msg\":\"Job changed queue-name`", "",
		},
		{
			"two pipelines", `sum(rate({app="web"} |= "lost connection to" [1m])) / sum(rate({app="web"} |= "lost connection to" | json | level="error" [1m]))`,
			[]string{both, `{"level":"error","msg":"The manager lost connection to the worker cluster"}`},
			[]string{both, `{"level":"error","msg":"The manager is disconnected from the worker cluster"}`},
			`|= "lost connection to" or "is disconnected from" | json`, "",
		},
		{
			"nothing without lines", `sum(count_over_time({app="web"} |= "lost connection to" [1m])) or vector(0)`,
			[]string{both, `{"level":"error","msg":"The manager lost connection to the worker cluster"}`},
			[]string{both, `{"level":"error","msg":"The manager is disconnected from the worker cluster"}`},
			`|= "lost connection to" or "is disconnected from" [1m]`, "",
		},
		{
			"several lines", "sum(count_over_time({app=\"web\"}\n  | json\n  | msg=\"Job changed queues, updating workload\"\n  [1m]))",
			[]string{both, `{"level":"info","msg":"Job changed queues, updating workload","logger":"job"}`},
			[]string{both, `{"level":"info","msg":"Job changed queue-name, updating workload","logger":"job"}`},
			`msg=~"Job changed (queues|queue-name), updating workload"`, "",
		},

		{
			"name used twice", `sum by (component) (count_over_time({app="web"} | json | component="binder" [1m]))`,
			[]string{both, `{"level":"error","msg":"Pod cannot be bound","component":"binder"}`},
			[]string{both, `{"level":"error","msg":"Pod cannot be bound","subsystem":"binder"}`},
			"label_format component=`{{if .component}}{{.component}}{{else}}{{.subsystem}}{{end}}` | component=\"binder\"", "",
		},
		{
			"two messages, both reworded", `{app="web"} | json | msg=~"Lift of crate (started|finished)"`,
			[]string{both, `{"level":"info","msg":"Lift of crate started","crate":"a"}`, `{"level":"info","msg":"Lift of crate finished","crate":"a"}`},
			[]string{both, `{"level":"info","msg":"Crate lift has begun","crate":"a"}`, `{"level":"info","msg":"Crate lift is complete","crate":"a"}`},
			`msg=~"Lift of crate (started|finished)|Crate lift has begun|Crate lift is complete"`, "",
		},
		{
			"one pipeline of two, the other first", `sum(count_over_time({app="web"} |= "Starting" [2m])) and sum(count_over_time({app="web"} |= "Lift of crate started" [2m]))`,
			[]string{`{"level":"info","msg":"Starting workers"}`, `{"level":"info","msg":"Lift of crate started","crate":"a"}`},
			[]string{`{"level":"info","msg":"Starting workers"}`, `{"level":"info","msg":"Crate lift has begun","crate":"a"}`},
			`|= "Lift of crate started" or "Crate lift has begun"`, "",
		},
		{
			"too few lines, as one of two messages is reworded", `sum(count_over_time({app="web"} |~ "Lift of crate (started|finished)" [1m])) > 1`,
			[]string{both, `{"level":"info","msg":"Lift of crate started","crate":"a"}`, `{"level":"info","msg":"Lift of crate finished","crate":"a"}`},
			[]string{both, `{"level":"info","msg":"Crate lift has begun","crate":"a"}`, `{"level":"info","msg":"Lift of crate finished","crate":"a"}`},
			`|~ "Lift of crate (started|finished)|Crate lift has begun"`, "",
		},
		{
			"level as it is written", "{app=\"web\"} |= `\"level\":\"error\"`",
			[]string{both, `{"level":"error","msg":"Crate cannot be weighed","crate":"a"}`},
			[]string{both, `{"level":"warn","msg":"Crate cannot be weighed","crate":"a"}`},
			"|= `\"level\":\"error\"` or `\"level\":\"warn\"`", "",
		},
		{
			"level in a regexp", "{app=\"web\"} |~ `\"level\":\"(error|fatal)\"`",
			[]string{both, `{"level":"error","msg":"Crate cannot be weighed","crate":"a"}`},
			[]string{both, `{"level":"warn","msg":"Crate cannot be weighed","crate":"a"}`},
			"|~ `\"level\":\"(error|fatal)\"|\"level\":\"warn\"`", "",
		},
		{
			"level in logfmt", `{app="web"} |= "level=error"`,
			[]string{`level=info msg="Starting workers"`, `level=error msg="Crate cannot be weighed" crate=a`},
			[]string{`level=info msg="Starting workers"`, `level=warn msg="Crate cannot be weighed" crate=a`},
			`|= "level=error" or "level=warn"`, "",
		},
		{
			"a field's name in the line", "{app=\"web\"} |= `\"crate\":\"yard-a`",
			[]string{both, `{"level":"info","msg":"Crate was lifted","crate":"yard-a/1"}`, `{"level":"info","msg":"Crate was lifted","crate":"yard-a/2"}`},
			[]string{both, `{"level":"info","msg":"Crate was lifted","box":"yard-a/1"}`, `{"level":"info","msg":"Crate was lifted","box":"yard-a/2"}`},
			"|= `\"crate\":\"yard-a` or `\"box\":\"yard-a`", "",
		},
		{
			"another level of one message", `{app="web"} | json | level="error"`,
			[]string{both, `{"level":"error","msg":"Crate cannot be weighed","crate":"a"}`},
			[]string{both, `{"level":"info","msg":"Crate cannot be weighed","crate":"a"}`},
			`| level="error" or (level="info" and msg="Crate cannot be weighed")`, "",
		},
		{
			"told by all but its words", `{app="web"} | json | logger="hoist" | msg="Crate was lifted"`,
			append(each(20, `{"level":"info","logger":"hoist","caller":"hoist/lift.go:12","msg":"Crate was lifted","crate":"crate-%d","hook":"left"}`), both),
			append(each(20, `{"level":"info","logger":"hoist","caller":"hoist/lift.go:17","msg":"Operation done","crate":"crate-%d","hook":"left"}`), both),
			`msg=~"Crate was lifted|Operation done"`, "",
		},
		{
			"klog, what is between quotes", `{app="web"} |= "Lift of crate started"`,
			[]string{`I0101 00:00:00.000000 1 main.go:7] "Starting workers"`, `I0101 00:00:01.000000 1 lift.go:7] "Lift of crate started" crate="a"`},
			[]string{`I0101 00:00:00.000000 1 main.go:7] "Starting workers"`, `I0101 00:00:01.000000 1 lift.go:9] "Crate lift has begun" crate="a"`},
			`|= "Lift of crate started" or "Crate lift has begun"`, "",
		},
		{
			"klog, a level", `{app="web"} |~ "^E[0-9]{4}"`,
			[]string{`I0101 00:00:00.000000 1 main.go:7] "Starting workers"`, `E0101 00:00:01.000000 1 weigh.go:7] "Crate cannot be weighed" crate="a"`},
			[]string{`I0101 00:00:00.000000 1 main.go:7] "Starting workers"`, `W0101 00:00:01.000000 1 weigh.go:7] "Crate cannot be weighed" crate="a"`},
			`|~ "^E[0-9]{4}|^W[0-9]{4}"`, "",
		},
		{
			"console, a level", `{app="web"} |= "\tERROR\t"`,
			[]string{"2026-01-01T00:00:00Z\tINFO\tStarting workers", "2026-01-01T00:00:01Z\tERROR\tscale\tCrate cannot be weighed\t{\"crate\": \"a\"}"},
			[]string{"2026-01-01T00:00:00Z\tINFO\tStarting workers", "2026-01-01T00:00:01Z\tWARN\tscale\tCrate cannot be weighed\t{\"crate\": \"a\"}"},
			`|= "\tERROR\t" or "\tWARN\t"`, "",
		},
		{
			"level and wording in one regexp", `{app="web"} |~ "ERROR.*Failed to weigh"`,
			[]string{"2026-01-01 00:00:00 INFO [main] Starting workers", "2026-01-01 00:00:01 ERROR [scale] Failed to weigh crate"},
			[]string{"2026-01-01 00:00:00 INFO [main] Starting workers", "2026-01-01 00:00:01 WARN [scale] Could not weigh crate"},
			`|~ "ERROR.*Failed to weigh|WARN.*Could not weigh"`, "",
		},
		{
			"a level in another encoding", "{app=\"web\"} |= `\"level\":\"error\"`",
			[]string{both, `{"level":"error","msg":"Crate cannot be weighed","crate":"a"}`},
			[]string{"2026-01-01T00:00:00Z\tINFO\tStarting workers", "2026-01-01T00:00:01Z\tERROR\tCrate cannot be weighed\t{\"crate\": \"a\"}"},
			"|= `\"level\":\"error\"` or \"\\tERROR\\t\"", "",
		},
		{
			"a parsed level in another encoding", `{app="web"} | json | level="error"`,
			[]string{both, `{"level":"error","msg":"Crate cannot be weighed","crate":"a"}`},
			[]string{`level=info msg="Starting workers"`, `level=error msg="Crate cannot be weighed" crate=a`},
			"| json |~ `\"level\":\"error\"|level=error`", "",
		},
		{
			"a parser that fails", `{app="web"} | json | __error__="" | msg!=""`,
			[]string{both}, []string{"2026-01-01T00:00:00Z\tINFO\tStarting workers"},
			"", "another encoding",
		},
		{
			"quotes as JSON writes them", "{app=\"web\"} |= `Crate \\\"a\\\" was lifted`",
			[]string{both, `{"level":"info","msg":"Crate \"a\" was lifted by crane","crate":"a"}`},
			[]string{both, `{"level":"info","msg":"Crate \"a\" hangs on a crane","crate":"a"}`},
			"or `hangs on a", "",
		},
		{
			"the name of a thing has no successor", `{app="web"} | json | msg="Crate was lifted" | crate="c-17"`,
			[]string{both, `{"level":"info","msg":"Crate was lifted","crate":"c-17"}`},
			[]string{both, `{"level":"info","msg":"Crate was lifted","crate":"c-9017"}`},
			"", "holds \"c-17\"",
		},
		{
			"nor as it is written", "{app=\"web\"} |= `\"crate\":\"c-17\"`",
			[]string{both, `{"level":"info","msg":"Crate was lifted","crate":"c-17"}`},
			[]string{both, `{"level":"info","msg":"Crate was lifted","crate":"c-9017"}`},
			"", "no line of candidate",
		},
		{
			"a version is another value", `{app="web"} | json | api="yard.io/v1beta1"`,
			[]string{both, `{"level":"info","msg":"Crate was lifted","api":"yard.io/v1beta1"}`},
			[]string{both, `{"level":"info","msg":"Crate was lifted","api":"yard.io/v1"}`},
			"api=~", "",
		},
		{
			"a field's name in the line, with words behind it", "{app=\"web\"} |= `\"error\":\"dial tcp`",
			[]string{both, `{"level":"error","msg":"Crate cannot be weighed","error":"dial tcp: connection refused"}`},
			[]string{both, `{"level":"error","msg":"Crate cannot be weighed","err":"dial tcp: connection refused"}`},
			"|= `\"error\":\"dial tcp` or `\"err\":\"dial tcp`", "",
		},
		{
			"structure stays beside another change", `{app="web"} | json | level="error" | msg=~"Failed.*"`,
			[]string{both, `{"level":"error","msg":"Failed to weigh crate","crate":"a"}`},
			[]string{`{"severity":"info","message":"Starting workers"}`, `{"severity":"error","message":"Failed to weigh crate","crate":"a"}`},
			`| level="error" or severity="error" | msg=~"Failed.*" or message=~"Failed.*"`, "",
		},
		{
			"a level that is detected", `{app="web"} | detected_level="error"`,
			[]string{both, `{"level":"error","msg":"Crate cannot be weighed","crate":"a"}`},
			[]string{both, `{"level":"warn","msg":"Crate cannot be weighed","crate":"a"}`},
			`detected_level=~"error|warn"`, "",
		},
		{
			"a field that is unwrapped", `max_over_time({app="web"} | json | unwrap slot [1m])`,
			[]string{both, `{"level":"info","msg":"Crate was placed","slot":41001}`, `{"level":"info","msg":"Crate was placed","slot":41002}`},
			[]string{both, `{"level":"info","msg":"Crate was placed","berthSlot":41001}`, `{"level":"info","msg":"Crate was placed","berthSlot":41002}`},
			"| json | label_format slot=`{{if .slot}}{{.slot}}{{else}}{{.berthSlot}}{{end}}` | unwrap slot", "",
		},
		{
			"a field that the parser is asked for", `{app="web"} | json c="crate" | c!=""`,
			[]string{both, `{"level":"info","msg":"Crate was lifted","crate":"yard-a/1"}`, `{"level":"info","msg":"Crate was lifted","crate":"yard-a/2"}`},
			[]string{both, `{"level":"info","msg":"Crate was lifted","box":"yard-a/1"}`, `{"level":"info","msg":"Crate was lifted","box":"yard-a/2"}`},
			"json c=\"crate\", box=\"box\" | label_format c=`{{if .c}}{{.c}}{{else}}{{.box}}{{end}}`", "",
		},
		{
			"a number that no line shown passes", `{app="web"} | json | slot >= 41003`,
			[]string{both, `{"level":"info","msg":"Crate was placed","slot":41001}`, `{"level":"info","msg":"Crate was placed","slot":41003}`, `{"level":"info","msg":"Crate was placed","slot":41002}`},
			[]string{both, `{"level":"info","msg":"Crate was placed","berthSlot":41001}`, `{"level":"info","msg":"Crate was placed","berthSlot":41003}`, `{"level":"info","msg":"Crate was placed","berthSlot":41002}`},
			`slot >= 41003 or berthSlot >= 41003`, "",
		},
		{
			"number", `{app="web"} | json | duration > 5`,
			[]string{both, `{"level":"info","msg":"Reconcile was slow","duration":7.5}`, `{"level":"info","msg":"Reconcile was slow","duration":1}`},
			[]string{both, `{"level":"info","msg":"Reconcile was slow","durationSeconds":7.5}`, `{"level":"info","msg":"Reconcile was slow","durationSeconds":1}`},
			`duration > 5 or durationSeconds > 5`, "",
		},
		{
			"encoding", `{app="web"} | json | msg="Watch of the worker ended"`,
			[]string{both, `{"level":"info","msg":"Watch of the worker ended"}`},
			[]string{`level=info msg="Watch of the worker ended"`, `level=info msg="Starting workers"`},
			`| json |= "Watch of the worker ended"`, "",
		},
		{
			"pattern of the line", `{app="web"} |> "<_>lost connection to<_>"`,
			[]string{both, `{"level":"error","msg":"The manager lost connection to the worker cluster"}`},
			[]string{both, `{"level":"error","msg":"The manager is disconnected from the worker cluster"}`},
			`|> "<_>lost connection to<_>" or "<_>is disconnected from<_>"`, "",
		},
		{
			"value of a field", `{app="web"} | json | logger="job-reconciler"`,
			[]string{both, `{"level":"info","msg":"Job was created","logger":"job-reconciler"}`},
			[]string{both, `{"level":"info","msg":"Job was created","logger":"job"}`},
			`logger=~"job-reconciler|job"`, "",
		},
		{
			"two stages", `{app="web"} | json | logger="recorder" | msg="Job changed queues, updating workload"`,
			[]string{both, `{"level":"info","msg":"Job changed queues, updating workload","logger":"recorder"}`},
			[]string{both, `{"level":"info","msg":"Job changed queue-name, updating workload","logger":"events"}`},
			`logger=~"recorder|events" | msg=~"Job changed (queues|queue-name), updating workload"`, "",
		},
		{
			"excluded", `{app="web"} |= "Worker cluster is lost" != "retry"`,
			[]string{both, `{"level":"info","msg":"Worker cluster is lost"}`},
			[]string{both, `{"level":"info","msg":"Worker cluster is lost, retry"}`},
			"", "excludes",
		},
		{
			"identifier gone", `{app="web"} | json | object_uid!=""`,
			[]string{both, `{"level":"info","msg":"Admitted by queue gpu","object":{"name":"a","uid":"83908392-bc29-468b-aedc-e5ccee4e3952"}}`},
			[]string{both, `{"level":"info","msg":"Admitted by queue gpu","object":{"name":"a"},"reconcileID":"aaaaaaaa-bc29-468b-aedc-e5ccee4e3952"}`},
			"", "object_uid is gone",
		},
		{
			"the contrary", `{app="web"} |= "connection to the worker was started"`,
			[]string{both, `{"level":"info","msg":"The connection to the worker was started"}`},
			[]string{both, `{"level":"info","msg":"The connection to the worker was stopped"}`},
			"", "contrary",
		},
		{
			"written before", `{app="web"} |= "Worker cluster a is lost"`,
			[]string{`{"level":"info","msg":"Worker cluster a is there"}`, `{"level":"error","msg":"Worker cluster a is lost"}`},
			[]string{`{"level":"info","msg":"Worker cluster a is there"}`, `{"level":"info","msg":"Something else"}`},
			"", "no line that says the same",
		},
		{
			"gone", `{app="web"} |= "panic"`,
			[]string{both, `{"level":"error","msg":"Observed a panic"}`}, []string{both},
			"", "no line that says the same",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := mend(t, tt.query, tt.deployed, tt.candidate)
			switch {
			case tt.want == "" && (r.Expr != "" || !strings.Contains(r.Missing, tt.missing)):
				t.Errorf("repair %s, missing %q; want none, and %q", r.Expr, r.Missing, tt.missing)
			case tt.want != "" && !strings.Contains(r.Expr, tt.want):
				t.Errorf("repair %q (missing %q); want %s", r.Expr, r.Missing, tt.want)
			}
		})
	}
}
