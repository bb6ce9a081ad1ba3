package resolver_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// lines writes catalogs for tests of speed: packages with one channel, whose
// versions are 1.0.0, 2.0.0, and so on.
type lines struct{ strings.Builder }

// pkg adds a package with that many versions; requires gives what each requires, as
// packages with ranges.
func (l *lines) pkg(name string, versions int, requires func(v int) []string) {
	for v := 1; v <= versions; v++ {
		fmt.Fprintf(l, "%[1]s/c %[1]s.v%[2]d replaces=%[1]s.v%[3]d provides=%[1]s.example.com/v1/K", name, v, v-1)
		if requires != nil {
			for _, r := range requires(v) {
				l.WriteString(" needs=" + r)
			}
		}
		l.WriteByte('\n')
	}
}

// request subscribes to a package of the catalog.
func (l *lines) request(t testing.TB, pkg string) resolver.Request {
	t.Helper()
	return universe.Request(t, "catalog ns/c\n"+l.String()+"subscribe s package="+pkg)
}

// rungs is a ladder of n rungs a0, a1, …, each of which leads to the next one and
// into a dead end: it requires a left side whose versions 1 to 3 want the same
// version of the middle, and a right side that wants the first version of it.
func rungs(t testing.TB, n int) resolver.Request {
	var b lines
	for i := range n {
		left, right, middle := fmt.Sprint("l", i), fmt.Sprint("r", i), fmt.Sprint("m", i)
		b.pkg(fmt.Sprint("a", i), 2, func(int) []string {
			requires := []string{left + "@>=1.0.0", right + "@>=1.0.0"}
			if i+1 < n {
				requires = append(requires, fmt.Sprintf("a%d@>=1.0.0", i+1))
			}
			return requires
		})
		b.pkg(left, 3, func(v int) []string { return []string{fmt.Sprintf("%s@%d.0.0", middle, v)} })
		b.pkg(right, 3, func(int) []string { return []string{middle + "@1.0.0"} })
		b.pkg(middle, 3, nil)
	}
	return b.request(t, "a0")
}

// chained is a chain of n packages of ten versions, each of which requires the next
// package, the last of which is forbidden: each single requirement is part of the
// reason why there is no solution.
func chained(t testing.TB, n int) resolver.Request {
	var b lines
	for i := range n {
		b.pkg(fmt.Sprint("p", i), 10, func(int) []string {
			if i+1 == n {
				return nil
			}
			return []string{fmt.Sprintf("p%d@>=1.0.0", i+1)}
		})
	}
	req := b.request(t, "p0")
	for v := 1; v <= 10; v++ {
		req.Forbid = append(req.Forbid, resolver.Forbidden{Bundle: resolver.BundleRef{Name: fmt.Sprintf("p%d.v%d", n-1, v)}})
	}
	return req
}

// beside is a subscription that pulls in ten bundles, in a catalog with that many
// other packages.
func beside(t testing.TB, others int) resolver.Request {
	var b lines
	for i := range 10 {
		b.pkg(fmt.Sprint("p", i), 5, func(int) []string {
			if i == 9 {
				return nil
			}
			return []string{fmt.Sprintf("p%d@>=2.0.0", i+1)}
		})
	}
	for i := range others {
		b.pkg(fmt.Sprint("q", i), 5, func(int) []string { return []string{"p0@>=1.0.0"} })
	}
	return b.request(t, "p0")
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
	var b lines
	b.pkg("alone", 20, nil)
	req, r := b.request(t, "alone"), resolver.New()
	require.LessOrEqual(t, testing.AllocsPerRun(50, func() { must(r.Resolve(context.Background(), req)) }), 50.0)
}

// BenchmarkDeadEnds: see rungs.
func BenchmarkDeadEnds(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint("rungs=", n), func(b *testing.B) { benchmarkResolve(b, rungs(b, n)) })
	}
}

// BenchmarkLargeConflict: see chained; the facts are ten times as many.
func BenchmarkLargeConflict(b *testing.B) {
	for _, n := range []int{10, 40, 100} {
		b.Run(fmt.Sprint("packages=", n), func(b *testing.B) { benchmarkResolve(b, chained(b, n)) })
	}
}

// BenchmarkBeside resolves one request in catalogs of growing size.
func BenchmarkBeside(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint("others=", n), func(b *testing.B) { benchmarkResolve(b, beside(b, n)) })
	}
}

// benchmarkResolve resolves a request that may be unsatisfiable.
func benchmarkResolve(b *testing.B, req resolver.Request) {
	r, ctx := resolver.New(), context.Background()
	b.ReportAllocs()
	var stats resolver.Stats
	for b.Loop() {
		stats = statsOf(r.Resolve(ctx, req))
	}
	b.ReportMetric(float64(stats.Reached), "reached")
	b.ReportMetric(float64(stats.Solves), "solves")
}

// statsOf returns the work for a solution or a conflict.
func statsOf(sol *resolver.Solution, err error) resolver.Stats {
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		return conflict.Stats
	}
	return must(sol, err).Stats
}

// Ten thousand what-ifs on one session leave nothing behind: after the first
// thousand the heap stays within a tenth.
func TestSessionKeepsMemoryFlat(t *testing.T) {
	ctx := context.Background()
	s, names := twentySubscriptions(t)
	ask := func(n int) {
		for i := range n {
			asked := whatif.DropSubscription(names[i%len(names)])
			switch i % 4 {
			case 1:
				asked = whatif.FollowChannel(names[i%len(names)], "")
			case 2:
				asked = whatif.ForbidBundle(resolver.BundleRef{Name: "argocd-operator.v0.18.0"}, "not that one")
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
		try := testkit.Must(req.Apply(whatif.AddSubscription(resolver.Subscription{Name: p.Name, Package: p.Name})))(t)
		if _, err := r.Resolve(ctx, try); err == nil {
			req, names = try, append(names, p.Name)
		}
	}
	s := testkit.Must(r.Session(ctx, req))(t)
	return s, names
}
