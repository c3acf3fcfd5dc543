package suggest

import "testing"

func TestNearest(t *testing.T) {
	keys := []string{"for", "expr", "alert", "labels", "annotations", "keep_firing_for"}
	f := func(word, want string) {
		t.Helper()
		if got := Nearest(word, keys); got != want {
			t.Errorf("Nearest(%q) = %q; want %q", word, got, want)
		}
	}
	f("fro", "for")
	f("exp", "expr")
	f("Expr", "expr")
	f("label", "labels")
	f("anotation", "annotations")
	f("keep_firing", "") // four letters are missing, three would do
	f("keep_firing_fo", "keep_firing_for")
	f("xyz", "")
	f("", "")
}

func TestNearest_Tie(t *testing.T) {
	if got := Nearest("ab", []string{"ac", "aa"}); got != "aa" {
		t.Errorf("Nearest = %q; want the first in byte order, aa", got)
	}
}
