package lazy_test

import (
	"context"
	"fmt"
	"math/rand"
	"testing"
	"time"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

// registry is a registry of packages in memory, of the size that Crossplane's users have.
type registry struct {
	packages map[string]*lazy.Package
	details  map[lazy.Ref]lazy.Details
}

func (r *registry) Packages(_ context.Context, names []string) ([]*lazy.Package, error) {
	out := make([]*lazy.Package, len(names))
	for i, name := range names {
		out[i] = r.packages[name]
	}
	return out, nil
}

func (r *registry) Details(_ context.Context, refs []lazy.Ref) ([]lazy.Details, error) {
	out := make([]lazy.Details, len(refs))
	for i, ref := range refs {
		out[i] = r.details[ref]
	}
	return out, nil
}

func (r *registry) Find(_ context.Context, queries []lazy.Query) ([][]lazy.Ref, error) {
	return make([][]lazy.Ref, len(queries)), nil
}

func nameOf(i int) string { return fmt.Sprintf("xpkg.example.com/acme/package-%d", i) }

// newRegistry draws a registry. Each version depends on up to three of the next ten packages, mostly
// with a lower bound, sometimes with an upper one.
func newRegistry(t testing.TB, packages, versions int) *registry {
	random := rand.New(rand.NewSource(1))
	r := &registry{make(map[string]*lazy.Package), make(map[lazy.Ref]lazy.Details)}
	for i := range packages {
		p := &lazy.Package{}
		for v := versions - 1; v >= 0; v-- {
			number := semver.Version{Major: 1, Minor: uint64(v)}
			ref := lazy.Ref{Package: nameOf(i), Name: fmt.Sprintf("package-%d.v%s", i, number)}
			p.Versions = append(p.Versions, lazy.Version{Name: ref.Name, Version: number})
			var d lazy.Details
			for range min(random.Intn(4), packages-1-i) {
				text := fmt.Sprintf(">=1.%d.0", random.Intn(versions))
				if random.Intn(20) == 0 {
					text = fmt.Sprintf("<1.%d.0", versions/2+random.Intn(versions/2))
				}
				within, err := properties.ParseRange(text)
				require.NoError(t, err)
				d.Requires = append(d.Requires, &constraints.Package{Name: nameOf(i + 1 + random.Intn(min(10, packages-1-i))), Range: within})
			}
			r.details[ref] = d
		}
		r.packages[nameOf(i)] = p
	}
	return r
}

// request requests the first packages.
func (r *registry) request(n int) resolver.Request {
	var req resolver.Request
	for i := range n {
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: fmt.Sprint("s", i), Package: nameOf(i)})
	}
	req.Policy.Upgrades = resolver.UpgradesSelfCertified
	return req
}

var registryKey = cache.Key{Namespace: "xpkg", Name: "acme"}

func (r *registry) session(p lazy.Provider) *lazy.Session {
	return lazy.NewSession(nil, lazy.Catalog{Key: registryKey, Provider: p})
}

// TestRegistryReads: an answer over a registry reads at most 1.2 times the versions that it has, in
// batches, and equals that of the whole registry.
func TestRegistryReads(t *testing.T) {
	r := newRegistry(t, 200, 50)
	for _, roots := range []int{1, 20, 200} {
		count := &counting{Provider: r}
		s, req := r.session(count), r.request(roots)
		sol, err := s.Resolve(t.Context(), req)
		require.NoError(t, err)
		t.Logf("%d roots: %d bundles, %+v, %d batches", roots, len(sol.Steps), s.Asked(), len(count.batches))
		require.LessOrEqual(t, 10*s.Asked().Versions, 12*len(sol.Steps))
		require.Less(t, 3*len(count.batches), s.Asked().Versions)
		require.Empty(t, count.twice)

		require.NoError(t, s.Complete(t.Context(), req))
		whole, err := s.Load(t.Context(), req)
		require.NoError(t, err)
		want, err := resolver.New().Resolve(t.Context(), whole)
		require.NoError(t, err)
		require.Equal(t, answer(want, nil), answer(sol, nil))
	}
}

// TestLongChain: the work between the calls grows in proportion to the rounds.
func TestLongChain(t *testing.T) {
	took := func(n int) time.Duration {
		r := &registry{make(map[string]*lazy.Package), make(map[lazy.Ref]lazy.Details)}
		for i := range n {
			r.packages[nameOf(i)] = &lazy.Package{Versions: []lazy.Version{{Name: nameOf(i), Version: semver.Version{Major: 1}}}}
			if i+1 < n {
				within, err := properties.ParseRange(">=1.0.0")
				require.NoError(t, err)
				r.details[lazy.Ref{Package: nameOf(i), Name: nameOf(i)}] = lazy.Details{Requires: []constraints.Constraint{&constraints.Package{Name: nameOf(i + 1), Range: within}}}
			}
		}
		best := time.Hour
		for range 3 {
			start := time.Now()
			sol, err := r.session(r).Resolve(t.Context(), r.request(1))
			best = min(best, time.Since(start))
			require.NoError(t, err)
			require.Len(t, sol.Steps, n)
		}
		return best
	}
	few, many := took(500), took(4000)
	t.Log(few, many)
	require.Less(t, many, 32*few) // 8 times the rounds; 64 would be quadratic
}

func BenchmarkRegistry(b *testing.B) {
	r := newRegistry(b, 200, 50)
	for _, roots := range []int{1, 20, 200} {
		b.Run(fmt.Sprint(roots), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = r.session(r).Resolve(b.Context(), r.request(roots))
			}
		})
	}
}
