//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package fbc

// nonblocking is nothing where opening a pipe does not wait.
const nonblocking = 0
