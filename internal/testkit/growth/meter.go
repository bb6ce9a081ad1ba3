package growth

import (
	"context"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
)

// Operation runs on a world. It returns an error if it fails or its context
// ends.
type Operation func(ctx context.Context, w *World) error

// factor is the ratio of the larger size to the smaller.
const factor = 8

// amortized is the possible ratio of copying between sizes, for a slice that
// grows by a quarter at a time.
const amortized = 1.25

// The allowed growth: n log n, plus a constant for fixed costs.
const (
	slackBytes  = 512 << 10
	slackChecks = 64
)

// maxGrowth is the factor by which n log n grows between the sizes.
func (b *Table) maxGrowth() float64 {
	small := float64(b.Size)
	return amortized * factor * math.Log(factor*small) / math.Log(small)
}

// The work allowed after a context ends: checks until each part has noticed,
// and bytes, mainly for error messages.
const (
	maxLateChecks = 64
	maxLateBytes  = 8 << 20
)

// Table is a matrix of operations and shapes.
type Table struct {
	// Size is the smaller size of the shapes; the larger one is 8 times as
	// large.
	Size int
	// Operations are the operations, by name.
	Operations map[string]Operation
	// Dir is the folder for the files of worlds; empty for worlds without
	// [Files].
	Dir string
	// Prepare, if not nil, is called with each world before it is measured.
	Prepare func(*testing.T, *World)
	// Grows lists exceptions.
	Grows []Exception
}

// Exception is an accepted violation.
type Exception struct {
	// Shape is the name of a shape; empty means all.
	Shape string
	// Operations are names or prefixes of operations; none means all.
	Operations []string
	// Why is the justification.
	Why string
}

// each calls do for each of [Shapes] with its operations, in a fixed order. At
// full length each shape meets every operation, otherwise one of a few in
// rotation.
func (b *Table) each(t *testing.T, do func(t *testing.T, name string, operations []string)) {
	every := testkit.Times(9, 1)
	for turn, name := range slices.Sorted(maps.Keys(Shapes)) {
		var some []string
		for i, operation := range slices.Sorted(maps.Keys(b.Operations)) {
			if (i+turn)%every == 0 {
				some = append(some, operation)
			}
		}
		t.Run(name, func(t *testing.T) { do(t, name, some) })
	}
}

func (b *Table) world(t *testing.T, shape string, n int) *World {
	w := New(t, Shapes[shape], n)
	if b.Dir != "" {
		dir := filepath.Join(b.Dir, shape, strconv.Itoa(n))
		require.NoError(t, os.MkdirAll(dir, 0o700))
		w.Write(t, dir)
	}
	if b.Prepare != nil {
		b.Prepare(t, w)
	}
	return w
}

// listed reports whether a list of exceptions covers an operation on a shape.
func listed(list []Exception, shape, operation string) bool {
	return slices.ContainsFunc(list, func(e Exception) bool {
		return (e.Shape == "" || e.Shape == shape) && (len(e.Operations) == 0 ||
			slices.ContainsFunc(e.Operations, func(o string) bool { return strings.HasPrefix(operation, o) }))
	})
}

// Growth fails the test for each operation whose cost grows faster than n log
// n.
func (b *Table) Growth(t *testing.T) {
	worst, where := 0.0, ""
	b.each(t, func(t *testing.T, name string, operations []string) {
		small, large := b.world(t, name, b.Size), b.world(t, name, factor*b.Size)
		for _, op := range operations {
			if listed(b.Grows, name, op) {
				continue
			}
			bytesA, checksA := measure(t, b.Operations[op], small)
			bytesB, checksB := measure(t, b.Operations[op], large)
			over := float64(bytesB) > b.maxGrowth()*float64(bytesA)+slackBytes || float64(checksB) > b.maxGrowth()*float64(checksA)+slackChecks
			if over {
				t.Errorf("%s, %s: from %d to %d, bytes grow from %d to %d (%.1f), context checks from %d to %d",
					name, op, b.Size, factor*b.Size, bytesA, bytesB, float64(bytesB)/float64(bytesA), checksA, checksB)
			}
			if grown := float64(bytesB-min(bytesB, slackBytes)) / float64(bytesA); !over && grown > worst {
				worst, where = grown, name+", "+op
			}
		}
	})
	t.Logf("%d operations, 2 sizes; the worst unlisted one: %.1f times the bytes, limit %.1f: %s",
		len(b.Operations), worst, b.maxGrowth(), where)
}

// Ends fails the test for each operation that continues after its context has
// ended, at one of several checks.
func (b *Table) Ends(t *testing.T) {
	worstChecks, checksAt, worstBytes, bytesAt := 0, "", uint64(0), ""
	b.each(t, func(t *testing.T, name string, operations []string) {
		w := b.world(t, name, factor*b.Size)
		for place, op := range operations {
			_, checks := measure(t, b.Operations[op], w)
			for _, ends := range points(checks, place) {
				lateChecks, lateBytes, err := ended(b.Operations[op], w, ends)
				if err == nil {
					continue // it finished before the check
				}
				if lateChecks > maxLateChecks || lateBytes > maxLateBytes {
					t.Errorf("%s, %s: its context ended at check %d of %d, and it continued for %d checks and %d bytes", name, op, ends, checks, lateChecks, lateBytes)
					continue
				}
				if lateChecks > worstChecks {
					worstChecks, checksAt = lateChecks, name+", "+op
				}
				if lateBytes > worstBytes {
					worstBytes, bytesAt = lateBytes, name+", "+op
				}
			}
		}
	})
	t.Logf("%d operations; the worst after the end: %d checks (%s), %d bytes (%s)",
		len(b.Operations), worstChecks, checksAt, worstBytes, bytesAt)
}

// measure runs an operation and returns its allocated bytes and context
// checks.
func measure(t *testing.T, op Operation, w *World) (bytes uint64, checks int) {
	t.Helper()
	ctx := newCounting(math.MaxInt)
	defer ctx.end()
	before := testkit.Allocated()
	if err := op(ctx, w); err != nil {
		t.Error(err)
	}
	return testkit.Allocated() - before, ctx.checks
}

// ended runs an operation whose context ends at a given check, and returns the
// checks and allocations after it.
func ended(op Operation, w *World, ends int) (checks int, bytes uint64, err error) {
	ctx := newCounting(ends)
	defer ctx.end()
	err = op(ctx, w)
	return ctx.checks - ends, testkit.Allocated() - ctx.before, err
}

// points returns the checks at which to end a context, for an operation at an
// index of the table: the last but one, and three others in rotation.
func points(checks, place int) []int {
	out := []int{max(1, checks-1)}
	all := []int{1, checks / 3, checks * 9 / 10, checks / 2, checks / 7, 2}
	for i := range 3 {
		if n := all[(place+i)%len(all)]; n > 0 && n <= checks && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// counting is a context that counts checks and ends at one of them.
type counting struct {
	context.Context
	end  context.CancelFunc
	ends int

	mu     sync.Mutex
	checks int
	before uint64 // total allocations when it ended
}

func newCounting(ends int) *counting {
	c := &counting{ends: ends}
	c.Context, c.end = context.WithCancel(context.Background())
	return c
}

// Err counts a check.
func (c *counting) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.checks++; c.checks == c.ends {
		c.before = testkit.Allocated()
		c.end()
	}
	return c.Context.Err()
}
