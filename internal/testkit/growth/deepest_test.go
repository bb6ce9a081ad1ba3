package growth_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/resolver"
)

// mostForEach is what an answer and its argument may allocate in all for each package
// of the longest chain: it was 16 KB and 10 KB when this was written, and 200 KB before.
const mostForEach = 24 << 10

// mostStack is how large a stack may get. The argument took 2.7 KB of it for each
// package, and a stack has a limit of 1 GB, at which the process dies; the SAT solver
// takes 100 bytes.
const mostStack = 64 << 20

// TestDeepestConflict: a chain of as many packages as no catalog has, the last of them
// missing, ends with an argument, and with memory for it.
func TestDeepestConflict(t *testing.T) {
	testkit.OnlyLong(t, "takes some seconds")
	defer debug.SetMaxStack(debug.SetMaxStack(mostStack)) // the process dies where it takes more
	for _, n := range []int{20_000, 100_000} {
		w := growth.New(t, growth.Shapes["deep, the last missing"], n)
		before := growth.Allocated()
		_, err := resolver.New().Resolve(t.Context(), w.Request)
		c := testkit.As[*resolver.Conflict](t, err)
		require.Len(t, c.Facts, n+1, "the subscription, and what each requires")
		a := c.Argument()
		_, _, _, _, _ = c.Text(), a.Text(), a.HTML(), a.DOT(), a.Mermaid()
		require.Less(t, growth.Allocated()-before, uint64(n*mostForEach))
	}
}
