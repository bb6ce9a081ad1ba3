package oracle

import (
	"strings"
)

// Scenario writes the problem as a scenario file, ready to be kept with the
// others. What a scenario cannot say (constraints that the caller adds or
// relaxes, forced bundles, pins) follows as comments.
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
	o := object{}
	if ps := c.Properties(); ps != nil {
		o["properties"] = ps
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
		o := prune(object{"name": in.Bundle.Name, "catalog": in.Catalog.String(), "channel": in.Channel,
			"automatic": in.Automatic, "replacedBy": in.ReplacedBy})
		if !in.Bare {
			o["package"], o["version"] = in.Package, in.Bundle.Version.String()
			o["properties"] = in.Bundle.Properties(in.Package)
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
		items = append(items, prune(object{"name": s.Name, "package": s.Package, "channel": s.Channel,
			"catalog": s.Catalog.String(), "startingCSV": s.StartingCSV, "versionRange": s.Range.String(),
			"installedCSV": owned}))
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
	if len(o) == 0 {
		return nil
	}
	return o
}

// GoString returns the scenario, for rapid to print what it has drawn.
func (p *Problem) GoString() string { return "\n" + p.Scenario() }
