package growth_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// answered drops conflicts, which are answers, and returns other errors.
func answered(err error) error {
	var c *resolver.Conflict
	if errors.As(err, &c) {
		_, _ = c.Argument().HTML(), c.Text()
		return nil
	}
	return err
}

// operations are operations on large worlds. Package layout has a table of all public calls on small
// ones, and cmd/resolute one of its commands.
var operations = map[string]growth.Operation{
	"resolve, partial": func(ctx context.Context, w *growth.World) error {
		req := w.Request
		req.Policy.Failures = resolver.FailuresPartial
		_, err := resolver.New().Resolve(ctx, req)
		var invalid *resolver.RequestError
		if errors.As(err, &invalid) {
			return nil // extensions are rejected
		}
		return answered(err)
	},
	"corrections": func(ctx context.Context, w *growth.World) error {
		r := resolver.New()
		_, err := r.Resolve(ctx, w.Request)
		var c *resolver.Conflict
		if !errors.As(err, &c) {
			return err
		}
		if err := whatif.FindCorrections(ctx, r, w.Request, c, whatif.FindOptions{}); err != nil {
			return err
		}
		return answered(c)
	},
}

// grows are the operations that may exceed n log n.
var grows = []growth.Exception{
	{Shape: "a range for each subscription", Why: "each subscription has a list of candidates of its own; all lists together are bounded by resolver.Limits.Bundles"},
	{Shape: "rules about the same properties", Why: "each rule is evaluated on each bundle that has the property; resolver.Limits.CELCost bounds the cost of all of them"},
	{Shape: "hostile rules", Operations: []string{"corrections"}, Why: "corrections are tried, and each try resolves: 300 at most"},
	{Shape: "many channels", Operations: []string{"corrections"}, Why: "as above: to follow each channel is tried"},
}

// TestGrowth: cost grows in proportion to the input.
func TestGrowth(t *testing.T) {
	(&growth.Table{Size: 128, Operations: operations, Grows: grows}).Growth(t)
}

// TestEndsAnywhere: operations end promptly whenever their context ends.
func TestEndsAnywhere(t *testing.T) {
	(&growth.Table{Size: 32, Operations: operations, Grows: grows}).Ends(t)
}

// TestListsOfCandidatesAreBounded: separate candidate lists of subscriptions
// fail at the limit of bundles before memory runs out; shared lists do not.
func TestListsOfCandidatesAreBounded(t *testing.T) {
	r := resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 2000}))
	_, err := r.Resolve(t.Context(), growth.New(t, growth.Shapes["a range for each subscription"], 1500).Request)
	stopped := testkit.As[*resolver.IncompleteError](t, err)
	require.Equal(t, resolver.LimitBundles, stopped.Limit)
	_, err = r.Resolve(t.Context(), growth.New(t, growth.Shapes["many subscriptions to one package"], 1500).Request)
	require.NoError(t, err)
}

// maxForEach limits the total allocations of an answer and its argument per
// package of the longest chain: 16 KB and 10 KB when written, formerly 200 KB.
const maxForEach = 24 << 10

// maxStack limits the stack. The argument used 2.7 KB of it per package; a
// process dies at 1 GB. The SAT solver uses 100 bytes.
const maxStack = 64 << 20

// TestDeepestConflict: an unrealistically long chain whose last package is
// missing ends with an argument within the memory limit.
func TestDeepestConflict(t *testing.T) {
	testkit.OnlyLong(t, "takes some seconds")
	defer debug.SetMaxStack(debug.SetMaxStack(maxStack)) // the process dies above it
	for _, n := range []int{20_000, 100_000} {
		w := growth.New(t, growth.Shapes["deep, the last missing"], n)
		before := testkit.Allocated()
		c := universe.Conflict(t, w.Request)
		require.Len(t, c.Facts, n+1, "the subscription and each requirement")
		a := c.Argument()
		_, _, _ = c.Text(), a.Text(), a.HTML()
		testkit.Written(t, draw.Conflict(a).WriteDOT)
		testkit.Written(t, draw.Conflict(a).WriteMermaid)
		require.Less(t, testkit.Allocated()-before, uint64(n*maxForEach))
	}
}

// startEach has subscriptions to one package, each starting with a different
// bundle.
func startEach(t *testing.T, n int) resolver.Request {
	req := growth.New(t, growth.Shapes["long channel"], n).Request
	req.Subscriptions = nil
	for i := range n {
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: fmt.Sprintf("s%d", i), Package: "p", StartingCSV: fmt.Sprintf("p.v%d", i)})
	}
	return req
}

// TestStartOfEachSubscription: the resolution and its explanation find the
// starting bundle of a subscription by index, without scanning its channel.
func TestStartOfEachSubscription(t *testing.T) {
	checks := func(n int) float64 {
		ctx := &testkit.CountingContext{Context: t.Context()}
		_, err := resolver.New().Resolve(ctx, startEach(t, n))
		require.Len(t, testkit.As[*resolver.Conflict](t, err).All(), 1+50, "the first one and the further ones")
		return float64(ctx.Count.Load())
	}
	const small, large = 250, 2000
	maxRatio := large * math.Log(large) / (small * math.Log(small))
	few, many := checks(small), checks(large)
	require.Greater(t, many, few)
	require.LessOrEqual(t, many, maxRatio*few+64)
}

// TestTriesOfLargeRequests: larger requests try fewer sets of changes per
// conflict.
func TestTriesOfLargeRequests(t *testing.T) {
	testkit.OnlyLong(t, "takes some seconds")
	const n, maxTries = 4000, 500_000 / 4000
	req := startEach(t, n)
	r := resolver.New()
	_, err := r.Resolve(t.Context(), req)
	c := testkit.As[*resolver.Conflict](t, err)
	tries := 0
	require.NoError(t, whatif.FindCorrections(t.Context(), r, req, c, whatif.FindOptions{
		Tried: func([]resolver.Change, *resolver.Solution, error) { tries++ },
	}))
	require.Positive(t, tries)
	require.LessOrEqual(t, tries, maxTries+len(c.All()), "one more for each conflict at its limit")
}

// TestManyUnresolved: under policy Partial, the conflicts of unresolved subscriptions take time and
// memory in proportion. Each is unsatisfiable with the subscriptions it names, and minimal.
func TestManyUnresolved(t *testing.T) {
	resolve := func(n int) (resolver.Request, *resolver.Solution, float64) {
		req := growth.New(t, growth.Shapes["contention"], n).Request
		req.Policy.Failures = resolver.FailuresPartial
		before := testkit.Allocated()
		sol, err := resolver.New().Resolve(t.Context(), req)
		require.NoError(t, err)
		require.Len(t, sol.Unresolved, n/2)
		return req, sol, float64(testkit.Allocated() - before)
	}
	const small, large = 128, 1024
	_, _, few := resolve(small)
	req, sol, many := resolve(large)
	require.LessOrEqual(t, many, 1.25*few*large*math.Log(large)/(small*math.Log(small)))
	_, err := resolver.New(resolver.WithLimits(resolver.Limits{Solves: 1000})).Resolve(t.Context(), req)
	require.Equal(t, resolver.LimitSolves, testkit.As[*resolver.IncompleteError](t, err).Limit, "of all conflicts together")
	req.Policy.Failures = resolver.FailuresAll
	for i := 0; i < len(sol.Unresolved); i += 25 {
		u := sol.Unresolved[i]
		var named []resolver.Subscription
		for _, f := range u.Conflict.Facts {
			if f.Kind == argument.FactSubscription {
				named = append(named, resolver.Subscription{Name: f.Subscription, Package: f.Subscription})
			}
		}
		require.True(t, slices.ContainsFunc(named, func(s resolver.Subscription) bool { return s.Name == u.Subscription }))
		req.Subscriptions = named
		testkit.As[*resolver.Conflict](t, second(resolver.New().Resolve(t.Context(), req)))
		for k := range named {
			req.Subscriptions = slices.Delete(slices.Clone(named), k, k+1)
			require.NoError(t, second(resolver.New().Resolve(t.Context(), req)), "without %s", named[k].Name)
		}
	}
}

func second(_ *resolver.Solution, err error) error { return err }

// TestSearches: a search whose conflicts are far from the choices that they undo does not repeat all
// decisions for each, or the limit of steps ends it.
func TestSearches(t *testing.T) {
	checks := func(shape growth.Shape, n int) (float64, error) {
		ctx := &testkit.CountingContext{Context: t.Context()}
		_, err := resolver.New(resolver.WithLimits(resolver.Limits{Steps: 64 * n})).Resolve(ctx, growth.New(t, shape, n).Request)
		return float64(ctx.Count.Load()), err
	}
	limited := map[string]bool{"dead ends ever deeper": true, "chains that meet": true}
	const small, large = 256, 2048
	maxRatio := large * math.Log(large) / (small * math.Log(small))
	for name, shape := range growth.Searches {
		t.Run(name, func(t *testing.T) {
			few, err := checks(shape, small)
			many, errLarge := checks(shape, large)
			require.LessOrEqual(t, many, maxRatio*few+64)
			if !limited[name] {
				require.NoError(t, errors.Join(err, errLarge))
				return
			}
			stopped := testkit.As[*resolver.IncompleteError](t, errLarge)
			require.Equal(t, resolver.LimitSteps, stopped.Limit)
			require.ErrorContains(t, errLarge, "more than 131072 search steps needed")
			require.ErrorContains(t, errLarge, "raise the limit or narrow the request")
		})
	}
}

// TestEndsSoon: resolutions with a superlinear part return within 50 ms after their context ends,
// whenever that is. A late return is tried again, because of other load on the machine.
func TestEndsSoon(t *testing.T) {
	const tries, maxLate = 5, 50 * time.Millisecond
	shapes := maps.Clone(growth.Searches)
	for _, name := range []string{"contention", "installed rivals", "independent conflicts", "rules about the same properties"} {
		shapes[name] = growth.Shapes[name]
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			w := growth.New(t, shape, 1024)
			w.Request.Policy.Failures = resolver.FailuresPartial
			late := func(after time.Duration) time.Duration {
				ctx, cancel := context.WithTimeout(t.Context(), after)
				defer cancel()
				if _, err := resolver.New().Resolve(ctx, w.Request); err == nil {
					return 0
				}
				deadline, _ := ctx.Deadline()
				return time.Since(deadline)
			}
			for after := time.Millisecond; after < time.Second/4; after *= 2 {
				require.True(t, slices.ContainsFunc(make([]bool, tries), func(bool) bool { return late(after) <= maxLate }), "after %s", after)
			}
		})
	}
}
