// Package testkit is what the tests of several packages share.
package testkit

import (
	"os"
	"runtime"
	"testing"
)

// LongVariable is the environment variable that makes tests run at full length, as
// .ci/run does: attacks of a gigabyte, how cost grows with size, thousands of drawn
// problems, browsers and other real programs. Without it each of them has a small form,
// or is left out where there is none.
const LongVariable = "RESOLUTE_LONG"

// Long reports whether tests run at full length.
func Long() bool { return os.Getenv(LongVariable) != "" && !testing.Short() }

// OnlyLong skips a test that has no small form, unless tests run at full length.
func OnlyLong(t testing.TB, why string) {
	t.Helper()
	if !Long() {
		t.Skipf("LEFT OUT without %s=1: %s", LongVariable, why)
	}
}

// Times returns how often to do something, or how large to make it: the first of two
// numbers, or the second one where tests run at full length.
func Times[T any](short, long T) T {
	if Long() {
		return long
	}
	return short
}

// Allocated returns how many bytes were allocated so far.
func Allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
