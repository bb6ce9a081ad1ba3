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

// A report does not mention a startingCSV that nobody set, nor a channel for a bundle that no
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
