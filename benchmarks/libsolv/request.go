package libsolv

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// addInstalled makes solvables of the installed bundles without a
// replacement.
func (t *translation) addInstalled() error {
	there := map[string]bool{}
	for i := range t.req.Installed {
		there[t.req.Installed[i].Name] = true
	}
	for i := range t.req.Installed {
		in := &t.req.Installed[i]
		if in.ReplacedBy != "" && there[in.ReplacedBy] {
			continue
		}
		b := t.installedBundle(in)
		if b.Package == "" {
			return &InexpressibleError{"the package of the installed bundle " + in.Name + " is unknown, and libsolv requires a package name"}
		}
		t.inst[in.Name] = len(t.all)
		t.add(solvable{bundle: b, repo: systemRepo, excluded: t.forbidden(in.Catalog, in.Name)})
	}
	return nil
}

// installedBundle converts an installed bundle to a catalog bundle. Data
// missing from the request comes from its properties, or else from the
// catalog's bundle.
func (t *translation) installedBundle(in *resolver.Installed) *graph.Bundle {
	b := &graph.Bundle{ID: -1, Name: in.Name, Version: cmp.Or(in.Version, new(semver.Version)), Package: in.Package}
	if in.Properties != nil {
		b.Properties = *in.Properties
		parser := constraints.NewParser()
		for p := range b.Properties.All() {
			if c, ok, err := parser.FromProperty(p); ok && err == nil {
				b.Constraints = append(b.Constraints, graph.Requirement{Constraint: c, Property: p})
			}
		}
	} else if known := t.known(in); known != nil {
		b.Properties, b.Constraints = known.Properties, known.Constraints
		if b.Package == "" {
			b.Package = known.Package
		}
		if b.Version.Equals(semver.Version{}) {
			b.Version = known.Version
		}
	}
	if own, ok := b.Properties.Package(); ok {
		if b.Package == "" {
			b.Package = own.Name
		}
		if b.Version.Equals(semver.Version{}) {
			b.Version = &own.Version
		}
	}
	if b.Package == "" {
		b.Package = t.ownersPackage(in)
	}
	if _, ok := b.Properties.Package(); !ok && in.Properties == nil && b.Package != "" {
		b.Properties = identity(b)
	}
	return b
}

// ownersPackage returns the package of the subscription that owns an installed
// bundle, or "".
func (t *translation) ownersPackage(in *resolver.Installed) string {
	for i := range t.req.Subscriptions {
		if t.req.Subscriptions[i].InstalledCSV == in.Name {
			return t.req.Subscriptions[i].Package
		}
	}
	return ""
}

// identity returns the only property of a bundle without further data.
func identity(b *graph.Bundle) properties.Set {
	value, err := json.Marshal(map[string]string{"packageName": b.Package, "version": b.Version.String()})
	if err != nil {
		return properties.Set{}
	}
	p, err := properties.New(properties.TypePackage, value)
	if err != nil {
		return properties.Set{}
	}
	return properties.NewSet(p)
}

// known returns the catalog bundle of an installed one, in the best catalog
// that has it.
func (t *translation) known(in *resolver.Installed) *graph.Bundle {
	best := slices.Clone(t.cats)
	slices.SortStableFunc(best, func(a, b *resolver.Catalog) int { return b.Priority - a.Priority })
	for _, c := range best {
		if !in.Catalog.IsZero() && c.Key != in.Catalog {
			continue
		}
		for _, id := range c.Content.Named(in.Name) {
			if b := c.Content.Bundle(id); in.Package == "" || b.Package == in.Package {
				return b
			}
		}
	}
	return nil
}

// subscribe makes a job of each subscription and of each unowned installed
// bundle.
func (t *translation) subscribe() {
	owned := map[int]bool{}
	for i := range t.req.Subscriptions {
		sub := &t.req.Subscriptions[i]
		own := t.ownedBy(sub)
		if own >= 0 {
			owned[own] = true
			t.jobs = append(t.jobs, "allowuninstall pkg "+t.all[own].id())
		}
		t.install(t.candidates(sub, own))
	}
	for i := range t.all {
		if t.all[i].repo == systemRepo && !owned[i] {
			t.install([]int{i})
		}
	}
}

// install adds a job that requires one of the solvables.
func (t *translation) install(oneOf []int) {
	if len(oneOf) == 0 {
		t.jobs = append(t.jobs, "install name "+unmeetable)
		return
	}
	job := "install oneof"
	for _, i := range oneOf {
		job += " " + t.all[i].id()
	}
	t.jobs = append(t.jobs, job)
}

// ownedBy returns the installed bundle that a subscription owns, or -1.
func (t *translation) ownedBy(sub *resolver.Subscription) int {
	if n := t.current(sub.InstalledCSV); n >= 0 {
		return n
	}
	for i := range t.req.Installed {
		if in := &t.req.Installed[i]; in.Subscription == sub.Name {
			if n := t.current(in.Name); n >= 0 {
				return n
			}
		}
	}
	return -1
}

// current follows the replacements of an installed bundle to the last one.
func (t *translation) current(name string) int {
	for range len(t.req.Installed) + 1 {
		if n, ok := t.inst[name]; ok {
			return n
		}
		i := slices.IndexFunc(t.req.Installed, func(in resolver.Installed) bool { return in.Name == name })
		if i < 0 {
			return -1
		}
		name = t.req.Installed[i].ReplacedBy
	}
	return -1
}

// candidates returns the candidates of section 2 of the semantics, unordered.
func (t *translation) candidates(sub *resolver.Subscription, own int) []int {
	var out []int
	take := func(i int) {
		if (sub.Pin == "" || t.all[i].bundle.Name == sub.Pin) && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	if own >= 0 {
		take(own)
	}
	for _, c := range t.cats {
		pkg := c.Content.Package(sub.Package)
		if pkg == nil || (!sub.Catalog.IsZero() && sub.Catalog != c.Key) {
			continue
		}
		for _, ch := range pkg.Channels {
			if len(sub.Channels) > 0 && !slices.Contains(sub.Channels, ch.Name) {
				continue
			}
			for _, b := range ch.Candidates() {
				if i, there := t.at[b]; there && t.offers(sub, ch, b, own) {
					take(i)
				}
			}
		}
	}
	return out
}

// offers reports whether a channel offers a bundle to a subscription.
func (t *translation) offers(sub *resolver.Subscription, ch *graph.Channel, b *graph.Bundle, own int) bool {
	if !sub.VersionRange.IsZero() && !sub.VersionRange.Contains(*b.Version) {
		return false
	}
	if own < 0 {
		return sub.StartingCSV == "" || sub.StartingCSV == b.Name
	}
	in := t.all[own].bundle
	if in.Name == b.Name && in.Package == b.Package {
		return false // represented by the installed bundle
	}
	return t.req.Policy.Upgrades == resolver.UpgradesSelfCertified || ch.Entry(b.Name).Upgrades(in.Name, *in.Version)
}
