package rules

import (
	"fmt"
	"testing"

	"github.com/stillfires/stillfires/internal/source"
)

func TestFind(t *testing.T) {
	set := &Set{Rules: []Rule{
		{Kind: Alert, Name: "WatchEnded", Group: "a"},
		{Kind: Alert, Name: "WatchStarted", Group: "b"},
		{Kind: Query, Name: "WatchLines"},
		{Kind: Alert, Name: "Down", Group: "b/c"},
		{Kind: Alert, Name: "Down", Group: "d"},
		{Kind: Alert, Name: "x[1]", Group: "d"},
	}, Broken: []Broken{
		{Kind: Alert, Name: "Bad", Group: "e", Pos: source.Position{File: "r.yaml", Line: 5, Column: 30}},
		{Kind: Alert, Name: "Down", Group: "e", Pos: source.Position{File: "r.yaml", Line: 7, Column: 9}},
	}}
	f := func(pattern, want string) {
		t.Helper()
		found, err := set.Find(pattern)
		got := fmt.Sprint(found)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("Find(%q) = %s; want %s", pattern, got, want)
		}
	}
	f("WatchEnded", "[0]")
	f("Watch*", "[0 1]")
	f("WatchLines", "[2]")
	f("*", "[0 1 3 4 5]")
	f("b/*", "[1]")
	f("d/Down", "[4]")
	f("b/c/Down", "[3]")
	f("Down", "[3 4]")
	f("*/Watch*", "[0 1]")
	f("x[1]", "[5]")
	f("Watch?nded", "[0]")
	f("WatchEnd", `no rule is named "WatchEnd"; did you mean WatchEnded?`)
	f("a/WatchEnd", `no rule is named "a/WatchEnd"; did you mean a/WatchEnded?`)
	f("Bad", `rule "Bad" is named here, but it is not valid (r.yaml:5:30)`)
	f("e/Bad", `rule "e/Bad" is named here, but it is not valid (r.yaml:5:30)`)
	f("d/Bad", `no rule is named "d/Bad"`)
	f("e/Down", `rule "e/Down" is named here, but it is not valid (r.yaml:7:9)`)
	f("Ba*", `pattern "Ba*" matches only rules that are not valid, such as "Bad" (r.yaml:5:30)`)
	f("Zzz", `no rule is named "Zzz"`)
	f("Zzz*", `pattern "Zzz*" matches no rule`)
	f("WatchL*", `pattern "WatchL*" matches no alert rule, but 1 others; name these without wildcards`)
	f("[", `pattern "[" is not valid; close its brackets`)
}
