package query

import (
	"testing"
	"time"
)

func TestParseMoment(t *testing.T) {
	r := &logRun{first: 1_000 * int64(time.Second), last: 2_000 * int64(time.Second)}
	test := func(in, want string) {
		t.Helper()
		m, err := parseMoment(in)
		if err != nil {
			t.Errorf("parseMoment(%q): %v", in, err)
			return
		}
		if got := formatTime(m.in(r, 42)); got != want {
			t.Errorf("parseMoment(%q) is %s; want %s", in, got, want)
		}
	}
	test("", "1970-01-01T00:00:00.000000042Z")
	test("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z")
	test("2026-01-02T03:04:05.000000006+01:00", "2026-01-02T02:04:05.000000006Z")
	test("1767225600", "2026-01-01T00:00:00Z")
	test("1767225600.5", "2026-01-01T00:00:00.5Z")
	test("1767225600000000001", "2026-01-01T00:00:00.000000001Z")
	test("+5m", "1970-01-01T00:21:40Z")
	test("-1m40s", "1970-01-01T00:31:40Z")
	test("-0s", "1970-01-01T00:33:20Z")
	test("+1d", "1970-01-02T00:16:40Z")

	for _, bad := range []string{"now", "5m", "-", "+", "--5m", "2026-01-02", "2026-01-02T03:04:05", "1.2.3", "99999999999999999999", "1e9", "3000-01-01T00:00:00Z", "+9999999999h"} {
		if m, err := parseMoment(bad); err == nil {
			t.Errorf("parseMoment(%q) = %v; want an error", bad, m)
		}
	}
}

func TestParseDuration(t *testing.T) {
	test := func(in string, want time.Duration) {
		t.Helper()
		if got, err := parseDuration(in); err != nil || got != want {
			t.Errorf("parseDuration(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	test("90s", 90*time.Second)
	test("1m30s", 90*time.Second)
	test("1d", 24*time.Hour)
	test("1w2d3h", (9*24+3)*time.Hour)
	for _, bad := range []string{"", "d", "1x", "1d2w", "70000w", "-1d", "1.5d"} {
		if got, err := parseDuration(bad); err == nil {
			t.Errorf("parseDuration(%q) = %v; want an error", bad, got)
		}
	}
}

func TestMetricWindow(t *testing.T) {
	second := int64(time.Second)
	test := func(first, last int64, from, to, step string, want string) {
		t.Helper()
		w, err := parseWhen(&Options{From: from, To: to, Step: step})
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.metricWindow(&logRun{first: first, last: last})
		text := formatTime(got.Start) + " " + formatTime(got.End)
		if err != nil {
			text = "error"
		}
		if text != want {
			t.Errorf("records from %d to %d, --from %q --to %q --step %q: %s (%v); want %s", first, last, from, to, step, text, err, want)
		}
	}
	test(7*second, 21*second, "", "", "10s", "1970-01-01T00:00:00Z 1970-01-01T00:00:30Z")
	test(10*second, 20*second, "", "", "10s", "1970-01-01T00:00:10Z 1970-01-01T00:00:20Z")
	test(7*second, 21*second, "", "", "", "1970-01-01T00:00:21Z 1970-01-01T00:00:21Z")
	test(7*second, 21*second, "", "-1s", "", "1970-01-01T00:00:20Z 1970-01-01T00:00:20Z")
	test(7*second, 21*second, "+1s", "-1s", "10s", "1970-01-01T00:00:08Z 1970-01-01T00:00:20Z")
	test(7*second, 7*second, "+0s", "-0s", "10s", "1970-01-01T00:00:07Z 1970-01-01T00:00:07Z")
	test(7*second, 21*second, "-1s", "+1s", "10s", "error")
	test(0, 11_000*second, "", "", "1s", "error")
	test(0, 10_999*second, "", "", "1s", "1970-01-01T00:00:00Z 1970-01-01T03:03:19Z")
}

// FuzzParseMoment: no text makes a moment that cannot be printed.
func FuzzParseMoment(f *testing.F) {
	for _, s := range []string{"2026-01-02T03:04:05Z", "1767225600", "1767225600.5", "+5m", "-1w2d", "9e99", "+", "9227000000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := parseMoment(s)
		if err != nil {
			return
		}
		if m.kind == momentAbsolute && (m.at < 0 || formatTime(m.at) == "") {
			t.Errorf("parseMoment(%q) = %v", s, m)
		}
	})
}
