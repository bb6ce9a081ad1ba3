//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package fbc

import "syscall"

// nonblocking opens a pipe without waiting for its other end.
const nonblocking = syscall.O_NONBLOCK
