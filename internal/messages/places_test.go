package messages

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// TestRecord_Place finds the place of the call in every encoding.
func TestRecord_Place(t *testing.T) {
	for line, want := range map[string]string{
		`{"level":"info","caller":"hoist/lift.go:12","msg":"m"}`:                                    "hoist/lift.go:12",
		`{"level":"info","source":{"function":"f","file":"/src/hoist/lift.go","line":9},"msg":"m"}`: "hoist/lift.go:9",
		"2026-11-30T17:28:29.863Z\tINFO\thoist\thoist/lift.go:7\tm":                                 "hoist/lift.go:7",
		`I1130 17:29:46.551209    3306 lift.go:233] "m" pod="a"`:                                    "lift.go:233",
		`time=2026-11-30T17:28:29Z level=INFO source=/src/hoist/lift.go:5 msg="a m"`:                "hoist/lift.go:5",
		"2026-11-30 17:28:29 INFO lift.go:4: lifted":                                                "lift.go:4",
		`{"level":"info","msg":"m"}`:                                                                "",
	} {
		var r Record
		r.Parse([]byte(line))
		if got := string(r.Place); got != want {
			t.Errorf("%s: %q; want %q", line, got, want)
		}
	}
}

// TestCatalogue_Places: a message that two calls write is one.
func TestCatalogue_Places(t *testing.T) {
	c := NewCatalogue()
	for i, line := range []string{"12", "40", "12"} {
		c.Add(logs.Labels{}, &logs.Entry{Time: int64(i), Line: []byte(`{"caller":"a/b.go:` + line + `","msg":"lifted"}`)})
	}
	list, _, _ := c.Finish()
	if len(list) != 1 {
		t.Fatalf("%d messages; want 1", len(list))
	}
	if diff := cmp.Diff([]outcome.Place{{At: "a/b.go:12", Count: 2}, {At: "a/b.go:40", Count: 1}}, list[0].Places); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
