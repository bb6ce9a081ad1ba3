package oracle

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/resolver"
)

// MaxVariables is the maximum number of bundles, installed ones and
// candidates, in a problem.
const MaxVariables = 18

// set is a set of variables, one bit each.
type set uint32

func bit(v int) set          { return 1 << v }
func (s set) has(v int) bool { return s&bit(v) != 0 }

// world is a problem prepared for brute force: its variables and their
// relations.
type world struct {
	p             *Problem
	cats          []*Catalog // best first
	vars          []*variable
	subscriptions []Subscription // in decision order
	subs          []*subscription
	stay          []int // variables that must stay, in the order of the request
	// broken are the installed bundles that stay regardless of their demands,
	// pending those that policy Partial has not reached.
	broken, pending set
}

// variable is a bundle that may be in the set.
type variable struct {
	name         string
	pkg          string   // empty if unknown
	version      *Version // nil if unknown
	bundle       *Bundle  // the content of its properties
	named        string   // the package in its olm.package property
	csv          *CSV     // nil if unknown
	installed    int      // index into Problem.Installed, or -1
	cat          int      // index into world.cats, or -1
	places       []place  // of a catalog bundle, in channel order
	requires     []Constraint
	forms        []*form
	excluded     bool // excluded from new installs
	incompatible bool // incompatible with the cluster
	removes      bool // removes something from the cluster's definitions
	forbidden    bool
	// quarantined marks a quarantined bundle, present only to explain quarantines.
	quarantined bool
}

// place is a position of a bundle in a channel.
type place struct {
	channel    string
	isDef      bool
	position   int
	deprecated bool // an olm.deprecations blob names its channel, package or bundle
}

// Check returns an error if a problem is invalid or has too many bundles for
// brute force.
func Check(p *Problem) error {
	_, err := newWorld(p)
	return err
}

// newWorld prepares a problem. It returns an error if the problem is invalid
// or too big.
func newWorld(p *Problem) (*world, error) { return layOut(p, false) }

// layOut makes a world, with or without quarantined bundles.
func layOut(p *Problem, quarantined bool) (*world, error) {
	w, err := currentState(p)
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
	for i := range w.subscriptions {
		w.subs = append(w.subs, w.resolveSubscription(&w.subscriptions[i]))
	}
	w.settle()
	return w, nil
}

// currentState makes a world of the current state: the installed bundles and the
// subscriptions, including generated ones.
func currentState(p *Problem) (*world, error) {
	w := &world{p: p}
	if err := p.check(); err != nil {
		return nil, err
	}
	for i := range p.Catalogs {
		w.cats = append(w.cats, &p.Catalogs[i])
	}
	slices.SortFunc(w.cats, w.compareCatalogs)
	w.addInstalled()
	w.subscriptions = append(slices.Clone(p.Subscriptions), w.generated()...)
	slices.SortStableFunc(w.subscriptions, func(a, b Subscription) int {
		if a.Generated && b.Generated {
			return cmp.Compare(a.Name, b.Name)
		}
		return trueFirst(!a.Generated, !b.Generated)
	})
	return w, nil
}

// check validates a request.
func (p *Problem) check() error {
	subs := map[string]bool{"": true}
	for _, s := range p.Subscriptions {
		subs[s.Name] = true
	}
	for i, in := range p.Installed {
		if p.installed(in.Bundle.Name) != i {
			return fmt.Errorf("oracle: two installed bundles are named %s", in.Bundle.Name)
		}
		if !subs[in.Subscription] {
			return fmt.Errorf("oracle: there is no subscription %s", in.Subscription)
		}
		name := in.Bundle.Name
		for range p.Installed {
			name = p.replacement(name)
		}
		if name != "" {
			return fmt.Errorf("oracle: replacements of installed bundles form a cycle")
		}
	}
	return nil
}

// compareCatalogs implements rules 3 and 4 of section 4.
func (w *world) compareCatalogs(a, b *Catalog) int {
	return cmp.Or(
		cmp.Compare(b.Priority, a.Priority),
		trueFirst(a.Key.Namespace == w.p.Namespace, b.Key.Namespace == w.p.Namespace),
		cmp.Compare(a.Key.Namespace, b.Key.Namespace),
		cmp.Compare(a.Key.Name, b.Key.Name))
}

// trueFirst orders true before false.
func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// installed returns the index of the installed bundle of this name, or -1.
func (p *Problem) installed(name string) int {
	return slices.IndexFunc(p.Installed, func(in Installed) bool { return in.Bundle.Name == name })
}

// replacement returns the name of the installed bundle that replaces another
// one, or "".
func (p *Problem) replacement(name string) string {
	i := p.installed(name)
	if i < 0 || p.installed(p.Installed[i].ReplacedBy) < 0 {
		return ""
	}
	return p.Installed[i].ReplacedBy
}

// installedNow follows replacements from the name of an installed bundle to
// the last one; it is empty if no such bundle is installed.
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

// packagesOf iterates over the packages of one catalog or of all, best first,
// with the indexes of their catalogs.
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

// addCatalog makes variables of the candidates, which have a place in a
// healthy channel.
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

// places lists the places of a usable bundle.
func places(p *Package, name string) []place {
	var list []place
	for _, c := range channelsInOrder(p) {
		if c.broken || c.skipped[name] {
			continue
		}
		if i := slices.Index(c.order, name); i >= 0 {
			list = append(list, place{c.channel.Name, c.channel.Name == p.DefaultChannel, i, deprecated(p, c.channel.Name, name)})
		}
	}
	return list
}

// deprecated reports whether an olm.deprecations blob names the package, the
// channel, which must exist, or the bundle.
func deprecated(p *Package, channel, bundle string) bool {
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

// finish applies the request to a bundle.
func (w *world) finish(v *variable) {
	v.incompatible = !w.fits(v)
	if v.installed < 0 {
		something, fails := w.removesDefinitions(v.bundle)
		v.removes, v.incompatible = something, v.incompatible || fails
	}
	v.excluded = v.installed < 0 && (v.bundle.Deprecated || v.incompatible && w.p.Policy.Compatibility == resolver.CompatibilityRequire)
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

// means reports whether a reference matches a variable. An installed bundle
// counts as a bundle of its recorded catalog, if known.
func (w *world) means(r Ref, v *variable) bool {
	return r.Name == v.name && (r.Catalog == (Key{}) || r.Catalog == w.from(v))
}

// from returns the current or former catalog of a variable, if any.
func (w *world) from(v *variable) Key {
	if v.cat < 0 {
		return Key{}
	}
	return w.cats[v.cat].Key
}

// best returns the best place of a catalog bundle.
func (w *world) best(places []place) place {
	return slices.MinFunc(places, func(a, b place) int {
		c := cmp.Or(trueFirst(a.isDef, b.isDef), cmp.Compare(a.channel, b.channel))
		if w.p.Policy.Deprecations == resolver.DeprecationsAvoid {
			return cmp.Or(trueFirst(!a.deprecated, !b.deprecated), c)
		}
		return c
	})
}

// deprecationsOf returns the package whose olm.deprecations apply to an
// installed bundle, or nil: in its recorded catalog, else in the best catalog
// that has the bundle in this package.
func (w *world) deprecationsOf(v *variable) *Package {
	for _, p := range w.packagesOf(w.from(v)) {
		if p.Name == v.pkg && (v.cat >= 0 || p.Bundle(v.name) != nil) {
			return p
		}
	}
	return nil
}

// avoided reports whether policy Avoid ranks a bundle last; channel is that of
// an installed bundle.
func (w *world) avoided(v *variable, channel string) bool {
	if v.installed < 0 {
		return w.best(v.places).deprecated
	}
	p := w.deprecationsOf(v)
	return p != nil && deprecated(p, channel, v.name)
}

// compare orders two candidates by section 4 for a bundle of the catalog own
// (-1 if unknown).
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
		return v.cat // ordered by rules 3 and 4
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

// recorded returns the recorded channel of an installed bundle, or "".
func (w *world) recorded(v *variable) string {
	if v.installed < 0 {
		return ""
	}
	return w.p.Installed[v.installed].Channel
}
