package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestReadme: what the README shows of a report, from the verdict to what
// breaks, is that of the demo. With -update it is written anew.
func TestReadme(t *testing.T) {
	const file = "../../README.md"
	const before, after = "This is how\nthe report of `make demo` begins:\n\n```\n", "\n```\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), before)
	shown, tail, closed := strings.Cut(rest, after)
	if !ok || !closed {
		t.Fatalf("%s does not show how the report of the demo begins", file)
	}
	var out, errs bytes.Buffer
	env := &cliEnv{stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if code := run(t.Context(), env, []string{"demo", "--width", "80", "--color", "never"}); code != 0 {
		t.Fatalf("the demo ends with %d: %s", code, errs.String())
	}
	want, _, ok := strings.Cut(out.String(), "\n\nWARN ")
	if !ok {
		t.Fatalf("the demo warns of nothing:\n%s", out.String())
	}
	if *update && shown != want {
		if err := os.WriteFile(file, []byte(head+before+want+after+tail), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if shown != want {
		t.Errorf("%s shows\n%s\nthe demo writes\n%s", file, shown, want)
	}
}
