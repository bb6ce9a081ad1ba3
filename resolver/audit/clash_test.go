package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// TestPropertyClashes checks the pairs, each reported once, against their definition, pair by
// pair and bundle by bundle, and against the resolver: two subscriptions to packages that are
// never together have no solution.
func TestPropertyClashes(t *testing.T) {
	r, c := resolver.New(), draw.NewConverter()
	rapid.Check(t, func(t *rapid.T) {
		req := c.Request(draw.Problem().Draw(t, "problem"))
		sum := testkit.Must(audit.Run(context.Background(), r, req.Catalogs, audit.Options{}))(t)
		var got []string
		for a, b := range sum.NeverTogether() {
			got = append(got, a+" "+b)
			requireApart(t, r, req.Catalogs, a, b)
		}
		for range sum.NeverTogether() { // who has seen enough leaves
			break
		}
		slices.Sort(got)
		require.Equal(t, naiveApart(req.Catalogs), got)
		requireNarrowed(t, r, req.Catalogs, sum)
	})
}

// requireNarrowed compares the audit of one package with the complete audit.
func requireNarrowed(t *rapid.T, r *resolver.Resolver, catalogs []resolver.Catalog, whole *audit.Summary) {
	about := func(s *audit.Summary, pkg string) []string {
		var out []string
		for _, c := range s.Clashes {
			if slices.Contains(c.Packages, pkg) {
				out = append(out, fmt.Sprint(c))
			}
		}
		for a, b := range s.NeverTogether() {
			if a == pkg || b == pkg {
				out = append(out, a+" "+b)
			}
		}
		return out
	}
	var names []string
	for _, c := range catalogs {
		if c.Content != nil && c.Unavailable == nil {
			for pkg := range c.Content.Packages() {
				names = append(names, pkg.Name)
			}
		}
	}
	if len(names) == 0 {
		return
	}
	name := rapid.SampledFrom(names).Draw(t, "package")
	sum := testkit.Must(audit.Run(context.Background(), r, catalogs, audit.Options{Packages: []string{name}}))(t)
	require.ElementsMatch(t, about(whole, name), about(sum, name))
	for _, c := range sum.Clashes {
		require.Contains(t, c.Packages, name)
	}
}

func naiveApart(catalogs []resolver.Catalog) []string {
	provides := make(map[string][]map[properties.GVK]bool)
	for _, c := range catalogs {
		for b := range c.Content.Bundles() {
			if len(b.Places) == 0 || b.Properties.Deprecated() {
				continue
			}
			set := make(map[properties.GVK]bool)
			for g := range b.Properties.GVKs() {
				set[g] = true
			}
			provides[b.Package] = append(provides[b.Package], set)
		}
	}
	var out []string
	for p := range provides {
		for q := range provides {
			if p < q && allClash(provides[p], provides[q]) {
				out = append(out, p+" "+q)
			}
		}
	}
	slices.Sort(out)
	return out
}

func allClash(xs, ys []map[properties.GVK]bool) bool {
	for _, x := range xs {
		for _, y := range ys {
			shared := false
			for g := range x {
				shared = shared || y[g]
			}
			if !shared {
				return false
			}
		}
	}
	return true
}

func requireApart(t *rapid.T, r *resolver.Resolver, catalogs []resolver.Catalog, a, b string) {
	_, err := r.Resolve(context.Background(), resolver.Request{Catalogs: catalogs, Subscriptions: []resolver.Subscription{
		{Name: "a", Package: a}, {Name: "b", Package: b}}})
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		t.Fatalf("%s and %s are said to be never together, but: %v", a, b, err)
	}
}
