package repair

import (
	"bytes"
	"fmt"
	"path"
	"strings"
)

// diffContext is the number of unchanged lines around a change.
const diffContext = 3

// maxDiffLine bounds the lines of a diff, in bytes: a whole dashboard can stand
// on one line.
const maxDiffLine = 64 << 10

// Diff returns a unified diff from one text to another that changed few lines,
// as patch -p1 and git apply take it. The name is a slash path, below the folder
// in which the diff is applied.
func Diff(name string, from, to []byte) string {
	a, b := splitLines(from), splitLines(to)
	changes := changedLines(a, b)
	if len(changes) == 0 {
		return ""
	}
	name = strings.TrimPrefix(path.Clean(name), "/")
	var out strings.Builder
	fmt.Fprintf(&out, "--- a/%s\n+++ b/%s\n", quoteName(name), quoteName(name))
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].from-changes[n-1].fromEnd <= 2*diffContext {
			n++
		}
		writeHunk(&out, a, b, changes[:n])
		changes = changes[n:]
	}
	return out.String()
}

// quoteName keeps a name with blanks whole: what follows a tab is no part of it.
func quoteName(name string) string {
	if strings.ContainsAny(name, " ") {
		return name + "\t"
	}
	return name
}

// LongLines reports whether a text has a line that is too long to be shown.
func LongLines(diff string) bool {
	for line := range strings.Lines(diff) {
		if len(line) > maxDiffLine {
			return true
		}
	}
	return false
}

// A changedRange says that lines [from, fromEnd) became lines [to, toEnd).
type changedRange struct{ from, fromEnd, to, toEnd int }

func splitLines(text []byte) [][]byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	return lines
}

// changedLines finds what changed. Between what both texts begin and end with,
// lines are compared one by one where there are as many; an expression that
// was rewritten seldom gains or loses lines.
func changedLines(a, b [][]byte) []changedRange {
	start := 0
	for start < len(a) && start < len(b) && bytes.Equal(a[start], b[start]) {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && bytes.Equal(a[len(a)-1-end], b[len(b)-1-end]) {
		end++
	}
	from, to := len(a)-end, len(b)-end
	if start == from && start == to {
		return nil
	}
	if from != to {
		return []changedRange{{start, from, start, to}}
	}
	var out []changedRange
	for i := start; i < from; i++ {
		switch n := len(out); {
		case bytes.Equal(a[i], b[i]):
		case n > 0 && out[n-1].fromEnd == i:
			out[n-1].fromEnd, out[n-1].toEnd = i+1, i+1
		default:
			out = append(out, changedRange{i, i + 1, i, i + 1})
		}
	}
	return out
}

func writeHunk(out *strings.Builder, a, b [][]byte, changes []changedRange) {
	first, last := changes[0], changes[len(changes)-1]
	from, to := max(first.from-diffContext, 0), min(last.fromEnd+diffContext, len(a))
	toFrom, toEnd := first.to-(first.from-from), last.toEnd+(to-last.fromEnd)
	fmt.Fprintf(out, "@@ -%s +%s @@\n", hunkRange(from, to), hunkRange(toFrom, toEnd))
	at := from
	for _, c := range changes {
		writeLines(out, ' ', a[at:c.from])
		writeLines(out, '-', a[c.from:c.fromEnd])
		writeLines(out, '+', b[c.to:c.toEnd])
		at = c.fromEnd
	}
	writeLines(out, ' ', a[at:to])
}

func hunkRange(from, to int) string {
	if from == to {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func writeLines(out *strings.Builder, mark byte, lines [][]byte) {
	for _, l := range lines {
		out.WriteByte(mark)
		out.Write(l)
		if !bytes.HasSuffix(l, []byte("\n")) {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
