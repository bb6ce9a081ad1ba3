package resolver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver"
)

// What a resolution counts depends on what the bundles of a catalog say, not on
// whether equal properties are one in memory: text that is written otherwise is
// not.
func TestCountsDoNotDependOnSharing(t *testing.T) {
	const (
		formula = `{"type":"olm.constraint","value":{"any":{"constraints":[{"package":{"packageName":"b","versionRange":"<1.0.0"}},{"package":{"packageName":"b","versionRange":">1.0.0"}}]}}}`
		catalog = `{"schema":"olm.package","name":"a","defaultChannel":"x"}
{"schema":"olm.channel","package":"a","name":"x","entries":[{"name":"a1"},{"name":"a2","replaces":"a1"}]}
{"schema":"olm.bundle","package":"a","name":"a1","properties":[{"type":"olm.package","value":{"packageName":"a","version":"1.0.0"}},FIRST]}
{"schema":"olm.bundle","package":"a","name":"a2","properties":[{"type":"olm.package","value":{"packageName":"a","version":"2.0.0"}},SECOND]}
{"schema":"olm.package","name":"b","defaultChannel":"x"}
{"schema":"olm.channel","package":"b","name":"x","entries":[{"name":"b1"}]}
{"schema":"olm.bundle","package":"b","name":"b1","properties":[{"type":"olm.package","value":{"packageName":"b","version":"1.0.0"}}]}
`
	)
	counts := func(second string) resolver.Stats {
		text := strings.NewReplacer("FIRST", formula, "SECOND", second).Replace(catalog)
		_, err := resolver.New().Resolve(context.Background(), onCatalog(t, text, "a"))
		var conflict *resolver.Conflict
		require.ErrorAs(t, err, &conflict)
		require.NotZero(t, conflict.Stats.Variables)
		return conflict.Stats
	}
	require.Equal(t, counts(formula), counts(strings.ReplaceAll(formula, ":", ": ")))
}
