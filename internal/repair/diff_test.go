package repair

import (
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("x\n", n) }
	tests := []struct{ name, from, to, want string }{
		{"equal", "a\n", "a\n", ""},
		{"one line", "a\n", "b\n", "--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n+b\n"},
		{"context", lines(5) + "a\n" + lines(5), lines(5) + "b\n" + lines(5), "--- a/f\n+++ b/f\n@@ -3,7 +3,7 @@\n x\n x\n x\n-a\n+b\n x\n x\n x\n"},
		{"no line end", "a\nb", "a\nc", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
		{"far apart", "a\n" + lines(7) + "a\n", "b\n" + lines(7) + "b\n", "--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n-a\n+b\n x\n x\n x\n@@ -6,4 +6,4 @@\n x\n x\n x\n-a\n+b\n"},
		{"near each other", "a\nx\na\n", "b\nx\nb\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-a\n+b\n x\n-a\n+b\n"},
		{"fewer lines", "a\nb\nc\n", "a\nd\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,2 @@\n a\n-b\n-c\n+d\n"},
		{"carriage returns", "a\r\nb\r\n", "a\r\nc\r\n", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
	}
	for _, tt := range tests {
		if got := Diff("f", []byte(tt.from), []byte(tt.to)); got != tt.want {
			t.Errorf("%s: %q; want %q", tt.name, got, tt.want)
		}
	}
	if got := Diff("/x/../y z", []byte("a\n"), []byte("b\n")); !strings.HasPrefix(got, "--- a/y z\t\n+++ b/y z\t\n") {
		t.Errorf("name in %q", got)
	}
}
