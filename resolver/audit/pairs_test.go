package audit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// crowd is a catalog of packages whose first versions all provide one API, and whose
// second ones all provide another, so that no API alone keeps any two of them apart.
func crowd(t *testing.T, n int) []resolver.Catalog {
	t.Helper()
	var packages []*graph.Package
	for i := range n {
		name := fmt.Sprintf("p%d", i)
		d := graph.PackageDecl{Name: name, Definitions: []graph.DefinitionDecl{{DefaultChannel: "c"}}, Channels: []graph.ChannelDecl{{Name: "c"}}}
		for v, kind := range []string{"A", "B"} {
			own, err := properties.New(properties.TypePackage, fmt.Appendf(nil, `{"packageName":%q,"version":"1.%d.0"}`, name, v))
			require.NoError(t, err)
			gvk, err := properties.New(properties.TypeGVK, fmt.Appendf(nil, `{"group":"g","version":"v1","kind":%q}`, kind))
			require.NoError(t, err)
			b := graph.BundleDecl{Name: fmt.Sprintf("%s.v%d", name, v), Properties: properties.NewSet(own, gvk)}
			d.Bundles = append(d.Bundles, b)
			d.Channels[0].Entries = append(d.Channels[0].Entries, graph.EntryDecl{Name: b.Name})
		}
		d.Channels[0].Entries[1].Replaces = d.Bundles[0].Name
		packages = append(packages, graph.Build(d, graph.Options{}))
	}
	return []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}, Content: cache.NewCatalog(packages, nil)}}
}

// An audit compares so many pairs of packages, and counts those that it does not.
func TestPairsAreBounded(t *testing.T) {
	const few, many = 100, 1500 // 1,124,250 pairs for each of the two APIs
	opts := audit.Options{Packages: []string{"p0"}}
	sum := testkit.Must(audit.Run(t.Context(), resolver.New(), crowd(t, few), opts))(t)
	require.Zero(t, sum.NotCompared)
	sum = testkit.Must(audit.Run(t.Context(), resolver.New(), crowd(t, many), opts))(t)
	require.Equal(t, many*(many-1), sum.NotCompared)
}

// looks is a context that ends at the n-th look.
type looks struct {
	context.Context
	left int
}

func (l *looks) Err() error {
	if l.left--; l.left <= 0 {
		return context.Canceled
	}
	return nil
}

// The comparison looks at its context, however few the pairs are: once in some thousand
// steps.
func TestComparisonHeedsItsContext(t *testing.T) {
	catalogs, ctx := crowd(t, 1000), &looks{t.Context(), 1 << 30}
	_, err := audit.Run(ctx, resolver.New(), catalogs, audit.Options{Workers: 1})
	require.NoError(t, err)
	require.Greater(t, 1<<30-ctx.left, 2*1000*999/2/4096, "a look for each 4,096 pairs at least")
	_, err = audit.Run(&looks{t.Context(), (1<<30 - ctx.left) / 2}, resolver.New(), catalogs, audit.Options{Workers: 1})
	testkit.As[*resolver.IncompleteError](t, err)
}
