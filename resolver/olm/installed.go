package olm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// installedBundle converts an operator of the namespace for a scenario. Its catalog and channel
// are not recorded; those of its subscription are a guess.
func (b *builder) installedBundle(v *clusterServiceVersion) scenario.Installed {
	in := scenario.Installed{Name: v.Metadata.Name, ReplacedBy: b.next[v.Metadata.Name]}
	if _, counts := b.byName[in.ReplacedBy]; !counts {
		in.ReplacedBy = ""
	}
	owners := b.owner[b.end(in.Name)]
	in.Properties = b.properties[v]
	declared, version := packageOf(in.Properties)
	if pkg := cmp.Or(declared, labelledPackage(v), solePackage(owners)); pkg != "" {
		in.Package = &pkg
	}
	in.Version = version
	if _, err := semver.Parse(v.Spec.Version); in.Version == "" && err == nil && v.Spec.Version != "0.0.0" {
		in.Version = v.Spec.Version
	}
	if len(owners) == 0 {
		return in
	}
	owner := owners[0]
	if key := catalogOf(owner); key != (cache.Key{}) {
		in.Catalog = key.String()
	}
	in.Channel, in.Automatic = owner.Spec.Channel, isGenerated(owner)
	return in
}

// packageOf returns the package in properties, and its version if valid.
func packageOf(list []scenario.Property) (name, version string) {
	for _, p := range list {
		if p.Type != properties.TypePackage {
			continue
		}
		var value struct{ PackageName, Version string }
		if json.Unmarshal(p.Value, &value) != nil {
			continue
		}
		if _, err := semver.Parse(value.Version); err != nil {
			value.Version = ""
		}
		return value.PackageName, value.Version
	}
	return "", ""
}

// labelledPackage returns the package in OLM's label operators.coreos.com/<package>.<namespace>.
func labelledPackage(v *clusterServiceVersion) string {
	name := ""
	for label := range v.Metadata.Labels {
		rest, ours := strings.CutPrefix(label, "operators.coreos.com/")
		pkg, here := strings.CutSuffix(rest, "."+v.Metadata.Namespace)
		switch {
		case !ours || !here || pkg == "":
		case name != "" && name != pkg:
			return "" // ambiguous
		default:
			name = pkg
		}
	}
	return name
}

// solePackage returns the package of all owners of a bundle; empty if they differ.
func solePackage(owners []*subscription) string {
	name := ""
	for _, s := range owners {
		if name != "" && name != s.Spec.Package {
			return ""
		}
		name = s.Spec.Package
	}
	return name
}

// readProperties returns the properties of an operator from OLM's annotation, else from the
// specification.
func (b *builder) readProperties(v *clusterServiceVersion) []scenario.Property {
	if written, says := v.Metadata.Annotations[annotationProperties]; says {
		list, err := parseProperties(written)
		if err == nil {
			return list
		}
		b.index.problems = append(b.index.problems, graph.Problem{Severity: graph.SeverityError, Code: "properties", Message: fmt.Sprintf(
			"the annotation %s of ClusterServiceVersion %s/%s is invalid, so its specification is used: %v", annotationProperties, b.name, v.Metadata.Name, err)})
	}
	list := []scenario.Property{}
	if pkg := solePackage(b.owner[b.end(v.Metadata.Name)]); pkg != "" {
		if _, err := semver.Parse(v.Spec.Version); err == nil {
			list = append(list, property(properties.TypePackage, map[string]string{"packageName": pkg, "version": v.Spec.Version}))
		}
	}
	for _, gvk := range v.apis(false) {
		list = append(list, property(properties.TypeGVK, gvk))
	}
	for _, gvk := range v.apis(true) {
		list = append(list, property(properties.TypeGVKRequired, gvk))
	}
	return list
}

// apis returns the APIs that an operator owns, or those that it requires.
func (v *clusterServiceVersion) apis(required bool) []properties.GVK {
	var out []properties.GVK
	add := func(list apiList, definition bool) {
		apis := list.Owned
		if required {
			apis = list.Required
		}
		for _, a := range apis {
			gvk := properties.GVK{Group: a.group(definition), Version: a.Version, Kind: a.Kind}
			if gvk.Validate() == nil {
				out = append(out, gvk)
			}
		}
	}
	add(v.Spec.CustomResourceDefinitions, true)
	add(v.Spec.APIServiceDefinitions, false)
	return out
}

func property(kind string, value any) scenario.Property {
	data, _ := json.Marshal(value) // the values are strings
	return scenario.Property{Type: kind, Value: data}
}

// parseProperties parses OLM's annotation with the properties of a bundle.
func parseProperties(annotation string) ([]scenario.Property, error) {
	if len(annotation) > MaxPropertiesBytes {
		return nil, fmt.Errorf("it has more than %d bytes", MaxPropertiesBytes)
	}
	var written struct {
		Properties []scenario.Property `json:"properties"`
	}
	if err := json.Unmarshal([]byte(annotation), &written); err != nil {
		return nil, err
	}
	out := []scenario.Property{}
	for _, p := range written.Properties {
		switch p.Type {
		case properties.TypeBundleObject:
			continue // manifests may contain private data
		case properties.TypeCSVMetadata:
			if p = withoutProse(p); p.Value == nil {
				continue
			}
		}
		if _, err := properties.New(p.Type, p.Value); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// withoutProse reduces the metadata of a bundle to the fields that say where it runs.
func withoutProse(p scenario.Property) scenario.Property {
	var kept struct {
		InstallModes   []installMode     `json:"installModes,omitempty"`
		MinKubeVersion string            `json:"minKubeVersion,omitempty"`
		NativeAPIs     []json.RawMessage `json:"nativeAPIs,omitempty"`
	}
	if json.Unmarshal(p.Value, &kept) != nil {
		return scenario.Property{}
	}
	return property(p.Type, kept)
}
