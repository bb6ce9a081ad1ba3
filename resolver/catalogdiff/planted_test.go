package catalogdiff_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// mistake is one of the thirteen of the test kit (see upgradetest's own test), with
// what a comparison is to find: each finding by code, severity, package, channel,
// bundle, and the blob that it is at. Nothing else may be found.
type mistake struct {
	name          string
	before, plant func(c *declared.Catalog)
	want          []string
}

var mistakes = []mistake{
	{
		name: "a hotfix replaces an older version and skips only the newest: the one in between is stranded",
		plant: func(c *declared.Catalog) {
			e := entryOf(c, "grafana-operator", "v4", "grafana-operator.v4.10.1")
			e.Replaces, e.Skips = "grafana-operator.v4.8.0", []string{"grafana-operator.v4.10.0"}
		},
		want: []string{
			"error edgeLost grafana-operator v4 grafana-operator.v4.9.0 @ channel grafana-operator v4",
			"error notInstallable grafana-operator v4 grafana-operator.v4.9.0 @ channel grafana-operator v4",
		},
	},
	{
		name:   "a skipRange ends one version too early",
		before: func(c *declared.Catalog) { headAlone(c, ">=0.14.0 <0.56.3") },
		plant:  func(c *declared.Catalog) { headAlone(c, ">=0.14.0 <0.47.0") },
		want: []string{
			"error edgeLost prometheus beta prometheusoperator.0.47.0 @ channel prometheus beta",
		},
	},
	{
		name: "a release forgets its replaces: two heads",
		plant: func(c *declared.Catalog) {
			entryOf(c, "grafana-operator", "v4", "grafana-operator.v4.10.1").Replaces = ""
		},
		want: []string{
			"error newProblem grafana-operator v4 - @ channel grafana-operator v4",
		},
	},
	{
		name: "the head requires an API that nobody provides",
		plant: func(c *declared.Catalog) {
			addTo(c, "rabbitmq-cluster-operator", "rabbitmq-cluster-operator.v2.22.3", "olm.gvk.required", properties.GVK{Group: "rabbitmq.com", Version: "v1beta9", Kind: "RabbitmqCluster"})
		},
		want: []string{
			"error notInstallable rabbitmq-cluster-operator - rabbitmq-cluster-operator.v2.22.3 @ bundle rabbitmq-cluster-operator rabbitmq-cluster-operator.v2.22.3",
			"error headUnreachable rabbitmq-cluster-operator stable rabbitmq-cluster-operator.v2.22.2 @ bundle rabbitmq-cluster-operator rabbitmq-cluster-operator.v2.22.3",
		},
	},
	{
		name: "an update drops an API that a dependent requires",
		plant: func(c *declared.Catalog) {
			b := c.Package("cert-manager").Bundle("cert-manager.v1.16.5")
			b.Properties = slices.DeleteFunc(b.Properties, func(p scenario.Property) bool {
				return p.Type == properties.TypeGVK && strings.Contains(string(p.Value), `"Issuer"`)
			})
		},
		want: []string{
			"error dependentBroken alloydb-omni-operator - alloydb-omni-operator.v1.8.0 @ bundle cert-manager cert-manager.v1.16.5",
			"error dependentBroken kubedb-installer - kubedb-installer.v2026.2.26 @ bundle cert-manager cert-manager.v1.16.5",
		},
	},
	{
		name: "a circle of replaces",
		plant: func(c *declared.Catalog) {
			entryOf(c, "prometheus", "beta", "prometheusoperator.0.14.0").Replaces = "prometheusoperator.0.22.2"
		},
		want: []string{
			"error newProblem prometheus beta - @ channel prometheus beta",
		},
	},
	{
		name: "a range of a dependency that holds no version",
		plant: func(c *declared.Catalog) {
			replace(c, "rabbitmq-messaging-topology-operator", "rabbitmq-messaging-topology-operator.v1.19.3", ">2.0.0", ">3.0.0")
		},
		want: []string{
			"error notInstallable rabbitmq-messaging-topology-operator - rabbitmq-messaging-topology-operator.v1.19.3 @ bundle rabbitmq-messaging-topology-operator rabbitmq-messaging-topology-operator.v1.19.3",
			"error headUnreachable rabbitmq-messaging-topology-operator stable rabbitmq-messaging-topology-operator.v1.19.2 @ bundle rabbitmq-messaging-topology-operator rabbitmq-messaging-topology-operator.v1.19.3",
		},
	},
	{
		name: "the head is marked olm.deprecated",
		plant: func(c *declared.Catalog) {
			addTo(c, "limitador-operator", "limitador-operator.v0.11.0", "olm.deprecated", map[string]any{})
		},
		want: []string{
			"error dependentBroken kuadrant-operator - kuadrant-operator.v0.11.0 @ bundle limitador-operator limitador-operator.v0.11.0",
			"error dependentBroken kuadrant-operator - kuadrant-operator.v0.11.1 @ bundle limitador-operator limitador-operator.v0.11.0",
			"error dependentBroken kuadrant-operator stable kuadrant-operator.v0.10.0 @ bundle limitador-operator limitador-operator.v0.11.0",
			"error edgeLost limitador-operator stable limitador-operator.v0.10.0 @ bundle limitador-operator limitador-operator.v0.11.0",
			"error deprecated limitador-operator stable limitador-operator.v0.11.0 @ bundle limitador-operator limitador-operator.v0.11.0",
		},
	},
	{
		name:  "the default channel is renamed, and the package not told",
		plant: func(c *declared.Catalog) { c.Package("grafana-operator").Channel("v5").Name = "v5-stable" },
		want: []string{
			"error newProblem grafana-operator - - @ package  grafana-operator",
			"error channelRemoved grafana-operator v5 - @ package  grafana-operator",
		},
	},
	{
		name: "two requirements of one bundle come to provide the same API",
		plant: func(c *declared.Catalog) {
			for i := range c.Package("dns-operator").Bundles {
				addTo(c, "dns-operator", c.Package("dns-operator").Bundles[i].Name, "olm.gvk", properties.GVK{Group: "limitador.kuadrant.io", Version: "v1alpha1", Kind: "Limitador"})
			}
		},
		want: []string{
			"error clash dns-operator - dns-operator.v0.6.0 @ bundle dns-operator dns-operator.v0.6.0",
			"error dependentBroken kuadrant-operator - kuadrant-operator.v0.10.0 @ bundle dns-operator dns-operator.v0.6.0",
			"error dependentBroken kuadrant-operator - kuadrant-operator.v0.11.0 @ bundle dns-operator dns-operator.v0.6.0",
			"error dependentBroken kuadrant-operator - kuadrant-operator.v0.11.1 @ bundle dns-operator dns-operator.v0.6.0",
			"error dependentBroken kuadrant-operator - kuadrant-operator.v0.7.1 @ bundle dns-operator dns-operator.v0.2.0",
			"error dependentBroken kuadrant-operator - kuadrant-operator.v0.7.2 @ bundle dns-operator dns-operator.v0.2.0",
			"error dependentBroken kuadrant-operator stable kuadrant-operator.v0.6.1 @ bundle dns-operator dns-operator.v0.2.0",
		},
	},
	{
		name: "an exact pin on a dependency holds it back",
		plant: func(c *declared.Catalog) {
			replace(c, "rabbitmq-messaging-topology-operator", "rabbitmq-messaging-topology-operator.v1.19.3", ">2.0.0", "=2.22.2")
		},
		want: []string{
			"error dependentBroken rabbitmq-messaging-topology-operator - rabbitmq-messaging-topology-operator.v1.19.3 @ bundle rabbitmq-messaging-topology-operator rabbitmq-messaging-topology-operator.v1.19.3",
			"error headUnreachable rabbitmq-messaging-topology-operator stable rabbitmq-messaging-topology-operator.v1.19.2 @ bundle rabbitmq-messaging-topology-operator rabbitmq-messaging-topology-operator.v1.19.3",
		},
	},
	{
		name: "a version is skipped that a dependent pins",
		plant: func(c *declared.Catalog) {
			e := entryOf(c, "authorino-operator", "stable", "authorino-operator.v0.16.0")
			e.Skips = append(e.Skips, "authorino-operator.v0.13.0")
		},
		want: []string{
			"error edgeLost authorino-operator stable authorino-operator.v0.12.0 @ channel authorino-operator stable",
			"error dependentBroken kuadrant-operator - kuadrant-operator.v0.11.0 @ channel authorino-operator stable",
			"error dependentBroken kuadrant-operator - kuadrant-operator.v0.11.1 @ channel authorino-operator stable",
			"error dependentBroken kuadrant-operator stable kuadrant-operator.v0.10.0 @ channel authorino-operator stable",
		},
	},
	{
		name: "an old version claims by its skipRange what is newer",
		plant: func(c *declared.Catalog) {
			entryOf(c, "prometheus", "beta", "prometheusoperator.0.47.0").SkipRange = ">=0.56.0"
		},
		want: []string{
			"error headUnreachable prometheus beta prometheusoperator.0.47.0 @ channel prometheus beta",
			"error headUnreachable prometheus beta prometheusoperator.0.56.3 @ channel prometheus beta",
		},
	},
}

func entryOf(c *declared.Catalog, pkg, channel, name string) *declared.Entry {
	return c.Package(pkg).Channel(channel).Entry(name)
}

func addTo(c *declared.Catalog, pkg, bundle, typ string, value any) {
	b := c.Package(pkg).Bundle(bundle)
	b.Properties = append(b.Properties, declared.Prop(typ, value))
}

// replace replaces a text in the properties of a bundle.
func replace(c *declared.Catalog, pkg, bundle, old, now string) {
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

// TestPlantedMistakes plants each mistake in a copy of a whole real catalog.
func TestPlantedMistakes(t *testing.T) {
	original := planted(t)
	clean, _ := built(t, original)
	every := testkit.Times(4, 1) // a whole catalog is built for each
	for i, m := range mistakes {
		if i%every != 0 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			c, old := original.Clone(), clean
			if m.before != nil {
				m.before(c)
				old, _ = built(t, c)
			}
			m.plant(c)
			now, lines := built(t, c)
			r, err := catalogdiff.Compare(t.Context(), old, now, catalogdiff.Options{})
			require.NoError(t, err)
			blobs := make(map[int]string)
			for blob, line := range lines {
				blobs[line] = blob
			}
			var got []string
			for _, f := range r.Worse {
				require.Equal(t, "catalog.jsonl", f.File)
				got = append(got, strings.TrimSuffix(line(f), " @"+itoa(f.Line)+": ")+" @ "+blobs[f.Line])
				t.Logf("%s\n    %s", got[len(got)-1], f.Text)
			}
			require.Equal(t, m.want, got)
		})
	}
}
