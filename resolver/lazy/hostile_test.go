package lazy_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lazy"
)

// faulty is a provider whose answers a test can change. A nil function leaves them alone.
type faulty struct {
	lazy.Provider
	packages func(context.Context, []*lazy.Package) ([]*lazy.Package, error)
	details  func(context.Context, []lazy.Ref, []lazy.Details) ([]lazy.Details, error)
	find     func([][]lazy.Ref) ([][]lazy.Ref, error)
}

func (f *faulty) Packages(ctx context.Context, names []string) ([]*lazy.Package, error) {
	list, err := f.Provider.Packages(ctx, names)
	if f.packages != nil && err == nil {
		return f.packages(ctx, list)
	}
	return list, err
}

func (f *faulty) Details(ctx context.Context, refs []lazy.Ref) ([]lazy.Details, error) {
	list, err := f.Provider.Details(ctx, refs)
	if f.details != nil && err == nil {
		return f.details(ctx, refs, list)
	}
	return list, err
}

func (f *faulty) Find(ctx context.Context, queries []lazy.Query) ([][]lazy.Ref, error) {
	list, err := f.Provider.Find(ctx, queries)
	if f.find != nil && err == nil {
		return f.find(list)
	}
	return list, err
}

// TestWrongAnswers: each wrong answer of a provider is an error that names the package, and the
// session keeps nothing of it.
func TestWrongAnswers(t *testing.T) {
	r := newRegistry(t, 3, 3)
	version := func(minor uint64) lazy.Version {
		return lazy.Version{Version: semver.Version{Major: 1, Minor: minor}}
	}
	listing := func(list ...lazy.Version) func(*faulty) {
		return func(f *faulty) {
			f.packages = func(context.Context, []*lazy.Package) ([]*lazy.Package, error) {
				return []*lazy.Package{{Versions: list}}, nil
			}
		}
	}
	contents := func(do func(context.Context) ([]lazy.Details, error)) func(*faulty) {
		return func(f *faulty) {
			f.details = func(ctx context.Context, _ []lazy.Ref, _ []lazy.Details) ([]lazy.Details, error) { return do(ctx) }
		}
	}
	for name, test := range map[string]struct {
		spoil func(*faulty)
		want  string
	}{
		"a version twice":       {listing(version(1), version(1)), "cannot read xpkg.example.com/acme/package-0 of catalog xpkg/acme: the provider lists version 1.1.0 twice"},
		"versions out of order": {listing(version(1), version(2)), "cannot read xpkg.example.com/acme/package-0 of catalog xpkg/acme: the provider lists version 1.2.0 after the lower 1.1.0; versions have to come highest first"},
		"a name twice":          {listing(lazy.Version{Name: "a", Version: version(2).Version}, lazy.Version{Name: "a", Version: version(1).Version}), "cannot read a of xpkg.example.com/acme/package-0 of catalog xpkg/acme: the provider lists it twice"},
		"too few packages": {func(f *faulty) {
			f.packages = func(context.Context, []*lazy.Package) ([]*lazy.Package, error) { return nil, nil }
		}, "cannot read xpkg.example.com/acme/package-0 of catalog xpkg/acme: the provider returned 0 results for 1 items"},
		"too many contents": {contents(func(context.Context) ([]lazy.Details, error) { return make([]lazy.Details, 2), nil }),
			"cannot read package-0.v1.2.0 of xpkg.example.com/acme/package-0 of catalog xpkg/acme: the provider returned 2 results for 1 items"},
		"an error": {contents(func(context.Context) ([]lazy.Details, error) { return nil, errors.New("manifest unknown") }),
			"cannot read package-0.v1.2.0 of xpkg.example.com/acme/package-0 of catalog xpkg/acme: manifest unknown"},
		"a panic": {contents(func(context.Context) ([]lazy.Details, error) { panic("index out of range") }),
			"cannot read package-0.v1.2.0 of xpkg.example.com/acme/package-0 of catalog xpkg/acme: the source panicked: index out of range"},
		"an error of one": {contents(func(ctx context.Context) ([]lazy.Details, error) {
			return lazy.Each(ctx, 2, []lazy.Ref{{Package: "a", Name: "a.v1"}, {Package: "b", Name: "b.v1"}}, func(_ context.Context, ref lazy.Ref) (lazy.Details, error) {
				if ref.Package == "b" {
					return lazy.Details{}, errors.New("manifest unknown")
				}
				return lazy.Details{}, nil
			})
		}), "cannot read b.v1 of b of catalog xpkg/acme: manifest unknown"},
		"a hang": {contents(func(context.Context) ([]lazy.Details, error) { select {} }),
			"cannot read package-0.v1.2.0 of xpkg.example.com/acme/package-0 of catalog xpkg/acme: context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &faulty{Provider: r}
			s := lazy.NewSession(nil, lazy.Catalog{Key: registryKey, Provider: f, Timeout: 100 * time.Millisecond})
			test.spoil(f)
			_, err := s.Resolve(t.Context(), r.request(1))
			var wrong *lazy.ProviderError
			require.ErrorAs(t, err, &wrong)
			require.EqualError(t, err, test.want)
			require.Equal(t, registryKey, wrong.Catalog)
			*f = faulty{Provider: r}
			sol, err := s.Resolve(t.Context(), r.request(1))
			require.NoError(t, err)
			want, err := r.session(r).Resolve(t.Context(), r.request(1))
			require.NoError(t, err)
			require.Equal(t, answer(want, nil), answer(sol, nil))
		})
	}
	var panicked *cache.PanicError
	f := &faulty{Provider: r}
	f.packages = func(context.Context, []*lazy.Package) ([]*lazy.Package, error) { panic(1) }
	_, err := r.session(f).Resolve(t.Context(), r.request(1))
	require.ErrorAs(t, err, &panicked)
}

// TestFoundAndNotListed: an answer to a query has to be a listed version.
func TestFoundAndNotListed(t *testing.T) {
	p := draw.Problem()
	c := draw.NewConverter()
	for i := range 200 {
		req, catalogs := split(c.Request(p.Example(i)), func(p lazy.Provider) lazy.Provider {
			return &faulty{Provider: p, find: func(list [][]lazy.Ref) ([][]lazy.Ref, error) {
				list[0] = append(list[0], lazy.Ref{Package: "p", Name: "p.v1"})
				return list, nil
			}}
		})
		_, err := lazy.NewSession(nil, catalogs...).Resolve(t.Context(), req)
		if wrong := (*lazy.ProviderError)(nil); errors.As(err, &wrong) {
			require.Equal(t, "p", wrong.Package)
			require.Contains(t, err.Error(), "the provider found it, and does not list it")
			return
		}
	}
	t.Fatal("no problem asks a query")
}

// failing is a provider that fails, hangs until its time is over, delays, and answers, in turns.
type failing struct {
	lazy.Provider
	calls, hung int
}

func (f *failing) fault(ctx context.Context) error {
	switch f.calls++; f.calls % 4 {
	case 1:
		return errors.New("connection reset")
	case 2:
		f.hung++
		<-ctx.Done()
		return ctx.Err()
	case 3:
		time.Sleep(10 * time.Microsecond)
	}
	return nil
}

func (f *failing) Packages(ctx context.Context, names []string) ([]*lazy.Package, error) {
	if err := f.fault(ctx); err != nil {
		return nil, err
	}
	return f.Provider.Packages(ctx, names)
}

func (f *failing) Details(ctx context.Context, refs []lazy.Ref) ([]lazy.Details, error) {
	if err := f.fault(ctx); err != nil {
		return nil, err
	}
	return f.Provider.Details(ctx, refs)
}

func (f *failing) Find(ctx context.Context, queries []lazy.Query) ([][]lazy.Ref, error) {
	if err := f.fault(ctx); err != nil {
		return nil, err
	}
	return f.Provider.Find(ctx, queries)
}

// TestPropertyFaults: with a provider that delays, fails and hangs, a session that tries again
// answers as without faults, and asks for nothing again that it was given. On a busy machine a call
// may take too long by itself; what it asked for is asked for again.
func TestPropertyFaults(t *testing.T) {
	r, c := resolver.New(), draw.NewConverter()
	first := int(testkit.Must(seed.Seed())(t))
	failures, exact := 0, 0
	for i := range testkit.Times(150, 600) {
		req := c.Request(draw.Problem().Example(first + i))
		_, _, _, sol, err := resolve(t, r, req)
		want, failed := answer(sol, err), err != nil
		var again []*counting
		var faults []*failing
		partial, catalogs := split(req, func(p lazy.Provider) lazy.Provider {
			again = append(again, &counting{Provider: p})
			faults = append(faults, &failing{Provider: again[len(again)-1]})
			return faults[len(faults)-1]
		})
		for i := range catalogs {
			catalogs[i].Timeout = time.Millisecond
		}
		s, late := lazy.NewSession(r, catalogs...), 0
		for {
			sol, err := s.Resolve(t.Context(), partial)
			if wrong := (*lazy.ProviderError)(nil); errors.As(err, &wrong) {
				failures++
				if errors.Is(err, context.DeadlineExceeded) {
					late++
				}
				continue
			}
			if err == nil && len(sol.Unresolved) == 0 {
				require.Equal(t, want, answer(sol, err))
			}
			require.Equal(t, failed, err != nil)
			break
		}
		for _, f := range faults {
			late -= f.hung
		}
		if late > 0 {
			continue
		}
		exact++
		for _, c := range again {
			require.Empty(t, c.twice)
		}
	}
	require.Positive(t, failures)
	require.Positive(t, exact)
}

// TestCancel: a cancelled resolution returns within 50 ms, even if the provider ignores its context.
func TestCancel(t *testing.T) {
	r := newRegistry(t, 20, 3)
	release := make(chan struct{})
	defer close(release)
	f := &faulty{Provider: r}
	f.details = func(context.Context, []lazy.Ref, []lazy.Details) ([]lazy.Details, error) {
		<-release
		return nil, nil
	}
	best, within := time.Hour, 0
	for range 8 {
		ctx, cancel := context.WithCancel(t.Context())
		var cancelled time.Time
		time.AfterFunc(20*time.Millisecond, func() { cancelled = time.Now(); cancel() })
		_, err := r.session(f).Resolve(ctx, r.request(1))
		best = min(best, time.Since(cancelled))
		require.ErrorIs(t, err, context.Canceled)
		var incomplete *resolver.IncompleteError
		require.ErrorAs(t, err, &incomplete)
		if wrong := (*lazy.ProviderError)(nil); errors.As(err, &wrong) { // else it ended before the call
			within++
			require.Equal(t, nameOf(0), wrong.Package)
		}
	}
	require.Less(t, best, 50*time.Millisecond)
	require.Positive(t, within)
}

// TestEndsAnywhere: a context that ends at any check ends the resolution.
func TestEndsAnywhere(t *testing.T) {
	r := newRegistry(t, 20, 5)
	growth.StopsAnywhere(t, func(ctx context.Context) error {
		_, err := r.session(r).Resolve(ctx, r.request(3))
		return err
	})
}

// TestEach: calls run in parallel up to the limit, and results have the order of the keys.
func TestEach(t *testing.T) {
	keys := []int{5, 4, 3, 2, 1, 0}
	for _, limit := range []int{-1, 1, 3, 100} {
		var running, most atomic.Int32
		got, err := lazy.Each(t.Context(), limit, keys, func(_ context.Context, k int) (int, error) {
			n := running.Add(1)
			defer running.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Millisecond)
			return 10 * k, nil
		})
		require.NoError(t, err)
		require.Equal(t, []int{50, 40, 30, 20, 10, 0}, got)
		require.LessOrEqual(t, int(most.Load()), max(limit, 1))
	}
	_, err := lazy.Each(t.Context(), len(keys), keys, func(ctx context.Context, k int) (int, error) {
		if k == 3 {
			return 0, errors.New("three")
		}
		<-ctx.Done()
		return 0, ctx.Err()
	})
	require.EqualError(t, err, "three")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = lazy.Each(ctx, 2, keys, func(context.Context, int) (int, error) { return 0, nil })
	require.ErrorIs(t, err, context.Canceled)
	none, err := lazy.Each(t.Context(), 2, []int(nil), func(context.Context, int) (int, error) { return 0, nil })
	require.NoError(t, err)
	require.Empty(t, slices.Clip(none))
}
