package oracle

import (
	"math/bits"
	"slices"
)

// rule is one condition on a result set.
type rule func(set) bool

// demands are all conditions on a result set.
type demands struct {
	in, out set // members required and excluded
	rules   []rule
}

// oneOf demands one of some bundles.
func (d *demands) oneOf(of set) {
	if bits.OnesCount32(uint32(of)) == 1 {
		d.in |= of
	} else {
		d.rules = append(d.rules, func(s set) bool { return s&of != 0 })
	}
}

func (d *demands) add(r ...rule) { d.rules = append(d.rules, r...) }

// satisfying yields every set of n variables that satisfies all demands.
func (d *demands) satisfying(n int, yield func(set) bool) {
	if d.in&d.out != 0 {
		return
	}
	open := (bit(n) - 1) &^ (d.in | d.out)
next:
	for some, more := set(0), true; more; some, more = (some-open)&open, some != open {
		for _, r := range d.rules {
			if !r(some | d.in) {
				continue next
			}
		}
		if !yield(some | d.in) {
			return
		}
	}
}

// satisfiable reports whether some set of n variables satisfies all demands.
func (d *demands) satisfiable(n int) bool {
	found := false
	d.satisfying(n, func(set) bool { found = true; return false })
	return found
}

func atMostOne(of set) rule { return func(s set) bool { return s&of&(s&of-1) == 0 } }

// exclusive allows at most one of some bundles. It ignores clashes of broken
// bundles with other installed ones, and clashes of bundles that policy
// Partial has not reached.
func (w *world) exclusive(of set) rule {
	apart := of & (w.broken | w.pending)
	if apart == 0 {
		return atMostOne(of)
	}
	installed := w.those(func(v *variable) bool { return v.installed >= 0 })
	one, others := atMostOne(of), atMostOne(of&^apart)
	return func(s set) bool { return one(s) || s&of&^installed == 0 && others(s) }
}

// demands lists all demands of sections 3 and 5.
func (w *world) demands() *demands {
	d := w.exclusives()
	for i, v := range w.vars {
		if w.pending.has(i) {
			continue // pending: demands nothing, and nothing forbids it
		}
		if (v.excluded || v.forbidden) && !w.broken.has(i) {
			d.out |= bit(i)
		}
		for _, f := range v.forms {
			if v.installed >= 0 && w.pending != 0 {
				f = f.exempting(w.pending, false)
			}
			d.add(requires(i, f))
		}
	}
	for _, v := range w.stay {
		d.in |= bit(v)
	}
	for _, s := range w.subs {
		if !s.dropped {
			s.addTo(d)
		}
	}
	return d
}

// exclusives are the demands of packages and APIs, which allow one bundle
// each.
func (w *world) exclusives() *demands {
	d := &demands{}
	for _, pkg := range w.packages() {
		d.add(w.exclusive(w.ofPackage(pkg)))
	}
	for _, kind := range w.kinds() {
		d.add(w.exclusive(w.providers(kind)))
	}
	return d
}

// all returns the demands including those of forced bundles.
func (w *world) all() *demands {
	d := w.demands()
	for _, f := range w.p.Force {
		d.oneOf(setOf(w.forced(f)))
	}
	return d
}

func requires(v int, f *form) rule { return func(s set) bool { return !s.has(v) || f.eval(s) } }

// addTo adds the demand of a subscription: one of its candidates. Exactly one
// of them and the owned installed bundle is in the set.
func (s *subscription) addTo(d *demands) {
	if !s.pending {
		d.oneOf(setOf(s.cands))
	}
	if s.owned >= 0 {
		of := setOf(s.cands) | bit(s.owned)
		d.oneOf(of)
		d.add(atMostOne(of))
	}
}

func setOf(vs []int) set {
	var s set
	for _, v := range vs {
		s |= bit(v)
	}
	return s
}

// packages lists the known packages of the variables.
func (w *world) packages() []string {
	var names []string
	for _, v := range w.vars {
		if v.pkg != "" && !slices.Contains(names, v.pkg) {
			names = append(names, v.pkg)
		}
	}
	return names
}

// kinds lists the APIs that the variables provide.
func (w *world) kinds() []string {
	var kinds []string
	for _, v := range w.vars {
		for _, k := range v.bundle.Provides {
			if !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	return kinds
}

func (w *world) ofPackage(name string) set {
	return w.those(func(v *variable) bool { return v.pkg == name })
}

func (w *world) providers(kind string) set {
	return w.those(func(v *variable) bool { return slices.Contains(v.bundle.Provides, kind) })
}

func (w *world) those(which func(*variable) bool) set {
	var s set
	for i, v := range w.vars {
		if which(v) {
			s |= bit(i)
		}
	}
	return s
}

// forced lists the matches of a forced reference, best first: the installed
// bundle, then by catalog.
func (w *world) forced(r Ref) []int {
	var list []int
	for i, v := range w.vars { // installed first, then catalogs, best first
		if w.means(r, v) {
			list = append(list, i)
		}
	}
	return list
}
