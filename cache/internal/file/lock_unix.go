//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package file

import (
	"errors"
	"os"
	"syscall"
)

// lock tries to lock a file until it is closed. It does not wait.
func lock(f *os.File) lockState {
	raw, err := f.SyscallConn()
	if err != nil {
		return lockUnknown
	}
	controlled := raw.Control(func(fd uintptr) { err = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) })
	switch {
	case controlled != nil:
		return lockUnknown
	case err == nil:
		return lockFree
	case errors.Is(err, syscall.EWOULDBLOCK):
		return lockTaken
	}
	return lockUnknown
}
