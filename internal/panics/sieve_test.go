package panics

import (
	"strings"
	"testing"
)

// TestSieve looks for each clue at each place of a line.
func TestSieve(t *testing.T) {
	for _, clue := range clues {
		for before := range 12 {
			for after := range 4 {
				line := strings.Repeat("x", before) + clue + strings.Repeat("y", after)
				if !mayTell([]byte(line)) {
					t.Errorf("%q is not found in %q", clue, line)
				}
				broken := strings.Repeat("x", before) + clue[:len(clue)-1] + "~" + strings.Repeat("y", after)
				if mayTell([]byte(broken)) {
					t.Errorf("%q is found in %q", clue, broken)
				}
			}
		}
	}
	for _, line := range []string{"", "p", "pa", "pan", "pani", `{"level":"info","msg":"the manual of pani c"}`} {
		if mayTell([]byte(line)) {
			t.Errorf("a clue is found in %q", line)
		}
	}
}
