package rules

import (
	"os"
	"strings"
	"testing"
)

// checkPositions fails unless each byte of an expression stands where the
// rule says, white space and escapes aside.
func checkPositions(t testing.TB, r *Rule) {
	t.Helper()
	if (r.Kind == Metric || r.Kind == Pattern) && r.NotEvaluated == "" {
		return // translated: its bytes are not in the file
	}
	text, err := os.ReadFile(r.Pos.File)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	first := true
	for i := range len(r.Expr) {
		c := r.Expr[i]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			continue
		}
		pos := r.Position(i)
		if first && pos != r.Pos {
			t.Fatalf("%s: begins at %v, but its first byte stands at %v", r.Name, r.Pos, pos)
		}
		first = false
		if pos.Line < 1 || pos.Line > len(lines) || pos.Column < 1 || pos.Column > len(lines[pos.Line-1]) {
			t.Fatalf("%s: byte %d of %q at %v, which is not in the file", r.Name, i, r.Expr, pos)
		}
		if got := lines[pos.Line-1][pos.Column-1]; got != c && got != '\\' && !variableStart(lines[pos.Line-1][pos.Column-1:]) {
			t.Fatalf("%s: byte %d of %q is %q, but %v is %q", r.Name, i, r.Expr, c, pos, got)
		}
	}
}

// variableStart reports whether a text begins with a variable of Grafana, in
// whose place other bytes stand.
func variableStart(text string) bool {
	return strings.HasPrefix(text, "$") || strings.HasPrefix(text, "[[")
}
