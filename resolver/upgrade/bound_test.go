package upgrade_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/upgrade"
)

// A short line that says much of nothing is refused before it takes memory.
func TestLineOfNothing(t *testing.T) {
	empty := "[" + strings.Repeat("{},", 2*shards.MaxItems) + "{}]"
	for name, line := range map[string]string{
		"operators": `{"status":"ready","operators":` + empty + `}`,
		"reasons":   `{"status":"ready","operators":[{"reasons":` + empty + `}]}`,
		"order":     `{"status":"ready","order":` + empty + `}`,
		"summary":   `{"summary":{"operators":` + empty + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := upgrade.Merge(nothing, strings.NewReader(line+"\n"))
			runtime.ReadMemStats(&after)
			bad := testkit.As[*shards.FormatError](t, err)
			require.Contains(t, bad.Message, "more than 1000000 lists, objects and items of lists")
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8*len(line)+1<<20))
		})
	}
}
