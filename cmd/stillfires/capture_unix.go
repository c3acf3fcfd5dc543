//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/stillfires/stillfires/corpus/capture"
)

// interrupt asks a process to end.
func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// askOnSignal asks for a moment at each SIGUSR1 until stop is called.
func askOnSignal(s *capture.Session, warn func(string)) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	done := make(chan struct{})
	go func() {
		for n := 1; ; {
			select {
			case <-done:
				return
			case <-signals:
			}
			err := s.Ask(fmt.Sprintf("signal-%d", n))
			for ; err != nil && s.Taken(fmt.Sprintf("signal-%d", n)); err = s.Ask(fmt.Sprintf("signal-%d", n)) {
				n++ // before an interruption
			}
			if err != nil {
				warn(err.Error())
			}
			n++
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}
