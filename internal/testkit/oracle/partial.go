package oracle

import "slices"

// admitInstalled is the first part of policy Partial (section 8). It takes the
// installed bundles in the order given, each with its constraints and its clashes
// with those before it. One with which they cannot hold together is broken.
func (w *world) admitInstalled() []string {
	var names []string
	w.admit(-1)
	installed := w.those(func(v *variable) bool { return v.installed >= 0 })
	for i, v := range w.vars {
		if v.installed < 0 {
			continue
		}
		w.unseen = installed &^ (bit(i+1) - 1)
		w.settle()
		if !w.demands().satisfiable(len(w.vars)) {
			w.giveUp(i)
			names = append(names, v.name)
		}
	}
	return names
}

// giveUp lets an installed bundle stay whatever it asks for, and whatever other
// installed bundles prohibit.
func (w *world) giveUp(i int) {
	w.broken |= bit(i)
	w.vars[i].forms = nil
	w.spare(bit(i))
	for _, s := range w.subs {
		if s.owned == i {
			s.cands, s.free = []int{i}, []int{i}
		}
	}
	w.settle()
}

// spare has no installed bundle prohibit some bundles.
func (w *world) spare(some set) {
	for _, v := range w.vars {
		if v.installed >= 0 {
			for k, f := range v.forms {
				v.forms[k] = f.sparing(some, false)
			}
		}
	}
}

// sparing is a formula without some bundles among what its prohibitions are about.
func (f *form) sparing(some set, banned bool) *form {
	g := *f
	if banned {
		g.match &^= some
	}
	g.of = nil
	for _, k := range f.of {
		g.of = append(g.of, k.sparing(some, banned || f.shape == isBan))
	}
	return &g
}

// admitSubscriptions admits subscriptions in order; those that would make the
// problem unsatisfiable are left out, and what they own has to stay. What the later
// ones own stays or is replaced meanwhile (section 5). It is false if what is
// installed and what is forced cannot be together.
func (w *world) admitSubscriptions() (left []string, ok bool) {
	solvable := func() bool { return w.all().satisfiable(len(w.vars)) }
	if w.admit(-1); !solvable() {
		return nil, false
	}
	for i := range w.subs {
		w.admit(i)
		if !solvable() {
			w.subs[i].left = true
			left = append(left, w.subs[i].sub.Name)
		}
	}
	w.admit(len(w.subs) - 1)
	return left, true
}

// admit lets the subscriptions up to the last take part.
func (w *world) admit(last int) {
	for i, s := range w.subs {
		s.waiting = i > last
	}
	w.settle()
}

// breakAll gives up the installed bundles of these names.
func (w *world) breakAll(names []string) {
	for i, v := range w.vars {
		if v.installed >= 0 && slices.Contains(names, v.name) {
			w.giveUp(i)
		}
	}
}
