package logqltest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The most differences that [Diff] shows, and the most bytes of each.
const (
	maxDiffs    = 6
	maxDiffText = 400
)

// Diff shows what an answer lacks of the recorded one (-) and has beside it
// (+), cut to a bearable length.
func Diff(got, want *Answer) string {
	g, w := items(got), items(want)
	var b strings.Builder
	n := 0
	show := func(sign string, in, other []string) {
		for _, item := range in {
			if slices.Contains(other, item) {
				continue
			}
			if n++; n <= maxDiffs {
				fmt.Fprintf(&b, "  %s %s\n", sign, cut(item))
			}
		}
		n = 0
	}
	show("-", w, g)
	show("+", g, w)
	if b.Len() == 0 {
		b.WriteString("  the same parts in another order, or some more than once\n")
	}
	return b.String()
}

// items is an answer as a list of texts, one for each part that can differ by
// itself.
func items(a *Answer) []string {
	status := a.Status
	if a.Stage != "" {
		status += " (" + a.Stage + ")"
	}
	if a.Err != "" {
		status += ": " + a.Err
	}
	out := []string{status}
	for _, s := range a.Streams {
		for _, e := range s.Entries {
			out = append(out, text(s.Labels)+" "+text(e))
		}
	}
	for _, s := range a.Matrix {
		for _, p := range s.Points {
			out = append(out, text(s.Labels)+" "+text(p))
		}
	}
	for _, s := range a.Vector {
		out = append(out, text(s))
	}
	if a.Scalar != "" {
		out = append(out, a.Scalar)
	}
	return out
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func cut(s string) string {
	if len(s) <= maxDiffText {
		return s
	}
	return s[:maxDiffText] + "…"
}
