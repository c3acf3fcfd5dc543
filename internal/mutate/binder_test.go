package mutate

import (
	"path/filepath"
	"strings"
	"testing"
)

const (
	binder = "binder.log"
	nilMap = "assignment to entry in nil map"
)

// binderMutations are single changes of a recorded run in which a panic is
// recovered five times. That it is there on both builds is no difference.
var binderMutations = []mutation{
	{"panic fixed", drop(binder, nilMap), []string{"?warn message-removed Reconciler error"}},
	{"lines of the stack moved", resub(binder, nilMap, `(\.go:)\d+`, "${1}77"), []string{"break alert-persists NilMap", "break panic-persists nil map"}},
	{"other goroutines and arguments", resub(binder, nilMap, `goroutine \d+|0x[0-9a-f]+`, "0x1f"),
		[]string{"break alert-persists NilMap", "break panic-persists nil map"}},
	{"another panic", sub(binder, nilMap, nilMap, "invalid memory address or nil pointer dereference"),
		[]string{"break panic-new nil pointer dereference", "?warn panic-unseen nil pointer dereference",
			// Another error in one field of one message is no other wording.
			"?warn message-reworded Internal Error"}},
	{"panic in another function", resub(binder, nilMap, `binding\.\(\*Binder\)\.Bind\(`, "binding.(*Binder).BindAll("),
		[]string{"break alert-persists NilMap", "break panic-new|panic-persists nil map"}},
	{"panic more often", repeat(binder, nilMap, 2), []string{"break alert-persists NilMap", "break panic-persists nil map"}},
	{"process restarted", restarted, []string{"break alert-persists NilMap", "break panic-persists nil map", "?warn restart "}},
	{"crash beside it", after(binder, nilMap, 1, strings.Split(crash, "\n")...),
		[]string{"break alert-persists NilMap", "break panic-persists nil map", "break alert-false Crash", "break panic-new nil map"}},
}

// restarted ends the process in the middle of its log, and begins another that
// starts as the first did.
func restarted(tr tree) tree {
	out := edit(binder, func(l string) []string { return []string{l} })(tr)
	lines := strings.SplitAfter(tr[binder], "\n")
	half := len(lines) / 2
	out["binder.log.previous-1"] = strings.Join(lines[:half], "")
	out[binder] = strings.Join(lines[half:], "")
	return out
}

func TestMutations_Binder(t *testing.T) {
	r := recorded(t, "kai-binder")
	b := newBench(t, r.folder, "reported-edge", r.description, filepath.Join("testdata", "binder.review.yaml"), filepath.Join("testdata", "binder.rules.yaml"))
	checkAll(t, b, binderMutations)
}
