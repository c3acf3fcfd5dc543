package query

import (
	"context"
	"io"
)

// A pipe reads standard input. A read of it can wait for ever and cannot be
// ended from outside, so it is done in a goroutine that is left behind when
// ctx ends: the program does too, then.
type pipe struct {
	ctx    context.Context
	in     io.Reader
	before func() error // called before each read
	buf    []byte
	done   chan read
}

type read struct {
	n   int
	err error
}

// Read implements io.Reader.
func (p *pipe) Read(b []byte) (int, error) {
	if err := p.before(); err != nil {
		return 0, err
	}
	if p.done == nil {
		p.done = make(chan read, 1)
		p.buf = make([]byte, 64<<10)
	}
	if p.ctx.Err() != nil {
		return 0, p.ctx.Err()
	}
	buf := p.buf[:min(len(p.buf), len(b))]
	go func() {
		n, err := p.in.Read(buf)
		p.done <- read{n, err}
	}()
	select {
	case r := <-p.done:
		copy(b, buf[:r.n])
		return r.n, r.err
	case <-p.ctx.Done():
		return 0, p.ctx.Err()
	}
}
