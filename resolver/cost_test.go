package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// rungs is a ladder of n rungs a0, a1, …, each of which leads to the next one and
// into a dead end: it requires a left side whose versions 1 to 3 want the same
// version of the middle, and a right side that wants the first version of it.
func rungs(t testing.TB, n int) resolver.Request {
	rung := func(next string) string {
		needs := "needs=l%[1]d@>=1.0.0 needs=r%[1]d@>=1.0.0 " + next
		return "a%[1]d/c a%[1]d.v1 " + needs + "\na%[1]d/c a%[1]d.v2 replaces=a%[1]d.v1 " + needs + `
			l%[1]d/c l%[1]d.v1 needs=m%[1]d@1.0.0
			l%[1]d/c l%[1]d.v2 replaces=l%[1]d.v1 needs=m%[1]d@2.0.0
			l%[1]d/c l%[1]d.v3 replaces=l%[1]d.v2 needs=m%[1]d@3.0.0
			r%[1]d/c r%[1]d.v1 needs=m%[1]d@1.0.0
			r%[1]d/c r%[1]d.v2 replaces=r%[1]d.v1 needs=m%[1]d@1.0.0
			r%[1]d/c r%[1]d.v3 replaces=r%[1]d.v2 needs=m%[1]d@1.0.0
			m%[1]d/c m%[1]d.v1 m%[1]d.v2 m%[1]d.v3
			`
	}
	return universe.Request(t, "catalog ns/c\n"+each(n-1, rung("needs=a%[2]d@>=1.0.0"))+fmt.Sprintf(rung(""), n-1)+"subscribe a0")
}

// versions are lines of n versions of a package, from version 0 on, each with these words.
func versions(pkg string, n int, words string) string {
	return each(n, pkg+"/c "+pkg+".v%[1]d replaces="+pkg+".v%[3]d "+words+"\n")
}

// chained is a chain of n packages of ten versions, each of which requires the next
// package, the last of which is forbidden: each single requirement is part of the
// reason why there is no solution.
func chained(t testing.TB, n int) resolver.Request {
	last := fmt.Sprint("p", n-1)
	return universe.Request(t, each(n-1, versions("p%%[1]d", 10, "needs=p%%[2]d@>=0.0.0"))+versions(last, 10, "")+
		each(10, "forbid "+last+".v%[1]d\n")+"subscribe p0")
}

// beside is a subscription that pulls in ten bundles, in a catalog with that many
// other packages.
func beside(t testing.TB, others int) resolver.Request {
	return universe.Request(t, each(9, versions("p%%[1]d", 5, "needs=p%%[2]d@>=1.0.0"))+versions("p9", 5, "")+
		each(others, versions("q%%[1]d", 5, "needs=p0@>=1.0.0"))+"subscribe p0")
}

// TestDeadEndsNeedNoSolver: where the way back from a dead end is plain, it is found
// without a solver, and leads to the best result all the same.
func TestDeadEndsNeedNoSolver(t *testing.T) {
	const n = 100
	sol := universe.Solution(t, rungs(t, n))
	require.Zero(t, sol.Stats.Solves)
	require.Len(t, sol.Steps, 4*n)
	want := map[string]string{"a": "2.0.0", "l": "1.0.0", "r": "3.0.0", "m": "1.0.0"}
	for _, s := range sol.Steps {
		require.Equal(t, want[s.Package[:1]], s.Version.String(), s.Bundle)
		if s.Package[0] == 'l' {
			require.Equal(t, []resolver.BundleRef{inBlobs(s.Package + ".v3"), inBlobs(s.Package + ".v2")}, s.PassedOver)
		}
	}
}

func inBlobs(bundle string) resolver.BundleRef {
	return resolver.BundleRef{Catalog: cache.Key{Namespace: "ns", Name: "c"}, Name: bundle}
}

// TestLargeConflictsTakeFewSolverCalls: one call for each fact would be 1,001.
func TestLargeConflictsTakeFewSolverCalls(t *testing.T) {
	conflict := universe.Conflict(t, chained(t, 100))
	require.Len(t, conflict.Facts, 1+99*10+10)
	require.Less(t, conflict.Stats.Solves, 40)
}

// broken is a number of subscriptions, each of which is a conflict of its own: of five facts,
// about two bundles.
func broken(t testing.TB, n int) resolver.Request {
	return universe.Request(t, "catalog ns/c\n"+each(n, `
		w%[1]d/c w%[1]d.v1 needs=l%[1]d@>=1.0.0 needs=m%[1]d@2.0.0
		l%[1]d/c l%[1]d.v1 needs=m%[1]d@1.0.0
		m%[1]d/c m%[1]d.v1 m%[1]d.v2
		subscribe w%[1]d
		`))
}

// TestIndependentConflictsTakeFewSolverCalls: what one conflict takes does not depend on how
// many others there are, but for the first, which is compared with all of them.
func TestIndependentConflictsTakeFewSolverCalls(t *testing.T) {
	for _, n := range []int{10, 50, 400} {
		conflict := universe.Conflict(t, broken(t, n))
		for _, one := range conflict.All() {
			require.True(t, one.Minimal)
			require.Len(t, one.Facts, 5)
		}
		require.LessOrEqual(t, conflict.Stats.Solves, 400+30*len(conflict.All()), "%d subscriptions", n)
	}
}

// TestCostFollowsReach: what a request takes depends on what it reaches, not on how
// much else the catalog has.
func TestCostFollowsReach(t *testing.T) {
	small, large := beside(t, 10), beside(t, 1000)
	r := resolver.New()
	few := testkit.Must(r.Resolve(context.Background(), small))(t)
	many := testkit.Must(r.Resolve(context.Background(), large))(t)
	require.Equal(t, few.Steps, many.Steps)
	require.Equal(t, few.Stats.Reached, many.Stats.Reached)
	allocs := func(req resolver.Request) float64 {
		return testing.AllocsPerRun(20, func() { must(r.Resolve(context.Background(), req)) })
	}
	require.InDelta(t, allocs(small), allocs(large), 1)
}

// TestOneStepAllocatesLittle: a subscription that one bundle meets.
func TestOneStepAllocatesLittle(t *testing.T) {
	req, r := universe.Request(t, versions("alone", 20, "")+"subscribe alone"), resolver.New()
	require.LessOrEqual(t, testing.AllocsPerRun(50, func() { must(r.Resolve(context.Background(), req)) }), 50.0)
}

// BenchmarkRequests resolves requests of growing size: see rungs, chained, whose facts are ten
// times as many, and beside, whose catalogs grow and not what is reached.
func BenchmarkRequests(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint("rungs=", n), func(b *testing.B) { benchmarkResolve(b, rungs(b, n)) })
		b.Run(fmt.Sprint("chained=", n/5), func(b *testing.B) { benchmarkResolve(b, chained(b, n/5)) })
		b.Run(fmt.Sprint("beside=", 10*n), func(b *testing.B) { benchmarkResolve(b, beside(b, 10*n)) })
	}
}

// benchmarkResolve resolves a request that may be unsatisfiable.
func benchmarkResolve(b *testing.B, req resolver.Request) {
	r, ctx := resolver.New(), context.Background()
	b.ReportAllocs()
	var stats resolver.Stats
	for b.Loop() {
		sol, err := r.Resolve(ctx, req)
		var conflict *resolver.Conflict
		if errors.As(err, &conflict) {
			stats = conflict.Stats
		} else {
			stats = must(sol, err).Stats
		}
	}
	b.ReportMetric(float64(stats.Reached), "reached")
	b.ReportMetric(float64(stats.Solves), "solves")
}

// Ten thousand what-ifs on one session leave nothing behind: after the first
// thousand the heap stays within a tenth.
func TestSessionKeepsMemoryFlat(t *testing.T) {
	ctx := context.Background()
	s, names := twentySubscriptions(t)
	ask := func(n int) {
		for i := range n {
			var asked resolver.Change = resolver.DropSubscription{Subscription: names[i%len(names)]}
			switch i % 4 {
			case 1:
				asked = resolver.FollowChannel{Subscription: names[i%len(names)]}
			case 2:
				asked = resolver.ForbidBundle{Bundle: resolver.BundleRef{Name: "argocd-operator.v0.18.0"}, Message: "not that one"}
			}
			_, err := s.Resolve(ctx, asked)
			require.NoError(t, err)
		}
	}
	ask(1000)
	before := liveHeap()
	ask(testkit.Times(3000, 9000))
	after := liveHeap()
	require.LessOrEqual(t, float64(after), 1.1*float64(before), "%d bytes before, %d after", before, after)
}

func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// twentySubscriptions is a session about twenty packages of the real catalog that
// go together.
func twentySubscriptions(t testing.TB) (*resolver.Session, []string) {
	t.Helper()
	ctx, r := context.Background(), resolver.New()
	c := realCatalog(t)
	req := resolver.Request{Namespace: "ns",
		Catalogs: []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "community"}, Content: c}}}
	var names []string
	for p := range c.Packages() {
		if len(names) == 20 {
			break
		}
		try := testkit.Must(req.Apply(resolver.AddSubscription{Subscription: resolver.Subscription{Name: p.Name, Package: p.Name}}))(t)
		if _, err := r.Resolve(ctx, try); err == nil {
			req, names = try, append(names, p.Name)
		}
	}
	s := testkit.Must(r.Session(ctx, req))(t)
	return s, names
}
