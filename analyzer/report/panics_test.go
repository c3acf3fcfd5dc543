package report

import (
	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
)

// panicked is a comparison of which one panic is seen in one form only, one is
// new, and one was written by somebody who means harm.
func panicked() analyzer.Input {
	in := passing()
	stack := []outcome.Frame{
		{Function: "example.com/yard/dock.(*Ledger).Put", File: "dock/ledger.go", InApp: true},
		{Function: "example.com/yard/dock.(*Robot).Dock", File: "dock/robot.go", InApp: true},
		{Function: "example.com/lib/loop.Run", File: "loop/loop.go"},
	}
	deployed, candidate := &in.Deployed.Runs[0], &in.Candidate.Runs[0]
	deployed.Panics = []outcome.Panic{
		{
			Signature: "0123456789abcdef", Kind: "assignment to entry in nil map", Frames: stack, Form: "recovered-error",
			Handling: outcome.Recovered, By: "example.com/yard/dock.(*Robot).Dock", Evidence: "the stack holds what was deferred above the panic, and the process went on",
			Operation: "controller robot", Fields: map[string]string{"controller": "robot", "name": "r1"}, Count: 3,
			First: evidence(5, `{"msg":"Reconciler error","controller":"robot","error":"Internal Error: assignment to entry in nil map\ngoroutine 7 [running]:"}`),
		},
		{
			Signature: "1111111111111111", Kind: "<b>boom</b> | `x` \x1b[31m", Form: "http-server", Handling: outcome.Recovered, By: "net/http", Count: 1,
			First: evidence(6, "http: panic serving 10.0.0.7:4711: <b>boom</b>"),
		},
	}
	candidate.Panics = []outcome.Panic{{
		Signature: "0123456789abcdef", Kind: "assignment to entry in nil map", Frames: stack[:2], Form: "goroutine-dump",
		Handling: outcome.Crashed, Evidence: "the runtime wrote the dump that ends a process", Count: 2, Restarts: 1, Restarted: true,
		First: evidence(7, "panic: assignment to entry in nil map"),
	}}
	deployed.Outcomes[0].Panics = []int{0}
	return in
}
