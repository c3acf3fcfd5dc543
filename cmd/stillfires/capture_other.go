//go:build !unix

package main

import (
	"os"

	"github.com/stillfires/stillfires/corpus/capture"
)

// interrupt ends a process: it cannot be asked here.
func interrupt(p *os.Process) error { return p.Kill() }

func askOnSignal(*capture.Session, func(string)) (stop func()) { return func() {} }
