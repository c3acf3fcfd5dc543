package outcome

import (
	"testing"

	"github.com/stillfires/stillfires/internal/facts"
)

func TestRun_Restarts(t *testing.T) {
	const s = int64(1e9)
	log := &LogInfo{Epochs: []Epoch{{Build: 0, First: 100 * s}, {Build: 0, First: 200 * s}, {Build: 1, First: 300 * s}, {Build: 1, First: 400 * s}}}
	for _, tt := range []struct {
		name    string
		actions []facts.Action
		want    int
	}{
		{"another build is an upgrade", nil, 2},
		{"asked for", []facts.Action{{Time: 199 * s, Action: "exit", Requested: true}}, 1},
		{"not asked for", []facts.Action{{Time: 199 * s, Action: "exit"}}, 2},
		{"asked for long before", []facts.Action{{Time: 150 * s, Action: "exit", Requested: true}}, 2},
		{"asked for afterwards", []facts.Action{{Time: 201 * s, Action: "exit", Requested: true}}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Run{Facts: &facts.Facts{Actions: tt.actions}}
			if got := r.Restarts(log); got != tt.want {
				t.Errorf("%d restarts, want %d", got, tt.want)
			}
		})
	}
	if got := new(Run).Restarts(log); got != 2 {
		t.Errorf("without facts: %d restarts, want 2", got)
	}
}
