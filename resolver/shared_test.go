package resolver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// What a resolution counts depends on what the bundles of a catalog say, not on
// whether equal properties are one in memory: text that is written otherwise is
// not.
func TestCountsDoNotDependOnSharing(t *testing.T) {
	const formula = `{"any":{"constraints":[{"package":{"packageName":"b","versionRange":"<1.0.0"}},{"package":{"packageName":"b","versionRange":">1.0.0"}}]}}`
	counts := func(second string) resolver.Stats {
		blobs := universe.JSON(t, "a/x a.v1 a.v2\nb/x b.v1\nproperty a.v1 olm.constraint "+formula+"\nproperty a.v2 olm.constraint 0")
		content, err := fbc.Read(t.Context(), strings.NewReader(strings.Replace(blobs, `"value":0`, `"value":`+second, 1)), "c.json", fbc.Options{})
		require.NoError(t, err)
		req := universe.Request(t, "subscribe a")
		req.Catalogs = []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}, Content: content}}
		_, err = resolver.New().Resolve(t.Context(), req)
		conflict := testkit.As[*resolver.Conflict](t, err)
		require.NotZero(t, conflict.Stats.Variables)
		return conflict.Stats
	}
	require.Equal(t, counts(formula), counts(strings.ReplaceAll(formula, ":", ": ")))
}
