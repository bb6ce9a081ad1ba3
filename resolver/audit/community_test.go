package audit_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
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

// communityAll is a real catalog of 7,016 bundles, which lies beside the checkout
// where there is one. Without it the test is skipped.
func communityAll(t testing.TB) []resolver.Catalog {
	t.Helper()
	key := cache.Key{Namespace: "olm", Name: "community"}
	content, err := fbc.LoadFile(context.Background(), os.DirFS("../../../shared/data"), "community-all.jsonl.gz", fbc.Options{Catalog: key})
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the catalog ../../../shared/data/community-all.jsonl.gz is not here")
	}
	require.NoError(t, err)
	return []resolver.Catalog{{Key: key, Content: content}}
}

// TestOfCommunityCatalog audits the whole catalog, and holds three packages against what
// their channels and bundles say, read by hand.
func TestOfCommunityCatalog(t *testing.T) {
	catalogs := communityAll(t)
	found, sum := runAll(t, catalogs, audit.Options{})
	require.Equal(t, 7016, sum.Bundles)
	require.Zero(t, sum.Incomplete)
	require.Len(t, sum.Clashes, 15)

	byPackage := make(map[string][]string)
	for _, b := range found {
		byPackage[b.Package] = append(byPackage[b.Package], findingText(b))
	}
	for pkg, want := range communityFindings() {
		// The common part of the names is cut for the reader's sake.
		got := strings.ReplaceAll(strings.Join(byPackage[pkg], "\n"), pkg+".", "")
		if d := cmp.Diff(strings.TrimSpace(strings.ReplaceAll(want, "\t", "")), got); d != "" {
			t.Errorf("%s (- want, + got):\n%s", pkg, d)
		}
	}
}

// communityFindings are what a reader of the catalog finds out.
func communityFindings() map[string]string {
	return map[string]string{
		// v0.1.14 is the head; it replaces nothing, so that it is the whole chain,
		// and skips v0.1.8 and v0.1.13. v0.1.10 is replaced by v0.1.13 only, which
		// is skipped, and v0.1.9 by v0.1.10 only, which is off the chain.
		"alibaba-cloud-csi-operator": `
		v0.1.10: no (noCandidate), in stable to v0.1.10 in 0 (noCandidate)
		v0.1.13: no (noCandidate), to the head of stable in 1
		v0.1.14: yes, to the head of stable in 0
		v0.1.8: no (noCandidate), to the head of stable in 1
		v0.1.9: no (noCandidate), in stable to v0.1.9 in 0 (noCandidate)`,
		// Every entry has the skipRange >=0.0.1: from each of them the head v0.8.0 is
		// one step away, and there the operator stays, although older entries hold it
		// as well: its own entry comes first.
		"fence-agents-remediation": `
		v0.2.0: yes, to the head of stable in 1
		v0.2.1: yes, to the head of stable in 1
		v0.3.0: yes, to the head of stable in 1
		v0.4.0: yes, to the head of stable in 1
		v0.5.0: yes, to the head of stable in 1
		v0.6.0: yes, to the head of stable in 1
		v0.6.1: yes, to the head of stable in 1
		v0.7.0: yes, to the head of stable in 1
		v0.8.0: yes, to the head of stable in 0`,
		// Most versions require one exact version of authorino-operator: 0.5.0 for
		// v0.2.x, 0.6.0 for v0.3.0, 0.7.0 for v0.3.1; 0.9.0 for v0.4.x, 0.10.0 for
		// v0.5.0 to v0.6.1, 0.11.1 for v0.7.x, 0.12.0 for v0.10.0, 0.13.0 for v0.11.x,
		// and the same goes for limitador-operator and dns-operator. In both channels
		// each version replaces the one before, and each of these is the next in its
		// own channel, or the same: as dependencies they have subscriptions and move
		// along. v0.7.x hold cert-manager at 1.14.2; v0.10.0 lets it go, and it takes four
		// rounds from that one on, by 1.15.0, 1.15.2 and 1.16.1 to 1.16.5: nobody needs it
		// any more.
		"kuadrant-operator": `
		v0.10.0: yes, to the head of stable in 2
		v0.11.0: yes, to the head of stable in 1
		v0.11.1: yes, to the head of stable in 0
		v0.2.0: yes, to the head of alpha in 3
		v0.2.1: yes, to the head of alpha in 2
		v0.3.0: yes, to the head of alpha in 1
		v0.3.1: yes, to the head of alpha in 0
		v0.4.0: yes, to the head of stable in 10; orphans: cert-manager.v1.16.5
		v0.4.1: yes, to the head of stable in 9; orphans: cert-manager.v1.16.5
		v0.5.0: yes, to the head of stable in 8; orphans: cert-manager.v1.16.5
		v0.6.0: yes, to the head of stable in 7; orphans: cert-manager.v1.16.5
		v0.6.1: yes, to the head of stable in 6; orphans: cert-manager.v1.16.5
		v0.7.1: yes, to the head of stable in 5; orphans: cert-manager.v1.16.5
		v0.7.2: yes, to the head of stable in 4; orphans: cert-manager.v1.16.5`,
	}
}

// TestAuditOfCommunitySampleIsTheNaiveOne compares packages that depend on others,
// loop, are skipped or broken with findings made afresh for each bundle.
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
