package oracle

import "slices"

// admitInstalled is the first part of policy Partial (section 8). It admits
// the installed bundles in order, each with its constraints and its clashes
// with earlier ones. An unsatisfiable one is broken.
func (w *world) admitInstalled() []string {
	var names []string
	w.admit(-1)
	installed := w.those(func(v *variable) bool { return v.installed >= 0 })
	for i, v := range w.vars {
		if v.installed < 0 {
			continue
		}
		w.pending = installed &^ (bit(i+1) - 1)
		w.settle()
		if !w.demands().satisfiable(len(w.vars)) {
			w.markBroken(i)
			names = append(names, v.name)
		}
	}
	return names
}

// markBroken keeps an installed bundle regardless of its constraints and of the
// prohibitions of other installed bundles.
func (w *world) markBroken(i int) {
	w.broken |= bit(i)
	w.vars[i].forms = nil
	w.exempt(bit(i))
	for _, s := range w.subs {
		if s.owned == i {
			s.cands, s.free = []int{i}, []int{i}
		}
	}
	w.settle()
}

// exempt exempts bundles from the prohibitions of installed bundles.
func (w *world) exempt(some set) {
	for _, v := range w.vars {
		if v.installed >= 0 {
			for k, f := range v.forms {
				v.forms[k] = f.exempting(some, false)
			}
		}
	}
}

// exempting returns the formula with some bundles exempted from its
// prohibitions.
func (f *form) exempting(some set, banned bool) *form {
	g := *f
	if banned {
		g.match &^= some
	}
	g.of = nil
	for _, k := range f.of {
		g.of = append(g.of, k.exempting(some, banned || f.shape == isBan))
	}
	return &g
}

// admitSubscriptions admits subscriptions in order and drops those that make
// the problem unsatisfiable; their bundles must stay. Bundles of later
// subscriptions stay or are replaced meanwhile (section 5). ok is false if the
// installed and forced bundles conflict.
func (w *world) admitSubscriptions() (left []string, ok bool) {
	solvable := func() bool { return w.all().satisfiable(len(w.vars)) }
	if w.admit(-1); !solvable() {
		return nil, false
	}
	for i := range w.subs {
		w.admit(i)
		if !solvable() {
			w.subs[i].dropped = true
			left = append(left, w.subs[i].sub.Name)
		}
	}
	w.admit(len(w.subs) - 1)
	return left, true
}

// admit activates the subscriptions up to last.
func (w *world) admit(last int) {
	for i, s := range w.subs {
		s.pending = i > last
	}
	w.settle()
}

// breakAll marks the installed bundles of these names as broken.
func (w *world) breakAll(names []string) {
	for i, v := range w.vars {
		if v.installed >= 0 && slices.Contains(names, v.name) {
			w.markBroken(i)
		}
	}
}
