//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf returns the most memory in bytes that an ended process had resident.
func peakOf(state *os.ProcessState) uint64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return uint64(usage.Maxrss) // bytes there, KiB elsewhere
	}
	return uint64(usage.Maxrss) << 10
}
