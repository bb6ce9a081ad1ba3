package audit_test

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// reportOf audits catalogs into a report, without its seconds.
func reportOf(t testing.TB, catalogs []resolver.Catalog, opts audit.Options) *audit.Report {
	t.Helper()
	report := &audit.Report{}
	opts.Each = report.Bundle
	sum := testkit.Must(audit.Run(context.Background(), resolver.New(), catalogs, opts))(t)
	report.Summary = *sum
	report.Summary.Seconds = 0
	return report
}

// untidy is a catalog with every kind of note, and with bundles that differ only in name.
//
//go:embed testdata/untidy.txt
var untidy string

func TestReportText(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, reportOf(t, universe.Catalogs(t, untidy), audit.Options{}).WriteText(&out))
	want := testkit.Must(os.ReadFile("testdata/report.txt"))(t)
	require.Empty(t, cmp.Diff(string(want), out.String()), "text (- want, + got)")
}

// A report does not mention a startingCSV that is not set, nor a channel for a bundle that no
// channel lists, in any format.
func TestReportOfUnlistedBundles(t *testing.T) {
	catalogs := universe.Catalogs(t, `
		bundle a.v1
		a/stable a.v2 skips=a.v3
		a/stable a.v4 replaces=a.v2 needs=None`)
	report := reportOf(t, catalogs, audit.Options{})
	var out, lines bytes.Buffer
	require.NoError(t, report.WriteText(&out))
	_, err := audit.Run(t.Context(), resolver.New(), catalogs, audit.Options{Each: func(b *audit.Bundle) error { return b.WriteLine(&lines) }})
	require.NoError(t, err)
	for _, form := range []string{out.String(), lines.String()} {
		require.NotContains(t, form, "startingCSV")
		require.NotContains(t, form, "starting with")
	}
	require.Contains(t, out.String(), "a.v1, which no channel lists, followed in channel stable: ")
	require.Contains(t, out.String(), "a.v2, in channel stable: ")
	require.Contains(t, lines.String(), `"reachesHead":{"channel":"stable","unlisted":true,"reaches":false`)
}

// The counts of the headline add up to all bundles, those of packages to those of the audit, and the
// packages with the most trouble come first.
func TestReportAddsUp(t *testing.T) {
	report := reportOf(t, universe.Catalogs(t, untidy), audit.Options{})
	s := report.Summary
	require.Equal(t, s.Bundles, s.Installable+report.NotInstallable()+s.Skipped+report.Undecided())
	require.False(t, report.Clean())
	require.Equal(t, "Of 18 bundles, 6 cannot be installed, 11 do not reach the head of their channel and 1 was not fully audited", report.Verdict())
	cannot, trouble := 0, s.Bundles*3
	for _, p := range report.Troubled() {
		cannot += p.NotInstallable()
		now := p.Trouble()
		require.LessOrEqual(t, now, trouble, p.Package)
		trouble = now
	}
	require.Equal(t, report.NotInstallable(), cannot)
	undecided := &audit.Report{Summary: audit.Summary{Bundles: 3, Installable: 1, Skipped: 1, Incomplete: 1}}
	require.Contains(t, undecided.Headline(), "1 can be installed on an empty cluster, 0 cannot, 1 is not offered for new installs because a newer version skips it, 1 is undecided; ")
	clean := reportOf(t, longChains(t, 3, 2), audit.Options{})
	require.True(t, clean.Clean())
	require.Equal(t, "Everything can be installed and reaches the head of its channel", clean.Verdict())
}

// A text lists [audit.MaxLines] notes of a kind and counts the others.
func TestReportTextIsBounded(t *testing.T) {
	report := &audit.Report{}
	for i := range audit.MaxLines + 7 {
		require.NoError(t, report.Bundle(&audit.Bundle{Catalog: "c", Package: fmt.Sprintf("p%d", i/10), Bundle: fmt.Sprintf("b%d", i), Installable: true, Deprecated: fmt.Sprintf("m%d.", i)}))
		report.Summary.Apart = append(report.Summary.Apart, []string{"a", "b"})
		report.Summary.Clashes = append(report.Summary.Clashes, audit.Clash{GVK: "g", Packages: []string{"a", "b"}})
	}
	var out bytes.Buffer
	require.NoError(t, report.WriteText(&out))
	require.Contains(t, out.String(), fmt.Sprintf("%d bundles are deprecated:", audit.MaxLines+7))
	require.Contains(t, out.String(), fmt.Sprintf(": m%d.\n    … and 7 more; use -o json for all\n", audit.MaxLines-1))
	require.Equal(t, 3, strings.Count(out.String(), "… and 7 more; use -o json for all\n"))
	require.NotContains(t, out.String(), fmt.Sprintf("  p%d of", audit.MaxLines/10))
}

func TestReportOfAShardSaysSo(t *testing.T) {
	report := reportOf(t, longChains(t, 3, 2), audit.Options{Shard: 1, Shards: 2})
	var text bytes.Buffer
	require.NoError(t, report.WriteText(&text))
	require.Equal(t, "2 bundles of 1 package: 2 can be installed on an empty cluster, 0 cannot; 0 do not reach the head of their channel.\n"+
		"\nAudited in 0.0 s (shard 1/2 only).\n", text.String())
}

// A catalog is audited on all cores, and its findings are streamed as JSON lines; the report uses
// the same findings.
func ExampleRun() {
	key := cache.Key{Namespace: "olm", Name: "community"}
	catalog, err := fbc.Read(context.Background(), strings.NewReader(`{"schema":"olm.package","name":"etcd","defaultChannel":"stable"}
{"schema":"olm.channel","package":"etcd","name":"stable","entries":[{"name":"etcd.v2","skips":["etcd.v1"]},{"name":"etcd.v1"}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"etcd","name":"etcd.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"etcd","version":"2.0.0"}}]}
`), "catalog.jsonl", fbc.Options{Catalog: key})
	if err != nil {
		log.Fatal(err)
	}
	report := &audit.Report{}
	summary, err := audit.Run(context.Background(), resolver.New(),
		[]resolver.Catalog{{Key: key, Content: catalog}},
		audit.Options{Each: func(b *audit.Bundle) error {
			if b.Conflict != nil {
				fmt.Println(b.Bundle, "cannot be installed:", audit.Reason(b.Conflict))
				return report.Bundle(b)
			}
			if err := b.WriteLine(os.Stdout); err != nil {
				return err
			}
			return report.Bundle(b)
		}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d installable, %d stuck\n", summary.Installable, summary.Bundles, summary.Stuck)
	fmt.Println("skipped on purpose:", summary.Skipped)
	// Output:
	// etcd.v1 cannot be installed: etcd.v1 is skipped by etcd.v2; the next version that channel stable offers is etcd.v2
	// {"catalog":"olm/community","package":"etcd","bundle":"etcd.v2","installable":true,"reachesHead":{"channel":"stable","reaches":true,"rounds":0}}
	// 1 of 2 installable, 0 stuck
	// skipped on purpose: 1
}
