package libsolv_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
)

// A real catalog with its defects: subscriptions to some packages, and all
// packages that have no solution alone.
func TestAgreesWithLibsolvOnARealCatalog(t *testing.T) {
	needTestsolv(t)
	const name = "community-all.jsonl.gz"
	content := testkit.Must(fbc.Load(t.Context(), testkit.Data(t, name), fbc.Options{File: name}))(t)
	var names []string
	i := 0
	for p := range content.Packages() {
		if i++; i%testkit.Times(20, 8) == 0 {
			names = append(names, p.Name)
		}
	}
	names = append(names, "shipwright-operator", "l5-operator", "assisted-service-operator", "eclipse-che", "kuadrant-operator")
	dir := t.TempDir()
	answers := map[bool]int{}
	for _, name := range names {
		answers[agree(t.Context(), t, dir, resolver.Request{
			Namespace:     "n",
			Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "n", Name: "c"}, Content: content}},
			Subscriptions: []resolver.Subscription{{Name: name, Package: name}},
		})]++
	}
	require.Greater(t, answers[true], testkit.Times(8, 20))
	require.GreaterOrEqual(t, answers[false], 1)
}
