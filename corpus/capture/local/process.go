package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// A Process is started and its output recorded, as one stream over all its
// restarts. Each start and end is an action of the run.
type Process struct {
	Command []string          `yaml:"command"`
	Dir     string            `yaml:"dir"`
	Env     map[string]string `yaml:"env"` // beside the environment
	Labels  map[string]string `yaml:"labels"`
	Stream  string            `yaml:"stream"` // names the stream and the process; the command's name by default
	// Restart is "never" (the default), "on-failure" or "always".
	Restart string        `yaml:"restart"`
	Backoff time.Duration `yaml:"backoff"` // before a restart; 1s by default, doubled up to a minute
	Time    Time          `yaml:"time"`
}

const (
	restartNever     = "never"
	restartOnFailure = "on-failure"
	restartAlways    = "always"
	maxBackoff       = time.Minute
)

// Sources returns what starts and records the process.
func (p *Process) Sources() ([]capture.Source, error) {
	if len(p.Command) == 0 || p.Command[0] == "" {
		return nil, errors.New("names no command")
	}
	own := *p
	own.Restart = cmp.Or(p.Restart, restartNever)
	switch own.Restart {
	case restartNever, restartOnFailure, restartAlways:
	default:
		return nil, fmt.Errorf("restart %q: want %s, %s or %s", p.Restart, restartNever, restartOnFailure, restartAlways)
	}
	var err error
	if own.Backoff, err = interval("backoff", p.Backoff, time.Second); err != nil {
		return nil, err
	}
	if own.Stream == "" {
		own.Stream = baseName(p.Command[0])
	}
	return []capture.Source{&processSource{spec: &own}}, errors.Join(checkLabels(p.Labels), p.Time.check())
}

func baseName(command string) string {
	if i := strings.LastIndexAny(command, `/\`); i >= 0 {
		return command[i+1:]
	}
	return command
}

type processSource struct {
	spec   *Process
	stream capture.Stream
	starts int
}

// String names the source in messages.
func (s *processSource) String() string { return "process " + s.spec.Stream }

// Record runs the process until ctx is done, then asks it to end.
func (s *processSource) Record(ctx context.Context, to capture.Sink) (err error) {
	t := s.spec.Time
	s.stream, err = to.Stream(capture.StreamInfo{Name: s.spec.Stream, Labels: labelsOf(s.spec.Labels), Times: capture.OfRecords, Format: t.Format, Year: t.Year, Timezone: t.Timezone})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stream.Close()) }()
	wait := s.spec.Backoff
	for {
		began := to.Now()
		failed, err := s.once(ctx, to)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if s.spec.Restart == restartNever || s.spec.Restart == restartOnFailure && !failed {
			return nil
		}
		if to.Now().Sub(began) > maxBackoff {
			wait = s.spec.Backoff
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		wait = min(2*wait, maxBackoff)
	}
}

// once runs the process once and reports whether it failed. The error is one
// of starting it or of the sink.
func (s *processSource) once(ctx context.Context, to capture.Sink) (failed bool, err error) {
	s.starts++
	in, out, err := os.Pipe()
	if err != nil {
		return false, err
	}
	defer func() { _ = in.Close() }() // only read from
	cmd := exec.Command(s.spec.Command[0], s.spec.Command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.spec.Dir, out, out
	if len(s.spec.Env) > 0 {
		cmd.Env = os.Environ()
		for k, v := range s.spec.Env {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
	}
	apart(cmd)
	err = cmd.Start()
	_ = out.Close() // the process has its own
	if err != nil {
		return false, err
	}
	source := fmt.Sprintf("process %s, start %d", s.spec.Stream, s.starts)
	if err := errors.Join(s.stream.Epoch(source, ""), s.act(to, action{Action: "start", PID: cmd.Process.Pid, Start: s.starts})); err != nil {
		return false, errors.Join(err, kill(cmd), cmd.Wait())
	}
	read := make(chan error, 1)
	go func() { read <- s.copy(in, to) }()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	waitErr, requested, sinkErr := s.await(ctx, to, cmd, ended, read, in)
	a := action{Action: "exit", PID: cmd.Process.Pid, Start: s.starts, Requested: requested, Status: cmd.ProcessState.String()}
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		a.ExitCode = &code
	}
	return waitErr != nil && !requested, errors.Join(sinkErr, s.act(to, a))
}

// lingering is how long output is waited for that somebody else holds open
// after the process has ended.
const lingering = 2 * time.Second

// await waits for the end of the process and of its output. After ctx is done
// it asks the process to end, then makes it.
func (s *processSource) await(ctx context.Context, to capture.Sink, cmd *exec.Cmd, ended, read <-chan error, in *os.File) (waitErr error, requested bool, sinkErr error) {
	done := ctx.Done()
	var harder <-chan time.Time
	for {
		select {
		case waitErr = <-ended:
			if read == nil {
				return waitErr, requested, sinkErr
			}
			select {
			case sinkErr = <-read:
			case <-time.After(lingering):
				_ = in.SetReadDeadline(time.Now()) // ends the reader
				sinkErr = <-read
			}
			return waitErr, requested, sinkErr
		case sinkErr = <-read:
			read = nil
			if sinkErr != nil { // nothing can be recorded any more
				requested = true
				_ = kill(cmd) // it may have ended just now
			}
		case <-done:
			done, requested = nil, true
			_ = terminate(cmd) // likewise
			harder = time.After(to.Grace() / 2)
		case <-harder:
			harder = nil
			_ = kill(cmd) // likewise
		}
	}
}

// copy records the lines of the output.
func (s *processSource) copy(in io.Reader, to capture.Sink) error {
	lines := capture.NewLineReader(in, to.MaxLine())
	for {
		line, err := lines.Next()
		if err != nil {
			if rest := lines.Rest(); rest != nil {
				return s.stream.Append(to.Now(), rest)
			}
			return nil // its end, or the deadline that await has set
		}
		if err := s.stream.Append(to.Now(), line); err != nil {
			return err
		}
	}
}

// An action is a start or end of the process.
type action struct {
	Time      time.Time `json:"ts"`
	Actor     string    `json:"actor"`
	Action    string    `json:"action"`
	Target    string    `json:"target"`
	PID       int       `json:"pid"`
	Start     int       `json:"start"` // the how many-th it is, from 1
	ExitCode  *int      `json:"exitCode,omitempty"`
	Status    string    `json:"status,omitempty"`
	Requested bool      `json:"requested,omitempty"`
}

func (s *processSource) act(to capture.Sink, a action) error {
	a.Time, a.Actor, a.Target = to.Now().UTC(), "process", s.spec.Stream
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return to.Value("actions", corpus.FileKey{Name: "processes"}, text)
}
