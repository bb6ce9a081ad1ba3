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
			all := *free
			for v := range w.vars {
				if some.has(v) {
					all.in, all.out = all.in|about[v].in, all.out|about[v].out
					all.rules = append(all.rules[:len(all.rules):len(all.rules)], about[v].rules...)
				}
			}
			if !all.satisfiable(len(w.vars)) {
				return k, nil
			}
		}
	}
	return -1, nil
}

// factsByBundle lists what is asked of a result set: what is about no bundle, and
// what is about each.
func (w *world) factsByBundle() (free *demands, about []demands) {
	free, about = &demands{}, make([]demands, len(w.vars))
	for _, pkg := range w.packages() {
		free.add(w.exclusive(w.ofPackage(pkg)))
	}
	for _, kind := range w.kinds() {
		free.add(w.exclusive(w.providers(kind)))
	}
	for _, s := range w.subs {
		s.ask(free)
	}
	for _, f := range w.p.Force {
		free.oneOf(setOf(w.forced(f)))
	}
	for i, v := range w.vars {
		if v.forbidden || v.aside {
			free.out |= bit(i)
		}
		if v.barred {
			about[i].out |= bit(i)
		}
		for _, f := range v.forms {
			about[i].add(requires(i, f))
		}
	}
	for _, v := range w.stay {
		about[v].in |= bit(v)
	}
	return free, about
}
