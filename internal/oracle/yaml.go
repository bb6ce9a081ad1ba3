package oracle

import (
	"strings"
)

// Scenario writes the problem as a scenario file, ready to be kept with the
// others. What a scenario cannot say (constraints that the caller adds or
// relaxes, forced bundles, pins, what is generated under another name) follows as
// comments.
func (p *Problem) Scenario() string {
	var b strings.Builder
	section := func(name string, items []any) {
		if len(items) == 0 {
			return
		}
		b.WriteString(name + ":\n")
		for _, it := range items {
			b.WriteString("- " + string(encode(it)) + "\n")
		}
	}
	if p.Namespace != "" {
		b.WriteString("namespace: " + p.Namespace + "\n")
	}
	b.WriteString("catalogs:\n")
	for i := range p.Catalogs {
		c := &p.Catalogs[i]
		b.WriteString("- name: " + c.Key.Name + "\n")
		b.WriteString("  namespace: " + c.Key.Namespace + "\n")
		if c.Priority != 0 {
			b.WriteString("  priority: " + string(encode(c.Priority)) + "\n")
		}
		b.WriteString("  blobs:\n")
		for _, blob := range c.Blobs() {
			b.WriteString("  - " + string(blob) + "\n")
		}
	}
	if cl := p.Cluster.scenario(); cl != nil {
		b.WriteString("cluster: " + string(encode(cl)) + "\n")
	}
	if p.Group != nil {
		b.WriteString("operatorGroup: " + string(encode(object{"targetNamespaces": p.Group.targets()})) + "\n")
	}
	section("installed", p.installedItems())
	section("subscriptions", p.subscriptionItems())
	if pol := p.Policy.scenario(); pol != nil {
		b.WriteString("policy: " + string(encode(pol)) + "\n")
	}
	var forbid []any
	for _, f := range p.Forbid {
		forbid = append(forbid, prune(object{"bundle": f.Bundle.Name, "catalog": f.Bundle.Catalog.String(), "message": f.Message}))
	}
	section("forbid", forbid)
	for _, f := range p.Force {
		b.WriteString("# forced: " + f.String() + "\n")
	}
	for _, s := range p.Subscriptions {
		if s.Pin != "" {
			b.WriteString("# pin of " + s.Name + ": " + s.Pin + "\n")
		}
		if s.Generated != p.TakenAsGenerated(&s) {
			b.WriteString("# generated is " + s.Name + ": " + string(encode(s.Generated)) + "\n")
		}
	}
	for _, r := range p.Relax {
		b.WriteString("# relaxed for " + r.Bundle.String() + ": " + string(encode(r.Constraint.Property())) + "\n")
	}
	for _, a := range p.Added {
		b.WriteString("# added to " + a.Bundle.String() + ": " + string(encode(a.Constraint.Value())) + "\n")
	}
	return b.String()
}

// String returns the bundle's name, after the catalog and a colon if there is
// one.
func (r Ref) String() string {
	if r.Catalog == (Key{}) {
		return r.Name
	}
	return r.Catalog.String() + ":" + r.Name
}

// prune drops the keys without a value.
func prune(o object) object {
	for k, v := range o {
		if v == "" || v == false {
			delete(o, k)
		}
	}
	return o
}

func (c *Cluster) scenario() any {
	o := prune(object{"kubernetesVersion": c.Kubernetes, "openshiftVersion": c.OpenShift})
	if c.Kube != nil {
		o["properties"] = c.Properties()
	}
	var apis []API
	for _, kind := range c.APIs {
		apis = append(apis, APIOf(kind))
	}
	if apis != nil {
		o["apis"] = apis
	}
	if len(o) == 0 {
		return nil
	}
	return o
}

func (p *Problem) installedItems() []any {
	var items []any
	for i := range p.Installed {
		in := &p.Installed[i]
		o := prune(object{"name": in.Bundle.Name, "package": in.Package, "catalog": in.Catalog.String(), "channel": in.Channel,
			"automatic": in.Automatic, "replacedBy": in.ReplacedBy})
		if in.Version != nil {
			o["version"] = in.Version.String()
		}
		if ps, given := in.Properties(); given {
			o["properties"] = ps
		}
		items = append(items, o)
	}
	return items
}

// subscriptionItems says ownership from the subscription's side, the only one
// that a scenario knows.
func (p *Problem) subscriptionItems() []any {
	var items []any
	for _, s := range p.Subscriptions {
		owned := s.InstalledCSV
		for _, in := range p.Installed {
			if in.Subscription == s.Name {
				owned = in.Bundle.Name
			}
		}
		o := prune(object{"name": s.Name, "package": s.Package, "hold": s.Hold,
			"catalog": s.Catalog.String(), "startingCSV": s.StartingCSV, "versionRange": s.Range.String(),
			"installedCSV": owned})
		switch len(s.Channels) {
		case 0:
		case 1:
			o["channel"] = s.Channels[0]
		default:
			o["channels"] = s.Channels
		}
		items = append(items, o)
	}
	return items
}

func (p *Policy) scenario() any {
	o := object{}
	if p.SelfCertified {
		o["upgrades"] = "SelfCertified"
	}
	if p.PerBundle {
		o["compounds"] = "PerBundle"
	}
	switch p.Goal {
	case MinimalChange:
		o["goal"] = "MinimalChange"
	case Oldest:
		o["goal"] = "Oldest"
	}
	if p.Avoid {
		o["deprecations"] = "Avoid"
	}
	if p.Partial {
		o["failures"] = "Partial"
	}
	switch p.Compatibility {
	case Require:
		o["compatibility"] = "Require"
	case Ignore:
		o["compatibility"] = "Ignore"
	}
	if len(o) == 0 {
		return nil
	}
	return o
}

// targets are the namespaces of an operator group as a list that is written, be it
// empty.
func (g *OperatorGroup) targets() []string { return append([]string{}, g.Targets...) }

// GoString returns the scenario, for rapid to print what it has drawn.
func (p *Problem) GoString() string { return "\n" + p.Scenario() }
