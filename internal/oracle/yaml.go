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
	part := func(name string, o object) {
		if len(o) > 0 {
			b.WriteString(name + ": " + string(encode(o)) + "\n")
		}
	}
	part("cluster", p.Cluster.scenario())
	if p.Group != nil {
		part("operatorGroup", object{"targetNamespaces": append([]string{}, p.Group.Targets...)}) // be it empty
	}
	section("installed", p.installedItems())
	section("subscriptions", p.subscriptionItems())
	part("policy", p.Policy.scenario())
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

func (c *Cluster) scenario() object {
	o := prune(object{"kubernetesVersion": c.Kubernetes, "openshiftVersion": c.OpenShift})
	if c.Kube != nil {
		o["properties"] = c.Properties()
	}
	if len(c.APIs) > 0 {
		o["apis"] = apisOf(c.APIs)
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

func (p *Policy) scenario() object {
	word := func(is bool, value string) string {
		if is {
			return value
		}
		return ""
	}
	return prune(object{
		"upgrades":      word(p.SelfCertified, "SelfCertified"),
		"compounds":     word(p.PerBundle, "PerBundle"),
		"goal":          string(p.Goal),
		"deprecations":  word(p.Avoid, "Avoid"),
		"failures":      word(p.Partial, "Partial"),
		"compatibility": string(p.Compatibility),
	})
}

// GoString returns the scenario, for rapid to print what it has drawn.
func (p *Problem) GoString() string { return "\n" + p.Scenario() }
