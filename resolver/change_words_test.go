package resolver_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Every change says in words what it does, to whom and with what.
func TestChangesInWords(t *testing.T) {
	key := cache.Key{Namespace: "ns", Name: "c"}
	b := resolver.BundleRef{Name: "b.v1"}
	newer, err := properties.ParseRange(">=1.0.0")
	require.NoError(t, err)
	for want, c := range map[string]resolver.Change{
		"drop subscription s":                                      resolver.Drop("s"),
		"add subscription s to package p":                          resolver.Add(resolver.Subscription{Name: "s", Package: "p"}),
		"pin subscription s to b.v1":                               resolver.Pin("s", "b.v1"),
		"release the pin of subscription s":                        resolver.Release("s"),
		"let subscription s follow channel x":                      resolver.UseChannel("s", "x"),
		"let subscription s use every channel":                     resolver.UseChannel("s", ""),
		"forbid b.v1":                                              resolver.Prohibit(b, "why"),
		"allow b.v1":                                               resolver.Allow("b.v1"),
		"force b.v1":                                               resolver.Force(b),
		"count b.v1 as installed":                                  resolver.InstallBundle(resolver.Installed{Name: "b.v1"}),
		"remove the installed b.v1":                                resolver.Remove("b.v1"),
		"let subscription s adopt the installed b.v1":              resolver.Adopt("b.v1", "s"),
		"relax all that b.v1 requires":                             resolver.Relax(b, nil),
		"relax what b.v1 requires: an operator with the label 'l'": resolver.Relax(b, constraints.NewLabel("l")),
		"relax what b.v1 requires: package p in range >=1.0.0":     resolver.Relax(b, constraints.NewPackage("p", newer)),
		"give catalog ns/c the priority 7":                         resolver.Prioritize(key, 7),
		"replace catalog ns/c":                                     resolver.Replace(resolver.Catalog{Key: key}),
		`drop subscription a b`:                                    resolver.Drop("a\nb"),
	} {
		require.Equal(t, want, c.String())
	}
}
