package repair

import (
	"testing"
	"unicode/utf8"

	"github.com/grafana/regexp"
)

func TestOpposed(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"watch started", "watch stopped", true},
		{"job is suspended", "job is unsuspended", true},
		{"the pod is ready", "the pod is not ready", true},
		{"cluster connected", "cluster disconnected", true},
		{"binding succeeded", "binding failed", true},
		{"lock acquired", "lock released", true},
		{"got reservation on", "was admitted on", false},
		{"Job changed queues, updating workload", "Job changed queue-name, updating workload", false},
		{"not found, retry", "not there, retry", false},
		{"", "", false},
	}
	for _, tt := range tests {
		if got := opposed(tt.a, tt.b); got != tt.want {
			t.Errorf("opposed(%q, %q) = %v; want %v", tt.a, tt.b, got, tt.want)
		}
		if opposed(tt.b, tt.a) != opposed(tt.a, tt.b) {
			t.Errorf("opposed(%q, %q) is not symmetric", tt.a, tt.b)
		}
	}
}

func TestAligned(t *testing.T) {
	tests := []struct{ a, part, b, want string }{
		{`The workload got reservation on "worker-1"`, "got reservation on", `The workload was admitted on "worker-1"`, "was admitted on"},
		{`The workload got reservation on "worker-1"`, "The workload got reservation on", `The workload was admitted on "worker-1"`, "The workload was admitted on"},
		{"lost connection to worker-1", "lost connection", "dropped link to worker-1", "dropped link"},
		{"Pod train-7 cannot be bound", "cannot be bound", "Pod train-9 was not bound", "was not bound"},
		{"one two", "two", "", ""},
		{"one two", "", "three", ""},
		{"all other words", "other", "nothing in common", "nothing in common"},
	}
	for _, tt := range tests {
		start, end := span(tt.a, tt.part, 1)
		if got := aligned(tt.a, start, end, tt.b); got != tt.want {
			t.Errorf("aligned(%q, %q, %q) = %q; want %q", tt.a, tt.part, tt.b, got, tt.want)
		}
	}
}

// A regexp of two texts accepts both and, where they share words, not the whole
// line.
func TestEither(t *testing.T) {
	tests := []struct{ a, b, want string }{
		{"Job changed queues, updating workload", "Job changed queue-name, updating workload", `Job changed (queues|queue-name), updating workload`},
		{"events", "recorder", "events|recorder"},
		{"a.b", "a.c", `a\.b|a\.c`},
		{"aa", "a", "aa|a"},
		{"the same words", "the same words", `the same (|)words`},
		{"lost the worker (a)", "lost the workers (a)", `lost the (worker|workers) \(a\)`},
	}
	for _, tt := range tests {
		got := either(tt.a, tt.b)
		if tt.a != tt.b && got != tt.want {
			t.Errorf("either(%q, %q) = %q; want %q", tt.a, tt.b, got, tt.want)
		}
		re, err := regexp.Compile("^(?:" + got + ")$")
		if err != nil || !re.MatchString(tt.a) || !re.MatchString(tt.b) {
			t.Errorf("%q does not match both of %q and %q (%v)", got, tt.a, tt.b, err)
		}
	}
}

func FuzzWording(f *testing.F) {
	f.Add(`The workload got reservation on "worker-1"`, `The workload was admitted on "worker-1"`, 3, 20)
	f.Add("a\x00ä\"", "\xff(", 0, 1)
	f.Fuzz(func(t *testing.T, a, b string, start, end int) {
		if !utf8.ValidString(a) || !utf8.ValidString(b) {
			t.Skip("lines are valid UTF-8")
		}
		re, err := regexp.Compile("^(?s:" + either(a, b) + ")$")
		if err == nil && (!re.MatchString(a) || !re.MatchString(b)) {
			t.Errorf("either(%q, %q) = %q matches not both", a, b, re)
		}
		if _, err := regexp.Compile(regexpOf(a)); err != nil {
			t.Errorf("regexpOf(%q): %v", a, err)
		}
		start = min(max(start, 0), len(a))
		end = min(max(end, start), len(a))
		aligned(a, start, end, b)
		opposed(a, b)
		likeness(a, b)
		fieldsOf(a)
	})
}
