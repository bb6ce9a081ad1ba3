package olm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Plan is the content of an InstallPlan that carries out a solution, with the subscriptions for
// dependencies.
type Plan struct {
	Namespace string `json:"namespace"`
	// Names are the new ClusterServiceVersions in the order of the steps.
	Names []string `json:"clusterServiceVersionNames"`
	// Lookups are the bundles to unpack, one for each of Names.
	Lookups []BundleLookup `json:"bundleLookups"`
	// Subscriptions are the subscriptions to create.
	Subscriptions []PlannedSubscription `json:"subscriptions"`
}

// BundleLookup is a bundle to unpack, in the format of status.bundleLookups of an InstallPlan.
type BundleLookup struct {
	// Path is the image of the bundle, Identifier its name.
	Path       string     `json:"path"`
	Identifier string     `json:"identifier"`
	Replaces   string     `json:"replaces,omitempty"`
	Catalog    CatalogRef `json:"catalogSourceRef"`
	// Properties are the properties of the bundle in OLM's format: a JSON object as a string.
	Properties string `json:"properties,omitempty"`
}

// CatalogRef names a CatalogSource.
type CatalogRef struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

// PlannedSubscription is a subscription to create.
type PlannedSubscription struct {
	Name            string `json:"name"`
	Package         string `json:"package"`
	Channel         string `json:"channel"`
	Source          string `json:"source"`
	SourceNamespace string `json:"sourceNamespace"`
	StartingCSV     string `json:"startingCSV"`
	// Approval is Automatic or Manual.
	Approval string `json:"installPlanApproval"`
}

// InstallPlan returns the plan with which OLM would carry out a solution of a request. Unchanged
// bundles do not occur in it. A solution without changes gives an empty plan.
func InstallPlan(req resolver.Request, sol *resolver.Solution) *Plan {
	p := &Plan{Namespace: req.Namespace, Names: []string{}, Lookups: []BundleLookup{}, Subscriptions: []PlannedSubscription{}}
	for i := range sol.Steps {
		s := &sol.Steps[i]
		if s.Action == resolver.Keep {
			continue
		}
		p.Names = append(p.Names, s.Bundle)
		look := BundleLookup{Path: s.Image, Identifier: s.Bundle, Catalog: CatalogRef{s.Catalog.Name, s.Catalog.Namespace}}
		if len(s.Replaces) > 0 {
			look.Replaces = s.Replaces[0]
		}
		look.Properties = writtenProperties(req, s)
		p.Lookups = append(p.Lookups, look)
		if sub, comes := s.Subscription(); comes {
			p.Subscriptions = append(p.Subscriptions, PlannedSubscription{Name: sub.Name, Package: sub.Package, Channel: sub.Channels[0],
				Source: sub.Catalog.Name, SourceNamespace: sub.Catalog.Namespace, StartingCSV: sub.StartingCSV, Approval: approvalAutomatic})
		}
	}
	return p
}

// writtenProperties returns the properties of the bundle of a step in OLM's format.
func writtenProperties(req resolver.Request, s *resolver.Step) string {
	var list []scenario.Property
	for c, pkg := range req.Packages(s.Catalog, s.Package) {
		if c.Key != s.Catalog || pkg.Bundle(s.Bundle) == nil {
			continue
		}
		for prop := range pkg.Bundle(s.Bundle).Properties.All() {
			if t := prop.Type(); t != properties.TypeBundleObject && t != properties.TypeCSVMetadata {
				list = append(list, scenario.Property{Type: t, Value: json.RawMessage(prop.Raw())})
			}
		}
	}
	if list == nil {
		return ""
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(map[string]any{"properties": list}) // the values come from JSON
	return strings.TrimSuffix(b.String(), "\n")
}

// YAML returns the plan as manifests: an InstallPlan that waits for approval, and the
// Subscriptions to create.
func (p *Plan) YAML() []byte {
	y := &lines{}
	y.add("apiVersion: operators.coreos.com/v1alpha1\nkind: InstallPlan\nmetadata:\n  generateName: install-\n  namespace: %s\n", p.Namespace)
	y.add("spec:\n  approval: Manual\n  approved: false\n")
	y.list("clusterServiceVersionNames", len(p.Names))
	for _, name := range p.Names {
		y.add("  - %s\n", name)
	}
	y.add("  generation: 1\nstatus:\n  phase: RequiresApproval\n  catalogSources: []\n")
	y.list("bundleLookups", len(p.Lookups))
	for _, l := range p.Lookups {
		y.add("  - catalogSourceRef:\n      name: %s\n      namespace: %s\n    identifier: %s\n    path: %s\n", l.Catalog.Name, l.Catalog.Namespace, l.Identifier, l.Path)
		if l.Properties != "" {
			y.add("    properties: %s\n", l.Properties)
		}
		y.add("    replaces: %s\n", l.Replaces)
	}
	for _, s := range p.Subscriptions {
		s.write(y, p.Namespace)
	}
	return y.Bytes()
}

// lines writes YAML with quoted strings.
type lines struct{ bytes.Buffer }

func (y *lines) add(format string, texts ...string) {
	args := make([]any, len(texts))
	for i, t := range texts {
		args[i] = text.YAML(t)
	}
	fmt.Fprintf(&y.Buffer, format, args...)
}

// list begins a list with a number of items.
func (y *lines) list(key string, items int) {
	end := ":\n"
	if items == 0 {
		end = ": []\n"
	}
	y.WriteString("  " + key + end)
}

// PlanDifference is a difference between a plan and an InstallPlan of the cluster.
type PlanDifference struct {
	// Code is missing, unexpected, path, replaces, catalog, missingSubscription or
	// unexpectedSubscription.
	Code string `json:"code"`
	// Subject is the bundle or the subscription.
	Subject string `json:"subject"`
	// Want is the value in the plan, Got the value on the cluster.
	Want string `json:"want,omitempty"`
	Got  string `json:"got,omitempty"`
}

// String describes the difference.
func (d PlanDifference) String() string {
	switch d.Code {
	case "missing":
		return d.Subject + " is planned, but the InstallPlan does not have it"
	case "unexpected":
		return d.Subject + " is in the InstallPlan, but not planned"
	case "missingSubscription":
		return "subscription " + d.Subject + " is planned, but the InstallPlan does not have it"
	case "unexpectedSubscription":
		return "subscription " + d.Subject + " is in the InstallPlan, but not planned"
	}
	return fmt.Sprintf("%s of %s is %q in the InstallPlan, but the plan has %q", d.Code, d.Subject, d.Got, d.Want)
}

// UnknownPlanError reports that a cluster does not have the InstallPlan to compare with.
type UnknownPlanError struct {
	Namespace string
	Name      string   // the requested name; empty for the newest
	There     []string // the existing names
}

// Error implements error.
func (e *UnknownPlanError) Error() string {
	what := fmt.Sprintf("namespace %s has %s", e.Namespace, strings.TrimSpace("no InstallPlan "+e.Name))
	if len(e.There) > 0 {
		what += "; it has " + strings.Join(e.There, ", ")
	}
	return what
}

// ComparePlan compares a plan with an InstallPlan of its namespace, by name, or the newest one if
// the name is empty. The differences are in the order of the plan, then of the InstallPlan. The
// error is an [*UnknownPlanError].
func (c *Cluster) ComparePlan(name string, p *Plan) ([]PlanDifference, error) {
	var found *installPlan
	var there []string
	for _, o := range all[*installPlan](c) {
		if o.Metadata.Namespace != p.Namespace {
			continue
		}
		there = append(there, o.Metadata.Name)
		newer := found == nil || o.Spec.Generation > found.Spec.Generation
		if name == "" && newer || o.Metadata.Name == name {
			found = o
		}
	}
	if found == nil {
		return nil, &UnknownPlanError{p.Namespace, name, there}
	}
	return p.compare(found), nil
}

func (p *Plan) compare(o *installPlan) []PlanDifference {
	out := append([]PlanDifference{}, lacking("missing", p.Names, o.Spec.Names)...)
	out = append(out, lacking("unexpected", o.Spec.Names, p.Names)...)
	for _, l := range p.Lookups {
		for _, got := range o.Status.BundleLookups {
			if got.Identifier != l.Identifier {
				continue
			}
			for _, d := range []PlanDifference{
				{"path", l.Identifier, l.Path, got.Path},
				{"replaces", l.Identifier, l.Replaces, got.Replaces},
				{"catalog", l.Identifier, refText(l.Catalog), refText(got.Catalog)},
			} {
				if d.Want != d.Got {
					out = append(out, d)
				}
			}
		}
	}
	if len(o.Status.Plan) == 0 {
		return out // OLM lists the steps once it has unpacked the bundles
	}
	planned, listed := text.Each(p.Subscriptions, func(s PlannedSubscription) string { return s.Name }), []string{}
	for _, s := range o.Status.Plan {
		if s.Resource.Kind == "Subscription" {
			listed = append(listed, s.Resource.Name)
		}
	}
	out = append(out, lacking("missingSubscription", planned, listed)...)
	return append(out, lacking("unexpectedSubscription", listed, planned)...)
}

// lacking returns a difference for each element of list that other lacks.
func lacking(code string, list, other []string) (out []PlanDifference) {
	there := make(map[string]bool, len(other))
	for _, name := range other {
		there[name] = true
	}
	for _, name := range list {
		if !there[name] {
			out = append(out, PlanDifference{Code: code, Subject: name})
		}
	}
	return out
}

func refText(r CatalogRef) string {
	return cache.Key{Namespace: r.Namespace, Name: r.Name}.String()
}
