package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// A captureRun is one use of capture.
type captureRun struct {
	env     *cliEnv
	format  corpusFormat
	quiet   bool
	opts    capture.Options
	sources []capture.Source
	command []string

	duration, lead, after, grace time.Duration

	session  *capture.Session
	progress *captureProgress
	drill    *drill // nil: there is none
}

// run records until the end, and makes the run.
func (c *captureRun) run(ctx context.Context) error {
	s, err := capture.Begin(c.opts)
	if err != nil {
		return err
	}
	c.session = s
	c.progress = newCaptureProgress(c.env, s, c.quiet)
	err = c.record(ctx)
	c.progress.stop()
	if err != nil {
		return errors.Join(err, s.Leave(), fmt.Errorf("what was recorded is in %s; make it a run by: stillfires corpus repair %s", s.Spool(), c.opts.Dir))
	}
	if ctx.Err() != nil && s.Empty() {
		if err := s.Discard(); err != nil {
			return err
		}
		fmt.Fprintln(c.env.stderr, "stillfires: interrupted before anything was recorded; nothing was written")
		return exitError(exitInterrupted)
	}
	if ctx.Err() != nil && c.command != nil && (c.drill == nil || c.drill.stopped) {
		s.Incomplete("the capture was interrupted before the drill had ended")
	}
	// The first Ctrl-C ended the recording. Another ends this.
	finishing, stop := signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt)
	defer stop()
	res, err := s.Finish(finishing)
	if err != nil {
		return fmt.Errorf("%w; make it a run by: stillfires corpus repair %s", err, c.opts.Dir)
	}
	return c.tell(res)
}

// record runs the sources and the drill.
func (c *captureRun) record(ctx context.Context) error {
	recording, end := context.WithCancel(ctx)
	defer end()
	if c.duration > 0 {
		recording, end = context.WithTimeout(recording, c.duration)
		defer end()
	}
	moments := askOnSignal(c.session, c.progress.warn)
	defer moments()
	if len(c.command) == 0 {
		return c.session.Record(recording, c.sources...)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.session.Record(recording, c.sources...) }()
	err := c.runDrill(recording)
	end()
	return errors.Join(<-ended, err)
}

// runDrill runs the command, with time before and after it. Sources that end
// early do not end it.
func (c *captureRun) runDrill(ctx context.Context) error {
	if !sleep(ctx, c.lead) {
		return nil
	}
	c.drill = &drill{command: c.command, grace: c.grace, out: c.progress.writer()}
	if err := c.drill.run(ctx, c.session); err != nil {
		return err
	}
	if c.drill.failed != "" {
		c.progress.warn(fmt.Sprintf("the drill failed: %s: %s", strings.Join(c.command, " "), c.drill.failed))
	}
	sleep(ctx, c.after)
	return nil
}

// sleep waits, and reports whether it did to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// A captured is what capture prints in JSON.
type captured struct {
	Run      string           `json:"run"` // its directory
	Drill    *drillEnd        `json:"drill"`
	Manifest *corpus.Manifest `json:"manifest"` // as in run.json
}

// tell prints what was recorded and chooses the exit code.
func (c *captureRun) tell(res *capture.Result) error {
	out := captured{Run: filepath.Join(c.opts.Dir, "runs", filepath.FromSlash(res.Run.String())), Manifest: res.Manifest}
	if c.drill != nil {
		out.Drill = c.drill.end()
	}
	if err := c.format.write(c.env.stdout, out, func(w io.Writer) error { return writeCaptured(w, &out) }); err != nil {
		return err
	}
	switch {
	case c.drill != nil && c.drill.failed != "":
		return exitError(exitFail)
	case !res.Complete():
		return exitError(exitInconclusive)
	}
	return nil
}

// writeCaptured sums a run up for people.
func writeCaptured(w io.Writer, c *captured) error {
	m := c.Manifest
	var records int64
	for i := range m.Streams {
		records += m.Streams[i].Records
	}
	if _, err := fmt.Fprintf(w, "%s: %s\n", c.Run, m.Completeness.State); err != nil {
		return err
	}
	fmt.Fprintf(w, "  %s in %s, %s beside the logs, %s\n", count(records, "record"), count(int64(len(m.Streams)), "stream"),
		count(int64(len(m.Files)), "file"), timeRange(&m.Capture.Started, &m.Capture.Ended))
	for i := range m.Streams {
		s := &m.Streams[i]
		fmt.Fprintf(w, "  %s: %s%s\n", s.LabelSet(), count(s.Records, "record"), coverage(s))
	}
	if c.Drill != nil {
		fmt.Fprintf(w, "  drill: %s\n", plain(c.Drill.Status))
	}
	for _, r := range m.Completeness.Reasons {
		fmt.Fprintf(w, "  missing: %s\n", plain(r))
	}
	return nil
}

// coverage says how much of its time a stream covers.
func coverage(s *corpus.Stream) string {
	text := ""
	if c := s.Coverage; c != nil && len(s.Gaps) > 0 {
		text = fmt.Sprintf(", whole for %.4f%% of its time, %s", 100*c.Share, count(int64(len(s.Gaps)), "gap"))
	}
	if s.Cut > 0 {
		text += fmt.Sprintf(", %d cut", s.Cut)
	}
	return text
}
