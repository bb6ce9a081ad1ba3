package audit_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// A short line that says much of nothing is refused before it takes memory: each empty
// fact would take a hundred times its three bytes. So is one of many levels, each of
// which would be read again for each level that it is in.
func TestLineOfNothing(t *testing.T) {
	const bundle = `{"catalog":"ns/c","package":"a","bundle":"a.v1","installable":false,"conflict":`
	empty := "[" + strings.Repeat("{},", 2*shards.MaxItems) + "{}]"
	for name, line := range map[string]string{
		"facts":      bundle + `{"facts":` + empty + `}}`,
		"candidates": bundle + `{"facts":[{"candidates":` + empty + `}]}}`,
		"further":    bundle + `{"further":` + empty + `}}`,
		"orphans":    bundle + `{},"orphans":[` + strings.Repeat(`"",`, 2*shards.MaxItems) + `""]}`,
		"levels":     bundle + strings.Repeat(`{"further":[`, 3000) + strings.Repeat("]}", 3000) + `}`,
		"clashes":    `{"summary":{"clashes":` + empty + `}}`,
		"apart":      `{"summary":{"neverTogether":` + strings.ReplaceAll(empty, "{}", "[]") + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := audit.Merge(ignore, strings.NewReader(line+"\n"))
			runtime.ReadMemStats(&after)
			bad := testkit.As[*shards.FormatError](t, err)
			require.Equal(t, 1, bad.Line)
			require.Contains(t, bad.Message, "more than 1000000 lists, objects and items of lists, or more than 64 levels")
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4*len(line)+1<<20), "the line, as its buffer grows")
		})
	}
}
