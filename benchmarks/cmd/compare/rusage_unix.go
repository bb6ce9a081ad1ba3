//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf returns the peak resident memory of an ended process in bytes.
func peakOf(state *os.ProcessState) uint64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return uint64(usage.Maxrss) // bytes on this system, KiB elsewhere
	}
	return uint64(usage.Maxrss) << 10
}
