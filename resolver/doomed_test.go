package resolver_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// TestDoomed: what bans and requirements alone make impossible is explained by what is
// doomed where the facts are many, which all are here.
func TestDoomed(t *testing.T) {
	const chain = `
		a/c a.v1 needs=b@>=1.0.0
		a/c a.v2 replaces=a.v1 needs=b@>=2.0.0
		b/c b.v1 needs=d@>=1.0.0
		b/c b.v2 replaces=b.v1 needs=d@>=1.0.0
		d/c d.v1
		subscribe a
		forbid d.v1`
	for _, test := range []struct {
		name, universe string
		forbid         *cache.Key // where the first bundle is forbidden once more
		facts          []string
	}{
		{name: "a chain", universe: chain, facts: []string{"subscription a", "forbidden d.v1", "constraint a.v2", "constraint a.v1", "constraint b.v2", "constraint b.v1"}},
		{name: "two that have nothing in common", universe: chain + "\ne/c e.v1 needs=f@>=1.0.0\nf/c f.v1\nforbid f.v1\nsubscribe e",
			facts: []string{"subscription a", "forbidden d.v1", "constraint a.v2", "constraint a.v1", "constraint b.v2", "constraint b.v1",
				"subscription e", "forbidden f.v1", "constraint e.v1"}},
		{name: "any of several", universe: `
			a/c a.v1
			require a.v1 any(b@>=1.0.0, d@>=1.0.0)
			b/c b.v1
			d/c d.v1 needs=nothing@>=1.0.0
			subscribe a
			forbid b.v1`, facts: []string{"subscription a", "forbidden b.v1", "constraint a.v1", "constraint d.v1"}},
		{name: "all of several, one of which rests on the whole", universe: `
			a/c a.v1
			require a.v1 all(b@>=1.0.0, d@>=1.0.0)
			b/c b.v1 needs=a@>=1.0.0
			d/c d.v1
			subscribe a
			forbid d.v1`, facts: []string{"subscription a", "forbidden d.v1", "constraint a.v1"}},
		{name: "all of several, one of which is not there", universe: `
			a/c a.v1
			require a.v1 all(b@>=1.0.0, nothing@>=1.0.0)
			b/c b.v1
			subscribe a
			forbid b.v1`, facts: []string{"subscription a", "constraint a.v1"}},
		{name: "forbidden in all catalogs", universe: `
			catalog test/one 1
			a/c a.v1 needs=K
			d/c d.v1 provides=K
			catalog test/two 2
			d/c d.v1 provides=K
			subscribe a
			forbid d.v1`, forbid: &cache.Key{Namespace: "test", Name: "one"}, facts: []string{"subscription a", "forbidden d.v1", "constraint a.v1"}},
		{name: "barred twice", universe: `
			a/c a.v1 needs=b@>=1.0.0
			a/c a.v2 replaces=a.v1 needs=d@>=1.0.0
			b/c b.v1 barred
			d/c d.v1
			subscribe a
			forbid b.v1
			forbid d.v1
			forbid b.v1`, facts: []string{"subscription a", "forbidden b.v1", "forbidden d.v1", "constraint a.v1", "constraint a.v2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := universe.Request(t, test.universe)
			if test.forbid != nil {
				again := req.Forbid[0]
				again.Bundle.Catalog = *test.forbid
				req.Forbid = slices.Insert(req.Forbid, 0, again)
			}
			for _, deadEnds := range []int{0, 200} {
				r := resolver.New(resolver.WithLarge(1), resolver.WithDeadEnds(deadEnds))
				_, err := r.Resolve(context.Background(), req)
				conflict := testkit.As[*resolver.Conflict](t, err)
				var facts []string
				for _, one := range conflict.All() {
					require.True(t, one.Minimal)
					for _, f := range one.Facts {
						facts = append(facts, string(f.Kind)+" "+f.Subject)
					}
				}
				require.ElementsMatch(t, test.facts, facts)
			}
		})
	}
}
