package contrary

import (
	"strings"
	"testing"
)

func TestOpposed(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"started", "stopped", true},
		{"starting", "stopped", true},
		{"enabled", "disabled", true},
		{"enabling", "disabling", true},
		{"succeeded", "failed", true},
		{"lock acquired", "lock lost", true},
		{"lease gained", "lease lost", true},
		{"the link is up", "the link is down", true},
		{"state true", "state false", true},
		{"online", "offline", true},
		{"granted", "revoked", true},
		{"accepted", "declined", true},
		{"found", "missing", true},
		{"completed", "aborted", true},
		{"encrypted", "decrypted", true},
		{"matched", "mismatched", true},
		{"grew", "shrank", true},
		{"denied", "allowed", true},
		{"committed", "rolled back", true},
		{"too many", "too few", true},
		{"synced", "out of sync", true},
		{"can bind", "can't bind", true},
		{"did bind", "didn\u2019t bind", true},
		{"loaded", "failed to load", true},
		{"bind", "could not bind", true},
		{"brake on on crane", "brake off on crane", true},
		{"cordoned", "uncordoned", true},
		{"retrying after error", "will not retry after error", true},
		{"retrying", "not retrying", true},

		// The same in other words.
		{"started", "has begun", false},
		{"starting workers", "started workers", false},
		{"failed to bind", "could not bind", false},
		{"failed to bind", "binding failed", false},
		{"failed to bind", "error: failed to bind", false},
		{"failed to complete the lift", "could not finish the lift", false},
		{"unable to find the crate", "crate was not found", false},
		{"the workload got reservation on", "the workload was admitted on", false},
		{"job changed queues", "job changed queue-name", false},
		{"successfully loaded configuration", "configuration loaded", false},
		{"stopping", "stopped", false},
		{"lost connection to", "is disconnected from", false},
		{"lost connection to the worker", "the manager dropped its link to the worker", false},
		{"could not reach controller", "controller unreachable", false},
		{"is not available", "is unavailable", false},
		{"pod cannot be scheduled", "pod is unschedulable", false},
		{"could not reach controller", "controller reachable", true},
		{"is available", "is unavailable", true},
		{"reached controller", "controller unreachable", true},
		{"start and stop", "stop and start", false},
		{"", "", false},
	} {
		a, b := strings.Fields(tt.a), strings.Fields(tt.b)
		if got := Opposed(a, b); got != tt.want {
			t.Errorf("Opposed(%q, %q) = %v; want %v", tt.a, tt.b, got, tt.want)
		}
		if got := Opposed(b, a); got != tt.want {
			t.Errorf("Opposed(%q, %q) = %v; want %v", tt.b, tt.a, got, tt.want)
		}
	}
}

// TestAxes_TwoSides finds words that an axis puts on both of its sides.
func TestAxes_TwoSides(t *testing.T) {
	for i, axis := range axes {
		left, right, ok := strings.Cut(axis, "|")
		if !ok || strings.Contains(right, "|") {
			t.Errorf("axis %d: %q has not two sides", i, axis)
		}
		seen := map[string]bool{}
		for w := range strings.FieldsSeq(left + " " + right) {
			if seen[w] {
				t.Errorf("axis %d: %q stands twice", i, w)
			}
			seen[w] = true
		}
	}
}
