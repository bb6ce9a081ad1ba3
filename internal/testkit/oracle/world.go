package oracle

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/resolver"
)

// MaxVariables is the largest number of bundles, installed ones and those that
// can be newly chosen, that a problem may have.
const MaxVariables = 18

// set is a set of variables, one bit each.
type set uint32

func bit(v int) set          { return 1 << v }
func (s set) has(v int) bool { return s&bit(v) != 0 }

// world is a problem laid out for brute force: its variables, and what they are
// to each other.
type world struct {
	p     *Problem
	cats  []*Catalog // best first
	vars  []*variable
	asked []Subscription // in the order in which they are decided
	subs  []*wanted
	stay  []int // variables that must stay, in the order of the request
	// broken are the installed bundles that stay whatever they ask for, unseen
	// those that policy Partial has not come to yet.
	broken, unseen set
}

// variable is one bundle that can be in the set.
type variable struct {
	name      string
	pkg       string   // empty if it is not known
	version   *Version // nil if it is not known
	bundle    *Bundle  // what its properties say
	named     string   // the package that its olm.package property names
	csv       *CSV     // nil if nothing is known of it
	installed int      // index into Problem.Installed, or -1
	cat       int      // index into world.cats, or -1
	places    []place  // of a catalog's bundle, in the order of the channels
	requires  []Constraint
	forms     []*form
	barred    bool // may not be newly chosen
	unfit     bool // does not fit the cluster
	takes     bool // something from the definitions of the cluster
	forbidden bool
	// aside marks a bundle that is only there to reason about what would be
	// if nothing were quarantined.
	aside bool
}

// place is where a channel offers a bundle.
type place struct {
	channel  string
	isDef    bool
	position int
	noted    bool // an olm.deprecations blob names channel, package or bundle
}

// Check reports whether a problem can be solved by brute force: it returns an error if
// it has too many bundles, or if it is invalid.
func Check(p *Problem) error {
	_, err := newWorld(p)
	return err
}

// newWorld lays a problem out. The error says that it is too big, or that it is
// no problem at all.
func newWorld(p *Problem) (*world, error) { return layOut(p, false) }

// layOut makes a world, with or without the bundles that are quarantined.
func layOut(p *Problem, quarantined bool) (*world, error) {
	w, err := asIs(p)
	if err != nil {
		return nil, err
	}
	for _, c := range w.cats {
		w.addCatalog(c.Key)
		if quarantined {
			w.addQuarantined(c.Key)
		}
	}
	if len(w.vars) > MaxVariables {
		return nil, fmt.Errorf("oracle: %d variables are too many to enumerate", len(w.vars))
	}
	for _, v := range w.vars {
		w.finish(v)
	}
	for _, v := range w.vars {
		for i := range v.requires {
			v.forms = append(v.forms, w.formOf(&v.requires[i]))
		}
	}
	for i := range w.asked {
		w.subs = append(w.subs, w.want(&w.asked[i]))
	}
	w.settle()
	return w, nil
}

// asIs makes a world of what is there already: the installed bundles and the
// subscriptions, those that are generated included.
func asIs(p *Problem) (*world, error) {
	w := &world{p: p}
	if err := p.check(); err != nil {
		return nil, err
	}
	for i := range p.Catalogs {
		w.cats = append(w.cats, &p.Catalogs[i])
	}
	slices.SortFunc(w.cats, w.compareCatalogs)
	w.addInstalled()
	w.asked = append(slices.Clone(p.Subscriptions), w.generated()...)
	slices.SortStableFunc(w.asked, func(a, b Subscription) int {
		if a.Generated && b.Generated {
			return cmp.Compare(a.Name, b.Name)
		}
		return trueFirst(!a.Generated, !b.Generated)
	})
	return w, nil
}

// check finds what would make a request invalid.
func (p *Problem) check() error {
	subs := map[string]bool{"": true}
	for _, s := range p.Subscriptions {
		subs[s.Name] = true
	}
	for i, in := range p.Installed {
		if p.installed(in.Bundle.Name) != i {
			return fmt.Errorf("oracle: two installed bundles are called %s", in.Bundle.Name)
		}
		if !subs[in.Subscription] {
			return fmt.Errorf("oracle: there is no subscription %s", in.Subscription)
		}
		name := in.Bundle.Name
		for range p.Installed {
			name = p.replacement(name)
		}
		if name != "" {
			return fmt.Errorf("oracle: the installed bundles replace each other in a circle")
		}
	}
	return nil
}

// compareCatalogs is rules 3 and 4 of section 4.
func (w *world) compareCatalogs(a, b *Catalog) int {
	return cmp.Or(
		cmp.Compare(b.Priority, a.Priority),
		trueFirst(a.Key.Namespace == w.p.Namespace, b.Key.Namespace == w.p.Namespace),
		cmp.Compare(a.Key.Namespace, b.Key.Namespace),
		cmp.Compare(a.Key.Name, b.Key.Name))
}

// trueFirst orders what has a quality before what has not.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// installed is the index of the installed bundle of this name, or -1.
func (p *Problem) installed(name string) int {
	return slices.IndexFunc(p.Installed, func(in Installed) bool { return in.Bundle.Name == name })
}

// replacement names the installed bundle that takes over from another one, or
// is empty.
func (p *Problem) replacement(name string) string {
	i := p.installed(name)
	if i < 0 || p.installed(p.Installed[i].ReplacedBy) < 0 {
		return ""
	}
	return p.Installed[i].ReplacedBy
}

// installedNow follows the name of an installed bundle to the one that takes
// over in the end; it is empty if nothing of that name is installed.
func (p *Problem) installedNow(name string) string {
	for next := p.replacement(name); next != ""; next = p.replacement(name) {
		name = next
	}
	if p.installed(name) < 0 {
		return ""
	}
	return name
}

// catalog returns the index of a catalog, or -1.
func (w *world) catalog(k Key) int {
	return slices.IndexFunc(w.cats, func(c *Catalog) bool { return c.Key == k })
}

// packagesOf goes through the packages of a catalog, or of all, best first, and the
// indexes of their catalogs.
func (w *world) packagesOf(catalog Key) iter.Seq2[int, *Package] {
	return func(yield func(int, *Package) bool) {
		for c, cat := range w.cats {
			for i := range cat.Packages {
				if (catalog == Key{} || catalog == cat.Key) && !yield(c, &cat.Packages[i]) {
					return
				}
			}
		}
	}
}

// addCatalog makes variables of the bundles that can be newly chosen: they have
// a place in some healthy channel.
func (w *world) addCatalog(key Key) {
	for c, p := range w.packagesOf(key) {
		if quarantined(p) {
			continue
		}
		for j := range p.Bundles {
			b := &p.Bundles[j]
			if usable(p, b.Name) == nil {
				continue
			}
			if places := places(p, b.Name); len(places) > 0 {
				w.vars = append(w.vars, &variable{name: b.Name, pkg: p.Name, version: &b.Version, bundle: b, named: p.Name,
					csv: b.csv(), installed: -1, cat: c, places: places})
			}
		}
	}
}

// places lists where the channels offer a usable bundle.
func places(p *Package, name string) []place {
	var list []place
	for _, c := range channelsInOrder(p) {
		if c.broken || c.skipped[name] {
			continue
		}
		if i := slices.Index(c.order, name); i >= 0 {
			list = append(list, place{c.channel.Name, c.channel.Name == p.DefaultChannel, i, noted(p, c.channel.Name, name)})
		}
	}
	return list
}

// noted reports whether an olm.deprecations blob names the package, the channel, which
// there has to be, or the bundle.
func noted(p *Package, channel, bundle string) bool {
	return slices.ContainsFunc(p.Deprecations, func(n declared.Deprecation) bool {
		switch n.Schema {
		case "olm.bundle":
			return n.Name == bundle
		case "olm.channel":
			return n.Name == channel && slices.ContainsFunc(p.Channels, func(c Channel) bool { return c.Name == channel })
		}
		return true
	})
}

// finish adds what the request says about a bundle.
func (w *world) finish(v *variable) {
	v.unfit = !w.fits(v)
	if v.installed < 0 {
		something, fails := w.takes(v.bundle)
		v.takes, v.unfit = something, v.unfit || fails
	}
	v.barred = v.installed < 0 && (v.bundle.Deprecated || v.unfit && w.p.Policy.Compatibility == resolver.CompatibilityRequire)
	v.requires = slices.Clone(v.bundle.Requires)
	for _, a := range w.p.Added {
		if w.means(a.Bundle, v) {
			v.requires = append(v.requires, a.Constraint)
		}
	}
	v.requires = slices.DeleteFunc(v.requires, func(c Constraint) bool {
		return slices.ContainsFunc(w.p.Relax, func(r Added) bool { return w.means(r.Bundle, v) && r.Constraint.key() == c.key() })
	})
	for _, f := range w.p.Forbid {
		v.forbidden = v.forbidden || w.means(f.Bundle, v)
	}
}

// means reports whether a reference means a variable. An installed bundle is a
// bundle of the catalog that it came from, where that is known.
func (w *world) means(r Ref, v *variable) bool {
	return r.Name == v.name && (r.Catalog == (Key{}) || r.Catalog == w.from(v))
}

// from is the catalog that a variable is from, or was, as far as there is one.
func (w *world) from(v *variable) Key {
	if v.cat < 0 {
		return Key{}
	}
	return w.cats[v.cat].Key
}

// best is the best place of a catalog's bundle.
func (w *world) best(places []place) place {
	return slices.MinFunc(places, func(a, b place) int {
		c := cmp.Or(trueFirst(a.isDef, b.isDef), cmp.Compare(a.channel, b.channel))
		if w.p.Policy.Deprecations == resolver.DeprecationsAvoid {
			return cmp.Or(trueFirst(!a.noted, !b.noted), c)
		}
		return c
	})
}

// deprecationsOf returns the package whose olm.deprecations apply to an
// installed bundle, or nil: that of the catalog that it came from, else that of
// the best catalog that has the bundle in this package.
func (w *world) deprecationsOf(v *variable) *Package {
	for _, p := range w.packagesOf(w.from(v)) {
		if p.Name == v.pkg && (v.cat >= 0 || p.Bundle(v.name) != nil) {
			return p
		}
	}
	return nil
}

// avoided reports whether the policy Avoid puts a bundle last; channel is that of an
// installed one.
func (w *world) avoided(v *variable, channel string) bool {
	if v.installed < 0 {
		return w.best(v.places).noted
	}
	p := w.deprecationsOf(v)
	return p != nil && noted(p, channel, v.name)
}

// compare orders two candidates as section 4 does for a bundle of the catalog
// own (-1 if unknown).
func (w *world) compare(own int, a, b *variable) int {
	if a == b {
		return 0
	}
	if w.p.Policy.Deprecations == resolver.DeprecationsAvoid {
		if c := trueFirst(!w.avoided(a, w.recorded(a)), !w.avoided(b, w.recorded(b))); c != 0 {
			return c
		}
	}
	isOwn := func(v *variable) bool { return own >= 0 && v.cat == own }
	unknownLast := func(v *variable) int {
		if v.cat < 0 {
			return len(w.cats)
		}
		return v.cat // they are in the order of rules 3 and 4
	}
	if c := cmp.Or(
		trueFirst(a.installed >= 0, b.installed >= 0),
		trueFirst(isOwn(a), isOwn(b)),
		cmp.Compare(unknownLast(a), unknownLast(b)),
	); c != 0 {
		return c
	}
	if a.installed >= 0 {
		return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(w.recorded(a), w.recorded(b)),
			cmp.Compare(a.installed, b.installed))
	}
	x, y := w.best(a.places), w.best(b.places)
	nearer := cmp.Compare(x.position, y.position)
	if w.p.Policy.Goal == resolver.Oldest {
		nearer = -nearer
	}
	return cmp.Or(trueFirst(x.isDef, y.isDef), cmp.Compare(a.pkg, b.pkg), cmp.Compare(x.channel, y.channel), nearer)
}

// recorded is the channel that an installed bundle came from, as far as known.
func (w *world) recorded(v *variable) string {
	if v.installed < 0 {
		return ""
	}
	return w.p.Installed[v.installed].Channel
}
