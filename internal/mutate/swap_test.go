package mutate

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/analyzer"
)

// mirrored are the findings that turn into one another when the builds are
// swapped.
var mirrored = map[string]string{
	"alert-lost": "alert-gained", "alert-gained": "alert-lost",
	"match-lost": "match-gained", "match-gained": "match-lost",
	"alert-false": "alert-quietened", "alert-quietened": "alert-false",
	"message-removed": "message-added", "message-added": "message-removed",
	"panic-new": "panic-fixed", "panic-fixed": "panic-new",
}

// other names a finding by what it comes to the other way round: what is
// logged no more, for whatever reason, is new there.
var other = map[string]string{"message-moved": "message-removed", "verbosity-hidden": "message-removed"}

// mirrors holds the findings of a comparison to those of the same builds the
// other way round, and returns how many were compared.
func mirrors(t *testing.T, there, back *analyzer.Report) int {
	t.Helper()
	list := func(rep *analyzer.Report, mirror bool) []string {
		out := []string{}
		for i := range rep.Findings {
			f := &rep.Findings[i]
			id := cmp.Or(other[f.ID], f.ID)
			if mirrored[id] == "" || f.Case > 0 {
				continue // a case has a direction: it is about the candidate
			}
			if mirror {
				id = mirrored[id]
			}
			out = append(out, strings.Join([]string{id, f.Scenario, about(f)}, " | "))
		}
		slices.Sort(out)
		return out
	}
	want := list(there, false)
	if diff := gocmp.Diff(want, list(back, true)); diff != "" {
		t.Errorf("findings (-deployed to candidate, +swapped and mirrored):\n%s", diff)
	}
	return len(want)
}
