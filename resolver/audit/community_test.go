package audit_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// communityAll is a real catalog of 7,016 bundles.
func communityAll(t testing.TB) []resolver.Catalog {
	t.Helper()
	const name = "community-all.jsonl.gz"
	key := cache.Key{Namespace: "olm", Name: "community"}
	content := testkit.Must(fbc.Load(context.Background(), testkit.Data(t, name), fbc.Options{File: name, Catalog: key}))(t)
	return []resolver.Catalog{{Key: key, Content: content}}
}

// TestOfCommunityCatalog audits the complete catalog, and checks three packages against their
// channels and bundles, read by hand.
func TestOfCommunityCatalog(t *testing.T) {
	catalogs := communityAll(t)
	found, sum := runAll(t, catalogs, audit.Options{})
	require.Equal(t, 7016, sum.Bundles)
	require.Zero(t, sum.Incomplete)
	require.Len(t, sum.Clashes, 15)

	byPackage := make(map[string][]string)
	for _, b := range found {
		text := strings.ReplaceAll(findingText(b), b.Package+".", "")
		byPackage[b.Package] = append(byPackage[b.Package], text)
	}
	for _, c := range testkit.Cases(t, "testdata/community.txt", "says") {
		require.Empty(t, cmp.Diff(c.Part("says").Lines, byPackage[c.Name]), "%s (- want, + got)", c.Name)
	}
}

// TestOfCommunitySampleIsTheNaiveOne compares packages that have dependencies, loop, are skipped
// or broken with the naive audit of each bundle.
func TestOfCommunitySampleIsTheNaiveOne(t *testing.T) {
	catalogs := communityAll(t)
	opts := audit.Options{Packages: []string{"assisted-service-operator", "bpfman-operator", "eclipse-che",
		"fence-agents-remediation", "grafana-operator", "kogito-operator", "kuadrant-operator", "ndmspc-operator", "percona-postgresql-operator"}}
	found, _ := runAll(t, catalogs, opts)
	var want []finding
	naive := naiveAudit{resolver.New(), catalogs, opts}
	for _, name := range opts.Packages {
		for _, b := range catalogs[0].Content.Package(name).Bundles {
			want = append(want, naive.bundle(t, catalogs[0], b))
		}
	}
	if d := cmp.Diff(want, likeNaive(t, found, want)); d != "" {
		t.Errorf("findings (- naive, + audit):\n%s", d)
	}
}

func BenchmarkAudit(b *testing.B) {
	catalogs := communityAll(b)
	bundles := catalogs[0].Content.Len()
	b.ReportAllocs()
	for b.Loop() {
		sum := testkit.Must(audit.Run(context.Background(), resolver.New(), catalogs, audit.Options{}))(b)
		require.Equal(b, bundles, sum.Bundles)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(bundles)*float64(b.N)/b.Elapsed().Seconds(), "bundles/s")
	b.ReportMetric(float64(m.Sys)/1e6, "MB-from-system")
}
