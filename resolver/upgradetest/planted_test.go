package upgradetest_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/properties"
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

// mistake is something that happens to authors of catalogs.
type mistake struct {
	name string
	// before changes what the mistake is compared with, where the catalog has
	// nothing yet in which it could be made; plant makes it.
	before, plant func(c *declared.Catalog)
	// by are the properties that find it, among others; code is the code of the
	// first of them.
	by   []upgradetest.Property
	code string
}

var mistakes = []mistake{
	{
		name: "a hotfix replaces an older version and skips only the newest: the one in between is stranded",
		plant: func(c *declared.Catalog) {
			e := entry(c, "grafana-operator", "v4", "grafana-operator.v4.10.1")
			e.Replaces, e.Skips = "grafana-operator.v4.8.0", []string{"grafana-operator.v4.10.0"}
		},
		by: []upgradetest.Property{upgradetest.ReachesHead, upgradetest.Addition}, code: "noEdge",
	},
	{
		name:   "a skipRange ends one version too early",
		before: func(c *declared.Catalog) { headAlone(c, ">=0.14.0 <0.56.3") },
		plant:  func(c *declared.Catalog) { headAlone(c, ">=0.14.0 <0.47.0") },
		by:     []upgradetest.Property{upgradetest.ReachesHead}, code: "noEdge+unlisted",
	},
	{
		name: "a release forgets its replaces: two heads",
		plant: func(c *declared.Catalog) {
			entry(c, "grafana-operator", "v4", "grafana-operator.v4.10.1").Replaces = ""
		},
		by: []upgradetest.Property{upgradetest.Sound, upgradetest.ReachesHead, upgradetest.Addition}, code: "severalHeads",
	},
	{
		name: "the head requires an API that nobody provides",
		plant: func(c *declared.Catalog) {
			add(c, "rabbitmq-cluster-operator", "rabbitmq-cluster-operator.v2.22.3", "olm.gvk.required", properties.GVK{Group: "rabbitmq.com", Version: "v1beta9", Kind: "RabbitmqCluster"})
		},
		by: []upgradetest.Property{upgradetest.Installable, upgradetest.ReachesHead}, code: "constraint",
	},
	{
		name: "an update drops an API that a dependent requires",
		plant: func(c *declared.Catalog) {
			b := c.Package("cert-manager").Bundle("cert-manager.v1.16.5")
			b.Properties = slices.DeleteFunc(b.Properties, func(p scenario.Property) bool {
				return p.Type == properties.TypeGVK && strings.Contains(string(p.Value), `"Issuer"`)
			})
		},
		by: []upgradetest.Property{upgradetest.Dependents}, code: "stuck+constraint+package",
	},
	{
		name: "a circle of replaces",
		plant: func(c *declared.Catalog) {
			entry(c, "prometheus", "beta", "prometheusoperator.0.14.0").Replaces = "prometheusoperator.0.22.2"
		},
		by: []upgradetest.Property{upgradetest.Sound, upgradetest.ReachesHead}, code: "replacesCycle",
	},
	{
		name: "a range of a dependency that holds no version",
		plant: func(c *declared.Catalog) {
			change(c, "rabbitmq-messaging-topology-operator", "rabbitmq-messaging-topology-operator.v1.19.3", ">2.0.0", ">3.0.0")
		},
		by: []upgradetest.Property{upgradetest.Installable, upgradetest.ReachesHead}, code: "constraint",
	},
	{
		name: "the head is marked olm.deprecated",
		plant: func(c *declared.Catalog) {
			add(c, "limitador-operator", headOf(c, "limitador-operator", "stable"), "olm.deprecated", map[string]any{})
		},
		by: []upgradetest.Property{upgradetest.Installable, upgradetest.ReachesHead}, code: "deprecated",
	},
	{
		name:  "the default channel is renamed, and the package not told",
		plant: func(c *declared.Catalog) { c.Package("grafana-operator").Channel("v5").Name = "v5-stable" },
		by:    []upgradetest.Property{upgradetest.Sound}, code: "defaultChannelUnknown",
	},
	{
		name: "two requirements of one bundle come to provide the same API",
		plant: func(c *declared.Catalog) {
			for i := range c.Package("dns-operator").Bundles {
				add(c, "dns-operator", c.Package("dns-operator").Bundles[i].Name, "olm.gvk", properties.GVK{Group: "limitador.kuadrant.io", Version: "v1alpha1", Kind: "Limitador"})
			}
		},
		by: []upgradetest.Property{upgradetest.Installable}, code: "constraint+gvk",
	},
	{
		name: "an exact pin on a dependency holds it back",
		plant: func(c *declared.Catalog) {
			change(c, "rabbitmq-messaging-topology-operator", "rabbitmq-messaging-topology-operator.v1.19.3", ">2.0.0", "=2.22.2")
		},
		by: []upgradetest.Property{upgradetest.Dependents}, code: "stuck+constraint+package",
	},
	{
		name: "a version is skipped that a dependent pins",
		plant: func(c *declared.Catalog) {
			e := entry(c, "authorino-operator", "stable", headOf(c, "authorino-operator", "stable"))
			e.Skips = append(e.Skips, "authorino-operator.v0.13.0")
		},
		by: []upgradetest.Property{upgradetest.Installable}, code: "constraint+skipped",
	},
	{
		name: "an old version claims by its skipRange what is newer",
		plant: func(c *declared.Catalog) {
			entry(c, "prometheus", "beta", "prometheusoperator.0.47.0").SkipRange = ">=0.56.0"
		},
		by: []upgradetest.Property{upgradetest.Converges}, code: "loop",
	},
}

func entry(c *declared.Catalog, pkg, channel, name string) *declared.Entry {
	return c.Package(pkg).Channel(channel).Entry(name)
}

func add(c *declared.Catalog, pkg, bundle, typ string, value any) {
	b := c.Package(pkg).Bundle(bundle)
	b.Properties = append(b.Properties, declared.Prop(typ, value))
}

// change replaces a text in the properties of a bundle.
func change(c *declared.Catalog, pkg, bundle, old, now string) {
	b := c.Package(pkg).Bundle(bundle)
	quoted := func(s string) string {
		data, _ := json.Marshal(s) //nolint:errcheck // text has a form
		return string(data)
	}
	for i, p := range b.Properties {
		b.Properties[i].Value = json.RawMessage(strings.NewReplacer(quoted(old), quoted(now), `"`+old+`"`, `"`+now+`"`).Replace(string(p.Value)))
	}
}

// headAlone has the channel of prometheus list its head alone, with a skipRange for
// all versions before it.
func headAlone(c *declared.Catalog, skipRange string) {
	c.Package("prometheus").Channel("beta").Entries = []declared.Entry{{Name: "prometheusoperator.0.56.3", SkipRange: skipRange}}
}

// headOf finds the entry that no other replaces or skips.
func headOf(c *declared.Catalog, pkg, channel string) string {
	entries := c.Package(pkg).Channel(channel).Entries
	for _, e := range entries {
		if !slices.ContainsFunc(entries, func(o declared.Entry) bool { return o.Replaces == e.Name || slices.Contains(o.Skips, e.Name) }) {
			return e.Name
		}
	}
	return ""
}

// realCatalog is a copy of a real catalog, or of a part of it.
func realCatalog(t *testing.T) *declared.Catalog {
	dir := filepath.Join("..", "..", "..", "shared", "data")
	const file = "community-all.jsonl.gz"
	if _, err := os.Stat(filepath.Join(dir, file)); os.IsNotExist(err) {
		t.Skip("the real catalogs are not there: ../shared/data/" + file + " is not part of the repository")
	}
	content, err := fbc.LoadFile(t.Context(), os.DirFS(dir), file, fbc.Options{})
	require.NoError(t, err)
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
	for i, m := range mistakes {
		if i%every != 0 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			c, old := original.Clone(), known
			if m.before != nil {
				m.before(c)
				old = findings(t, c, upgradetest.Options{Shrink: -1}).Findings
			}
			m.plant(c)
			dir := t.TempDir()
			report := findings(t, c, upgradetest.Options{Known: old, Dir: dir})
			for i := range report.Findings {
				t.Log(report.Findings[i].Text())
			}
			for i, p := range m.by {
				code := ""
				if i == 0 {
					code = m.code
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
	content, err := c.Build(t.Context())
	require.NoError(t, err)
	opts.Shrink = cmp.Or(opts.Shrink, 2)
	report, err := upgradetest.Run(t.Context(), content, opts)
	require.NoError(t, err)
	return report
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
	written, err := fs.Glob(os.DirFS(dir), "*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, written)
	for _, f := range report.Findings {
		if f.Small == nil {
			continue
		}
		s, err := scenario.ReadFile(t.Context(), f.Small.File)
		require.NoError(t, err)
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
