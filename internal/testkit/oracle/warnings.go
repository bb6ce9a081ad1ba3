package oracle

import "slices"

// warnings lists what there is to warn of, in no order.
func (res *result) warnings() []Warning {
	var list []Warning
	w := res.w
	for _, s := range w.subs {
		list = append(list, w.subscriptionWarnings(s)...)
	}
	for v, vr := range w.vars {
		if !res.r.chosen.has(v) {
			continue
		}
		if res.deprecated(v) {
			list = append(list, Warning{Kind: "deprecated", Bundle: vr.name})
		}
		if vr.unfit && w.p.Policy.Compatibility != Ignore {
			list = append(list, Warning{Kind: "incompatible", Bundle: vr.name})
		}
		if w.broken.has(v) {
			list = append(list, Warning{Kind: "broken", Bundle: vr.name})
		}
	}
	for _, v := range res.orphans() {
		list = append(list, Warning{Kind: "orphan", Bundle: w.vars[v].name})
	}
	return list
}

// subscriptionWarnings is step 6 of section 2.
func (w *world) subscriptionWarnings(s *wanted) []Warning {
	var list []Warning
	owned := ""
	if s.owned >= 0 {
		owned = w.vars[s.owned].name
	}
	if slices.ContainsFunc(s.looked, func(l lookedAt) bool { return l.missing }) {
		list = append(list, Warning{"quarantined", owned, s.sub.Name})
	}
	switch {
	case s.owned < 0:
	case len(s.looked) == 0:
		list = append(list, Warning{"gone", owned, s.sub.Name})
	case w.noEdge(s):
		list = append(list, Warning{"noEdge", owned, s.sub.Name})
	}
	return list
}

// deprecated reports whether a bundle of the set is deprecated where it comes from.
func (res *result) deprecated(v int) bool {
	w, vr := res.w, res.w.vars[v]
	if vr.installed < 0 {
		channel := res.channel(v)
		return slices.ContainsFunc(vr.places, func(p place) bool { return p.channel == channel && p.noted })
	}
	channel := w.recorded(vr)
	for i := len(w.subs) - 1; i >= 0 && w.recorded(vr) == ""; i-- {
		if w.subs[i].owned == v {
			channel = w.subs[i].sub.only()
		}
	}
	return vr.bundle.Deprecated || w.avoided(vr, channel)
}

// cameIn reports whether a bundle of the set is there only because it, or what it
// takes the place of, came in as a dependency.
func (res *result) cameIn(v int) bool {
	w := res.w
	automatic := func(v int) bool {
		return v >= 0 && w.vars[v].installed >= 0 && w.p.Installed[w.vars[v].installed].Automatic
	}
	auto := automatic(v)
	for _, s := range w.subs {
		if s.left || !slices.Contains(s.cands, v) {
			continue
		}
		if !s.sub.Generated {
			return false
		}
		auto = auto || automatic(s.owned)
	}
	return auto
}

// orphans lists the automatically installed bundles, owned by no one or by a
// generated subscription, and what such a subscription replaces them by, that
// nothing needs which is there for a reason of its own.
func (res *result) orphans() []int {
	w := res.w
	var needed set
	for v := range w.vars {
		auto := res.cameIn(v) && !res.isForced(v)
		if res.r.chosen.has(v) && !auto {
			needed |= bit(v)
		}
	}
	for range w.vars {
		for _, e := range res.edges {
			if needed.has(e.from) {
				needed |= bit(e.to)
			}
		}
	}
	var list []int
	for v := range w.vars {
		if res.r.chosen.has(v) && !needed.has(v) {
			list = append(list, v)
		}
	}
	return list
}
