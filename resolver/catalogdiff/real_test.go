package catalogdiff_test

import (
	"os"
	"testing"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

const dataDir = "../../../shared/data"

// load reads a real catalog, or skips the test where it is not there.
func load(t testing.TB, name string) *cache.Catalog {
	t.Helper()
	if _, err := os.Stat(dataDir + "/" + name); os.IsNotExist(err) {
		t.Skipf("the real catalogs are not there: ../shared/data/%s is not part of the repository", name)
	}
	content, err := fbc.LoadFile(t.Context(), os.DirFS(dataDir), name, fbc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestX(t *testing.T) {
	old, now := load(t, "community-v4.14-full.jsonl.gz"), load(t, "community-v4.19-full.jsonl.gz")
	start := time.Now()
	resolver.New().Audit(t.Context(), []resolver.Catalog{{Key: cache.Key{"a", "b"}, Content: old}}, resolver.AuditOptions{})
	t.Log("audit", time.Since(start))
	start = time.Now()
	r, err := catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{})
	t.Log(time.Since(start), err)
	counts := map[string]int{}
	for _, f := range r.Worse {
		counts["worse "+string(f.Code)+" "+string(f.Severity)]++
		t.Log("worse", f)
	}
	for _, f := range r.Better {
		counts["better "+string(f.Code)+" "+string(f.Severity)]++
	}
	t.Log(counts, len(r.Changes), len(r.Changed), len(r.Audited))
}
