// Package mistake plants common mistakes of catalog authors in a catalog.
package mistake

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Mistake is a mistake of a catalog author, planted in a real catalog: the
// community's with all versions, which tests read if available.
type Mistake struct {
	// Name describes the mistake.
	Name string
	// Before prepares the catalog to compare with, if the mistake needs it, or
	// is nil. Plant makes the mistake.
	Before, Plant func(c *declared.Catalog)
}

// All returns the mistakes that a catalog check must find.
func All() []Mistake { return slices.Concat(mistakesOfChannels(), mistakesOfBundles()) }

// mistakesOfChannels are mistakes in the update graph.
func mistakesOfChannels() []Mistake {
	return []Mistake{
		{
			Name: "a hotfix replaces an older version and skips only the newest: the one in between is stranded",
			Plant: func(c *declared.Catalog) {
				e := entryOf(c, "grafana-operator", "v4", "grafana-operator.v4.10.1")
				e.Replaces, e.Skips = "grafana-operator.v4.8.0", []string{"grafana-operator.v4.10.0"}
			},
		},
		{
			Name:   "a skipRange ends one version too early",
			Before: func(c *declared.Catalog) { headAlone(c, ">=0.14.0 <0.56.3") },
			Plant:  func(c *declared.Catalog) { headAlone(c, ">=0.14.0 <0.47.0") },
		},
		{
			Name: "a release forgets its replaces: two heads",
			Plant: func(c *declared.Catalog) {
				entryOf(c, "grafana-operator", "v4", "grafana-operator.v4.10.1").Replaces = ""
			},
		},
		{
			Name: "a cycle of replaces",
			Plant: func(c *declared.Catalog) {
				entryOf(c, "prometheus", "beta", "prometheusoperator.0.14.0").Replaces = "prometheusoperator.0.22.2"
			},
		},
		{
			Name:  "the default channel is renamed, but not in the package",
			Plant: func(c *declared.Catalog) { c.Package("grafana-operator").Channel("v5").Name = "v5-stable" },
		},
		{
			Name: "the skipRange of an old version covers newer versions",
			Plant: func(c *declared.Catalog) {
				entryOf(c, "prometheus", "beta", "prometheusoperator.0.47.0").SkipRange = ">=0.56.0"
			},
		},
	}
}

// mistakesOfBundles are mistakes in provided and required properties.
func mistakesOfBundles() []Mistake {
	return []Mistake{
		{
			Name: "the head requires an API without a provider",
			Plant: func(c *declared.Catalog) {
				addTo(c, "rabbitmq-cluster-operator", "rabbitmq-cluster-operator.v2.22.3", "olm.gvk.required", properties.GVK{Group: "rabbitmq.com", Version: "v1beta9", Kind: "RabbitmqCluster"})
			},
		},
		{
			Name: "an update drops an API that a dependent requires",
			Plant: func(c *declared.Catalog) {
				b := c.Package("cert-manager").Bundle("cert-manager.v1.16.5")
				b.Properties = slices.DeleteFunc(b.Properties, func(p scenario.Property) bool {
					return p.Type == properties.TypeGVK && strings.Contains(string(p.Value), `"Issuer"`)
				})
			},
		},
		{
			Name: "a dependency range contains no version",
			Plant: func(c *declared.Catalog) {
				replaceIn(c, "rabbitmq-messaging-topology-operator", "rabbitmq-messaging-topology-operator.v1.19.3", ">2.0.0", ">3.0.0")
			},
		},
		{
			Name: "the head is marked olm.deprecated",
			Plant: func(c *declared.Catalog) {
				addTo(c, "limitador-operator", "limitador-operator.v0.11.0", "olm.deprecated", map[string]any{})
			},
		},
		{
			Name: "two dependencies of one bundle provide the same API",
			Plant: func(c *declared.Catalog) {
				for i := range c.Package("dns-operator").Bundles {
					addTo(c, "dns-operator", c.Package("dns-operator").Bundles[i].Name, "olm.gvk", properties.GVK{Group: "limitador.kuadrant.io", Version: "v1alpha1", Kind: "Limitador"})
				}
			},
		},
		{
			Name: "an exact pin on a dependency holds it back",
			Plant: func(c *declared.Catalog) {
				replaceIn(c, "rabbitmq-messaging-topology-operator", "rabbitmq-messaging-topology-operator.v1.19.3", ">2.0.0", "=2.22.2")
			},
		},
		{
			Name: "a skipped version is pinned by a dependent",
			Plant: func(c *declared.Catalog) {
				e := entryOf(c, "authorino-operator", "stable", "authorino-operator.v0.16.0")
				e.Skips = append(e.Skips, "authorino-operator.v0.13.0")
			},
		},
	}
}

func entryOf(c *declared.Catalog, pkg, channel, name string) *declared.Entry {
	return c.Package(pkg).Channel(channel).Entry(name)
}

func addTo(c *declared.Catalog, pkg, bundle, typ string, value any) {
	b := c.Package(pkg).Bundle(bundle)
	b.Properties = append(b.Properties, declared.Prop(typ, value))
}

// replaceIn replaces a text in the properties of a bundle, as encoded in JSON.
func replaceIn(c *declared.Catalog, pkg, bundle, old, now string) {
	b := c.Package(pkg).Bundle(bundle)
	quoted := func(s string) string {
		data, _ := json.Marshal(s) //nolint:errcheck // text has a form
		return string(data)
	}
	for i, p := range b.Properties {
		b.Properties[i].Value = json.RawMessage(strings.NewReplacer(quoted(old), quoted(now), `"`+old+`"`, `"`+now+`"`).Replace(string(p.Value)))
	}
}

// headAlone reduces the channel of prometheus to its head, with a skipRange
// for all earlier versions.
func headAlone(c *declared.Catalog, skipRange string) {
	c.Package("prometheus").Channel("beta").Entries = []declared.Entry{{Name: "prometheusoperator.0.56.3", SkipRange: skipRange}}
}
