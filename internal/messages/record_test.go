package messages

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/logs"
)

// taken prints what a record was taken apart into.
func taken(line string) string {
	var r Record
	r.Parse([]byte(line))
	level := r.Level
	if r.Verbosity > 0 {
		level += fmt.Sprint(r.Verbosity)
	}
	out := fmt.Sprintf("%s|%s|%s|%s|%s", r.Encoding, level, r.Logger, r.Function, r.Message())
	for i := range r.Fields {
		if f := &r.Fields[i]; f.Role == Plain {
			out += fmt.Sprintf("|%s %s=%s", f.Name, f.Type, f.Append(nil))
		}
	}
	return out
}

func TestParse(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		if got := taken(line); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
	// zap
	f(`{"level":"Level(-2)","ts":"2026-11-30T17:28:55.4Z","logger":"job","caller":"core/job.go:193","msg":"Reconcile \"a\"","name":"x","n":3,"ok":true,"none":null,"list":[1,{"a":"]"}]}`,
		`json|debug2|job|core/job.go|Reconcile "a"|name string=x|n number=3|ok bool=true|none null=null|list array=[1,{"a":"]"}]`)
	f(`{"level":"debug","msg":"m","object":{"kind":"Job","meta":{"uid":"u"}}}`,
		`json|debug1|||m|object object={"kind":"Job","meta":{"uid":"u"}}|object.kind string=Job|object.meta object={"uid":"u"}|object.meta.uid string=u`)
	f(`{"msg":"first","name":"a","name":"b"}`, `json||||first|name string=a`)
	f("2026-11-30T17:28:29.863Z\tINFO\tsetup\tcmd/main.go:42\tStarting manager\t{\"addr\": \":8080\"}",
		`console|info|setup|cmd/main.go|Starting manager|addr string=:8080`)
	f("2026-11-30T17:28:29.863Z\tLEVEL(-3)\tStarting manager", `console|debug3|||Starting manager`)
	f("1.7960598908940e+09\t\x1b[31mERROR\x1b[0m\tmain.go:7\tno\tluck\t{\"a\": 1}", "console|error||main.go|no\tluck|a number=1")
	f("INFO\tsetup\tstarting", `console|info|setup||starting`)
	// behind a transport
	f(`2026-11-30T17:28:29.863123456Z stderr F {"level":"warn","msg":"m"}`, `json|warn|||m`)
	f("2026-11-30T17:28:29.863123456Z 2026-11-30T17:28:29.863Z\tINFO\tm", `console|info|||m`)
	// klog
	f(`I1130 17:29:46.551209    3306 eventhandlers.go:233] "Add event" pod="team-a/x-1" n=3 err=<nil>`,
		`klog|info||eventhandlers.go|Add event|pod string=team-a/x-1|n number=3|err null=<nil>`)
	f(`W1130 17:29:46.551209    3306 a.go:2] "Add" logger="node" obj={"name":"x","namespace":""}`,
		`klog|warn|node|a.go|Add|obj object={"name":"x","namespace":""}`)
	f(`E1130 17:29:46.551209       1 flags.go:64] FLAG: --v="2"`, `klog|error||flags.go|FLAG: --v="2"`)
	f(`{"ts":1796059890.5,"caller":"a/b.go:9","msg":"m","v":4}`, `json|debug4||a/b.go|m`)
	f(`{"ts":1796059890.5,"caller":"a/b.go:9","msg":"m","err":"no"}`, `json|error||a/b.go|m|err string=no`)
	f(`{"L":"WARN","T":"2026-11-30T17:28:29.863Z","N":"job","C":"a/b.go:9","M":"m","S":"stack","n":1}`, `json|warn|job|a/b.go|m|S string=stack|n number=1`)
	f(`{"level":"info","msg":"m","N":"node-a","T":5}`, `json|info|||m|N string=node-a|T number=5`)
	// slog
	f(`{"time":"2026-11-30T17:28:29Z","level":"DEBUG","source":{"function":"main.f","file":"/src/app/cmd/main.go","line":3},"msg":"m"}`, `json|debug1||cmd/main.go|m`)
	f(`{"time":"2026-11-30T17:28:29Z","level":"DEBUG+2","msg":"m"}`, `json|debug2|||m`)
	f(`time=2026-11-30T17:28:29Z level=WARN msg="a b" n=3 s=x`, `logfmt|warn|||a b|n number=3|s string=x`)
	f(`2026/11/30 17:28:29 INFO connection closed peer=10.0.0.1 code=3`, `text|info|||connection closed|peer string=10.0.0.1|code number=3`)
	// zerolog, logrus, logr, pino
	f(`{"level":"fatal","error":"e","time":1796059890,"message":"m"}`, `json|fatal|||m|error string=e`)
	f(`5:28PM ERR cannot connect error="no route" try=2`, `text|error|||cannot connect|error string=no route|try number=2`)
	f(`time="2026-11-30T17:28:29Z" level=info msg="A walrus appears" animal=walrus`, `logfmt|info|||A walrus appears|animal string=walrus`)
	f(`INFO[0003] A walrus appears animal=walrus`, `text|info|||A walrus appears|animal string=walrus`)
	f(`{"logger":"c","level":3,"msg":"m"}`, `json|debug3|c||m`)
	f(`{"level":50,"time":1796059890123,"pid":7,"msg":"m"}`, `json|error|||m|pid number=7`)
	// others
	f(`2026-11-30 17:28:29,863 INFO  [main] com.example.Server - Started in 3 s`, `text|info|com.example.Server||Started in 3 s`)
	f(`2026-11-30 17:28:29,863 - app.db - ERROR - no such table`, `text|error|app.db||no such table`)
	f(`ERROR:root:no such file`, `text|error|root||no such file`)
	f(`2026/11/30 17:28:29 [error] 12#12: *3 connect() failed, client: 10.0.0.1`, `text|error|||12#12: *3 connect() failed, client: 10.0.0.1`)
	f(`2026/11/30 17:28:29 main.go:23: hello`, `text|||main.go|hello`)
	f(`10.0.0.1 - - [30/Nov/2026:17:28:29 +0000] "GET / HTTP/1.1" 200 612`, `text||||10.0.0.1 - - [30/Nov/2026:17:28:29 +0000] "GET / HTTP/1.1" 200 612`)
	f("\t/src/a.go:12 +0x1", "text||||\t/src/a.go:12 +0x1")
	// not well formed
	f(`{"msg":"cut`, `text||||{"msg":"cut`)
	f(`{"msg":"a"} {"msg":"b"}`, `text||||{"msg":"a"} {"msg":"b"}`)
	f(``, `text||||`)
}

func TestAppendTemplate(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := string(AppendTemplate(nil, []byte(text))); got != want {
			t.Errorf("%q: %q; want %q", text, got, want)
		}
	}
	f("Created Workload: team-a/job-x-1a2b3", "Created Workload: <*>")
	f(`The workload got reservation on "worker-1"`, `The workload got reservation on "<*>"`)
	f(`Workload 'team-a/job-x' isn't finished`, `Workload '<*>' isn't finished`)
	f(`state is "inactive"`, `state is "inactive"`)
	f("waited 1.5s for 3 pods.", "waited <*> for <*> pods.")
	f("items [a1 b2, c3]", "items [<*>]")
	f("panic({0x1, 0x2})", "panic(<*>)")
	f("runtime.gopanic({0x1?, 0x2?})", "runtime.gopanic(<*>)")
	f("main.(*t).run(...)", "main.(*t).run(<*>)")
	f("value of f.x(y)", "value of f.x(y)")
	f("main.main()", "main.main()")
	f("\t/src/a/b.go:12 +0x1d", "<*>")
	f("example.com/x/y.(*T[...]).run({0x12, 0x0})", "<*>(<*>)")
	f("GET https://example.com/a?b=1, code 200", "GET <*>, code <*>")
	f("read and/or write", "read and/or write")
	f("open /etc/hosts: no such file", "open <*>: no such file")
	f("ipv6 on k8s", "ipv6 on k8s")
	f("pod web-xkcdz gone", "pod <*> gone")
	f("first\nsecond", "first")
	f(`unclosed " and 'x`, `unclosed " and 'x`)
	f("\xff", "\uFFFD")
	f("", "")
}

// catalogued lists the texts of the kinds that lines make, with their counts.
func catalogued(lines ...string) []string {
	c := NewCatalogue()
	for i, l := range lines {
		c.Add(nil, &logs.Entry{Time: int64(i), Line: []byte(l)})
	}
	list, _, _ := c.Finish()
	var out []string
	for i := range list {
		out = append(out, fmt.Sprintf("%d %s", list[i].Count, list[i].Text))
	}
	return out
}

func TestCatalogue_Texts(t *testing.T) {
	f := func(lines, want []string) {
		t.Helper()
		if diff := cmp.Diff(want, catalogued(lines...)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", lines, diff)
		}
	}
	// Names that vary are values; one that never does is not known to be one.
	f([]string{"queue cpu-queue is full", "queue gpu-queue is full", "queue tpu-queue is full", "queue fpga-queue is full"},
		[]string{"4 queue <*> is full"})
	f([]string{"queue cpu-queue is full"}, []string{"1 queue cpu-queue is full"})
	// One that a field holds is.
	f([]string{"queue cpu-queue is full", `{"msg":"queue seen","queue":"cpu-queue"}`}, []string{"1 queue <*> is full", "1 queue seen"})
	f([]string{"worker started", "worker stopped", "worker is ready", "worker is not ready"},
		[]string{"1 worker is not ready", "1 worker is ready", "1 worker started", "1 worker stopped"})

	var users, states []string
	for i := range 30 {
		name := strings.Map(func(r rune) rune { return r - '0' + 'k' }, fmt.Sprint(100+i))
		users = append(users, "login of "+name)
		states = append(states, "node "+name+"ed", "mount read-"+name+"ing")
	}
	f(users, []string{"30 login of <*>"})
	if n := len(catalogued(states...)); n != len(states) {
		t.Errorf("%d kinds of %d texts whose words are telling", n, len(states))
	}
}

// Each of these pairs differs in what it means, and in nothing else.
func TestCatalogue_Opposites(t *testing.T) {
	for _, p := range []string{
		"started stopped", "added removed", "succeeded failed", "enabled disabled", "active inactive", "success error",
		"Ready NotReady", "up down", "read-only read-write", "open close", "QuotaReserved QuotaReleased", `"true" "false"`, "online offline",
	} {
		a, b, _ := strings.Cut(p, " ")
		lines := []string{"device eth " + a, "device eth " + b}
		for i := range 40 { // many other words stand in their place
			lines = append(lines, fmt.Sprintf("device eth x%dy", i), "device eth some-"+strings.Repeat("x", i+1))
		}
		got := strings.Join(catalogued(lines...), "\n")
		if !strings.Contains(got, "1 device eth "+a) || !strings.Contains(got, "1 device eth "+b) {
			t.Errorf("%s: %s", p, got)
		}
	}
}

// A line without end costs no more than its length.
func TestRecord_Long(t *testing.T) {
	for _, piece := range []string{`a={ `, `{"a":`, `"`, `'a`, `[`, `a/`, `a,`, `\`, "x=\"", "(0x1 ", "{\"a\":1,"} {
		long := strings.Repeat(piece, 1<<20/len(piece))
		for _, before := range []string{"", "k=1 ", `{"msg":"`, "2026-11-30 17:28:29 INFO ", "I1130 17:28:47.123456 1 f.go:1] \"m\" "} {
			c := NewCatalogue()
			c.Add(nil, &logs.Entry{Line: []byte(before + long)})
			list, _, _ := c.Finish()
			if len(list) != 1 || len(list[0].Text) > maxText+maxWord*4 || len(list[0].First.Line) > 4096 {
				t.Errorf("%q after %q: %d kinds", piece, before, len(list))
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"level":"info","ts":1.5,"msg":"a\nb \u00e9","o":{"a":[1,"]"],"b":null}}`, "2026-11-30T17:28:29Z\tINFO\tl\ta/b.go:1\tm\t{\"a\": 1}",
		`I1130 17:28:47.123456 1 file.go:123] "m" key="v" k={"a":1}`, `level=info msg="a b" n=1`,
		`2026-11-30 17:28:29,863 INFO  [main] com.example.A - text "quoted 'x' http://a/b" (0x1, 0x2)`, "ERROR:a:b", "<34>Nov 30 17:28:29 h a[1]: x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c := NewCatalogue()
		for range 2 {
			c.Add(nil, &logs.Entry{Time: 1, Line: []byte(line)})
		}
		for i := range c.rec.Fields {
			c.rec.Fields[i].Append(nil)
		}
		list, _, _ := c.Finish()
		if len(list) > 1 {
			t.Fatalf("%d kinds", len(list))
		}
		for _, m := range list {
			if !utf8.ValidString(m.Text) || !utf8.ValidString(m.Logger) || !utf8.ValidString(m.Function) || len(m.Text) > maxText+8*maxWord*4 || m.Count != 2 {
				t.Fatalf("%+v", m)
			}
			for _, k := range m.Keys {
				if !utf8.ValidString(k.Name) || k.Count > k.Looked {
					t.Fatalf("%+v", k)
				}
			}
		}
	})
}
