package upgradetest_test

import (
	"cmp"
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
)

// whole plants the mistakes in a copy of the whole catalog, which takes a while.
var whole = flag.Bool("whole", false, "plant the mistakes in the whole of the real catalog")

// gardens are the packages of the real catalog that mistakes are planted in, what
// they depend on, and some that have mistakes of their own.
var gardens = []string{
	"authorino-operator", "dns-operator", "kuadrant-operator", "limitador-operator",
	"cert-manager", "kubedb-installer", "rabbitmq-cluster-operator", "rabbitmq-messaging-topology-operator",
	"grafana-operator", "prometheus", "etcd",
	"alibaba-cloud-csi-operator", "aqua", "awss3-operator-registry", "lib-bucket-provisioner", "camel-k", "mercury-operator",
	"shipwright-operator", "dbaas-operator", "ack-rds-controller", "rds-provisioner", "service-binding-operator",
	"l5-operator", "bpfman-operator", "opendatahub-operator", "automotive-dev-operator",
}

// foundBy says of each of [declared.Mistakes] the properties that find it, among others,
// and the code of what the first of them finds.
var foundBy = map[string]struct {
	code string
	by   []upgradetest.Property
}{
	"a hotfix replaces an older version and skips only the newest: the one in between is stranded": {"noEdge", []upgradetest.Property{upgradetest.ReachesHead, upgradetest.Addition}},
	"a skipRange ends one version too early":                                                       {"noEdge+unlisted", []upgradetest.Property{upgradetest.ReachesHead}},
	"a release forgets its replaces: two heads":                                                    {"severalHeads", []upgradetest.Property{upgradetest.Sound, upgradetest.ReachesHead, upgradetest.Addition}},
	"the head requires an API that nobody provides":                                                {"constraint", []upgradetest.Property{upgradetest.Installable, upgradetest.ReachesHead}},
	"an update drops an API that a dependent requires":                                             {"stuck+constraint+package", []upgradetest.Property{upgradetest.Dependents}},
	"a circle of replaces":                                                                         {"replacesCycle", []upgradetest.Property{upgradetest.Sound, upgradetest.ReachesHead}},
	"a range of a dependency that holds no version":                                                {"constraint", []upgradetest.Property{upgradetest.Installable, upgradetest.ReachesHead}},
	"the head is marked olm.deprecated":                                                            {"deprecated", []upgradetest.Property{upgradetest.Installable, upgradetest.ReachesHead}},
	"the default channel is renamed, and the package not told":                                     {"defaultChannelUnknown", []upgradetest.Property{upgradetest.Sound}},
	"two requirements of one bundle come to provide the same API":                                  {"constraint+gvk", []upgradetest.Property{upgradetest.Installable}},
	"an exact pin on a dependency holds it back":                                                   {"stuck+constraint+package", []upgradetest.Property{upgradetest.Dependents}},
	"a version is skipped that a dependent pins":                                                   {"constraint+skipped", []upgradetest.Property{upgradetest.Installable}},
	"an old version claims by its skipRange what is newer":                                         {"loop", []upgradetest.Property{upgradetest.Converges}},
}

// realCatalog is a copy of a real catalog, or of a part of it.
func realCatalog(t *testing.T) *declared.Catalog {
	dir := filepath.Join("..", "..", "..", "shared", "data")
	const file = "community-all.jsonl.gz"
	if _, err := os.Stat(filepath.Join(dir, file)); os.IsNotExist(err) {
		t.Skip("the real catalogs are not there: ../shared/data/" + file + " is not part of the repository")
	}
	content := testkit.Must(fbc.LoadFile(t.Context(), os.DirFS(dir), file, fbc.Options{}))(t)
	c := declared.Of(resolver.Catalog{Content: content})
	if !*whole {
		c.Packages = slices.DeleteFunc(c.Packages, func(p declared.Package) bool { return !slices.Contains(gardens, p.Name) })
	}
	return c
}

// TestPlantedMistakes plants mistakes in a copy of a real catalog, one at a time. The
// catalog has many of its own: only what is new counts.
func TestPlantedMistakes(t *testing.T) {
	original := realCatalog(t)
	known := findings(t, original, upgradetest.Options{Shrink: -1}).Findings
	t.Logf("without a planted mistake there are %d findings", len(known))
	require.NotEmpty(t, known, "a real catalog has flaws, and they have to be told apart")
	every := testkit.Times(4, 1)
	for i, m := range declared.Mistakes() {
		if i%every != 0 {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			c, old := original.Clone(), known
			if m.Before != nil {
				m.Before(c)
				old = findings(t, c, upgradetest.Options{Shrink: -1}).Findings
			}
			m.Plant(c)
			dir := t.TempDir()
			report := findings(t, c, upgradetest.Options{Known: old, Dir: dir})
			for i := range report.Findings {
				t.Log(report.Findings[i].Text())
			}
			require.NotEmpty(t, foundBy[m.Name].by)
			for i, p := range foundBy[m.Name].by {
				code := ""
				if i == 0 {
					code = foundBy[m.Name].code
				}
				requireSmall(t, report, p, code)
			}
			replayAll(t, report, dir)
		})
	}
}

// findings checks a catalog in all properties that a mistake in it can break.
func findings(t *testing.T, c *declared.Catalog, opts upgradetest.Options) *upgradetest.Report {
	t.Helper()
	content := testkit.Must(c.Build(t.Context()))(t)
	opts.Shrink = cmp.Or(opts.Shrink, 2)
	return testkit.Must(upgradetest.Run(t.Context(), content, opts))(t)
}

// requireSmall requires a finding of a property that was shrunk to at most three
// bundles.
func requireSmall(t *testing.T, report *upgradetest.Report, p upgradetest.Property, code string) {
	t.Helper()
	for _, f := range report.Findings {
		if f.Property == p && (code == "" || f.Code == code) && f.Small != nil {
			require.LessOrEqual(t, f.Small.Bundles, 3, "%s", f.Text())
			return
		}
	}
	require.Failf(t, "not found", "no new and shrunk finding of %s %s", p, code)
}

// replayAll reads each scenario that was written back and answers it: as far as it
// expects something, that is not what is answered, for the mistake is in it.
func replayAll(t *testing.T, report *upgradetest.Report, dir string) {
	t.Helper()
	written := testkit.Must(fs.Glob(os.DirFS(dir), "*.yaml"))(t)
	require.NotEmpty(t, written)
	for _, f := range report.Findings {
		if f.Small == nil {
			continue
		}
		s := testkit.Must(scenario.ReadFile(t.Context(), f.Small.File))(t)
		requireReplayed(t, &f, s)
	}
}

func requireReplayed(t *testing.T, f *upgradetest.Finding, s *scenario.Scenario) {
	t.Helper()
	ctx, runner := context.Background(), &scenario.Runner{NoCorrections: true}
	require.NotEqual(t, scenario.Invalid, runner.Run(ctx, s).Status, "%s", f.Text())
	if f.Code == "loop" {
		require.True(t, runner.Converge(ctx, s, nil).Loop, "%s", f.Text())
	}
	if s.Expect != nil {
		_, differences, err := runner.Test(ctx, s)
		require.NoError(t, err)
		require.NotEmpty(t, differences, "%s", f.Text())
	}
}
