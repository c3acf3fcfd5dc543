package capture

import (
	"errors"
	"io"
	"os"
	"sync"
)

// A file is what a spool writes to.
type file interface {
	io.WriteCloser
	Sync() error
}

// createFile makes a new file of a spool; it must not be there.
func createFile(name string) (file, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o666)
}

// flushAt is how many bytes a spoolFile holds back at most.
const flushAt = 256 << 10

// A spoolFile is a file of a sitting, to which whole lines are added. After an
// error nothing more is written: what follows half a line would be lost with
// it.
type spoolFile struct {
	file file

	mu     sync.Mutex
	buf    []byte
	size   int64 // bytes given to write
	dirty  bool  // written since the last sync
	closed bool
	err    error
}

// write adds whole lines.
func (f *spoolFile) write(lines []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil || f.closed {
		return errors.Join(f.err, closedError(f.closed))
	}
	f.buf = append(f.buf, lines...)
	f.size += int64(len(lines))
	if len(f.buf) >= flushAt {
		return f.flushLocked()
	}
	return nil
}

func closedError(closed bool) error {
	if closed {
		return ErrEnded
	}
	return nil
}

func (f *spoolFile) flushLocked() error {
	if f.err == nil && len(f.buf) > 0 {
		_, f.err = f.file.Write(f.buf)
		f.dirty = true
	}
	if cap(f.buf) > 4*flushAt {
		f.buf = nil // one long line need not keep its memory
	}
	f.buf = f.buf[:0]
	return f.err
}

// flush hands what was added to the system.
func (f *spoolFile) flush() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.flushLocked()
}

// sync makes what was added last.
func (f *spoolFile) sync() error {
	f.mu.Lock()
	err := f.flushLocked()
	dirty := f.dirty && !f.closed
	f.dirty = false
	f.mu.Unlock()
	if err != nil || !dirty {
		return err
	}
	return f.file.Sync() // without the lock: it takes long
}

func (f *spoolFile) close() error {
	if err := f.sync(); err != nil {
		f.mu.Lock()
		f.closed = true
		f.mu.Unlock()
		return errors.Join(err, f.file.Close())
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	return f.file.Close()
}
