package oracle

import (
	"fmt"
	"strings"
)

// Scenario writes the problem as a scenario file, ready to be kept with the
// others. What a scenario cannot say (constraints that the caller adds or
// relaxes, forced bundles, pins, what is generated under another name) follows as
// comments.
func (p *Problem) Scenario() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	section := func(name string, items []any) {
		if len(items) > 0 {
			line("%s:", name)
		}
		for _, it := range items {
			line("- %s", encode(it))
		}
	}
	part := func(name string, o object) {
		if len(o) > 0 {
			line("%s: %s", name, encode(o))
		}
	}
	if p.Namespace != "" {
		line("namespace: %s", p.Namespace)
	}
	line("catalogs:")
	for i := range p.Catalogs {
		c := &p.Catalogs[i]
		line("- name: %s\n  namespace: %s", c.Key.Name, c.Key.Namespace)
		if c.Priority != 0 {
			line("  priority: %d", c.Priority)
		}
		line("  blobs:")
		for _, blob := range c.Blobs() {
			line("  - %s", blob)
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
		forbid = append(forbid, prune(object{"bundle": f.Bundle.Name, "catalog": f.Bundle.Catalog, "message": f.Message}))
	}
	section("forbid", forbid)
	for _, f := range p.Force {
		line("# forced: %s", f)
	}
	for _, s := range p.Subscriptions {
		if s.Pin != "" {
			line("# pin of %s: %s", s.Name, s.Pin)
		}
		if s.Generated != p.TakenAsGenerated(&s) {
			line("# generated is %s: %t", s.Name, s.Generated)
		}
	}
	for _, r := range p.Relax {
		line("# relaxed for %s: %s", r.Bundle, encode(r.Constraint.Property()))
	}
	for _, a := range p.Added {
		line("# added to %s: %s", a.Bundle, encode(a.Constraint.Value()))
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
		if v == "" || v == false || v == (Key{}) {
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
	var crds []any
	for i := range c.CRDs {
		crds = append(crds, c.CRDs[i].scenario())
	}
	if len(crds) > 0 {
		o["crds"] = crds
	}
	return o
}

func (p *Problem) installedItems() []any {
	var items []any
	for i := range p.Installed {
		in := &p.Installed[i]
		o := prune(object{"name": in.Bundle.Name, "package": in.Package, "catalog": in.Catalog, "channel": in.Channel,
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
			"catalog": s.Catalog, "startingCSV": s.StartingCSV, "versionRange": s.Range.String(),
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
