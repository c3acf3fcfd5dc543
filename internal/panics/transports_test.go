package panics

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestTransports: what stands before each line of a dump, or around it, is no
// part of it. All have one signature and are the crash that they are.
func TestTransports(t *testing.T) {
	dump := "panic: assignment to entry in nil map\n\n" + frames
	want, _ := find(dump)
	object := func(format string) string { return wrap(dump, format) }
	for name, log := range map[string]string{
		"kubectl --prefix":               each(always("[pod/mill-5d5/wheel] "), dump),
		"kubectl --prefix --timestamps":  each(always("[pod/mill-5d5/wheel] 2026-01-02T03:04:05.123456789Z "), dump),
		"time with a blank":              each(always("2026-01-02 03:04:05,123 "), dump),
		"time in brackets":               each(always("[2026-01-02T03:04:05Z] "), dump),
		"time of package log":            each(always("2026/01/02 03:04:05 "), dump),
		"syslog":                         each(always("Nov  3 03:04:05 host mill[123]: "), dump),
		"syslog with priority":           each(always("<11>Nov 30 03:04:05 host mill: "), dump),
		"syslog of RFC 5424":             each(always("<11>1 2026-01-02T03:04:05Z host mill 123 - - "), dump),
		"syslog of RFC 5424, with data":  each(always(`<11>1 2026-01-02T03:04:05Z host mill 123 ID7 [x@1 a="b"] `), dump),
		"compose":                        each(always("wheel-1   | "), dump),
		"colours":                        each(func(int) string { return "\x1b[31m" }, strings.ReplaceAll(dump, "\n", "\x1b[0m\n")),
		"docker's object":                object(`{"log":"%s\n","stream":"stderr","time":"2026-01-02T03:04:05Z"}`),
		"docker's object, other order":   object(`{"time":"2026-01-02T03:04:05Z","stream":"stderr","log":"%s\n"}`),
		"a collector's object":           object(`{"log":"%s","kubernetes":{"pod_name":"a"}}`),
		"a collector's object of CRI":    object(`{"log":"2026-01-02T03:04:05.123456789Z stderr F %s","file":"a"}`),
		"textPayload with a severity":    object(`{"textPayload":"%s","severity":"ERROR","timestamp":"2026-01-02T03:04:05Z"}`),
		"body":                           object(`{"body":"%s","traceId":""}`),
		"line ends with carriage return": strings.ReplaceAll(dump, "\n", "\r\n"),
		"all in one object":              `{"log":"` + oneLine(dump) + `","kubernetes":{"pod_name":"a"}}` + "\n",
		"all in one object, a severity":  `{"textPayload":"` + oneLine(dump) + `","severity":"ERROR"}` + "\n",
		"line ends escaped":              oneLine(dump) + "\n",
		"line ends as syslog has them":   strings.NewReplacer("\n", "#012", "\t", "#011").Replace(dump) + "\n",
		"repanicked, all in one object": `{"log":"` + oneLine("panic: assignment to entry in nil map [recovered, repanicked]\n\n"+
			strings.Replace(panicking, "runtime/debug.Stack()\n\t/go/src/runtime/debug/stack.go:26 +0x5e\n", "", 1)) + `"}` + "\n",
	} {
		res, _ := find(log)
		if len(res.Panics) != 1 || res.Panics[0].Signature != want.Panics[0].Signature || res.Panics[0].Handling != Crashed {
			t.Errorf("%s: %d panics: %+v", name, len(res.Panics), res.Panics)
		}
	}
}

// TestMixedPods: lines of several pods that kubectl mixed are told apart.
func TestMixedPods(t *testing.T) {
	a := strings.Split("panic: boom\n\n"+frames, "\n")
	b := strings.Split("panic: bang\n\n"+strings.ReplaceAll(frames, "Turn", "Stop"), "\n")
	var log strings.Builder
	for i := range a {
		fmt.Fprintf(&log, "[pod/mill-1/wheel] %s\n[pod/mill-2/wheel] %s\n[pod/mill-2/log] still turning\n", a[i], b[i])
	}
	res, _ := find(log.String())
	var got []string
	for i := range res.Panics {
		p := &res.Panics[i]
		got = append(got, p.Kind+" "+p.Handling+" "+appKeys(p.Frames)[0])
	}
	want := []string{"boom crashed example.org/mill/wheel.(*Wheel).Turn", "bang crashed example.org/mill/wheel.(*Wheel).Stop"}
	if !slices.Equal(got, want) {
		t.Errorf("%v; want %v", got, want)
	}
}

// TestWrappedRecord: a record that a collector put into an object of its own
// says what it says alone.
func TestWrappedRecord(t *testing.T) {
	stack := strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(panicking)
	record := `{"level":"error","msg":"turn failed","panic":"boom","stack":"` + stack + `"}`
	klog := `E0102 03:04:05.123456       1 panic.go:262] "Observed a panic" panic="boom" stacktrace="` + stack + `"`
	alone, _ := find(record + "\n" + info)
	for name, log := range map[string]string{
		"docker":       `{"log":"` + quote(record) + `\n","stream":"stderr","time":"2026-01-02T03:04:05Z"}`,
		"a collector":  `{"message":"` + quote(record) + `","host":"a"}`,
		"klog in one":  `{"log":"` + quote(klog) + `","kubernetes":{"pod_name":"a"}}`,
		"with a level": `{"textPayload":"` + quote(record) + `","severity":"ERROR"}`,
	} {
		res, _ := find(log + "\n" + info)
		if len(res.Panics) != 1 || res.Panics[0].Signature != alone.Panics[0].Signature || res.Panics[0].Handling != Recovered {
			t.Errorf("%s: %+v", name, res.Panics)
		}
	}
}

func oneLine(s string) string { return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(s) }

func quote(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) }

const info = `{"level":"info","msg":"still turning"}` + "\n"

// Panicking is the stack that a function has that recovers.
const panicking = "goroutine 7 [running]:\nruntime/debug.Stack()\n\t/go/src/runtime/debug/stack.go:26 +0x5e\n" +
	"example.org/mill/wheel.guard.func1()\n\t/build/mill/wheel/guard.go:8 +0x8a\npanic({0x1?, 0x2?})\n\t/go/src/runtime/panic.go:792 +0x132\n" +
	"example.org/mill/wheel.(*Wheel).Turn(0xc000010000, 0x3)\n\t/build/mill/wheel/wheel.go:31 +0x1d\n" +
	"example.org/mill/wheel.Run.func2({0x5, 0x6})\n\t/build/mill/wheel/run.go:12 +0x2d\n" +
	"created by example.org/mill/wheel.Run in goroutine 1\n\t/build/mill/wheel/run.go:9 +0x3d\n"

// TestAnotherProcess: what a record quotes of a process that it watches is no
// panic of its own.
func TestAnotherProcess(t *testing.T) {
	stack := strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(panicking)
	for _, log := range []string{
		`{"level":"error","msg":"Reconciler error","error":"job failed: pod train-a exited: panic: runtime error: index out of range [5] with length 3"}`,
		`{"level":"error","msg":"pod crashed","error":"container app terminated with exit code 2: panic: boom"}`,
		`{"level":"warn","msg":"the store says: panic: runtime error: invalid memory address or nil pointer dereference"}`,
		`{"level":"info","msg":"container terminated","log":"panic: boom [recovered]\n` + stack + `"}`,
		`{"level":"info","msg":"last words","pod":{"name":"a","tail":"` + stack + `"}}`,
		`I0102 03:04:05.123456       1 a.go:1] "Pod logs" pod="train-a" log="` + stack + `"`,
		// Who speaks about a panic says more than its value.
		`{"level":"warn","msg":"fixes panic: assignment to entry in nil map in binder"}`,
		`{"level":"error","msg":"send on closed channel is guarded"}`,
		`{"level":"error","msg":"bad rule","error":"rule 'panic: assignment to entry in nil map' is invalid"}`,
		// Other runtimes than Go's.
		`{"level":"error","msg":"no sandbox","error":"rpc error: code = Unknown desc = OCI runtime error: crun: cannot find cgroup"}`,
		`E0102 03:04:05.123456       1 a.go:1] "no shim" err="container runtime error: none"`,
		`level=info msg="Observed a panic attack in users"`,
		`{"level":"info","msg":"Observed a panic-mode switch"}`,
		// Programs have fatal errors, too.
		"starting\nfatal error: cannot reach the server: connection refused",
		`{"level":"error","msg":"fatal error: cannot start"}`,
		// Rust's are no panics of Go.
		"thread 'main' panicked at 'index out of bounds: the len is 3', src/main.rs:4:5",
		"thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3",
		// Not one of the loggers that write it then panics, outside development.
		`{"level":"dpanic","msg":"odd number of arguments passed as key-value pairs for logging","ignored key":"x"}`,
	} {
		if res, _ := find(log + "\n"); len(res.Panics) > 0 {
			t.Errorf("%q: %+v", log, res.Panics[0])
		}
	}
}

// TestToldTwice: a panic that is written down and goes on to end the process
// is one.
func TestToldTwice(t *testing.T) {
	const again = "\n\n" + "goroutine 7 [running]:\npanic({0x1?, 0x2?})\n\t/go/src/runtime/panic.go:792 +0x132\n"
	below := panicking[strings.Index(panicking, "example.org/mill/wheel.(*Wheel)"):]
	for name, log := range map[string]string{
		"HandleCrash, up to go1.22": "E0102 03:04:05.123456       1 runtime.go:79] Observed a panic: \"boom\" (boom)\n" + panicking +
			"panic: boom [recovered]\n\tpanic: boom" + again + below,
		"HandleCrash, go1.25": "E0102 03:04:05.123456       1 runtime.go:79] Observed a panic: \"boom\" (boom)\n" + panicking +
			"panic: boom [recovered, repanicked]" + again + below,
		"a logger that panics": `{"level":"panic","msg":"boom","stacktrace":"example.org/mill/wheel.(*Wheel).Turn\n\t/build/mill/wheel/wheel.go:31\nexample.org/mill/wheel.Run.func2\n\t/build/mill/wheel/run.go:12"}` +
			"\npanic: boom\n\ngoroutine 7 [running]:\ngo.uber.org/zap/zapcore.CheckWriteAction.OnWrite(0x1)\n\t/go/pkg/mod/go.uber.org/zap@v1.27.0/zapcore/entry.go:1 +0x1\n" + below,
		"a logger that panics in development": `{"level":"dpanic","msg":"boom"}` + "\npanic: boom\n\n" + frames,
		"a logger that panics with its entry": "time=\"2026-01-02T03:04:05Z\" level=panic msg=\"boom\"\npanic: (*logrus.Entry) 0xc00001\n\n" + frames,
	} {
		res, _ := find(log)
		if len(res.Panics) != 1 || res.Panics[0].Count != 1 || res.Panics[0].Handling != Crashed || res.Panics[0].Kind != "boom" {
			t.Errorf("%s: %+v", name, res.Panics)
		}
		if len(res.Panics) == 1 {
			if keys := strings.Join(appKeys(res.Panics[0].Frames), " "); keys != "example.org/mill/wheel.(*Wheel).Turn example.org/mill/wheel.Run" {
				t.Errorf("%s: frames %s", name, keys)
			}
		}
	}
}

// TestValues: a value gives one signature, whether the runtime prints it or who
// recovers it, and is only that.
func TestValues(t *testing.T) {
	stack := strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(panicking)
	for _, v := range []struct{ crash, recovered string }{
		{"boom", `"boom"`},
		{"first: a\n\tsecond", `"first: a\nsecond"`},
		{`wheel.Word("boom")`, `"boom"`},
		{`example.org/mill/wheel.Code(7)`, `7`},
		{"42", "42"},
		{"(wheel.Plain) {…}", `{"a":1,"b":"x"}`},
		{"(wheel.Plain) 0xc000012345", `"{1 2}"`},
		{"strange\n\tgoroutine 9 [running]:\n\tnot.a.stack()\n\t", `"strange\ngoroutine 9 [running]:\nnot.a.stack()\n"`},
	} {
		crash := "panic: " + v.crash + "\n\n" + frames
		recovered := `{"level":"error","msg":"turn failed","panic":` + v.recovered + `,"stack":"` + stack + `"}`
		printed := "turn failed: recovered: " + strings.Trim(strings.ReplaceAll(v.recovered, `\n`, "\n"), `"`) + "\n" + panicking
		res, _ := find(crash + "~\n" + recovered + "\n" + info + info)
		both := []string{Crashed, Recovered}
		if len(res.Panics) != 2 || res.Panics[0].Signature != res.Panics[1].Signature || res.Panics[0].Handling != both[0] || res.Panics[1].Handling != both[1] {
			t.Errorf("%q: %+v", v.crash, res.Panics)
		}
		if strings.HasPrefix(v.recovered, "{") || strings.Contains(v.recovered, "goroutine") {
			continue
		}
		if res, _ = find(crash + "~\n" + printed + info); len(res.Panics) != 2 || res.Panics[0].Signature != res.Panics[1].Signature {
			t.Errorf("%q, printed: %+v", v.crash, res.Panics)
		}
	}
}

// TestSaidByRecord: a record with a level whose message begins like a dump
// tells what its stack tells; without one nobody knows what became of it.
func TestSaidByRecord(t *testing.T) {
	stack := strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(panicking)
	for _, c := range []struct{ log, handling, form string }{
		{`{"level":"error","msg":"panic: boom","stack":"` + stack + `"}` + "\n" + info, Recovered, FormRecovered},
		{`{"level":"error","msg":"panic: runtime error: integer divide by zero"}` + "\n" + info, Unknown, FormRecovered},
		{`{"level":"error","msg":"recovered panic in plugin mill: boom"}` + "\n" + info, Recovered, FormRecovered},
		{`{"level":"error","msg":"panicked while turning: boom"}` + "\n" + info, Unknown, FormRecovered},
		{"2026/01/02 03:04:05 http2: panic serving 10.0.0.1:443: boom\n" + panicking + info, Recovered, FormHTTP},
		{each(always("E0102 03:04:05.123456       1 run.go:1] "), "panic: boom\n\n"+frames), Crashed, FormDump},
	} {
		res, _ := find(c.log)
		if len(res.Panics) != 1 || res.Panics[0].Handling != c.handling || res.Panics[0].Form != c.form {
			t.Errorf("%q: %+v; want %s, %s", c.log, res.Panics, c.handling, c.form)
		}
	}
}

// TestSignals: what kills a process beneath Go code is found, a request for a
// dump is not.
func TestSignals(t *testing.T) {
	for _, sig := range []string{"SIGSEGV: segmentation violation", "SIGBUS: bus error", "SIGQUIT: quit"} {
		res, _ := find(sig + "\nPC=0x7f m=3 sigcode=1 addr=0x0\nsignal arrived during cgo execution\n\ngoroutine 1 gp=0xc0000061c0 m=3 mp=0x1 [syscall]:\n" +
			"runtime.cgocall(0x1, 0x2)\n\t/go/src/runtime/cgocall.go:167 +0x4b\nmain._Cfunc_f()\n\t_cgo_gotypes.go:42 +0x3f\nmain.main()\n\t/a.go:1 +0x1\n\nrax    0x0\n")
		want := 1
		if strings.HasPrefix(sig, "SIGQUIT") {
			want = 0
		}
		if len(res.Panics) != want || want == 1 && (res.Panics[0].Handling != Crashed || res.Panics[0].Kind != sig) {
			t.Errorf("%s: %s", sig, fmt.Sprint(res.Panics))
		}
	}
}
