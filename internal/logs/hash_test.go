package logs

import "testing"

// The wanted values were computed by the reference implementation of XXH64.
func TestHash(t *testing.T) {
	test := func(want uint64, ls ...Label) {
		t.Helper()
		if got := New(ls...).Hash(); got != want {
			t.Errorf("Hash(%v) = %d; want %d", New(ls...), got, want)
		}
	}
	test(17241709254077376921)
	test(15689049863724794935, Label{"app", "pk"}, Label{"src", "a"})
	test(6180089092027631473, Label{"app", "shop"}, Label{"env", "staging"}, Label{"service", "worker"})
	test(17930400058537827018, Label{"app", "kueue"}, Label{"build", "new"},
		Label{"container", "scheduler"}, Label{"namespace", "kueue-system"})
}
