package oracle

import "math/bits"

// FewestBundles returns the smallest number of bundles without whose facts a
// problem that has no solution would have one: the facts that are about no bundle
// (subscriptions, packages, APIs, prohibitions, what is quarantined) count nothing.
// It is -1 if even all facts can hold together.
func FewestBundles(p *Problem) (int, error) {
	w, err := layOut(p, true)
	if err != nil {
		return 0, err
	}
	free, about := w.factsByBundle()
	for k := range len(w.vars) + 1 {
		for some := range set(1) << len(w.vars) {
			if bits.OnesCount32(uint32(some)) != k {
				continue
			}
			rs := free
			for v := range w.vars {
				if some.has(v) {
					rs = append(rs[:len(rs):len(rs)], about[v]...)
				}
			}
			if !satisfiable(len(w.vars), rs) {
				return k, nil
			}
		}
	}
	return -1, nil
}

// factsByBundle lists what is asked of a result set: what is about no bundle, and
// what is about each.
func (w *world) factsByBundle() (free []rule, about [][]rule) {
	for _, pkg := range w.packages() {
		free = append(free, atMostOne(w.ofPackage(pkg)))
	}
	for _, kind := range w.kinds() {
		free = append(free, atMostOne(w.providers(kind)))
	}
	for _, s := range w.subs {
		free = append(free, s.rules()...)
	}
	for _, f := range w.p.Force {
		free = append(free, atLeastOne(setOf(w.forced(f))))
	}
	about = make([][]rule, len(w.vars))
	for i, v := range w.vars {
		if v.forbidden || v.aside {
			free = append(free, noneOf(bit(i)))
		}
		if v.barred {
			about[i] = append(about[i], noneOf(bit(i)))
		}
		for _, f := range v.forms {
			about[i] = append(about[i], requires(i, f))
		}
	}
	for _, v := range w.stay {
		about[v] = append(about[v], atLeastOne(bit(v)))
	}
	return free, about
}
