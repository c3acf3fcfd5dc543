//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package lockfile

import (
	"os"
	"syscall"
)

// Lock takes the lock of a file without waiting. The system drops it when the
// process ends, however it ends, or the file is closed.
func Lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
