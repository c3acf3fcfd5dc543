package corpus

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/logs"
)

// A rec is one record of a test stream; its time counts from base.
type rec struct {
	at   time.Duration
	line string
}

var base = time.Date(2026, 11, 30, 17, 28, 29, 0, time.UTC)

// writeRun commits one run with a stream for each entry of streams.
func writeRun(t testing.TB, dir string, info RunInfo, streams map[string][]rec) {
	t.Helper()
	w, err := OpenForWrite(dir, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	run, err := w.BeginRun(&Manifest{Build: info.Build, Scenario: Scenario{Name: info.Scenario}, Repetition: info.Repetition})
	if err != nil {
		t.Fatal(err)
	}
	for app, recs := range streams {
		s, err := run.Stream(app, logs.New(logs.Label{Name: "app", Value: app}))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range recs {
			if err := s.Append(&logs.Entry{Time: base.Add(r.at).UnixNano(), Line: []byte(r.line)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := run.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// readRun returns the records as "stream time line".
func readRun(t testing.TB, dir string, info RunInfo) ([]string, error) {
	t.Helper()
	c, err := Open(dir)
	if err != nil {
		return nil, err
	}
	run, err := c.OpenRun(info.Build, info.Scenario, info.Repetition)
	if err != nil {
		return nil, err
	}
	e, err := run.Entries()
	if err != nil {
		return nil, err
	}
	defer e.Close()
	var got []string
	for e.Scan() {
		got = append(got, fmt.Sprintf("%s %v %s", run.Manifest.Streams[e.Stream()].Name, time.Duration(e.Entry().Time-base.UnixNano()), e.Entry().Line))
	}
	return got, e.Err()
}

var one = RunInfo{"deployed", "drill", 1}

func TestEntries_MergesInTimeOrder(t *testing.T) {
	dir := t.TempDir()
	writeRun(t, dir, one, map[string][]rec{
		"b": {{0, "b0"}, {2, "b2"}, {2, "b2 again"}, {5, "b5"}},
		"a": {{1, "a1"}, {2, "a2"}, {3, "a3"}},
		"c": {},
	})
	got, err := readRun(t, dir, one)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"b 0s b0", "a 1ns a1", "a 2ns a2", "b 2ns b2", "b 2ns b2 again", "a 3ns a3", "b 5ns b5"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestRoundTrip_KeepsEveryByte(t *testing.T) {
	every := make([]byte, 0, 256)
	for i := range 256 {
		if i != '\n' {
			every = append(every, byte(i))
		}
	}
	lines := []string{"", " ", "\r", "a\r", "\x00\x00", string(every), "\xff\xfe", strings.Repeat("x", 5<<20), "", "2026-01-01T00:00:00Z inner", strings.Repeat("y", frameText-40), "end"}
	f := func(name string, lines []string, suffix string) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), name)
		var recs []rec
		var want []string
		for i, l := range lines {
			recs = append(recs, rec{time.Duration(i), l})
			want = append(want, fmt.Sprintf("s %v %s", time.Duration(i), l))
		}
		writeRun(t, dir, one, map[string][]rec{"s": recs})
		got, err := readRun(t, dir, one)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d records; want %d", name, len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: record %d differs: %.80q; want %.80q", name, i, got[i], want[i])
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "runs/deployed/drill/1/logs/s"+suffix)); err != nil {
			t.Error(err)
		}
	}
	f("plain", lines, logSuffix)
	f("newline", append(lines, "two\nlines", "after"), ndjsonSuffix)
}

func TestFrames_AtMost4MiB(t *testing.T) {
	dir := t.TempDir()
	var recs []rec
	line := strings.Repeat("0123456789abcdef", 64)
	for i := range 12000 {
		recs = append(recs, rec{time.Duration(i), line + fmt.Sprint(i)})
	}
	writeRun(t, dir, one, map[string][]rec{"s": recs})
	text, err := os.ReadFile(filepath.Join(dir, "runs/deployed/drill/1/logs/s.log.zst"))
	if err != nil {
		t.Fatal(err)
	}
	dec, err := newDecoder()
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd}
	frames := bytes.Count(text, magic)
	if frames < 10 {
		t.Errorf("%d frames; want at least 10", frames)
	}
	if got, err := readRun(t, dir, one); err != nil || len(got) != len(recs) {
		t.Errorf("read %d records, error %v; want %d", len(got), err, len(recs))
	}
}

func TestPrefix(t *testing.T) {
	var p prefixParser
	var d dayFormat
	for _, ns := range []int64{0, 1, 999999999, 1e9, -1, -1e9, base.UnixNano(), base.UnixNano() + 120, minTime, maxTime} {
		text := d.appendPrefix(nil, ns)
		if want := time.Unix(0, ns).UTC().Format(time.RFC3339Nano) + " "; string(text) != want {
			t.Errorf("appendPrefix(%d) = %q; want %q", ns, text, want)
		}
		got, line, ok := p.parse(append(text, "x y"...))
		if !ok || got != ns || string(line) != "x y" {
			t.Errorf("parse(%q) = %d, %q, %v; want %d", text, got, line, ok, ns)
		}
	}
	for _, bad := range []string{"", "2026-11-30T17:28:29Z", "2026-11-30T17:28:29 x", "2026-11-30T17:28:29.Z x", "2026-11-30T17:28:29.1234567890Z x", "2026-11-30T17:28:29+00:00 x", "2026-11-30T24:28:29Z x", "2026-13-30T17:28:29Z x", "2026-11-31T17:28:29Z x", "2026-11-30 17:28:29Z x", "2026-11-30T17:28:29.5Zx", "9999-11-30T17:28:29Z x"} {
		if _, _, ok := p.parse([]byte(bad)); ok {
			t.Errorf("parse(%q) took it for a time", bad)
		}
	}
}

func TestOpenRun_Unknown(t *testing.T) {
	dir := t.TempDir()
	writeRun(t, dir, one, map[string][]rec{"a": {{0, "x"}}})
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	f := func(build, scenario string, n int, want string) {
		t.Helper()
		if _, err := c.OpenRun(build, scenario, n); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("OpenRun(%s, %s, %d) gave %v; want %q at its end", build, scenario, n, err, want)
		}
	}
	f("deploid", "drill", 1, `no build "deploid"; did you mean deployed?`)
	f("deployed", "other", 1, `no scenario "other"; it has: drill`)
	f("deployed", "drill", 2, `no repetition "2"; it has: 1`)
}
