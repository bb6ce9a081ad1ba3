package scenario

import (
	"encoding/json"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Of returns the scenario of a request, without forced, pinned and additionally required bundles,
// which the format cannot express. Its catalogs have no content, whose location only the
// caller knows. Properties of an installed bundle that equal those in its catalog are omitted.
func Of(req *resolver.Request) *Scenario {
	s := &Scenario{Namespace: req.Namespace, OperatorGroup: req.OperatorGroup, Extensions: req.Extensions, Policy: req.Policy}
	if !req.Now.IsZero() {
		s.Now = req.Now.UTC().Format(time.RFC3339Nano)
	}
	if s.Namespace == DefaultNamespace {
		s.Namespace = ""
	}
	for _, c := range req.Catalogs {
		s.Catalogs = append(s.Catalogs, Catalog{Name: c.Key.Name, Namespace: c.Key.Namespace, Priority: c.Priority, Labels: c.Labels})
	}
	c := &req.Cluster
	s.Cluster = Cluster{Properties: PropertiesOf(c.Properties), KubernetesVersion: c.KubernetesVersion, OpenShiftVersion: c.OpenShiftVersion, APIs: c.APIs, CRDs: c.CRDs}
	for i := range req.Installed {
		s.Installed = append(s.Installed, installedOf(req, &req.Installed[i]))
	}
	for _, sub := range req.Subscriptions {
		out := Subscription{Name: sub.Name, Package: sub.Package, Channels: sub.Channels, Hold: sub.Hold, Catalog: keyText(sub.Catalog),
			StartingCSV: sub.StartingCSV, VersionRange: sub.VersionRange.String(), InstalledCSV: sub.InstalledCSV}
		if len(sub.Channels) == 1 {
			out.Channel, out.Channels = sub.Channels[0], nil
		}
		for _, in := range req.Installed {
			if in.Subscription != "" && in.Subscription == sub.Name && out.InstalledCSV == "" {
				out.InstalledCSV = in.Name
			}
		}
		s.Subscriptions = append(s.Subscriptions, out)
	}
	for _, f := range req.Forbid {
		s.Forbid = append(s.Forbid, Forbid{Bundle: f.Bundle.Name, Catalog: keyText(f.Bundle.Catalog), Message: f.Message})
	}
	for _, r := range req.Relax {
		s.Relax = append(s.Relax, Relax{Bundle: r.Bundle.Name, Catalog: keyText(r.Bundle.Catalog), Constraint: propertyOf(r.Constraint)})
	}
	return s
}

func keyText(k cache.Key) string {
	if k.IsZero() {
		return ""
	}
	return k.String()
}

// PropertiesOf lists a set of properties.
func PropertiesOf(set properties.Set) []Property {
	var out []Property
	for p := range set.All() {
		out = append(out, Property{Type: p.Type(), Value: json.RawMessage(p.Raw())})
	}
	return out
}

func installedOf(req *resolver.Request, in *resolver.Installed) Installed {
	out := Installed{Name: in.Name, Package: PackageOf(in), Catalog: keyText(in.Catalog), Channel: in.Channel, Automatic: in.Automatic, ReplacedBy: in.ReplacedBy}
	for _, pkg := range req.Packages(in.Catalog, in.Package) {
		b := pkg.Bundle(in.Name)
		if !in.Catalog.IsZero() && b != nil && b.Quarantine == nil && (in.Version == nil || b.Version.Equals(*in.Version)) &&
			(in.Properties == nil || b.Properties.Equal(*in.Properties)) {
			return out
		}
	}
	if in.Version != nil {
		out.Version = in.Version.String()
	}
	if in.Properties != nil {
		out.Properties = append([]Property{}, PropertiesOf(*in.Properties)...)
	}
	return out
}

// propertyOf returns the property that declares a constraint; nil if there is none.
func propertyOf(c constraints.Constraint) *Property {
	if c == nil {
		return nil
	}
	kind, formula := properties.TypeConstraint, any(c)
	if l, ok := c.(*constraints.Label); ok {
		kind, formula = properties.TypeLabelRequired, map[string]string{"label": l.Label}
	}
	value, _ := json.Marshal(formula) // constraints always marshal
	return &Property{Type: kind, Value: value}
}
