package olm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// ClusterExtension is an extension of OLM v1 with the fields that manifests and migrations set.
type ClusterExtension struct {
	APIVersion string               `json:"apiVersion"`
	Kind       string               `json:"kind"`
	Metadata   ExtensionMetadata    `json:"metadata"`
	Spec       ClusterExtensionSpec `json:"spec"`
}

// ExtensionMetadata is the name of a [ClusterExtension].
type ExtensionMetadata struct {
	Name string `json:"name"`
}

// ClusterExtensionSpec is the specification of a [ClusterExtension].
type ClusterExtensionSpec struct {
	Namespace string `json:"namespace"`
	// ServiceAccount installs the bundle under versions of OLM v1 before 2026; later ones ignore it.
	ServiceAccount *ExtensionServiceAccount `json:"serviceAccount,omitempty"`
	Source         ExtensionSource          `json:"source"`
	Config         *ExtensionConfig         `json:"config,omitempty"`
}

// ExtensionServiceAccount names a service account in the namespace of a [ClusterExtension].
type ExtensionServiceAccount struct {
	Name string `json:"name"`
}

// ExtensionSource is the source of the bundle of a [ClusterExtension].
type ExtensionSource struct {
	SourceType string           `json:"sourceType"`
	Catalog    ExtensionCatalog `json:"catalog"`
}

// ExtensionCatalog selects the bundle of a [ClusterExtension] from catalogs.
type ExtensionCatalog struct {
	PackageName string             `json:"packageName"`
	Version     string             `json:"version,omitempty"`
	Channels    []string           `json:"channels,omitempty"`
	Selector    *ExtensionSelector `json:"selector,omitempty"`
	// UpgradeConstraintPolicy is SelfCertified, or empty for CatalogProvided.
	UpgradeConstraintPolicy string `json:"upgradeConstraintPolicy,omitempty"`
}

// ExtensionSelector selects catalogs by labels.
type ExtensionSelector struct {
	// MatchLabels and MatchExpressions must all hold.
	MatchLabels      map[string]string           `json:"matchLabels,omitempty"`
	MatchExpressions []resolver.LabelRequirement `json:"matchExpressions,omitempty"`
}

// ExtensionConfig configures the operator.
type ExtensionConfig struct {
	ConfigType string                `json:"configType"`
	Inline     ExtensionInlineConfig `json:"inline"`
}

// ExtensionInlineConfig is an inline configuration.
type ExtensionInlineConfig struct {
	// DeploymentConfig is the configuration of the subscription.
	DeploymentConfig json.RawMessage `json:"deploymentConfig"`
}

// YAML returns the object as a manifest.
func (e *ClusterExtension) YAML() []byte {
	var b bytes.Buffer
	line := func(depth int, key, value string) {
		fmt.Fprintf(&b, "%s%s: %s\n", strings.Repeat("  ", depth), key, value)
	}
	c := &e.Spec.Source.Catalog
	line(0, "apiVersion", e.APIVersion)
	line(0, "kind", e.Kind)
	b.WriteString("metadata:\n")
	line(1, "name", text.YAML(e.Metadata.Name))
	b.WriteString("spec:\n")
	line(1, "namespace", text.YAML(e.Spec.Namespace))
	if s := e.Spec.ServiceAccount; s != nil {
		b.WriteString("  serviceAccount:\n")
		line(2, "name", text.YAML(s.Name))
	}
	b.WriteString("  source:\n")
	line(2, "sourceType", e.Spec.Source.SourceType)
	b.WriteString("    catalog:\n")
	line(3, "packageName", text.YAML(c.PackageName))
	if c.Version != "" {
		line(3, "version", text.YAML(c.Version))
	}
	if len(c.Channels) > 0 {
		line(3, "channels", "["+strings.Join(text.Each(c.Channels, text.YAML), ", ")+"]")
	}
	if c.Selector != nil {
		b.WriteString("      selector:\n")
		if len(c.Selector.MatchLabels) > 0 {
			b.WriteString("        matchLabels:\n")
		}
		for _, label := range slices.Sorted(maps.Keys(c.Selector.MatchLabels)) {
			line(5, label, text.YAML(c.Selector.MatchLabels[label]))
		}
		if list := c.Selector.MatchExpressions; len(list) > 0 {
			raw, _ := json.Marshal(list) // strings always marshal
			line(4, "matchExpressions", text.JSONInYAML(string(raw)))
		}
	}
	if c.UpgradeConstraintPolicy != "" {
		line(3, "upgradeConstraintPolicy", c.UpgradeConstraintPolicy)
	}
	if e.Spec.Config != nil {
		b.WriteString("  config:\n")
		line(2, "configType", e.Spec.Config.ConfigType)
		b.WriteString("    inline:\n")
		line(3, "deploymentConfig", text.JSONInYAML(string(e.Spec.Config.Inline.DeploymentConfig)))
	}
	return b.Bytes()
}

// requirement describes what a property requires.
func (ix *index) requirement(p scenario.Property) string {
	if c := ix.constraintOf(p); c != nil {
		return c.String()
	}
	return p.Type + " " + string(p.Value)
}

// constraintOf returns the constraint of a property; nil if it has no valid one.
func (ix *index) constraintOf(p scenario.Property) constraints.Constraint {
	known, err := properties.New(p.Type, p.Value)
	if err != nil {
		return nil
	}
	c, ok, err := ix.parser.FromProperty(known)
	if !ok || err != nil {
		return nil
	}
	return c
}

// needsOf returns the operators of the namespace that v requires.
func (b *builder) needsOf(v *clusterServiceVersion) []*clusterServiceVersion {
	var out []*clusterServiceVersion
	for _, p := range b.propertiesOf(v) {
		if c := b.constraintOf(p); c != nil && isRequirement(p) {
			constraints.Walk(c, func(c constraints.Constraint) bool {
				for _, other := range b.providersOf(c) {
					if other != v {
						out = text.AppendNew(out, other)
					}
				}
				_, negated := c.(*constraints.Not)
				return !negated
			})
		}
	}
	return out
}

// providersOf returns the operators of the namespace that provide the package or API of a
// constraint, in any version: the installed version satisfied it at install time.
func (b *builder) providersOf(c constraints.Constraint) []*clusterServiceVersion {
	switch c := c.(type) {
	case *constraints.Package:
		return b.provided["package "+c.Name]
	case *constraints.GVK:
		return b.provided["api "+c.GVK.String()]
	}
	return nil
}

// indexDependencies indexes provided packages and APIs, requirements and dependents of the
// operators of the namespace, and the lookups of install plans.
func (b *builder) indexDependencies() {
	b.lookups = make(map[string][]planLookup)
	for _, p := range b.plans[b.name] {
		for i := range p.Status.BundleLookups {
			l := &p.Status.BundleLookups[i]
			b.lookups[l.Identifier] = append(b.lookups[l.Identifier], planLookup{p, l})
		}
	}
	b.provided, b.dependents = make(map[string][]*clusterServiceVersion), make(map[*clusterServiceVersion][]*clusterServiceVersion)
	for _, v := range b.csvs {
		in := b.installedBundle(v)
		if in.Package != nil {
			b.provided["package "+*in.Package] = append(b.provided["package "+*in.Package], v)
		}
		for _, p := range b.properties[v] {
			var gvk properties.GVK
			if p.Type == properties.TypeGVK && json.Unmarshal(p.Value, &gvk) == nil {
				b.provided["api "+gvk.String()] = text.AppendNew(b.provided["api "+gvk.String()], v)
			}
		}
	}
	b.needed = make(map[*clusterServiceVersion][]*clusterServiceVersion, len(b.csvs))
	for _, v := range b.csvs {
		b.needed[v] = b.needsOf(v)
		for _, other := range b.needed[v] {
			b.dependents[other] = append(b.dependents[other], v)
		}
	}
}

// maxRequired limits the installed operators for which the order of migration is computed.
const maxRequired = 100

// closure returns the names of the operators of the namespace that v requires, directly or
// indirectly; whole is false if there are more than maxRequired.
func (b *builder) closure(v *clusterServiceVersion) (names map[string]bool, whole bool) {
	names = make(map[string]bool)
	for next := b.needed[v]; len(next) > 0; next = next[1:] {
		name := next[0].Metadata.Name
		if next[0] == v || names[name] {
			continue
		}
		if len(names) == maxRequired {
			return names, false
		}
		names[name] = true
		next = slices.Concat(next, b.needed[next[0]])
	}
	return names, true
}
