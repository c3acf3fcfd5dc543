package repair

import (
	"testing"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
)

// tried returns a run of a scenario: lines before and after the edit; a rule
// fires where it has a line.
func tried(scenario string, before, after int64, uses ...outcome.Use) Tried {
	of := func(n int64) *outcome.Outcome {
		o := &outcome.Outcome{State: outcome.Silent, Lines: n}
		if n > 0 {
			o.State = outcome.Fired
		}
		return o
	}
	t := Tried{
		Run: &outcome.Run{Scenario: scenario, Repetition: 1, Messages: []outcome.Message{
			{Text: "got reservation"}, {Text: "was admitted"}, {Text: "heartbeat"},
		}},
		Before: of(before), After: of(after),
	}
	t.After.Uses = uses
	if before > 0 {
		t.Before.Uses = []outcome.Use{{Message: 0, Lines: before}}
	}
	return t
}

func TestJudge(t *testing.T) {
	onDeployed := tried("a", 14, 14)
	onDeployed.Run.Messages = onDeployed.Run.Messages[:1] // "was admitted" is new
	chatty := tried("a", 14, 14)
	chatty.Run.Messages = []outcome.Message{{Text: "got reservation"}, {Text: "heartbeat"}}
	unknown := tried("a", 0, 0)
	unknown.After.State = outcome.NotEvaluated
	tests := []struct {
		name                string
		expect              analyzer.Expect
		deployed, candidate []Tried
		want                bool
	}{
		{"fires on both", 0, []Tried{onDeployed}, []Tried{tried("a", 0, 59, outcome.Use{Message: 1, Lines: 59})}, true},
		{"silent on candidate", 0, []Tried{onDeployed}, []Tried{tried("a", 0, 0)}, false},
		{"more on deployed", 0, []Tried{tried("a", 14, 15)}, []Tried{tried("a", 0, 59)}, false},
		{"less on deployed", 0, []Tried{tried("a", 14, 13)}, []Tried{tried("a", 0, 59)}, false},
		{"in one repetition of two", 0, []Tried{onDeployed, onDeployed}, []Tried{tried("a", 0, 5), tried("a", 0, 0)}, false},
		{"must stay silent", analyzer.MustStaySilent, []Tried{tried("a", 0, 0)}, []Tried{tried("a", 0, 1)}, false},
		{"must clear", analyzer.MustClear, []Tried{tried("a", 3, 3)}, []Tried{tried("a", 0, 1)}, false},
		{"cleared", analyzer.MustClear, []Tried{tried("a", 3, 3)}, []Tried{tried("a", 0, 0)}, true},
		{"silent on deployed", 0, []Tried{tried("a", 0, 0)}, []Tried{tried("a", 0, 1)}, false},
		{"silent on deployed, must fire", analyzer.MustFire, []Tried{tried("a", 0, 0)}, []Tried{tried("a", 0, 1)}, true},
		{"not evaluated any more", 0, []Tried{onDeployed}, []Tried{unknown}, false},
		{"what deployed wrote unseen", 0, []Tried{chatty}, []Tried{tried("a", 0, 900, outcome.Use{Message: 1, Lines: 59}, outcome.Use{Message: 2, Lines: 841})}, false},
		{"hardly any of that", 0, []Tried{chatty}, []Tried{tried("a", 0, 60, outcome.Use{Message: 1, Lines: 59}, outcome.Use{Message: 2, Lines: 1})}, true},
	}
	for _, tt := range tests {
		trial := Trial{Deployed: tt.deployed, Candidate: tt.candidate, Expect: func(string) analyzer.Expect { return tt.expect }}
		if got := trial.Judge(); got != tt.want {
			t.Errorf("%s: %v; want %v", tt.name, got, tt.want)
		}
		if got := len(trial.Proof()); got != len(tt.deployed)+len(tt.candidate) {
			t.Errorf("%s: %d proofs", tt.name, got)
		}
	}
}
