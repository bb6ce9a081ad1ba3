package upgradetest_test

import (
	"cmp"
	"context"
	"flag"
	"io/fs"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/mistake"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
)

// whole selects the complete catalog for planting mistakes, which takes a while.
var whole = flag.Bool("whole", false, "plant the mistakes in the whole of the real catalog")

// gardens are the packages of the real catalog in which mistakes are planted, their dependencies,
// and some packages with errors of their own.
var gardens = []string{
	"authorino-operator", "dns-operator", "kuadrant-operator", "limitador-operator",
	"cert-manager", "kubedb-installer", "rabbitmq-cluster-operator", "rabbitmq-messaging-topology-operator",
	"grafana-operator", "prometheus", "etcd",
	"alibaba-cloud-csi-operator", "aqua", "awss3-operator-registry", "lib-bucket-provisioner", "camel-k", "mercury-operator",
	"shipwright-operator", "dbaas-operator", "ack-rds-controller", "rds-provisioner", "service-binding-operator",
	"l5-operator", "bpfman-operator", "opendatahub-operator", "automotive-dev-operator",
}

// foundBy maps each of [mistake.All] to a code of its findings.
var foundBy = map[string]string{
	"a hotfix replaces an older version and skips only the newest: the one in between is stranded": "headUnreachable",
	"a skipRange ends one version too early":                                                       "headUnreachable",
	"a release forgets its replaces: two heads":                                                    "newProblem",
	"the head requires an API without a provider":                                                  "notInstallable",
	"an update drops an API that a dependent requires":                                             "dependentBroken",
	"a cycle of replaces":                                                                          "newProblem",
	"a dependency range contains no version":                                                       "notInstallable",
	"the head is marked olm.deprecated":                                                            "headUnreachable",
	"the default channel is renamed, but not in the package":                                       "newProblem",
	"two dependencies of one bundle provide the same API":                                          "notInstallable",
	"an exact pin on a dependency holds it back":                                                   "dependentBroken",
	"a skipped version is pinned by a dependent":                                                   "notInstallable",
	"the skipRange of an old version covers newer versions":                                        "headUnreachable",
}

// realCatalog returns a copy of a real catalog, or of a part of it.
func realCatalog(t *testing.T) *declared.Catalog {
	const file = "community-all.jsonl.gz"
	content := testkit.Must(fbc.Load(t.Context(), testkit.Data(t, file), fbc.Options{File: file}))(t)
	c := declared.Of(resolver.Catalog{Content: content})
	if !*whole {
		c.Packages = slices.DeleteFunc(c.Packages, func(p declared.Package) bool { return !slices.Contains(gardens, p.Name) })
	}
	return c
}

// TestPlantedMistakes plants mistakes in a copy of a real catalog, one at a time. The catalog has
// many errors of its own: only new ones count.
func TestPlantedMistakes(t *testing.T) {
	original := realCatalog(t)
	before := testkit.Must(original.Build(t.Context()))(t)
	every := testkit.Times(7, 1)
	for i, m := range mistake.All() {
		if i%every != 0 {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			c, old := original.Clone(), before
			if m.Before != nil {
				m.Before(c)
				old = testkit.Must(c.Build(t.Context()))(t)
			}
			m.Plant(c)
			dir := t.TempDir()
			report := findings(t, c, upgradetest.Options{Before: old, Dir: dir})
			for i := range report.Findings {
				t.Log(report.Findings[i].Lines())
			}
			requireSmall(t, report, foundBy[m.Name])
			replayAll(t, report, dir)
		})
	}
}

// findings checks a catalog for all errors that a planted mistake can cause.
func findings(t *testing.T, c *declared.Catalog, opts upgradetest.Options) *upgradetest.Report {
	content := testkit.Must(c.Build(t.Context()))(t)
	opts.Shrink = cmp.Or(opts.Shrink, 2)
	return testkit.Must(upgradetest.Run(t.Context(), content, opts))(t)
}

// requireSmall requires a finding of a code that was shrunk to at most three bundles.
func requireSmall(t *testing.T, report *upgradetest.Report, code string) {
	require.NotEmpty(t, code)
	for _, f := range report.Findings {
		if f.Code == code && f.Small != nil {
			require.LessOrEqual(t, f.Small.Bundles, 3, "%s", f.Lines())
			return
		}
	}
	require.Failf(t, "not found", "no new and shrunk finding %s", code)
}

// replayAll reads and answers each written scenario: an expectation in it must fail, because the
// scenario contains the mistake.
func replayAll(t *testing.T, report *upgradetest.Report, dir string) {
	require.NotEmpty(t, testkit.Must(fs.Glob(os.DirFS(dir), "*.yaml"))(t))
	for _, f := range report.Findings {
		if f.Small == nil {
			continue
		}
		s := testkit.Must(scenario.ReadFile(t.Context(), f.Small.File))(t)
		requireReplayed(t, &f, s)
	}
}

// requireReplayed requires a written scenario to reproduce its finding.
func requireReplayed(t *testing.T, f *upgradetest.Finding, s *scenario.Scenario) {
	ctx, runner := context.Background(), &scenario.Runner{NoCorrections: true}
	require.NotEqual(t, scenario.Invalid, runner.Run(ctx, s).Status, "%s", f.Lines())
	if s.Expect != nil {
		_, differences, err := runner.Test(ctx, s)
		require.NoError(t, err)
		require.NotEmpty(t, differences, "%s", f.Lines())
	}
	if f.Code != "headUnreachable" {
		return
	}
	loaded := testkit.Must(s.Load(ctx))(t)
	if path := runner.Converge(ctx, s, nil); path.Status == scenario.Resolved && !path.Loop {
		head := loaded.Request.Catalogs[0].Content.Package(f.Package).Channel(f.Channel).Head()
		require.True(t, head == nil || !slices.Contains(path.Set, head.Name), "%s", f.Lines())
	}
}
