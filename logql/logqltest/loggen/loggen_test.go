package loggen_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/logql/logqltest/loggen"
)

// Figures in docs/perf were measured on this log: who changes it says so there.
func TestWrite_SameBytes(t *testing.T) {
	test := func(name, want string, write func(*bytes.Buffer) error) {
		t.Helper()
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(b.Bytes(), []byte("\n")); n != 1000 {
			t.Errorf("%s: %d lines; want 1000", name, n)
		}
		sum := sha256.Sum256(b.Bytes())
		if got := hex.EncodeToString(sum[:8]); got != want {
			t.Errorf("%s: the first 1,000 lines have the hash %s; want %s", name, got, want)
		}
	}
	test("json", "e5b901eb5c4967a1", func(b *bytes.Buffer) error { return loggen.Write(b, 1000) })
	test("logfmt", "8b6e950610c27d64", func(b *bytes.Buffer) error { return loggen.WriteLogfmt(b, 1000) })
	test("rules", "adefdac1fb281afd", func(b *bytes.Buffer) error {
		_, err := b.WriteString(strings.Join(loggen.Rules(1000), "\n") + "\n")
		return err
	})
}

func TestLines(t *testing.T) {
	const n = 120_000
	levels := make(map[string]int)
	broken, size, last := 0, 0, loggen.Start
	hits := make(map[string]int)
	loggen.Lines(n, func(ts int64, line []byte) {
		if ts <= last {
			t.Fatalf("time %d after %d", ts, last)
		}
		last = ts
		size += len(line) + 1
		var rec struct{ Level, TS, Msg string }
		if json.Unmarshal(line, &rec) != nil {
			broken++
		}
		levels[rec.Level]++
		for _, x := range loggen.Needles() {
			if bytes.Contains(line, []byte(x.Text)) {
				hits[x.Name]++
			}
		}
	})
	if broken != 2 {
		t.Errorf("%d of %d lines are broken; want 2", broken, n)
	}
	between := func(what string, got, low, high int) {
		t.Helper()
		if got < low || got > high {
			t.Errorf("%s: %d; want %d to %d", what, got, low, high)
		}
	}
	between("bytes a line", size/n, 250, 270)
	between("info, per mille", levels["info"]*1000/n, 780, 840)
	between("error, per mille", levels["error"]*1000/n, 20, 50)
	between("rare", hits["rare"], 2, 40)
	between("few", hits["few"], n/100, n/50)
	between("common", hits["common"], n*7/10, n*9/10)
	between("every", hits["every"], n-2, n-1)
	between("none", hits["none"], 0, 0)
	between("near", hits["near"], 0, 0)
}

func TestRules(t *testing.T) {
	rules := loggen.Rules(500)
	if !slices.Equal(rules[:100], loggen.Rules(100)) {
		t.Error("Rules(100) are not the first of Rules(500)")
	}
	seen := make(map[string]bool)
	kinds := make(map[string]int)
	for _, r := range rules {
		if seen[r] {
			t.Errorf("twice: %s", r)
		}
		seen[r] = true
		if _, err := logql.ParseAndCompile(r); err != nil {
			t.Errorf("%s: %v", r, err)
		}
		switch {
		case strings.Contains(r, "|~") || strings.Contains(r, "| unwrap"):
			kinds["regexp or unwrap"]++
		case strings.Contains(r, "| json |"):
			kinds["json"]++
		case strings.Contains(r, "|="):
			kinds["line filter"]++
		}
	}
	want := "map[json:200 line filter:200 regexp or unwrap:100]"
	if got := fmt.Sprint(kinds); got != want {
		t.Errorf("kinds of rules: %s; want %s", got, want)
	}
}

type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errors.New("disk is full")
	}
	return len(p), nil
}

func TestWrite_Error(t *testing.T) {
	for _, left := range []int{0, 3 << 20} {
		if err := loggen.Write(&fullDisk{left}, 20_000); err == nil {
			t.Errorf("no error from a disk with %d bytes", left)
		}
	}
}
