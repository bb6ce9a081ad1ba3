package draw

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// source is a bundle of the problem and its location.
type source struct {
	catalog *oracle.Catalog
	pkg     *oracle.Package
	bundle  *oracle.Bundle
}

func (d *drawer) sources() []source {
	var list []source
	for i := range d.p.Catalogs {
		c := &d.p.Catalogs[i]
		for j := range c.Packages {
			p := &c.Packages[j]
			for k := range p.Bundles {
				list = append(list, source{c, p, &p.Bundles[k]})
			}
		}
	}
	return list
}

func (d *drawer) hasInstalled(name string) bool {
	return slices.ContainsFunc(d.p.Installed, func(in oracle.Installed) bool { return in.Bundle.Name == name })
}

func (d *drawer) installed() {
	if !d.chance(60) || d.deep && d.chance(50) {
		return
	}
	all := d.sources()
	clash := 8
	if d.p.Policy.Failures == resolver.FailuresPartial {
		clash = 40
	}
	for range d.between(1, 3) {
		in := oracle.Installed{}
		if d.chance(12) {
			in.Package = pick(d, []string{"old", pick(d, packages)})
			in.Bundle = d.bundle(in.Package, d.between(0, 5))
			in.Bundle.Requires = d.requires()
			in.Bundle.Defect = oracle.Sound
		} else {
			d.installFrom(&in, pick(d, all))
		}
		if d.hasInstalled(in.Bundle.Name) {
			continue
		}
		if d.samePackage(in.Package) && !d.chance(clash) {
			continue
		}
		in.Bundle.Object = nil // clusters do not store it
		if d.chance(6) {       // its package and version are still known
			in.Bundle.Defect = oracle.MissingIdentity
		}
		in.Automatic = d.chance(40)
		d.packageOf[in.Bundle.Name] = in.Package
		version := in.Bundle.Version
		in.Version = &version
		if d.chance(40) {
			d.obscure(&in)
		}
		d.p.Installed = append(d.p.Installed, in)
	}
	if d.chance(8) {
		d.replaceInstalled()
	}
}

// grown draws an installed operator in an old version with its dependencies,
// in the state after an earlier resolution. It returns false if there is none.
func (d *drawer) grown() bool {
	for range 3 {
		p := &oracle.Problem{Namespace: d.p.Namespace, Catalogs: d.p.Catalogs, Cluster: d.p.Cluster, Policy: resolver.Policy{Goal: resolver.Oldest}}
		p.Subscriptions = []oracle.Subscription{{Name: "s0", Package: pick(d, d.sources()).pkg.Name}}
		a, err := oracle.Solve(p)
		needs := func(s oracle.Step) bool { return s.Subscription != nil }
		twins := len(slices.Compact(slices.Clone(a.Set))) < len(a.Set) // a cluster has no duplicate names
		if err != nil || len(a.Steps) > 4 || twins || !slices.ContainsFunc(a.Steps, needs) {
			continue
		}
		p = oracle.Advance(p, a)
		d.p.Installed, d.p.Subscriptions = p.Installed, p.Subscriptions
		if d.chance(50) {
			d.p.Subscriptions = d.p.Subscriptions[:1] // the others are generated again
		}
		for i := range d.p.Subscriptions {
			d.hold(&d.p.Subscriptions[i], 12)
		}
		for i := range d.p.Installed {
			in := &d.p.Installed[i]
			d.packageOf[in.Bundle.Name] = in.Package
			in.Bundle.Object = nil
			if d.chance(20) {
				in.Catalog = oracle.Key{}
			}
			if d.chance(20) {
				in.Channel = ""
			}
			if d.chance(20) {
				d.obscure(in)
			}
		}
		return true
	}
	return false
}

// obscure drops or contradicts part of the data of an installed bundle.
func (d *drawer) obscure(in *oracle.Installed) {
	d.sameNames = true
	if d.chance(60) {
		in.Identity, in.Package = in.Package, ""
	}
	if d.chance(6) {
		in.Identity = pick(d, packages)
	}
	switch d.below(5) {
	case 2, 3:
		in.Version = nil
	case 4:
		in.Version = &oracle.Version{N: d.below(3)}
	}
	switch d.below(8) {
	case 3:
		in.Bundle = oracle.Bundle{Name: in.Bundle.Name, Version: in.Bundle.Version, Defect: oracle.MissingIdentity}
	case 4, 5:
		in.Bundle.Defect = oracle.MissingIdentity
	case 6, 7:
		in.Bare = true
	}
	if d.chance(25) && !d.hasInstalled("byhand") {
		d.packageOf["byhand"] = d.packageOf[in.Bundle.Name]
		for i := range d.p.Subscriptions {
			if s := &d.p.Subscriptions[i]; s.InstalledCSV == in.Bundle.Name {
				s.InstalledCSV = "byhand"
			}
		}
		in.Bundle.Name = "byhand"
	}
}

// samePackage reports whether a bundle of a package is installed.
func (d *drawer) samePackage(pkg string) bool {
	return slices.ContainsFunc(d.p.Installed, func(in oracle.Installed) bool { return d.packageOf[in.Bundle.Name] == pkg })
}

func (d *drawer) installFrom(in *oracle.Installed, s source) {
	in.Package = s.pkg.Name
	in.Bundle = *s.bundle
	in.Bundle.Defect = oracle.Sound
	if d.chance(8) { // the cluster may differ from the catalog
		in.Bundle = d.bundle(s.pkg.Name, s.bundle.Version.N)
		in.Bundle.Name, in.Bundle.Requires = s.bundle.Name, d.requires()
		in.Bundle.Defect = oracle.Sound
	}
	if d.chance(20) {
		in.Bundle.Metadata = nil // the catalog has it
	}
	if d.chance(50) {
		in.Catalog = s.catalog.Key
		if d.chance(10) {
			in.Catalog = oracle.Key{Namespace: "olm", Name: "lost"}
		}
	}
	if in.Catalog != (oracle.Key{}) && d.chance(70) || d.chance(8) {
		in.Channel = pick(d, s.pkg.Channels).Name
	}
}

// replaceInstalled makes one installed bundle be replaced by another installed one.
func (d *drawer) replaceInstalled() {
	if len(d.p.Installed) == 0 {
		return
	}
	old := &d.p.Installed[d.below(len(d.p.Installed))]
	pkg := d.packageOf[old.Bundle.Name]
	next := oracle.Installed{Package: pkg, Bundle: d.bundle(pkg, old.Bundle.Version.N+1), Catalog: old.Catalog, Channel: old.Channel}
	next.Bundle.Defect, next.Bundle.Object = oracle.Sound, nil
	old.ReplacedBy = next.Bundle.Name
	if d.chance(10) {
		old.ReplacedBy = "nobody"
	}
	if !d.hasInstalled(next.Bundle.Name) {
		d.packageOf[next.Bundle.Name] = pkg
		d.p.Installed = append(d.p.Installed, next)
	}
}

func (d *drawer) subscriptions() {
	all := d.sources()
	n := 1 + d.below(10)/3
	if len(d.p.Subscriptions) > 0 {
		n /= 2
	}
	if d.chance(3) {
		n = 0
	}
	for i := range n {
		src := pick(d, all)
		for range 2 { // prefer a different package
			if slices.ContainsFunc(d.p.Subscriptions, func(s oracle.Subscription) bool { return s.Package == src.pkg.Name }) {
				src = pick(d, all)
			}
		}
		s := oracle.Subscription{Name: fmt.Sprintf("s%d", i+1), Package: src.pkg.Name}
		if d.samePackage(s.Package) && !d.chance(10) || len(d.p.Installed) > 0 && d.chance(25) {
			d.own(&s)
		}
		if d.chance(3) {
			s.Package = "nowhere"
		}
		s.Channels = d.channelsOf(src.pkg)
		if d.chance(25) {
			s.Catalog = pick(d, d.p.Catalogs).Key
			if d.chance(8) {
				s.Catalog = oracle.Key{Namespace: "olm", Name: "lost"}
			}
		}
		if d.chance(8) {
			s.StartingCSV = pick(d, src.pkg.Bundles).Name
		}
		if d.chance(3) {
			s.Pin = pick(d, src.pkg.Bundles).Name
		}
		if !d.deep && d.chance(16) {
			s.VersionRange, _ = properties.ParseRange(d.versionRange().String())
		}
		d.hold(&s, 8)
		if i == 0 && d.chance(3) { // the name of a generated subscription
			name := fmt.Sprintf("%s-%s-%s-%s", src.pkg.Name, src.pkg.Channels[0].Name, src.catalog.Key.Name, src.catalog.Key.Namespace)
			if !slices.ContainsFunc(d.p.Subscriptions, func(s oracle.Subscription) bool { return s.Name == name }) {
				rename(d.p, &s, name)
			}
		}
		d.p.Subscriptions = append(d.p.Subscriptions, s)
	}
	if d.chance(30) {
		d.p.Subscriptions = append(d.p.Subscriptions, d.p.Generated()...)
	}
}

// channelsOf draws the channels of a subscription: usually none or one.
func (d dice) channelsOf(p *oracle.Package) []string {
	n := 0
	if d.chance(45) {
		n = 1 + d.below(10)/7 + d.below(10)/8
	}
	var names []string
	for range n {
		name := pick(d, p.Channels).Name
		if d.chance(6) {
			name = "stabel"
		}
		names = append(names, name)
	}
	return names
}

// hold draws a reason to hold a subscription.
func (d dice) hold(s *oracle.Subscription, percent int) {
	if d.chance(percent) {
		s.Hold = "not approved"
	}
}

func rename(p *oracle.Problem, s *oracle.Subscription, name string) {
	for i := range p.Installed {
		if p.Installed[i].Subscription == s.Name {
			p.Installed[i].Subscription = name
		}
	}
	s.Name = name
}

// own makes a subscription the owner of an installed bundle.
func (d *drawer) own(s *oracle.Subscription) {
	in := &d.p.Installed[d.below(len(d.p.Installed))]
	for i := range d.p.Installed {
		if d.packageOf[d.p.Installed[i].Bundle.Name] == s.Package && !d.chance(10) {
			in = &d.p.Installed[i]
		}
	}
	if !d.chance(10) {
		s.Package = d.packageOf[in.Bundle.Name]
	}
	switch {
	case d.chance(5):
		s.InstalledCSV = "nothing.v1"
	case in.Subscription != "":
	case d.chance(30):
		in.Subscription = s.Name
	default:
		s.InstalledCSV = in.Bundle.Name
	}
	d.hold(s, 8)
}

// extras draws rare features: prohibitions, forced bundles, constraints added
// by the caller.
func (d *drawer) extras() {
	all := d.sources()
	ref := func() oracle.Ref {
		s := pick(d, all)
		r := oracle.Ref{Name: s.bundle.Name}
		if d.chance(30) {
			r.Catalog = s.catalog.Key
		}
		return r
	}
	if d.chance(15) {
		for range d.between(1, 2) {
			d.p.Forbid = append(d.p.Forbid, resolver.Forbidden{Bundle: ref(), Message: "not that one"})
		}
	}
	if d.chance(8) {
		d.p.Force = append(d.p.Force, ref())
	}
	if d.chance(12) {
		d.p.Added = append(d.p.Added, oracle.Added{Bundle: ref(), Constraint: d.constraint(2)})
	}
}
