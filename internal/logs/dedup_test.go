package logs

import (
	"fmt"
	"testing"
)

func TestDedup(t *testing.T) {
	var d Dedup
	test := func(want bool, stream int, time int64, line string, meta ...Label) {
		t.Helper()
		e := Entry{Time: time, Line: []byte(line)}
		if len(meta) > 0 {
			e.Metadata = New(meta...)
		}
		if got := d.Repeat(stream, &e); got != want {
			t.Errorf("Repeat(%d, %d %q %v) = %v; want %v", stream, time, line, meta, got, want)
		}
	}
	test(false, 0, 0, "a")
	test(true, 0, 0, "a")
	test(false, 1, 0, "a")
	test(false, 0, 0, "b")
	test(false, 0, 0, "a", Label{"k", "v"})
	test(true, 0, 0, "a", Label{"k", "v"})
	test(false, 0, 1, "a")
	test(true, 0, 1, "a")
	for range 2 {
		for i := range 50 {
			test(false, 0, 2, fmt.Sprint("many ", i))
			test(true, 0, 2, fmt.Sprint("many ", i))
		}
		for i := range 50 {
			test(true, 0, 2, fmt.Sprint("many ", i))
		}
		test(false, 0, 3, "many 1")
		d = Dedup{}
	}
}

func TestDedup_OwnsLines(t *testing.T) {
	var d Dedup
	line := []byte("first")
	d.Repeat(0, &Entry{Time: 1, Line: line})
	copy(line, "other")
	if d.Repeat(0, &Entry{Time: 1, Line: line}) {
		t.Error("Repeat compares with memory that its caller has changed")
	}
}
