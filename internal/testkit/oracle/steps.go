package oracle

import (
	"cmp"
	"slices"
)

// result is a complete result set with its dependencies.
type result struct {
	r     *run
	w     *world
	edges []edge
}

// edge is a dependency between bundles because of a constraint.
type edge struct{ from, constraint, to int }

func newResult(r *run) *result {
	res := &result{r: r, w: r.w}
	for v, vr := range res.w.vars {
		if !r.chosen.has(v) {
			continue
		}
		for c, f := range vr.forms {
			for _, to := range res.needs(v, f) {
				if to != v {
					res.edges = append(res.edges, edge{v, c, to})
				}
			}
		}
	}
	return res
}

// needs lists the members of the set that satisfy a formula of v.
func (res *result) needs(v int, f *form) []int {
	s, own := res.r.chosen, res.w.vars[v].cat
	switch f.shape {
	case isAtom:
		if f.match.has(v) {
			return nil
		}
		for _, o := range res.w.candidatesOf(f, own) {
			if s.has(o.v) {
				return []int{o.v}
			}
		}
	case isAll:
		var list []int
		for _, k := range f.of {
			list = append(list, res.needs(v, k)...)
		}
		return list
	case isAny:
		if res.alone(v, f) {
			return nil
		}
		for _, o := range res.w.optionsOf(f, own) {
			inSet := o.v < 0 || s.has(o.v)
			if inSet && o.child.eval(s) && !slices.ContainsFunc(o.commits, func(c *form) bool { return !c.eval(s) }) {
				if o.child.shape == isAtom {
					return []int{o.v}
				}
				return res.needs(v, o.child)
			}
		}
	}
	return nil
}

// alone reports whether a formula of v holds without another bundle.
func (res *result) alone(v int, f *form) bool {
	return f.where(func(leaf *form) bool { return leaf.match.has(v) || leaf.shape == isBan && leaf.eval(res.r.chosen) })
}

// steps returns the result set in waves.
func (res *result) steps() []Step {
	var steps []Step
	waves := res.waves()
	for v := range res.w.vars {
		if res.r.chosen.has(v) {
			s := res.step(v)
			s.Wave = waves[v]
			steps = append(steps, s)
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Wave, b.Wave), cmp.Compare(a.Package, b.Package), cmp.Compare(a.Bundle, b.Bundle))
	})
	res.subscribe(steps)
	return steps
}

// waves numbers the bundles: each comes after its dependencies, unless they
// depend on it as well.
func (res *result) waves() []int {
	n := len(res.w.vars)
	reach := make([]set, n) // transitive dependencies
	for range n {
		for _, e := range res.edges {
			reach[e.from] |= bit(e.to) | reach[e.to]
		}
	}
	together := func(a, b int) bool { return reach[a].has(b) && reach[b].has(a) }
	wave := make([]int, n)
	for changed := true; changed; {
		changed = false
		raise := func(v, to int) {
			if wave[v] < to {
				wave[v], changed = to, true
			}
		}
		for _, e := range res.edges {
			if together(e.from, e.to) {
				raise(e.from, wave[e.to])
				raise(e.to, wave[e.from])
			} else {
				raise(e.from, wave[e.to]+1)
			}
		}
	}
	return wave
}

func (res *result) step(v int) Step {
	w, vr := res.w, res.w.vars[v]
	s := Step{Bundle: vr.name, Package: vr.pkg, Version: vr.version, Because: res.because(v)}
	for _, o := range res.r.rejected[v] {
		ref := Ref{Name: w.vars[o].name}
		if w.vars[o].installed < 0 {
			ref.Catalog = w.from(w.vars[o])
		}
		s.PassedOver = append(s.PassedOver, ref)
	}
	if vr.installed >= 0 {
		in := &w.p.Installed[vr.installed]
		s.Action, s.Catalog, s.Channel = "keep", in.Catalog, in.Channel
		return s
	}
	s.Action, s.Catalog, s.Channel = "install", w.cats[vr.cat].Key, res.channel(v)
	for _, sub := range w.subs {
		if !sub.dropped && sub.owned >= 0 && !res.r.chosen.has(sub.owned) && slices.Contains(sub.cands, v) {
			old := w.vars[sub.owned]
			if s.Action == "install" {
				s.Action = "upgrade"
			}
			if old.pkg == vr.pkg && old.version != nil && old.version.Compare(*vr.version) > 0 {
				s.Action = "downgrade"
			}
			if !slices.Contains(s.Replaces, old.name) {
				s.Replaces = append(s.Replaces, old.name)
			}
		}
	}
	return s
}

// channel returns the channel of a catalog bundle: that of the first
// subscription it satisfies, else its best place.
func (res *result) channel(v int) string {
	for _, s := range res.w.subs {
		if !s.dropped && slices.Contains(s.cands, v) {
			return s.channel[v]
		}
	}
	return res.w.best(res.w.vars[v].places).channel
}

// because lists the reasons why a bundle is in the set.
func (res *result) because(v int) []Reason {
	var list []Reason
	for _, s := range res.w.subs {
		if !s.dropped && slices.Contains(s.cands, v) {
			list = append(list, Reason{Subscription: s.sub.Name})
		}
	}
	if slices.Contains(res.w.stay, v) {
		list = append(list, Reason{Installed: true})
	}
	if res.isForced(v) {
		list = append(list, Reason{Forced: true})
	}
	var edges []edge
	for _, e := range res.edges {
		if e.to == v && !slices.Contains(edges, e) {
			edges = append(edges, e)
		}
	}
	slices.SortFunc(edges, func(a, b edge) int {
		x, y := res.w.vars[a.from], res.w.vars[b.from]
		return cmp.Or(cmp.Compare(x.pkg, y.pkg), cmp.Compare(x.name, y.name), cmp.Compare(a.constraint, b.constraint))
	})
	for _, e := range edges {
		from := res.w.vars[e.from]
		list = append(list, Reason{Bundle: from.name, Constraint: &from.requires[e.constraint]})
	}
	if d := res.r.because[v]; len(list) == 0 && d != noDemand {
		// The constraint it was selected for holds without it.
		from := res.w.vars[d.v]
		list = append(list, Reason{Bundle: from.name, Constraint: &from.requires[d.constraint]})
	}
	return list
}

func (res *result) isForced(v int) bool {
	return slices.ContainsFunc(res.w.p.Force, func(f Ref) bool { return res.w.means(f, res.w.vars[v]) })
}
