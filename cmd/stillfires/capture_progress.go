package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/term"

	"github.com/stillfires/stillfires/corpus/capture"
)

// A captureProgress shows how a capture is getting on: on a terminal a line
// that is drawn anew each second, and anywhere what goes wrong, as it does.
type captureProgress struct {
	mu      sync.Mutex
	out     io.Writer
	session *capture.Session
	drawn   bool // a line stands on the terminal
	live    bool // it is one
	told    int  // problems
	last    capture.Stats
	at      time.Time

	done, ended chan struct{}
}

const progressEvery = time.Second

func newCaptureProgress(env *cliEnv, s *capture.Session, quiet bool) *captureProgress {
	p := &captureProgress{out: env.stderr, session: s, done: make(chan struct{}), ended: make(chan struct{}), at: time.Now()}
	file, ok := env.stderr.(*os.File)
	p.live = ok && !quiet && env.getenv("TERM") != "dumb" && term.IsTerminal(int(file.Fd()))
	go p.loop()
	return p
}

func (p *captureProgress) loop() {
	defer close(p.ended)
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
			p.mu.Lock()
			p.draw()
			p.mu.Unlock()
		}
	}
}

// stop tells what is left to tell and clears the line.
func (p *captureProgress) stop() {
	close(p.done)
	<-p.ended
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tellProblems(p.session.Stats())
	p.clear()
}

// warn prints a line beside the progress.
func (p *captureProgress) warn(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintf(p.out, "stillfires: %s\n", plain(text))
}

func (p *captureProgress) tellProblems(s capture.Stats) {
	for ; p.told < len(s.Problems); p.told++ {
		p.clear()
		fmt.Fprintf(p.out, "stillfires: %s\n", plain(s.Problems[p.told]))
	}
}

func (p *captureProgress) clear() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

func (p *captureProgress) draw() {
	s := p.session.Stats()
	p.tellProblems(s)
	if !p.live {
		return
	}
	now := time.Now()
	line := progressLine(s, p.last, now.Sub(p.at))
	p.last, p.at = s, now
	p.clear()
	fmt.Fprint(p.out, line)
	p.drawn = true
}

// progressLine is what is shown of a capture; the rate is since last.
func progressLine(s, last capture.Stats, since time.Duration) string {
	rate := uint64(0)
	if since > 0 && s.Bytes > last.Bytes {
		rate = uint64(float64(s.Bytes-last.Bytes) / since.Seconds())
	}
	line := fmt.Sprintf("%s  %s in %s, %s (%s/s), %s recording", s.Elapsed.Round(time.Second), humanize.Comma(s.Lines)+" lines", count(int64(s.Streams), "stream"),
		humanize.Bytes(uint64(max(s.Bytes, 0))), humanize.Bytes(rate), count(int64(s.Sources), "source"))
	if s.Values+s.Scrapes > 0 {
		line += fmt.Sprintf(", %s, %s", count(s.Values, "value"), count(s.Scrapes, "scrape"))
	}
	if s.Gaps > 0 {
		line += ", " + count(int64(s.Gaps), "gap")
	}
	return line
}

// writer returns what the drill prints into: whole lines, which do not mix with
// the progress.
func (p *captureProgress) writer() io.Writer { return &besideProgress{p: p} }

type besideProgress struct {
	p    *captureProgress
	held []byte
}

// Write prints what is there. On a terminal the end of a line that is not whole
// waits, as the progress would be drawn into it.
func (b *besideProgress) Write(text []byte) (int, error) {
	b.p.mu.Lock()
	defer b.p.mu.Unlock()
	if !b.p.live {
		return b.p.out.Write(text)
	}
	b.held = append(b.held, text...)
	end := bytes.LastIndexByte(b.held, '\n') + 1
	if end == 0 && len(b.held) < 64<<10 {
		return len(text), nil
	}
	if end == 0 {
		end = len(b.held)
	}
	b.p.clear()
	_, err := b.p.out.Write(b.held[:end])
	b.held = b.held[:copy(b.held, b.held[end:])]
	return len(text), err
}
