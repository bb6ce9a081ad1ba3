//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package fbc

// nonblocking is zero on systems where opening a pipe does not block.
const nonblocking = 0
