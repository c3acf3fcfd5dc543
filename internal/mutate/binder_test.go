package mutate

import (
	"encoding/json"
	"path/filepath"
	"slices"
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
	{"panic fixed", drop(binder, nilMap), []string{
		"info alert-cleared NilMap", "info panic-fixed ~gpusharingconfigmap.patchConfigMap: 5 times on deployed", "warn message-removed Reconciler error at error",
	}},
	{"lines of the stack moved", resub(binder, nilMap, `(\.go:)\d+`, "${1}77"), nil},
	{"other goroutines and arguments", resub(binder, nilMap, `goroutine \d+|0x[0-9a-f]+`, "0x1f"), nil},
	{"another panic", sub(binder, nilMap, nilMap, "invalid memory address or nil pointer dereference"), []string{
		"info alert-cleared NilMap", "info panic-fixed ~assignment to entry in nil map", "break panic-new ~nil pointer dereference", "warn panic-unseen ~nil pointer dereference",
	}},
	{"panic in another function", resub(binder, nilMap, `binding\.\(\*Binder\)\.Bind\(`, "binding.(*Binder).BindAll("),
		[]string{"break panic-new ~assignment to entry in nil map", "info panic-fixed ~assignment to entry in nil map"}},
	{"panic more often", repeat(binder, nilMap, 2), nil},
	{"panic as a dump", of(binder, nilMap, asDump), []string{"break alert-false Crash", "warn message-removed Reconciler error at error"}},
	{"panic in console encoding", edit(binder, asConsole), []string{"info encoding-changed json → console"}},
	{"process restarted", restarted, []string{"warn restart "}},
	{"crash beside it", after(binder, nilMap, 1, strings.Split(crash, "\n")...), []string{
		"break alert-false Crash", "break panic-new ~multikueue.(*wlReconciler).nominate: 1 time",
	}},
}

// asDump writes a recovered panic in the text of an error as the goroutine dump
// of a process that it ends.
func asDump(line string) []string {
	keys, values := fields(line)
	i := slices.Index(keys, "error")
	if i < 0 {
		return []string{line}
	}
	var text string
	if err := json.Unmarshal([]byte(values[i]), &text); err != nil {
		return []string{line}
	}
	said, stack, _ := strings.Cut(text, "\n")
	return append([]string{"panic: " + strings.TrimPrefix(said, "Internal Error: "), ""}, strings.Split(strings.TrimSuffix(stack, "\n"), "\n")...)
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
	t.Parallel()
	r := recorded(t, "kai-binder")
	b := newBench(t, r.folder, "reported-edge", r.description, filepath.Join("testdata", "binder.review.yaml"), filepath.Join("testdata", "binder.rules.yaml"))
	checkAll(t, b, binderMutations)
}
