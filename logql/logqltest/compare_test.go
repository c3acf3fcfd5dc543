package logqltest

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEqual(t *testing.T) {
	test := func(want bool, got, recorded string) {
		t.Helper()
		var g, w Answer
		for text, a := range map[string]*Answer{got: &g, recorded: &w} {
			if err := json.Unmarshal([]byte(text), a); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		if got == recorded {
			w = g
		}
		if eq := Equal(&g, &w); eq != want {
			t.Errorf("Equal(%s, %s) = %v; want %v", got, recorded, eq, want)
		}
	}
	const (
		one   = `{"status":"ok","streams":[{"labels":{"a":"b"},"entries":[["1","x"],["2","y"],["2","z"]]}]}`
		tie   = `{"status":"ok","streams":[{"labels":{"a":"b"},"entries":[["1","x"],["2","z"],["2","y"]]}]}`
		other = `{"status":"ok","streams":[{"labels":{"a":"b"},"entries":[["2","y"],["2","z"],["1","x"]]}]}`
	)
	test(true, one, one)
	test(true, tie, one)
	test(false, other, one)
	test(true, `{"status":"ok","scalar":"NaN"}`, `{"status":"ok","scalar":"NaN"}`)
	test(true, `{"status":"ok","scalar":"1000000000.1"}`, `{"status":"ok","scalar":"1000000000"}`)
	test(false, `{"status":"ok","scalar":"1000000002"}`, `{"status":"ok","scalar":"1000000000"}`)
	test(false, `{"status":"ok","scalar":"+Inf"}`, `{"status":"ok","scalar":"-Inf"}`)
	test(false, `{"status":"ok"}`, `{"status":"exec_error"}`)
	test(false, `{"status":"parse_error","stage":"parse"}`, `{"status":"parse_error","stage":"compile"}`)
	const (
		ab = `{"status":"ok","vector":[{"labels":{"a":"1"},"ts":"5","value":"1"},{"labels":{"a":"2"},"ts":"5","value":"2"}]}`
		ba = `{"status":"ok","vector":[{"labels":{"a":"2"},"ts":"5","value":"2"},{"labels":{"a":"1"},"ts":"5","value":"1"}]}`
	)
	test(true, ab, ba)
	test(false, ab, `{"ordered":true,`+strings.TrimPrefix(ba, "{"))
}
