package logqltest_test

import (
	"bytes"
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql/logqltest/loggen"
)

// hostileLines are lines that no program should write and some do.
func hostileLines() []string {
	return []string{
		"", " ", "\r", "\t\x00\t", "\xff\xfe\xfd", "\x00", "{}", "[]", "null", "{", "}", `{"`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,}`, `{"a":1}}`, `"text"`, "12", "=", "==", `="`, "a=", "=a", `a="`, `a="\`,
		`{"level":"error","msg":"a\ud800b","a":"\u0000","b":"\x"}`,
		`{"level":"error","msg":"Reconciler\u0020error"}`,
		`{"\u006cevel":"error","m\u0073g":"Reconciler error"}`,
		`{"level":"info","level":"error","msg":1,"msg":{"x":"Reconciler error"}}`,
		`{"level":null,"msg":["Reconciler error"],"attempt":1e400,"rtt_ms":-0,"duration_ms":"NaN"}`,
		`{"level":"err` + "\xff" + `or","ms` + "\xc3" + `g":"Reconciler error","é":"` + "\xe9" + `"}`,
		`{"__error__":"mine","__error_details__":"x","app":"other","":"empty","a b":"1","a_b":"2","a.b":"3","1a":"4"}`,
		`{"attempt":7,"backoff":"1h90000000000h","usage":{"memory":"9999999999999999999999GiB"},"addr":"10.0.0.300"}`,
		`{"attempt":"8","backoff":"-1.5s","usage":{"memory":"12 MB"},"addr":"10.1.2.3","trace":"t"}`,
		`{"level":"error","msg":"Reconciler error"} {"level":"info"}`,
		"{\"level\":\"error\",\n\"msg\":\"Reconciler error\"}",
		`  {"level" : "error" , "msg" : "Reconciler error" }  `,
		`{"_entry":"level=error msg=x","level":"packed","_entry":"twice"}`,
		`{"_entry":{"a":1},"b":2}`,
		`level=error msg="Reconciler error" attempt=7 attempt=8 a.b=1 a-b=2 é=1 "x"=y z="q\"`,
		"level=error\x00msg=\xffx =1 k==v \"", `msg="a\nb\tc\u00e9\qd" level=err"or`,
		"\x1b[31mred\x1b[0m \x1b[", "\x1b[38;5;", "\x1b]0;title\x07bell", "\x1b",
		"E0101 00:00:00.000000       1 x.go:1] \"Reconciler error\" err=\"dial tcp 10.0.0.1:6443\"",
		"panic: runtime error\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:3 +0x1d",
		strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 5_000) + "1" + strings.Repeat("}", 5_000),
		strings.Repeat("k=v ", 3_000), strings.Repeat("=", 5_000), strings.Repeat(`\`, 4_001), `{"a":"` + strings.Repeat(`\"`, 3_000) + `"}`,
		manyKeys(400), `{"level":"error","huge":"` + strings.Repeat("Reconciler error ", 20_000) + `"}`,
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	b.WriteString(`{"level":"error"`)
	for i := range n {
		b.WriteString(`,"key` + strings.Repeat("x", i%17) + string(rune('a'+i%26)) + `":"` + strings.Repeat("v", i%5) + `"`)
	}
	return b.String() + "}"
}

// A mixedLog is a log of several streams, the generated one with hostile lines
// between its own, in time order.
type mixedLog struct {
	streams []logs.Labels
	stream  []int
	entries []logs.Entry
}

// newMixedLog deals the first lines of the generated log out to three streams.
// Entries of the last may have metadata.
func newMixedLog(lines int) *mixedLog {
	l := new(mixedLog)
	for _, pod := range []string{"fleet-controller-0", "fleet-controller-1", "fleet-controller-2"} {
		labels := loggen.Labels()
		labels["pod"] = pod
		l.streams = append(l.streams, logs.FromMap(labels))
	}
	hostile := hostileLines()
	add := func(ts int64, line []byte) {
		n := len(l.entries)
		e := logs.Entry{Time: ts, Line: bytes.Clone(line)}
		stream := n * 7 / 3 % 3
		if stream == 2 && n%4 == 0 {
			e.Metadata = logs.New(logs.Label{Name: "trace", Value: string(rune('a' + n%5))})
		}
		l.stream = append(l.stream, stream)
		l.entries = append(l.entries, e)
	}
	n := 0
	loggen.Lines(lines, func(ts int64, line []byte) {
		add(ts, line)
		if n%9 == 4 {
			add(ts, []byte(hostile[n/9%len(hostile)]))
		}
		n++
	})
	return l
}
