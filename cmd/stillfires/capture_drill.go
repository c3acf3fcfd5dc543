package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// A drill is the command that a capture waits for.
type drill struct {
	command []string
	grace   time.Duration
	out     io.Writer // for what it prints

	started bool
	stopped bool   // by the capture, before it ended
	failed  string // how; empty: it did not
	status  string
	code    *int
}

// A drillEnd is what became of a drill.
type drillEnd struct {
	Command  []string `json:"command"`
	Status   string   `json:"status"` // such as "exit status 1"
	ExitCode *int     `json:"exitCode"`
	Stopped  bool     `json:"stopped"` // by the capture, before it ended
}

func (d *drill) end() *drillEnd {
	return &drillEnd{Command: d.command, Status: d.status, ExitCode: d.code, Stopped: d.stopped}
}

// A drillAction is the beginning or end of a drill, as a run records it.
type drillAction struct {
	Time      time.Time `json:"ts"`
	Actor     string    `json:"actor"`
	Action    string    `json:"action"`
	Target    string    `json:"target"`
	Command   []string  `json:"command"`
	Status    string    `json:"status,omitempty"`
	ExitCode  *int      `json:"exitCode,omitempty"`
	Requested bool      `json:"requested"` // it is the drill: nobody's intervention
}

// run runs the command until it ends. When ctx is done it is asked to end, then
// made to. A terminal sends Ctrl-C to the command itself. The error is one of
// recording.
func (d *drill) run(ctx context.Context, to capture.Sink) error {
	cmd := exec.Command(d.command[0], d.command[1:]...)
	cmd.Stdout, cmd.Stderr = d.out, d.out
	cmd.WaitDelay = time.Second // for what it started and left behind
	if err := d.act(to, "drill-start"); err != nil {
		return err
	}
	err := cmd.Start()
	if err == nil {
		d.started = true
		err = d.await(ctx, cmd)
		d.status = cmd.ProcessState.String()
		if code := cmd.ProcessState.ExitCode(); code >= 0 {
			d.code = &code
		}
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil
		}
	} else {
		d.status = err.Error()
	}
	if err != nil && !d.stopped {
		d.failed = d.status
	}
	return d.act(to, "drill-end")
}

// await waits for the command to end.
func (d *drill) await(ctx context.Context, cmd *exec.Cmd) error {
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	// Ctrl-C has reached the command too; it is given time before more is done.
	steps := []func() error{func() error { return nil }, func() error { return interrupt(cmd.Process) }, cmd.Process.Kill}
	done := ctx.Done()
	var next <-chan time.Time
	for {
		select {
		case err := <-ended:
			return err
		case <-done:
			done, d.stopped = nil, true
		case <-next:
		}
		if len(steps) == 0 {
			next = nil
			continue
		}
		_ = steps[0]() // it may have ended just now
		steps = steps[1:]
		next = time.After(d.grace / 3)
	}
}

func (d *drill) act(to capture.Sink, what string) error {
	text, err := json.Marshal(drillAction{
		Time: to.Now().UTC(), Actor: "drill", Action: what, Target: strings.Join(d.command, " "), Command: d.command,
		Status: d.status, ExitCode: d.code, Requested: true,
	})
	if err != nil {
		return err
	}
	if err := to.Value("actions", corpus.FileKey{Name: "drill"}, text); err != nil {
		return fmt.Errorf("record the drill: %w", err)
	}
	return nil
}
