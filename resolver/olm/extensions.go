package olm

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Extensions is the scenario of all extensions of OLM v1 on a cluster. Extensions have no
// namespaces.
type Extensions struct {
	Scenario *scenario.Scenario `json:"scenario"`
	Findings []Finding          `json:"findings"`
	Observed Observed           `json:"observed"`
}

// extensions builds the scenario of OLM v1; nil if the cluster has no extensions.
func (ix *index) extensions(c *Capture) *Extensions {
	catalogs, objects := all[*clusterCatalog](ix.Cluster), all[*clusterExtension](ix.Cluster)
	b := &builder{index: ix}
	s := &scenario.Scenario{}
	s.Cluster = c.Cluster.scenario()
	for _, o := range catalogs {
		k := ix.clusterCatalog(o)
		if k.Path == "" {
			k.Path = ix.pathOf(o.Spec.Source.Image.Ref)
		}
		c.Catalogs = append(c.Catalogs, k.Catalog)
		if k.trouble != "" {
			b.found("unhealthyCatalog", k.Key, "catalog %s is not served: %s; extensions resolve without it", k.key.Name, k.trouble)
		}
		if o.Spec.AvailabilityMode == "Unavailable" {
			continue // not visible to extensions
		}
		in := k.scenario()
		in.Namespace = ""
		in.Labels = o.Metadata.Labels
		s.Catalogs = append(s.Catalogs, in)
		if in.Path == placeholder(k.key) {
			b.warn("missingCatalog", k.Key, "the content of catalog %s is unknown", k.key.Name)
		}
	}
	c.clusterCatalogs = s
	if len(objects) == 0 {
		return nil
	}
	out := &Extensions{Scenario: s}
	for _, o := range objects {
		s.Extensions = append(s.Extensions, o.scenario())
		if in := o.Status.Install.Bundle; in.Name != "" {
			installed := scenario.Installed{Name: in.Name, Package: &o.Spec.Source.Catalog.PackageName}
			if _, err := semver.Parse(in.Version); err == nil {
				installed.Version = in.Version
			}
			s.Installed = append(s.Installed, installed)
		}
	}
	out.Observed = observedExtensions(objects)
	if out.Observed.Status == "resolved" {
		s.Expect = json.RawMessage(`{"status":"resolved"}`)
	}
	out.Findings = b.sorted()
	return out
}

// pathOf returns the location of an image that a CatalogSource also uses, from the options; empty
// if they have none.
func (ix *index) pathOf(image string) string {
	for _, key := range slices.Sorted(maps.Keys(ix.catalogs)) {
		if k := ix.catalogs[key]; image != "" && k.Image == image && k.Path != "" {
			return k.Path
		}
	}
	return ""
}

// clusterCatalog returns a catalog of OLM v1. It has no namespace, so its key has that of the
// scenario.
func (ix *index) clusterCatalog(o *clusterCatalog) *knownCatalog {
	key := cache.Key{Namespace: scenario.DefaultNamespace, Name: o.Metadata.Name}
	trouble := ""
	for _, c := range o.Status.Conditions {
		if c.Type == "Serving" && c.Status != "True" {
			trouble = cmp.Or(strings.Trim(c.Reason+": "+c.Message, ": "), "no reason reported")
		}
	}
	image := cmp.Or(o.Status.ResolvedSource.Image.Ref, o.Spec.Source.Image.Ref)
	return ix.known(key, o.Spec.Priority, image, text.Clip(text.Inert(trouble), maxMessage))
}

func (o *clusterExtension) scenario() resolver.Extension {
	c := &o.Spec.Source.Catalog
	e := resolver.Extension{Name: o.Metadata.Name, Package: c.PackageName, VersionRange: c.Version,
		Channels: c.Channels, InstalledCSV: o.Status.Install.Bundle.Name}
	if c.UpgradeConstraintPolicy == "SelfCertified" {
		e.Upgrades = resolver.UpgradesSelfCertified
	}
	e.Catalogs.MatchLabels = c.Selector.MatchLabels
	e.Catalogs.MatchExpressions = append(e.Catalogs.MatchExpressions, c.Selector.MatchExpressions...)
	return e
}

// observedExtensions returns the status that OLM v1 reports. Its conditions do not distinguish
// why it retries.
func observedExtensions(objects []*clusterExtension) Observed {
	seen := true
	for _, o := range objects {
		says := false
		for _, c := range o.Status.Conditions {
			says = says || c.Type == "Installed" || c.Type == "Progressing"
			trying := c.Type == "Progressing" && (c.Reason == "Retrying" || c.Reason == "Blocked")
			if trying {
				return Observed{Status: "failed", Message: text.Clip(text.Inert(o.Metadata.Name+": "+c.Message), maxMessage)}
			}
		}
		seen = seen && says
	}
	if !seen {
		return Observed{Status: "unknown"}
	}
	return Observed{Status: "resolved"}
}
