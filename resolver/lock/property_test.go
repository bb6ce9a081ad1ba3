package lock_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/lock"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// A change of a drawn problem, and the kind of drift that it is.
type change struct {
	name string
	kind lock.DriftKind
	make func(p *oracle.Problem, rng *rand.Rand)
}

var changes = []change{
	{"a bundle less", lock.DriftCatalog, func(p *oracle.Problem, rng *rand.Rand) {
		if pkg := somePackage(p, rng); pkg != nil && len(pkg.Bundles) > 0 {
			i := rng.IntN(len(pkg.Bundles))
			pkg.Bundles = slices.Delete(pkg.Bundles, i, i+1)
		}
	}},
	{"a channel entry less", lock.DriftCatalog, func(p *oracle.Problem, rng *rand.Rand) {
		if pkg := somePackage(p, rng); pkg != nil && len(pkg.Channels) > 0 {
			if c := &pkg.Channels[rng.IntN(len(pkg.Channels))]; len(c.Entries) > 1 {
				i := rng.IntN(len(c.Entries))
				c.Entries = slices.Delete(c.Entries, i, i+1)
			}
		}
	}},
	{"fewer constraints", lock.DriftCatalog, func(p *oracle.Problem, rng *rand.Rand) {
		if pkg := somePackage(p, rng); pkg != nil && len(pkg.Bundles) > 0 {
			pkg.Bundles[rng.IntN(len(pkg.Bundles))].Requires = nil
		}
	}},
	{"another goal", lock.DriftPolicy, func(p *oracle.Problem, rng *rand.Rand) {
		goals := []resolver.Goal{resolver.Newest, resolver.Oldest, resolver.MinimalChange}
		p.Policy.Goal = goals[rng.IntN(len(goals))]
	}},
	{"a forbidden bundle", lock.DriftPolicy, func(p *oracle.Problem, rng *rand.Rand) {
		if pkg := somePackage(p, rng); pkg != nil && len(pkg.Bundles) > 0 {
			name := pkg.Bundles[rng.IntN(len(pkg.Bundles))].Name
			p.Forbid = append(p.Forbid, resolver.Forbidden{Bundle: resolver.BundleRef{Name: name}, Message: "changed"})
		}
	}},
	{"a subscription less", lock.DriftCluster, func(p *oracle.Problem, rng *rand.Rand) {
		if n := len(p.Subscriptions); n > 0 {
			p.Drop(rng.IntN(n))
		}
	}},
	{"another cluster", lock.DriftCluster, func(p *oracle.Problem, _ *rand.Rand) {
		p.Cluster.Kubernetes, p.Cluster.OpenShift = "1.99.0", ""
	}},
}

func somePackage(p *oracle.Problem, rng *rand.Rand) *oracle.Package {
	c := &p.Catalogs[rng.IntN(len(p.Catalogs))]
	if len(c.Packages) == 0 {
		return nil
	}
	return &c.Packages[rng.IntN(len(c.Packages))]
}

// asked is a drawn problem as a scenario file has it.
func asked(t *testing.T, p *oracle.Problem) (*scenario.Scenario, resolver.Request) {
	t.Helper()
	s := testkit.Must(scenario.Parse(ctx, "problem.yaml", []byte(p.Scenario())))(t)
	return s, testkit.Must(s.Load(ctx))(t).Request
}

// plain takes from a problem what a scenario cannot say.
func plain(p *oracle.Problem) *oracle.Problem {
	p = p.Clone()
	p.Force, p.Added = nil, nil
	for i := range p.Subscriptions {
		p.Subscriptions[i].Pin = ""
		p.Subscriptions[i].Generated = p.ReadsAsGenerated(&p.Subscriptions[i])
	}
	return p
}

// TestPropertyLocks: what is locked is valid and the best; after a change, the best is what a new
// resolution says, valid is what the reference implementation says, and the drift has the kind
// of the change.
func TestPropertyLocks(t *testing.T) {
	first, count := int(testkit.Must(seed.Seed())(t)), testkit.Times(60, 500)
	generator, r := draw.Problem(), resolver.New()
	seen := make(map[string]int)
	for i := range count {
		p := plain(generator.Example(first + i))
		s, req := asked(t, p)
		l, err := lock.Make(ctx, r, s, req.Catalogs)
		var conflict *resolver.Conflict
		var invalid *resolver.RequestError
		if errors.As(err, &conflict) || errors.As(err, &invalid) || errors.Is(err, resolver.ErrNotProven) {
			seen["without a lock"]++
			continue
		}
		require.NoError(t, err)
		seen["locked"]++
		require.True(t, t.Run("seed "+strconv.Itoa(first+i), func(t *testing.T) {
			sameBytes(t, l)
			v := testkit.Must(lock.Verify(ctx, r, l, req))(t)
			require.Equal(t, &lock.Verification{Valid: true, Best: true, Drift: []lock.Drift{}}, v)
			rng := rand.New(rand.NewPCG(uint64(first+i), 3))
			for _, c := range changes {
				changed := p.Clone()
				c.make(changed, rng)
				compare(t, r, l, changed, &c, seen)
			}
		}))
	}
	t.Log(seen)
	for _, c := range changes {
		require.Positive(t, seen[c.name+": not best"]+seen[c.name+": best"], c.name)
		seen["best"], seen["not best"] = seen["best"]+seen[c.name+": best"], seen["not best"]+seen[c.name+": not best"]
	}
	for _, what := range []string{"best", "not best", "valid, not best"} {
		require.Greater(t, seen[what], count/20, what)
	}
}

// compare holds a verification against answers that know nothing of the lock.
func compare(t *testing.T, r *resolver.Resolver, l *lock.Lock, changed *oracle.Problem, c *change, seen map[string]int) {
	t.Helper()
	_, now := asked(t, changed)
	fresh, err := r.Resolve(ctx, now)
	var conflict *resolver.Conflict
	if err != nil && !errors.As(err, &conflict) {
		_, err = lock.Verify(ctx, r, l, now)
		require.Error(t, err)
		return
	}
	v, err := lock.Verify(ctx, r, l, now)
	require.NoError(t, err, c.name)
	names := testkit.Map(l.Bundles, func(b lock.Bundle) string { return b.Name })
	slices.Sort(names)
	require.Equal(t, fresh != nil && equal(l, fresh) && !altered(l, &now), v.Best, "%s: %v", c.name, v)
	for _, d := range v.Drift {
		require.Equal(t, c.kind, d.Kind, "%s: %v", c.name, v)
		require.NotEmpty(t, d.Subject, "%s: %v", c.name, d)
		require.NotEmpty(t, d.Text)
	}
	if v.Best {
		seen[c.name+": best"]++
		require.True(t, v.Valid)
		return
	}
	seen[c.name+": not best"]++
	require.NotEmpty(t, v.Drift, c.name)
	may, must := allowed(t, changed, l, names)
	may, must = may && !altered(l, &now), must && !altered(l, &now)
	require.False(t, v.Valid && !may, "%s: %v is called valid", c.name, names)
	require.False(t, !v.Valid && must, "%s: %v is called invalid: %v", c.name, names, v)
	if v.Valid {
		seen["valid, not best"]++
	}
	sol, err := l.Resolve(ctx, r, now)
	require.Equal(t, v.Valid, err == nil, "%s: %v", c.name, err)
	if err == nil {
		require.ElementsMatch(t, names, sol.Set())
	}
}

// equal reports whether an answer has the locked bundles, each from the locked catalog unless it
// is installed.
func equal(l *lock.Lock, sol *resolver.Solution) bool {
	return len(sol.Steps) == len(l.Bundles) && !slices.ContainsFunc(sol.Steps, func(s resolver.Step) bool {
		return !slices.ContainsFunc(l.Bundles, func(b lock.Bundle) bool {
			return b.Name == s.Bundle && (b.Installed || s.Action == resolver.Keep || b.Catalog == s.Catalog.String())
		})
	})
}

// altered reports whether a locked bundle that is to be installed is not offered as it was.
func altered(l *lock.Lock, now *resolver.Request) bool {
	return slices.ContainsFunc(l.Bundles, func(b lock.Bundle) bool {
		if b.Installed {
			return false
		}
		for _, c := range now.Catalogs {
			for of := range c.Content.Bundles() {
				if c.Key.String() == b.Catalog && of.Name == b.Name && of.Package == b.Package {
					return of.Image != b.Image || of.Version.String() != b.Version
				}
			}
		}
		return true
	})
}

// allowed asks the reference implementation whether a set may be, and whether it is the answer,
// if no other bundles of the catalogs are allowed.
func allowed(t *testing.T, p *oracle.Problem, l *lock.Lock, names []string) (may, must bool) {
	t.Helper()
	p = p.Clone()
	for _, c := range p.Catalogs {
		for _, pkg := range c.Packages {
			for _, b := range pkg.Bundles {
				if !slices.ContainsFunc(l.Bundles, func(of lock.Bundle) bool { return of.Name == b.Name && of.Catalog == c.Key.String() }) {
					p.Forbid = append(p.Forbid, resolver.Forbidden{Bundle: resolver.BundleRef{Catalog: c.Key, Name: b.Name}})
				}
			}
		}
	}
	// What stays is allowed whatever is forbidden.
	answer := testkit.Must(oracle.Solve(p))(t)
	must = answer.Resolved && slices.Equal(answer.Set, names)
	for _, name := range names {
		p.Force = append(p.Force, resolver.BundleRef{Name: name})
	}
	forced, err := oracle.Solve(p)
	return must || err == nil && forced.Resolved && slices.Equal(forced.Set, names), must
}

// sameBytes verifies that a lock that is written and read is the same one.
func sameBytes(t *testing.T, l *lock.Lock) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, l.Write(&out))
	again := testkit.Must(lock.Read(ctx, bytes.NewReader(out.Bytes()), "resolute.lock"))(t)
	var second bytes.Buffer
	require.NoError(t, again.Write(&second))
	require.Equal(t, out.String(), second.String())
}
