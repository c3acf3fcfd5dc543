package panics

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// find returns the panics of a log, a line a record, and the tag of each line.
func find(log string) (Result, []int) {
	f := NewFinder(1)
	var tags []int
	now := int64(0)
	for line := range strings.Lines(strings.TrimPrefix(log, "\n")) {
		now += 1e6
		line = strings.TrimSuffix(line, "\n")
		if line == "~" { // another process
			f.Restart(0)
			continue
		}
		if line != "" {
			tags = append(tags, f.Add(0, now, []byte(line)))
		}
	}
	return f.Finish(), tags
}

// TestShop_Forms: what a real program wrote has one panic, with one signature
// for each kind, however it was handled.
func TestShop_Forms(t *testing.T) {
	files, err := filepath.Glob("testdata/shop/*.*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	signature := map[string]string{}
	for _, file := range append(files, "testdata/shop/system.txt", "testdata/shop/trim.txt") {
		kind, how, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txt"), ".")
		if kind == "main" || kind == "cart" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		res, _ := find(string(text))
		if len(res.Panics) != 1 {
			t.Errorf("%s: %d panics", file, len(res.Panics))
			continue
		}
		p := &res.Panics[0]
		if how == "" { // of other builds
			kind, how = "nilmap", "crash"
		}
		want, by := Crashed, ""
		switch {
		case kind == "goroutine", kind == "overflow": // not recovered
		case how == "recover":
			want, by = Recovered, "main.main"
		case how == "http":
			want, by = Recovered, "net/http"
		}
		if p.Handling != want || p.By != by || p.Count != 1 {
			t.Errorf("%s: %s by %q, %d times; want %s by %q, once", file, p.Handling, p.By, p.Count, want, by)
		}
		if kind == "custom" { // its value is printed by type in a dump, as text by who recovers it
			kind += p.Kind
		}
		if s := signature[kind]; s != "" && s != p.Signature {
			t.Errorf("%s: signature %s of %q %v; others have %s", file, p.Signature, p.Kind, appKeys(p.Frames), s)
		}
		signature[kind] = p.Signature
	}
	seen := map[string]bool{}
	for kind, s := range signature {
		if seen[s] {
			t.Errorf("%s has the signature of another", kind)
		}
		seen[s] = true
	}
}

const frames = `goroutine 7 [running]:
example.org/mill/wheel.(*Wheel).Turn(0xc000010000, 0x3)
	/build/mill/wheel/wheel.go:31 +0x1d
example.org/mill/wheel.Run.func2({0x5, 0x6})
	/build/mill/wheel/run.go:12 +0x2d
created by example.org/mill/wheel.Run
	/build/mill/wheel/run.go:9 +0x3d
`

// each puts something before each line of a text.
func each(before func(i int) string, text string) string {
	var b strings.Builder
	i := 0
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); i++ {
		b.WriteString(before(i) + s.Text() + "\n")
	}
	return b.String()
}

func always(s string) func(int) string { return func(int) string { return s } }

// TestForms holds invented logs of one panic in the forms of many programs and
// Go versions. All have its signature.
func TestForms(t *testing.T) {
	const value = "panic: runtime error: index out of range [5] with length 3\n"
	const above = "runtime/debug.Stack()\n\t/go/src/runtime/debug/stack.go:24 +0x5e\nexample.org/mill/wheel.guard.func1()\n\t/build/mill/wheel/guard.go:8 +0x8a\npanic({0x1?, 0x2?})\n\t/go/src/runtime/panic.go:770 +0x13a\n"
	const info = `{"level":"info","ts":"2026-01-02T03:04:05Z","msg":"still turning"}` + "\n"
	stack := strings.Replace(frames, "[running]:\n", "[running]:\n"+above, 1)
	escaped := strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`).Replace(stack)
	f := func(name, handling, by, log string) {
		t.Helper()
		res, tags := find(log)
		if len(res.Panics) != 1 {
			t.Errorf("%s: %d panics, tags %v: %+v", name, len(res.Panics), tags, res.Panics)
			return
		}
		want, _ := find(value + "\n" + frames)
		p := &res.Panics[0]
		if p.Signature != want.Panics[0].Signature || p.Handling != handling || p.By != by || p.Count != 1 {
			t.Errorf("%s: %s %s by %q, %d times, kind %q, frames %v; want %s %s by %q", name, p.Signature, p.Handling, p.By, p.Count, p.Kind, appKeys(p.Frames), want.Panics[0].Signature, handling, by)
		}
		for i, tag := range tags {
			part := tag > 0 && res.Of[tag-1] == 0
			line := strings.Split(strings.ReplaceAll(strings.TrimPrefix(log, "\n"), "\n\n", "\n"), "\n")[i]
			if foreign := strings.Contains(line, "still turning"); part == foreign {
				t.Errorf("%s: line %d %q is part of the panic: %t", name, i, line, part)
			}
		}
	}
	f("go1.18", Crashed, "", value+"\n"+frames+"exit status 2\n")
	f("go1.21", Crashed, "", value+"\n"+strings.Replace(frames, "created by example.org/mill/wheel.Run", "created by example.org/mill/wheel.Run in goroutine 1", 1))
	f("go1.23 addresses", Crashed, "", value+"\n"+strings.Replace(frames, "goroutine 7 [running]", "goroutine 7 gp=0xc000002380 m=0 mp=0x5c8a40 [running]", 1))
	f("locked to thread", Crashed, "", value+"\n"+strings.Replace(frames, "[running]", "[running, locked to thread]", 1))
	f("recovered and repanicked, go1.22", Crashed, "", strings.TrimSuffix(value, "\n")+" [recovered]\n\t"+value+"\n"+stackWithout(stack, "runtime/debug.Stack()"))
	f("recovered and repanicked, go1.25", Crashed, "", strings.TrimSuffix(value, "\n")+" [recovered, repanicked]\n\n"+stackWithout(stack, "runtime/debug.Stack()"))
	f("a signal", Crashed, "", value+"[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]\n\n"+frames)
	f("all goroutines", Crashed, "", value+"\n"+frames+"\ngoroutine 1 [select]:\nexample.org/mill.main()\n\t/build/mill/main.go:3 +0x1\n")
	f("interleaved", Crashed, "", each(func(i int) string {
		if i%3 == 1 {
			return info
		}
		return ""
	}, value+frames))
	f("kubectl", Crashed, "", each(func(i int) string { return fmt.Sprintf("2026-01-02T03:04:05.%09dZ ", i) }, value+frames))
	f("cri", Crashed, "", each(always("2026-01-02T03:04:05.123456789Z stderr F "), value+frames))
	f("docker", Crashed, "", docker(value+frames))
	f("a collector's objects", Crashed, "", collected(value+frames))
	f("klog's header on each line", Crashed, "", each(always("E0102 03:04:05.123456       1 run.go:1] "), value+frames))
	f("vendored, other lines, instantiated", Crashed, "", value+"\n"+strings.NewReplacer(
		"example.org/mill/wheel.(*Wheel)", "example.org/mill/vendor/example.org/mill/wheel.(*Wheel[...])", "func2", "func9.1", ":31 +0x1d", ":99 +0xff").Replace(frames))
	f("trimmed paths", Crashed, "", value+"\n"+strings.ReplaceAll(frames, "/build/mill/", "example.org/mill/"))
	f("recovered into JSON", Recovered, "example.org/mill/wheel.guard", info+`{"level":"error","msg":"Reconciler error","error":"while turning: runtime error: index out of range [9] with length 4\n`+escaped+`","stacktrace":"main.log\n\t/build/log.go:3"}`+"\n"+info)
	f("observed, two keys", Recovered, "example.org/mill/wheel.guard", `{"level":"error","msg":"Observed a panic","panic":"runtime error: index out of range [9] with length 4","panicGoValue":"runtime.boundsError{x:9}","stacktrace":"`+escaped+`","stacktrace":"main.log\n\t/build/log.go:3"}`+"\n"+info)
	f("observed, klog of old", Recovered, "example.org/mill/wheel.guard", "E0102 03:04:05.123456       1 runtime.go:79] Observed a panic: runtime.boundsError{x:5, signed:true, y:3, code:0x0} (runtime error: index out of range [5] with length 3)\n"+stack+info)
	f("observed, klog of now", Recovered, "example.org/mill/wheel.guard", `E0102 03:04:05.123456       1 panic.go:262] "Observed a panic" controller="wheel" panic="runtime error: index out of range [5] with length 3" panicGoValue="runtime.boundsError{}" stacktrace=<`+"\n"+each(always("\t"), stack)+" >\n"+info)
	f("observed, then the process ends", Crashed, "", `{"level":"info","msg":"Observed a panic in mill: runtime error: index out of range [5] with length 3","reconcileID":"1"}`+"\n"+strings.TrimSuffix(value, "\n")+" [recovered, repanicked]\n\n"+frames)
	f("console", Recovered, "example.org/mill/wheel.guard", "2026-01-02T03:04:05Z\tERROR\tmill\tReconciler error\t{\"error\": \"runtime error: index out of range [5] with length 3\\n"+escaped+"\"}\nmain.log\n\t/build/log.go:3\n"+info)
	f("logfmt", Recovered, "example.org/mill/wheel.guard", `time=2026-01-02T03:04:05Z level=error msg="recovered from panic" err="runtime error: index out of range [5] with length 3" stack="`+escaped+`"`+"\n"+info)
	f("http", Recovered, "net/http", "2026/01/02 03:04:05 http: panic serving 10.0.0.1:80: runtime error: index out of range [5] with length 3\n"+stack+info)
	f("printed", Recovered, "example.org/mill/wheel.guard", "2026/01/02 03:04:05 recovered: runtime error: index out of range [5] with length 3\n"+stack+info)
	f("a cut stack of the same run", Crashed, "", value+"\n"+strings.Join(strings.SplitAfter(frames, "\n")[:5], "")+"created by example.org/mill/wheel.Run\n")
}

func stackWithout(stack, function string) string {
	lines := strings.SplitAfter(stack, "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, function) })
	return strings.Join(slices.Delete(lines, i, i+2), "")
}

func docker(text string) string {
	return each(always(""), wrap(text, `{"log":"%s\n","stream":"stderr","time":"2026-01-02T03:04:05Z"}`))
}

func collected(text string) string { return wrap(text, `{"message":"%s","host":"a"}`) }

func wrap(text, format string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.NewReplacer(`"`, `\"`, "\t", `\t`).Replace(strings.TrimSuffix(line, "\n"))
		fmt.Fprintf(&b, format+"\n", line)
	}
	return b.String()
}

// TestNoPanic holds logs that only look like it.
func TestNoPanic(t *testing.T) {
	zap := `\nmain.log\n\t/build/log.go:3\nmain.main\n\t/build/main.go:4`
	for _, log := range []string{
		`{"level":"info","msg":"Binding pod to node","pod":"kernel-panic-repro","name":"panic"}`,
		`{"level":"error","msg":"pod failed","error":"kernel panic: unable to mount root fs"}`,
		`{"level":"error","msg":"Reconciler error","error":"conflict","stacktrace":"main.log` + zap + `"}`,
		`{"level":"error","msg":"no panic, only an error","error":"x","stacktrace":"goroutine 1 [running]:` + zap + `"}`,
		`{"level":"info","msg":"metric controller_runtime_reconcile_panics_total is 0","panic":"0"}`,
		`{"level":"info","msg":"flags","panic":"false","args":"--panic-on-error --recover-panic=true"}`,
		"FLAG: --panic-on-error=\"false\"",
		`I0102 03:04:05.123456       1 flags.go:64] FLAG: --panic-on-warn="true"`,
		"2026-01-02T03:04:05Z\tINFO\tsetup\tDon't panic: this is fine\t{\"mode\": \"panic\"}",
		"panic: mode is off, as the operator wished\nstarting up\nlistening",
		"SIGQUIT: quit\nPC=0x1 m=0 sigcode=0\n\ngoroutine 1 [running]:\npanic({0x1, 0x2})\n\t/go/src/runtime/panic.go:1 +0x1\nmain.main()\n\t/build/main.go:1 +0x1\n\ngoroutine 2 [select]:\nmain.f()\n\t/build/main.go:2 +0x1",
		"goroutine 1 [running]:\nruntime/debug.Stack()\n\t/go/src/runtime/debug/stack.go:24 +0x5e\nmain.dump()\n\t/build/main.go:1 +0x1",
		"F0102 03:04:05.123456       1 main.go:64] cannot read the config\ngoroutine 1 [running]:\nk8s.io/klog/v2.stacks(0x1)\n\t/go/pkg/mod/k8s.io/klog/v2@v2.1.0/klog.go:1 +0x1\nmain.main()\n\t/build/main.go:1 +0x1",
		`{"level":"fatal","msg":"cannot start"}`,
		`{"level":"info","msg":"Node recovered from panic: mode ended"}`,
		`{"level":"info","msg":"goroutine 7 is busy"}`,
		"fatal error: config.h: No such file or directory\ncompilation terminated.\nbye",
	} {
		res, tags := find(log + "\n")
		if len(res.Panics) > 0 {
			t.Errorf("%q: %+v, tags %v", log, res.Panics[0], tags)
		}
	}
}

// TestOtherPanics holds what must not be taken for the same.
func TestOtherPanics(t *testing.T) {
	logs := []string{
		"panic: boom\n\n" + frames,
		"panic: bang\n\n" + frames,
		"panic: boom\n\n" + strings.ReplaceAll(frames, "Turn", "Stop"),
		"fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n\t/build/main.go:1 +0x1\n",
		"fatal error: concurrent map writes\n\ngoroutine 1 [running]:\nmain.main()\n\t/build/main.go:1 +0x1\n",
		"2026-01-02T03:04:05Z\tPANIC\tno water\t{\"wheel\": 3}\nmain.main\n\t/build/main.go:1\n",
		`{"level":"error","msg":"call failed","error":"rpc error: code = Internal desc = panic: no more wheels"}` + "\n",
		"panic: the last words",
	}
	seen := map[string]string{}
	for _, log := range logs {
		res, _ := find(log)
		if len(res.Panics) != 1 {
			t.Errorf("%q: %d panics", log, len(res.Panics))
			continue
		}
		if was, ok := seen[res.Panics[0].Signature]; ok {
			t.Errorf("%q and %q have one signature", log, was)
		}
		seen[res.Panics[0].Signature] = log
	}
}

// TestBounds: whatever the log holds, what is kept stays small.
func TestBounds(t *testing.T) {
	f := NewFinder(1)
	for i := range 3 * maxOccurrences {
		f.Add(0, int64(i)*1e9, fmt.Appendf(nil, `{"level":"panic","msg":"%s"}`, strings.Repeat(string(rune('a'+i%26)), 1+i%40)))
	}
	if n := len(f.streams[0].recent); n > maxRecent {
		t.Errorf("%d occurrences are open", n)
	}
	res := f.Finish()
	if len(res.Panics) > maxPanics || len(res.Of) > maxOccurrences || res.Cut == 0 {
		t.Errorf("%d panics, %d tags, %d cut", len(res.Panics), len(res.Of), res.Cut)
	}
}

func FuzzFinder(f *testing.F) {
	f.Add("panic: boom\n\n"+frames, 3)
	f.Add(`{"msg":"Observed a panic","panic":"x","stacktrace":"goroutine 1 [running]:\npanic({0x1})\n\tp.go:1\nmain.f()\n\tm.go:2"}`, 0)
	f.Add("E0102 03:04:05.123456       1 panic.go:262] \"Observed a panic\" panic=\"x\" stacktrace=<\n\tgoroutine 1 [running]:\n >", 1)
	f.Add("2026-01-02T03:04:05Z\tPANIC\tx\t{\"a\":{\"b\":[1,\"\\u00", 2)
	f.Fuzz(func(t *testing.T, log string, restart int) {
		finder := NewFinder(1)
		n := 0
		for line := range strings.Lines(log) {
			if n == restart {
				finder.Restart(0)
			}
			n++
			if tag := finder.Add(0, int64(n), []byte(strings.TrimSuffix(line, "\n"))); tag < 0 || tag > n {
				t.Fatalf("tag %d after %d records", tag, n)
			}
		}
		res := finder.Finish()
		for _, of := range res.Of {
			if of < -1 || of >= len(res.Panics) {
				t.Fatalf("an occurrence is of panic %d of %d", of, len(res.Panics))
			}
		}
		for i := range res.Panics {
			p := &res.Panics[i]
			if len(p.Signature) != 16 || p.Count < 1 || len(p.Kind) > maxKind || len(p.Value) > maxValue || strings.ToValidUTF8(p.Kind, "") != p.Kind {
				t.Fatalf("%+v", p)
			}
		}
	})
}

// TestUnify: stacks that were cut are those that they begin; where two are in
// question, none is chosen.
func TestUnify(t *testing.T) {
	app := func(functions ...string) (out []Frame) {
		for _, f := range functions {
			out = append(out, Frame{Function: f, InApp: true})
		}
		return out
	}
	f := func(want string, all ...Known) {
		t.Helper()
		if got := strings.Join(Unify(all), " "); got != want {
			t.Errorf("%v: %s; want %s", all, got, want)
		}
	}
	whole := Known{"a", "boom", app("m.F", "m.G", "m.H"), false}
	f("a a", whole, Known{"b", "boom", app("m.F"), true})
	f("a a a", Known{"b", "boom", app("m.F"), true}, Known{"c", "boom", app("m.F", "m.G"), true}, whole)
	f("a a", whole, Known{"b", "boom", nil, true})
	f("a b", whole, Known{"b", "bang", nil, true})
	f("a b", whole, Known{"b", "boom", app("m.F"), false})
	f("a b c", whole, Known{"b", "boom", app("m.F", "m.X"), false}, Known{"c", "boom", app("m.F"), true})
	f("a a", whole, Known{"b", "while working: boom", app("m.F", "m.G", "m.H"), false})
	f("a b", whole, Known{"b", "kaboom", app("m.F", "m.G", "m.H"), false})
	f("a a", whole, Known{"b", "(main.T) <*>", app("m.F", "m.G", "m.H"), false})
}
