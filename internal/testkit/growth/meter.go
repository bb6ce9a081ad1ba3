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

// Operation does something with a world. It returns an error if it could not, or if the
// context ended.
type Operation func(ctx context.Context, w *World) error

// factor is how many times the smaller size the larger one is.
const factor = 8

// amortized is how much more a slice that grows by a quarter at a time may have copied of
// one size than of another, in proportion.
const amortized = 1.25

// What the larger size may take of what the smaller one took: the input times its
// logarithm, and a rest for what does not depend on the size.
const (
	slackBytes = 512 << 10
	slackLooks = 64
)

// mostGrowth is by how much n log n may grow from the smaller size to the larger one.
func (b *Table) mostGrowth() float64 {
	small := float64(b.Size)
	return amortized * factor * math.Log(factor*small) / math.Log(small)
}

// What may be done after a context has ended: looks until each part of the work has seen
// it, and bytes, most of them for what is said of it.
const (
	mostLateLooks = 64
	mostLateBytes = 8 << 20
)

// Table is operations against shapes.
type Table struct {
	// Size is the smaller size of the shapes; the other one is 8 times as large.
	Size int
	// Operations are the operations, by name.
	Operations map[string]Operation
	// Dir is where the files of worlds lie; empty for worlds without [Files].
	Dir string
	// Grows are what may grow faster.
	Grows []Exception
}

// Exception is what need not hold.
type Exception struct {
	// Shape is the name of a shape; empty for all.
	Shape string
	// Operations are the names of operations, or how they begin; none for all.
	Operations []string
	// Why is the reason.
	Why string
}

// each calls do with each of [Shapes] and its operations, in a fixed order. At full
// length each shape meets every operation; else one of a few, by turns.
func (b *Table) each(t *testing.T, do func(t *testing.T, name string, operations []string)) {
	every := testkit.Times(6, 1)
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
	return w
}

// listed reports whether a list of exceptions has an operation against a shape.
func listed(list []Exception, shape, operation string) bool {
	return slices.ContainsFunc(list, func(e Exception) bool {
		return (e.Shape == "" || e.Shape == shape) && (len(e.Operations) == 0 ||
			slices.ContainsFunc(e.Operations, func(o string) bool { return strings.HasPrefix(operation, o) }))
	})
}

// Growth fails the test for each operation that takes more of the larger size of a shape
// than n log n allows.
func (b *Table) Growth(t *testing.T) {
	worst, where := 0.0, ""
	b.each(t, func(t *testing.T, name string, operations []string) {
		small, large := b.world(t, name, b.Size), b.world(t, name, factor*b.Size)
		for _, op := range operations {
			if listed(b.Grows, name, op) {
				continue
			}
			bytesA, looksA := measure(t, b.Operations[op], small)
			bytesB, looksB := measure(t, b.Operations[op], large)
			over := float64(bytesB) > b.mostGrowth()*float64(bytesA)+slackBytes || float64(looksB) > b.mostGrowth()*float64(looksA)+slackLooks
			if over {
				t.Errorf("%s, %s: from %d to %d, bytes grow from %d to %d (%.1f), looks at the context from %d to %d",
					name, op, b.Size, factor*b.Size, bytesA, bytesB, float64(bytesB)/float64(bytesA), looksA, looksB)
			}
			if grown := float64(bytesB-min(bytesB, slackBytes)) / float64(bytesA); !over && grown > worst {
				worst, where = grown, name+", "+op
			}
		}
	})
	t.Logf("%d operations, 2 sizes; the worst that is not listed: %.1f times the bytes, of %.1f: %s",
		len(b.Operations), worst, b.mostGrowth(), where)
}

// Ends fails the test for each operation that goes on after its context has ended, at
// one of several looks at it.
func (b *Table) Ends(t *testing.T) {
	worstLooks, looksAt, worstBytes, bytesAt := 0, "", uint64(0), ""
	b.each(t, func(t *testing.T, name string, operations []string) {
		w := b.world(t, name, factor*b.Size)
		for place, op := range operations {
			_, looks := measure(t, b.Operations[op], w)
			for _, ends := range points(looks, place) {
				lateLooks, lateBytes, err := ended(b.Operations[op], w, ends)
				if err == nil {
					continue // it was done, but for a last look
				}
				if lateLooks > mostLateLooks || lateBytes > mostLateBytes {
					t.Errorf("%s, %s: its context ended at look %d of %d, and it went on for %d looks and %d bytes", name, op, ends, looks, lateLooks, lateBytes)
					continue
				}
				if lateLooks > worstLooks {
					worstLooks, looksAt = lateLooks, name+", "+op
				}
				if lateBytes > worstBytes {
					worstBytes, bytesAt = lateBytes, name+", "+op
				}
			}
		}
	})
	t.Logf("%d operations; the worst after the end: %d looks (%s), %d bytes (%s)",
		len(b.Operations), worstLooks, looksAt, worstBytes, bytesAt)
}

// measure runs an operation, and returns the bytes that it allocates and how often
// it looks at its context.
func measure(t *testing.T, op Operation, w *World) (bytes uint64, looks int) {
	t.Helper()
	ctx := newCounting(math.MaxInt)
	defer ctx.end()
	before := testkit.Allocated()
	if err := op(ctx, w); err != nil {
		t.Error(err)
	}
	return testkit.Allocated() - before, ctx.looks
}

// ended runs an operation whose context ends at a look, and returns how often it looked
// at it afterwards, and what it allocated from then on.
func ended(op Operation, w *World, ends int) (looks int, bytes uint64, err error) {
	ctx := newCounting(ends)
	defer ctx.end()
	err = op(ctx, w)
	return ctx.looks - ends, testkit.Allocated() - ctx.before, err
}

// points are the looks at which a context ends, of an operation whose place in the
// table is given: the last but one, and three of several others by turns.
func points(looks, place int) []int {
	out := []int{max(1, looks-1)}
	all := []int{1, looks / 3, looks * 9 / 10, looks / 2, looks / 7, 2}
	for i := range 3 {
		if n := all[(place+i)%len(all)]; n > 0 && n <= looks && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// counting is a context that counts how often it is looked at, and that ends at one of
// these looks.
type counting struct {
	context.Context
	end  context.CancelFunc
	ends int

	mu     sync.Mutex
	looks  int
	before uint64 // what was allocated in all when it ended
}

func newCounting(ends int) *counting {
	c := &counting{ends: ends}
	c.Context, c.end = context.WithCancel(context.Background())
	return c
}

// Err counts a look.
func (c *counting) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.looks++; c.looks == c.ends {
		c.before = testkit.Allocated()
		c.end()
	}
	return c.Context.Err()
}
