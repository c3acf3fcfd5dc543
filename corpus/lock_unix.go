//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package corpus

import (
	"os"
	"syscall"
)

// lock takes the lock of a staging directory without waiting. The system
// drops it when the process ends, however it ends.
func lock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
