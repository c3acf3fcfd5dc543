package logql

import (
	"bytes"
	"fmt"
	"testing"
)

func TestBlock(t *testing.T) {
	var b block
	for range 3 { // a block is used again after a reset
		b.reset()
		for _, n := range []int{5, manyFields - 1, manyFields, manyFields + 1, 200} {
			for i := len(b.fields); i < n; i++ {
				b.add(fmt.Appendf(nil, "f%d", i), fmt.Appendf(nil, "v%d", i))
			}
			b.add([]byte("f3"), []byte("again"))
			if len(b.fields) != n {
				t.Fatalf("%d fields; want %d", len(b.fields), n)
			}
			for i := range n {
				if got := b.find(newNameRef(fmt.Sprint("f", i))); got != i {
					t.Fatalf("of %d fields, find(f%d) = %d", n, i, got)
				}
			}
			if got := b.find(newNameRef("none")); got != -1 {
				t.Fatalf("of %d fields, find(none) = %d; want -1", n, got)
			}
		}
	}
}

// A line of very many fields must not take time that grows with their square:
// this would not end before the test's deadline.
func TestJSONStage_ManyFields(t *testing.T) {
	var line bytes.Buffer
	line.WriteByte('{')
	const n = 200_000
	for i := range n {
		fmt.Fprintf(&line, `"k%d":"v",`, i)
	}
	line.WriteString(`"end":"x"}`)
	entries := lines(line.String())
	checkInstant(t, `sum by (end) (count_over_time({app="a"} | json | logfmt | json | end="x" [5s]))`, 5, entries, `{end="x"} 1`)
	checkInstant(t, `count_over_time({app="a"} | json | keep end, app | regexp "(?P<end>x)" [5s])`, 5, entries, `{app="a", end="x"} 1`)
}
