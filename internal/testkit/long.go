// Package testkit has helpers shared by the tests of several packages.
package testkit

import (
	"os"
	"runtime"
	"testing"
)

// LongVariable is the environment variable that runs tests at full length, as
// .ci/run does: gigabyte attacks, growth of cost, thousands of drawn problems,
// browsers and other real programs. Without it, each of them runs in a small
// form or is skipped.
const LongVariable = "RESOLUTE_LONG"

// Long reports whether tests run at full length.
func Long() bool { return os.Getenv(LongVariable) != "" && !testing.Short() }

// OnlyLong skips a test without a small form unless tests run at full length.
func OnlyLong(t testing.TB, why string) {
	t.Helper()
	if !Long() {
		t.Skipf("SKIPPED without %s=1: %s", LongVariable, why)
	}
}

// Times returns short, or long if tests run at full length: a number of
// repetitions or a size.
func Times[T any](short, long T) T {
	if Long() {
		return long
	}
	return short
}

// Allocated returns the total allocated bytes so far.
func Allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
