package logql

import (
	"testing"

	"github.com/stillfires/stillfires/internal/logs"
)

func TestServiceName(t *testing.T) {
	f := func(stream map[string]string, want string) {
		t.Helper()
		if got := ServiceName(logs.FromMap(stream)); got != want {
			t.Errorf("ServiceName(%v) = %q; want %q", stream, got, want)
		}
	}
	f(nil, "unknown_service")
	f(map[string]string{"namespace": "x"}, "unknown_service")
	f(map[string]string{"job": "j", "container": "c", "app": "kueue"}, "kueue")
	f(map[string]string{"app": "kueue", "service_name": "s"}, "s")
	f(map[string]string{"app": "", "k8s_job_name": "k"}, "k")
}

func TestDetectLevel(t *testing.T) {
	f := func(stream, metadata map[string]string, line, want string) {
		t.Helper()
		if got := DetectLevel(logs.FromMap(stream), logs.FromMap(metadata), []byte(line)); got != want {
			t.Errorf("DetectLevel(%v, %v, %q) = %q; want %q", stream, metadata, line, got, want)
		}
	}
	m := func(k, v string) map[string]string { return map[string]string{k: v} }
	f(nil, nil, ``, "unknown")
	f(m("level", "WARN"), m("level", "info"), `{"level":"error"}`, "warn")
	f(m("level", "notice"), nil, `error`, "notice")
	f(nil, m("severity", "Error"), `info`, "error")
	f(nil, m("severity_number", "13"), `info`, "warn")
	f(nil, m("severity_number", "99"), `info`, "info")
	f(nil, m("detected_level", "fatal"), `info`, "fatal")
	f(nil, nil, `{"msg":"error","level":"dbg"}`, "debug")
	f(nil, nil, `{"log":{"lvl":"WRN"},"msg":"x"}`, "warn")
	f(nil, nil, `{"a":{"b":{"level":"info"}},"msg":"x"}`, "info") // too deep for a field, but a word
	f(nil, nil, `{"a":{"b":{"level":"info"}},"level":"warn"}`, "warn")
	f(nil, nil, `{"level":"Level(-3)","msg":"a warning"}`, "warn")
	f(nil, nil, `{"level":30,"msg":"x"}`, "unknown")
	f(nil, nil, `{"level":"\u0065rror"}`, "error")
	f(nil, nil, `{"level":"info","msg":"cut of`, "info")
	f(nil, nil, `ts=1 level=eror msg="x"`, "unknown")
	f(nil, nil, `ts=1 lvl=err msg="info"`, "error")
	f(nil, nil, `2026-01-01 ERROR: failed with warning`, "error")
	f(nil, nil, `[critical] x`, "critical")
	f(nil, nil, `informed debugging`, "unknown")
	f(nil, nil, `x "trace" y`, "trace")
}
