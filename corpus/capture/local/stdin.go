package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/stillfires/stillfires/corpus/capture"
)

// A Stdin records what comes down standard input.
type Stdin struct {
	Labels map[string]string `yaml:"labels"`
	Stream string            `yaml:"stream"`
	Time   Time              `yaml:"time"`

	// In is standard input.
	In io.Reader `yaml:"-"`
}

// Sources returns what records it.
func (s *Stdin) Sources() ([]capture.Source, error) {
	own := *s
	if own.Stream == "" {
		own.Stream = "stdin"
	}
	if s.In == nil {
		return nil, errors.New("there is no standard input to be read")
	}
	return []capture.Source{&stdinSource{&own}}, errors.Join(checkLabels(s.Labels), s.Time.check())
}

type stdinSource struct{ spec *Stdin }

// String names the source in messages.
func (s *stdinSource) String() string { return "standard input" }

// quiet is how long standard input says nothing until it counts as read, once
// the capture is to end.
const quiet = 200 * time.Millisecond

// Record records lines until the input ends, or until ctx is done and no more
// come.
func (s *stdinSource) Record(ctx context.Context, to capture.Sink) (err error) {
	t := s.spec.Time
	st, err := to.Stream(capture.StreamInfo{Name: s.spec.Stream, Labels: labelsOf(s.spec.Labels), Times: capture.OfRecords, Format: t.Format, Year: t.Year, Timezone: t.Timezone})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := st.Epoch("stdin", ""); err != nil {
		return err
	}
	lines, stop := make(chan []byte), make(chan struct{})
	defer close(stop)
	read := make(chan error, 1)
	go func() { read <- pump(s.spec.In, to.MaxLine(), lines, stop) }()
	done := ctx.Done()
	var ended <-chan time.Time
	for {
		select {
		case line := <-lines:
			if err := st.Append(to.Now(), line); err != nil {
				return err
			}
		case err := <-read:
			if err != nil && !errors.Is(err, io.EOF) {
				return fmt.Errorf("read: %w", err)
			}
			return nil
		case <-done:
			done = nil
		case <-ended:
			return nil
		}
		if ctx.Err() != nil {
			ended = time.After(quiet)
		}
	}
}

// pump sends the lines of in until its end or stop. A read cannot be given up,
// so that it may outlive the source.
func pump(in io.Reader, limit int, lines chan<- []byte, stop <-chan struct{}) error {
	r := capture.NewLineReader(in, limit)
	for {
		line, err := r.Next()
		if err != nil {
			if line = r.Rest(); line == nil {
				return err
			}
		}
		select {
		case lines <- append([]byte(nil), line...):
		case <-stop:
			return nil
		}
		if err != nil {
			return err
		}
	}
}
