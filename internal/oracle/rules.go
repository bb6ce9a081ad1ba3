package oracle

import (
	"math/bits"
	"slices"
)

// rule is one thing that has to hold for a result set.
type rule func(set) bool

// satisfying lists every set of variables that satisfies all rules.
func satisfying(n int, rules []rule) []set {
	var list []set
next:
	for s := range set(1) << n {
		for _, r := range rules {
			if !r(s) {
				continue next
			}
		}
		list = append(list, s)
	}
	return list
}

// satisfiable says whether some set satisfies all rules.
func satisfiable(n int, rules []rule) bool {
next:
	for s := range set(1) << n {
		for _, r := range rules {
			if !r(s) {
				continue next
			}
		}
		return true
	}
	return false
}

func atMostOne(of set) rule  { return func(s set) bool { return bits.OnesCount32(uint32(s&of)) <= 1 } }
func atLeastOne(of set) rule { return func(s set) bool { return s&of != 0 } }
func noneOf(of set) rule     { return func(s set) bool { return s&of == 0 } }

// rules lists all that sections 3 and 5 ask of a result set.
func (w *world) rules() []rule {
	var rs []rule
	for _, pkg := range w.packages() {
		rs = append(rs, atMostOne(w.ofPackage(pkg)))
	}
	for _, kind := range w.kinds() {
		rs = append(rs, atMostOne(w.providers(kind)))
	}
	for i, v := range w.vars {
		if v.barred || v.forbidden {
			rs = append(rs, noneOf(bit(i)))
		}
		for _, f := range v.forms {
			rs = append(rs, requires(i, f))
		}
	}
	for _, v := range w.stay {
		rs = append(rs, atLeastOne(bit(v)))
	}
	for _, s := range w.subs {
		if !s.left {
			rs = append(rs, s.rules()...)
		}
	}
	for _, f := range w.p.Force {
		rs = append(rs, atLeastOne(setOf(w.forced(f))))
	}
	return rs
}

func requires(v int, f *form) rule { return func(s set) bool { return !s.has(v) || f.eval(s) } }

// rules are what a subscription asks for: one of its candidates. Of them and the
// installed bundle that it owns, exactly one is in the set.
func (s *wanted) rules() []rule {
	var rs []rule
	if !s.waiting {
		rs = append(rs, atLeastOne(setOf(s.cands)))
	}
	if s.owned >= 0 {
		of := setOf(s.cands) | bit(s.owned)
		rs = append(rs, atLeastOne(of), atMostOne(of))
	}
	return rs
}

func setOf(vs []int) set {
	var s set
	for _, v := range vs {
		s |= bit(v)
	}
	return s
}

// packages lists the packages of the variables.
func (w *world) packages() []string {
	var names []string
	for _, v := range w.vars {
		if !slices.Contains(names, v.pkg) {
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

// forced lists what a forced reference means, best first: the installed bundle,
// then by catalog.
func (w *world) forced(r Ref) []int {
	var list []int
	for i, v := range w.vars { // installed first, then catalogs, best first
		if w.means(r, v) {
			list = append(list, i)
		}
	}
	return list
}
