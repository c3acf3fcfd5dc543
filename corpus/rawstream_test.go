package corpus

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readRaw returns the records of a log as OpenRaw reads it.
func readRaw(t *testing.T, text string, live bool, opts RawOptions) (records []string, undated string) {
	t.Helper()
	opts.Stdin = strings.NewReader(text)
	r, err := OpenRaw(context.Background(), "-", live, opts)
	if err != nil {
		return []string{err.Error()}, ""
	}
	for r.Scan() {
		records = append(records, fmt.Sprintf("%d %q", r.Entry().Time, r.Entry().Line))
	}
	if err := r.Err(); err != nil {
		records = append(records, err.Error())
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return records, r.Undated()
}

// importRaw returns the records of a log as ImportRaw keeps them.
func importRaw(t *testing.T, text string, opts RawOptions) (records []string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "corpus")
	opts.Stdin, opts.Build = strings.NewReader(text), "b"
	if _, err := ImportRaw(context.Background(), []string{"-"}, dir, opts); err != nil {
		t.Fatal(err)
	}
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun("b", DefaultScenario, 1)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := run.Entries()
	if err != nil {
		t.Fatal(err)
	}
	defer entries.Close()
	for entries.Scan() {
		records = append(records, fmt.Sprintf("%d %q", entries.Entry().Time, entries.Entry().Line))
	}
	if err := entries.Err(); err != nil {
		t.Fatal(err)
	}
	return records
}

// rawLogs are logs whose times an import can tell.
var rawLogs = map[string]string{
	"zap":      "{\"ts\":\"2026-01-01T00:00:01Z\"}\n{\"ts\":\"2026-01-01T00:00:02Z\"}\npanic: oh\n\n\tat x.go:1\n{\"ts\":\"2026-01-01T00:00:00Z\"}\n",
	"banner":   "hello\nworld\n{\"ts\":\"2026-01-01T00:00:01Z\"}\nend",
	"kubectl":  "2026-01-01T00:00:01.123456789Z {\"ts\":\"2025-01-01T00:00:00Z\"}\n2026-01-01T00:00:01.223456789Z b\n",
	"cri":      "2026-01-01T00:00:01.1Z stderr P one \n2026-01-01T00:00:01.2Z stderr F two\n2026-01-01T00:00:01.3Z stdout P open\n",
	"docker":   "{\"log\":\"a\\n\",\"stream\":\"stderr\",\"time\":\"2026-01-01T00:00:01.1Z\"}\n",
	"logfmt":   "time=2026-01-01T00:00:01Z level=info msg=a\ntime=2026-01-01T00:00:02Z level=info msg=b\n",
	"klog":     "I0101 00:00:01.000001       1 a.go:1] x\nE1231 00:00:02.000001       1 a.go:1] y\n",
	"klog+zap": "{\"ts\":\"2026-01-01T00:00:01Z\"}\nI0101 00:00:03.000001       1 a.go:1] x\n",
	"bytes":    "2026-01-01T00:00:01Z a\x00b\xff\r\n2026-01-01T00:00:02Z \x1b[31m",
}

func TestRawEntries_AsImported(t *testing.T) {
	opts := RawOptions{Time: TimeSpec{Year: 2026, Timezone: "UTC"}}
	for name, text := range rawLogs {
		want := importRaw(t, text, opts)
		got, undated := readRaw(t, text, false, opts)
		if diff := cmp.Diff(want, got); diff != "" || undated != "" {
			t.Errorf("%s (undated: %q; -import +read):\n%s", name, undated, diff)
		}
		if live, _ := readRaw(t, text, true, opts); name != "banner" {
			if diff := cmp.Diff(want, live); diff != "" {
				t.Errorf("%s, live (-import +read):\n%s", name, diff)
			}
		}
	}
}

func TestRawEntries_Live(t *testing.T) {
	got, undated := readRaw(t, rawLogs["banner"], true, RawOptions{})
	want := []string{`0 "hello"`, `0 "world"`, `1767225601000000000 "{\"ts\":\"2026-01-01T00:00:01Z\"}"`, `1767225601000001000 "end"`}
	if diff := cmp.Diff(want, got); diff != "" || undated != "" {
		t.Errorf("undated: %q; -want +got:\n%s", undated, diff)
	}
}

func TestRawEntries_Undated(t *testing.T) {
	test := func(text string, opts RawOptions, want string) {
		t.Helper()
		for _, live := range []bool{true, false} {
			if _, got := readRaw(t, text, live, opts); got != want {
				t.Errorf("%q, live %t: undated is %q; want %q", text, live, got, want)
			}
		}
	}
	test("one\ntwo\n", RawOptions{}, noTime)
	klog := rawLogs["klog"]
	test(klog, RawOptions{}, "its times have no year and no zone; give --year and --timezone")
	test(klog, RawOptions{Time: TimeSpec{Year: 2026}}, "its times have no zone; give --timezone")
	test(klog, RawOptions{Time: TimeSpec{Timezone: "UTC"}}, "its times have no year; give --year")
	test(klog, RawOptions{Time: TimeSpec{Year: 2026, Timezone: "UTC"}}, "")
}

func TestRawEntries_Refused(t *testing.T) {
	test := func(text, want string) {
		t.Helper()
		got, _ := readRaw(t, text, true, RawOptions{})
		if len(got) == 0 || !strings.Contains(got[len(got)-1], want) {
			t.Errorf("%.20q gives %q; want %q at the end", text, got, want)
		}
	}
	test("", "stdin: is empty: there is nothing to read")
	test("\xfd7zXZ\x00 and so on", "stdin: is compressed with xz")
	test("\x1f\x8b\x08 and so on, but no gzip", "stdin: ")
	test(strings.Repeat("\x00\x01", 50), "stdin: is a binary file")
	test("a line\n"+strings.Repeat("x", MaxRecord+1), "stdin: line 2 is longer than")
	if _, err := OpenRaw(context.Background(), t.TempDir(), false, RawOptions{}); err == nil {
		t.Error("a directory opens")
	}
	if _, err := OpenRaw(context.Background(), "-", false, RawOptions{}); err == nil {
		t.Error("standard input opens although there is none")
	}
}

// A live log gives a record as soon as its line is there.
func TestRawEntries_DoesNotWait(t *testing.T) {
	in, feed := io.Pipe()
	lines := []string{"begin of it\n", "{\"ts\":\"2026-01-01T00:00:01Z\"}\n", "the end\n"}
	go func() { _, _ = io.WriteString(feed, lines[0]) }()
	r, err := OpenRaw(context.Background(), "-", true, RawOptions{Stdin: in})
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		if i > 0 {
			go func() { _, _ = io.WriteString(feed, line) }()
		}
		if !r.Scan() || string(r.Entry().Line)+"\n" != line {
			t.Fatalf("after %q came %q, %v", line, r.Entry().Line, r.Err())
		}
	}
	if err := feed.Close(); err != nil {
		t.Fatal(err)
	}
	if r.Scan() || r.Err() != nil {
		t.Errorf("after the end came %q, %v", r.Entry().Line, r.Err())
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzRawEntries: whatever a log holds, reading it ends and gives times that do
// not go back.
func FuzzRawEntries(f *testing.F) {
	for _, text := range rawLogs {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, live bool) {
		r, err := OpenRaw(context.Background(), "-", live, RawOptions{Stdin: strings.NewReader(string(text)), Time: TimeSpec{Year: 2026, Timezone: "UTC"}})
		if err != nil {
			return
		}
		last := int64(0)
		for r.Scan() {
			if at := r.Entry().Time; at < last {
				t.Errorf("time goes from %d back to %d", last, at)
			} else {
				last = at
			}
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}
