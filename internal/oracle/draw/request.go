package draw

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/internal/oracle"
)

// source is a bundle of the problem and where it is.
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
		if d.samePackage(in.Package) && !d.chance(8) {
			continue
		}
		if d.chance(6) && !in.Bare { // its package and version are known all the same
			in.Bundle.Defect = oracle.MissingIdentity
		}
		in.Automatic = d.chance(30)
		d.p.Installed = append(d.p.Installed, in)
	}
	if d.chance(8) {
		d.takeOver()
	}
}

func (d *drawer) samePackage(pkg string) bool {
	return slices.ContainsFunc(d.p.Installed, func(in oracle.Installed) bool { return in.Package == pkg })
}

func (d *drawer) installFrom(in *oracle.Installed, s source) {
	in.Package = s.pkg.Name
	in.Bundle = *s.bundle
	in.Bundle.Defect = oracle.Sound
	if d.chance(8) { // what is on the cluster need not be what the catalog has
		in.Bundle = d.bundle(s.pkg.Name, s.bundle.Version.N)
		in.Bundle.Name, in.Bundle.Requires = s.bundle.Name, d.requires()
		in.Bundle.Defect = oracle.Sound
	}
	if d.chance(50) {
		in.Catalog = s.catalog.Key
		if d.chance(10) {
			in.Catalog = oracle.Key{Namespace: "olm", Name: "lost"}
		}
		if d.chance(70) {
			in.Channel = pick(d, s.pkg.Channels).Name
		}
	}
	in.Bare = d.chance(15) && in.Catalog.Name != "lost" && d.sound(in.Bundle.Name)
}

// sound says whether every bundle of a name is sound, so that a bare installed
// one can take its properties from any.
func (d *drawer) sound(name string) bool {
	seen := map[*oracle.Package]bool{}
	for _, s := range d.sources() {
		if s.bundle.Name == name {
			if s.bundle.Defect != oracle.Sound || seen[s.pkg] || s.pkg.Blobs != 0 {
				return false
			}
			seen[s.pkg] = true
		}
	}
	return true
}

// takeOver makes one installed bundle be replaced by another one, which comes
// beside it.
func (d *drawer) takeOver() {
	if len(d.p.Installed) == 0 {
		return
	}
	old := &d.p.Installed[d.below(len(d.p.Installed))]
	next := oracle.Installed{Package: old.Package, Bundle: d.bundle(old.Package, old.Bundle.Version.N+1), Catalog: old.Catalog, Channel: old.Channel}
	next.Bundle.Defect = oracle.Sound
	old.ReplacedBy = next.Bundle.Name
	if d.chance(10) {
		old.ReplacedBy = "nobody"
	}
	if !d.hasInstalled(next.Bundle.Name) {
		d.p.Installed = append(d.p.Installed, next)
	}
}

func (d *drawer) subscriptions() {
	all := d.sources()
	n := 1 + d.below(10)/3
	if d.chance(3) {
		n = 0
	}
	for i := range n {
		src := pick(d, all)
		for range 2 { // rather another package than the same again
			if d.subscribed(src.pkg.Name) {
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
		if d.chance(40) {
			s.Channel = pick(d, src.pkg.Channels).Name
			if d.chance(5) {
				s.Channel = "stabel"
			}
		}
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
			s.Range = d.versionRange()
		}
		d.p.Subscriptions = append(d.p.Subscriptions, s)
	}
}

func (d *drawer) subscribed(pkg string) bool {
	return slices.ContainsFunc(d.p.Subscriptions, func(s oracle.Subscription) bool { return s.Package == pkg })
}

// own makes a subscription the owner of an installed bundle.
func (d *drawer) own(s *oracle.Subscription) {
	in := &d.p.Installed[d.below(len(d.p.Installed))]
	for i := range d.p.Installed {
		if d.p.Installed[i].Package == s.Package && !d.chance(10) {
			in = &d.p.Installed[i]
		}
	}
	if !d.chance(10) {
		s.Package = in.Package
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
}

// extras draws what is rarely there: prohibitions, forced bundles, constraints
// added by the caller.
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
			d.p.Forbid = append(d.p.Forbid, oracle.Forbid{Bundle: ref(), Message: "not that one"})
		}
	}
	if d.chance(8) {
		d.p.Force = append(d.p.Force, ref())
	}
	if d.chance(12) {
		d.p.Added = append(d.p.Added, oracle.Added{Bundle: ref(), Constraint: d.constraint(2)})
	}
}
