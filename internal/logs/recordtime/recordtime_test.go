package recordtime

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// show returns a stamp as text: what it lacks is written as ?.
func show(s Stamp) string {
	w := time.Unix(0, s.Wall).UTC()
	layout := "2006-01-02T15:04:05.999999999"
	if s.NoYear {
		layout = "?-01-02T15:04:05.999999999"
	}
	text := w.Format(layout)
	switch {
	case s.NoZone:
		return text + "?"
	case s.Number:
		return text + " number"
	case s.Offset != 0:
		return text + w.In(time.FixedZone("", s.Offset)).Format("-07:00")
	}
	return text + "Z"
}

func TestBodies(t *testing.T) {
	f := func(name, line, want string) {
		t.Helper()
		for _, b := range bodies {
			if b.name != name {
				continue
			}
			got := "none"
			if s, ok := b.stamp([]byte(line)); ok {
				got = show(s)
			}
			if got != want {
				t.Errorf("%s: time of %q = %s; want %s", name, line, got, want)
			}
			return
		}
		t.Fatalf("no format %q", name)
	}
	// JSON: keys, kinds of value, places.
	f("zap-json", `{"level":"info","ts":"2026-11-30T17:28:29.863Z","msg":"x"}`, "2026-11-30T17:28:29.863Z")
	f("zap-json", `{"ts":"2026-11-30T17:28:29.863+0100"}`, "2026-11-30T17:28:29.863+01:00")
	f("zap-json", `{"ts":"2026-11-30T17:28:29.863-03:30"}`, "2026-11-30T17:28:29.863-03:30")
	f("zap-json", `{"L":"INFO","T":"2026-11-30T17:28:29.863Z","M":"x"}`, "2026-11-30T17:28:29.863Z")
	f("zap-json", `{"ts":1796059709.8631234}`, "2026-11-30T17:28:29.8631234 number")
	f("zap-json", `{"ts":1.7960597098631234e+09}`, "2026-11-30T17:28:29.8631234 number")
	f("zap-json", `{"ts":1796059709863.25}`, "2026-11-30T17:28:29.86325 number")
	f("zap-json", `{"ts":1796059709863123}`, "2026-11-30T17:28:29.863123 number")
	f("zap-json", `{"ts":1796059709863123456}`, "2026-11-30T17:28:29.863123456 number")
	f("zap-json", `{"ts":"1796059709.5"}`, "2026-11-30T17:28:29.5 number")
	f("zap-json", `{"ts":1796059709.863123456789}`, "2026-11-30T17:28:29.863123456 number")
	f("zap-json", ` { "a" : [1,{"ts":"2020-01-01T00:00:00Z"},"]"] , "time" : "2026-11-30 17:28:29" }`, "2026-11-30T17:28:29?")
	f("zap-json", `{"a":"\\","b":"\"","timestamp":"2026-11-30T17:28:29Z"}`, "2026-11-30T17:28:29Z")
	f("zap-json", `{"@timestamp":"2026-11-30T17:28:29.123456789Z"}`, "2026-11-30T17:28:29.123456789Z")
	f("zap-json", `{"time":"soon","ts":"2026-11-30T17:28:29Z"}`, "2026-11-30T17:28:29Z")
	f("zap-json", `{"ts":"2026-11-30T17:28:29Z","msg":"cut sho`, "2026-11-30T17:28:29Z")
	f("zap-json", `{"ts":"2026-11-30T17:28:29Z","ts":"2027-11-30T17:28:29Z"}`, "2026-11-30T17:28:29Z")
	for _, none := range []string{`{}`, `{"ts":null}`, `{"ts":0.25}`, `{"ts":12}`, `{"ts":1e400}`, `{"ts":{"ts":"2026-11-30T17:28:29Z"}}`, `{"t`, `{"ts":`, `{"ts":"`, `{"ts":"\`, `{`, ``, `ts`, `[{"ts":"2026-11-30T17:28:29Z"}]`, `{"msg":"ts","x":[`, `{"ts":99999999999999999999}`, `{"ts":-1796059709}`, `{"ts":"2026-11-30T17:28:29Z junk"}`} {
		f("zap-json", none, "none")
	}
	f("zap-console", "2026-11-30T17:31:30.894Z\tINFO\tx\ty", "2026-11-30T17:31:30.894Z")
	f("zap-console", "2026-11-30T17:31:30.894+0100\tINFO\tx", "2026-11-30T17:31:30.894+01:00")
	f("zap-console", "1.796059709863e+09\tINFO\tx", "2026-11-30T17:28:29.863 number")
	f("zap-console", "1796059709863.5\t\x1b[34mINFO\x1b[0m\tx", "2026-11-30T17:28:29.8635 number")
	f("zap-console", "1796059709863\tLEVEL(-2)\tx", "2026-11-30T17:28:29.863 number")
	f("zap-console", "1796059709863\tapples\tx", "none")
	f("zap-console", "2026-11-30T17:31:30.894Z INFO\tx", "none")
	f("zap-console", "\t/src/main.go:12 +0x1d", "none")
	f("klog", `I1130 17:37:54.260066   19230 flags.go:64] FLAG: --v="2"`, "?-11-30T17:37:54.260066?")
	f("klog", `E0229 07:37:54.260066       1 a_b.go:6] "x" err="y"`, "?-02-29T07:37:54.260066?")
	for _, none := range []string{"I1330 17:37:54.260066 1 f.go:1] x", "I1130 17:37:54.260066 1 f.go x", "I1130 17:37:54 1 f.go:1] x", "X1130 17:37:54.260066 1 f.go:1] x", "I1130", "I1130 17:37:54.260066", "I1130 17:37:54.260066 f.go:1] x", "I0230 17:37:54.260066 1 f.go:1] x"} {
		f("klog", none, "none")
	}
	f("logfmt", `ts=2026-11-30T17:28:29.863Z level=info msg="a \" b"`, "2026-11-30T17:28:29.863Z")
	f("logfmt", `level=info msg="ts=2020-01-01T00:00:00Z" time="2026-11-30T17:28:29+02:00"`, "2026-11-30T17:28:29+02:00")
	f("logfmt", `level=info t=1796059709`, "2026-11-30T17:28:29 number")
	f("logfmt", `the time=2026-11-30T17:28:29Z is near`, "none")
	f("logfmt", `level=info msg="open`, "none")
	f("logfmt", `=x ts=2026-11-30T17:28:29Z`, "none")
	f("syslog", `<165>1 2026-11-30T17:28:29.003Z host app 1 ID47 - x`, "2026-11-30T17:28:29.003Z")
	f("syslog", `<34>Nov 30 17:28:29 host app[1]: x`, "?-11-30T17:28:29?")
	f("syslog", `Nov  3 17:28:29 host app[1]: x`, "?-11-03T17:28:29?")
	f("syslog", `<>Nov 30 17:28:29 host x`, "none")
	f("syslog", `ovD 30 17:28:29 host app`, "none")
	f("syslog", `<34`, "none")
	f("date", `2026-11-30 17:28:29,863 INFO x`, "2026-11-30T17:28:29.863?")
	f("date", `2026/11/30 17:28:29 x`, "2026-11-30T17:28:29?")
	f("date", `[2026-11-30T17:28:29.863Z] x`, "2026-11-30T17:28:29.863Z")
	f("date", `2026-11-30 17:28:29.863 UTC [71] LOG: x`, "2026-11-30T17:28:29.863Z")
	f("date", `2026-11-30 17:28:29 +0200 x`, "2026-11-30T17:28:29+02:00")
	f("date", `2026-02-29 17:28:29 x`, "none")
	f("date", `2026-11/30 17:28:29 x`, "none")
}

func TestDays(t *testing.T) {
	for at := time.Date(minYear, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() <= maxYear; at = at.AddDate(0, 0, 13) {
		if got := wall(at.Year(), int(at.Month()), at.Day(), 0); got != at.UnixNano() {
			t.Fatalf("wall(%s) = %d; want %d", at.Format(time.DateOnly), got, at.UnixNano())
		}
	}
}

// decode returns the records of a log as "line" with a * before dated ones
// that are foreign, and the name of the format.
func decodeAll(t *testing.T, log string, names ...string) (string, []string) {
	t.Helper()
	s, err := NewSampler(names...)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(log, "\n")
	for _, l := range lines {
		s.Add([]byte(l))
	}
	c := s.Choice()
	d := NewDecoder(c, 1<<20)
	var got []string
	add := func(r Record) {
		text := "-"
		if r.Dated {
			text = show(r.Stamp)
		}
		if r.Foreign {
			text += " foreign"
		}
		got = append(got, text+" | "+string(r.Line))
	}
	for _, l := range lines {
		r, ok, err := d.Add([]byte(l))
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			add(r)
		}
	}
	for r, ok := d.Flush(); ok; r, ok = d.Flush() {
		add(r)
	}
	return c.Name(), got
}

func TestDetect(t *testing.T) {
	f := func(name, log string, want ...string) {
		t.Helper()
		got, records := decodeAll(t, log)
		if got != name {
			t.Errorf("format of %q is %s; want %s", log, got, name)
		}
		if diff := cmp.Diff(want, records); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	f("zap-json", "panic: x\n{\"ts\":\"2026-11-30T17:28:29Z\"}\n\nI1130 17:37:54.260066 1 f.go:1] x\n2020-01-01 00:00:00 quoted",
		"- foreign | panic: x",
		`2026-11-30T17:28:29Z | {"ts":"2026-11-30T17:28:29Z"}`,
		"- | ",
		"?-11-30T17:37:54.260066? foreign | I1130 17:37:54.260066 1 f.go:1] x",
		"- foreign | 2020-01-01 00:00:00 quoted")
	f("cri+klog", "2026-11-30T17:28:29.1Z stderr P I1130 17:37:54.260066 1 f.g\n2026-11-30T17:28:29.2Z stdout F out\n2026-11-30T17:28:29.3Z stderr F o:1] x\n2026-11-30T17:28:29.4Z stderr F \n2026-11-30T17:28:29.5+01:00 stdout P:x open\n2026-11-30T17:28:29.6Z stderr F W1130 17:37:54.260066 1 f.go:1] y",
		"2026-11-30T17:28:29.2Z foreign | out",
		"2026-11-30T17:28:29.3Z | I1130 17:37:54.260066 1 f.go:1] x",
		"2026-11-30T17:28:29.4Z | ",
		"2026-11-30T17:28:29.6Z | W1130 17:37:54.260066 1 f.go:1] y",
		"2026-11-30T17:28:29.5+01:00 foreign | open")
	f("docker-json+text", `{"log":"a\u0000 ","stream":"stderr","time":"2026-11-30T17:28:29.1Z"}`+"\n"+`{"log":"b\r\n","stream":"stderr","time":"2026-11-30T17:28:29.2Z"}`+"\n"+`{"log":"\n","stream":"stdout","time":"2026-11-30T17:28:29.3Z"}`,
		"2026-11-30T17:28:29.2Z | a\x00 b\r",
		"2026-11-30T17:28:29.3Z | ")
	f("zap-json", `{"log":"a","time":"2026-11-30T17:28:29.1Z"}`+"\n"+`{"log":"b","stream":"jobs","time":"2026-11-30T17:28:29.2Z"}`,
		`2026-11-30T17:28:29.1Z | {"log":"a","time":"2026-11-30T17:28:29.1Z"}`,
		`2026-11-30T17:28:29.2Z | {"log":"b","stream":"jobs","time":"2026-11-30T17:28:29.2Z"}`)
	f("kubectl+text", "2026-11-30T17:28:29.123456789Z a\n2026-11-30T17:28:29.12345678Z  b\n2026-11-30T17:28:29.123456Z ",
		"2026-11-30T17:28:29.123456789Z | a",
		"2026-11-30T17:28:29.12345678Z |  b",
		"2026-11-30T17:28:29.123456Z | ")
	// To the second, and what follows has no time: it is an object.
	f("kubectl+text", "2026-11-30T17:28:29Z {\"level\":\"error\"}\n2026-11-30T17:28:30Z {\"level\":\"info\"}",
		`2026-11-30T17:28:29Z | {"level":"error"}`,
		`2026-11-30T17:28:30Z | {"level":"info"}`)
	f("kubectl+zap-json", `2026-11-30T17:28:29Z {"ts":"2026-11-30T17:28:28Z"}`,
		`2026-11-30T17:28:29Z | {"ts":"2026-11-30T17:28:28Z"}`)
	f("date", "2026-11-30T17:28:29.123456Z  INFO a\n  more\n2026-11-30T17:28:30.123456Z  INFO b",
		"2026-11-30T17:28:29.123456Z | 2026-11-30T17:28:29.123456Z  INFO a",
		"- foreign |   more",
		"2026-11-30T17:28:30.123456Z | 2026-11-30T17:28:30.123456Z  INFO b")
	f("text", "a\nb", "- | a", "- | b")
	f("text", "", "- | ")
}

func TestNamedFormats(t *testing.T) {
	name, got := decodeAll(t, "2026-11-30T17:28:29Z a\nb", "kubectl")
	if diff := cmp.Diff([]string{"2026-11-30T17:28:29Z | a", "- foreign | b"}, got); diff != "" || name != "kubectl+text" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
	name, got = decodeAll(t, `{"ts":"2026-11-30T17:28:29Z"}`, "none")
	if diff := cmp.Diff([]string{`- | {"ts":"2026-11-30T17:28:29Z"}`}, got); diff != "" || name != "text" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
	for _, bad := range [][]string{{"json"}, {"auto", "klog"}, {"none", "klog"}} {
		if _, err := NewSampler(bad...); err == nil {
			t.Errorf("NewSampler(%q) gave no error", bad)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	f.Add([]byte("2026-11-30T17:28:29Z stderr P x\n2026-11-30T17:28:29Z stderr F y"))
	f.Add([]byte(`{"log":"a\n","time":"2026-11-30T17:28:29.1Z"}` + "\nI1130 17:37:54.260066 1 f.go:1] x\n<34>Nov 30 17:28:29 h x"))
	f.Add([]byte("{\"ts\":1.79e9}\n1.7960597e+09\tINFO\tx\nts=2026-11-30T17:28:29Z a=b"))
	f.Fuzz(func(t *testing.T, log []byte) {
		decodeAll(t, string(log))
		for _, n := range Names() {
			decodeAll(t, string(log), n)
		}
	})
}
