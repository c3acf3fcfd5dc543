package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("c.jsonl", `{"labels":{"a":"b"},"ts":"1000000000","line":"x"}`+"\n")
	const (
		good   = `{"id":"g1","group":"g","kind":"instant","corpus":"c","query":"count_over_time({a=\"b\"}[5s])","end":"2000000000","expect":{"status":"ok","vector":[{"labels":{"a":"b"},"ts":"2000000000","value":"1"}]}}` + "\n"
		bad    = `{"id":"b1","group":"g","kind":"parse","query":"{a=\"b\"}","expect":{"status":"parse_error","stage":"parse"}}` + "\n"
		differ = `{"id":"d1","group":"g","kind":"parse","query":"{a=\"b\"}","expect":{"status":"parse_error"},"server":"differs"}` + "\n"
	)
	test := func(cases string, code int, last string, parts ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		got := run([]string{put("cases.jsonl", cases), dir}, &out, &errs)
		lines := strings.Split(strings.TrimSpace(out.String()+errs.String()), "\n")
		if got != code || lines[len(lines)-1] != last {
			t.Errorf("exit %d, last line %q; want %d, %q", got, lines[len(lines)-1], code, last)
		}
		for _, part := range parts {
			if !strings.Contains(out.String(), part) {
				t.Errorf("output lacks %q:\n%s", part, out.String())
			}
		}
	}
	test(good, 0, "1 passed, 0 failed")
	test(good+bad+differ, 1, "1 passed, 1 failed", "b1 (g, parse", "- parse_error (parse)", "+ ok", "1 cases that a server answered differently, 0 of them equal")
	if code := run(nil, new(bytes.Buffer), new(bytes.Buffer)); code != 2 {
		t.Errorf("exit without arguments %d; want 2", code)
	}
	if code := run([]string{"nope", dir}, new(bytes.Buffer), new(bytes.Buffer)); code != 2 {
		t.Errorf("exit for a file that is not there %d; want 2", code)
	}
}
