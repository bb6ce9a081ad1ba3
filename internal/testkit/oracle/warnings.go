package oracle

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// warnings lists the warnings, unordered.
func (res *result) warnings() []Warning {
	var list []Warning
	w := res.w
	for _, s := range w.subs {
		list = append(list, res.subscriptionWarnings(s)...)
	}
	for v, vr := range w.vars {
		if !res.r.chosen.has(v) {
			continue
		}
		if res.deprecated(v) {
			list = append(list, Warning{Kind: "deprecated", Bundle: vr.name})
		}
		if (vr.incompatible || vr.removes) && w.p.Policy.Compatibility != resolver.CompatibilityIgnore {
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

// subscriptionWarnings implements step 6 of section 2 and the part of section
// 7 about subscriptions with an unexpected result.
func (res *result) subscriptionWarnings(s *subscription) []Warning {
	var list []Warning
	w, owned := res.w, ""
	if s.owned >= 0 {
		owned = w.vars[s.owned].name
	}
	met, from := res.servedBy(s)
	for i, l := range s.scanned {
		if !l.missing {
			continue
		}
		warning := Warning{"quarantined", "", s.sub.Name}
		if met >= 0 && i < from {
			warning.Bundle = w.vars[met].name
		}
		// A broken package is reported once for all of its channels, a channel
		// once.
		before := func(o scannedChannel) bool {
			return o.pkg == l.pkg && (quarantined(l.pkg) || o.chain.channel == l.chain.channel)
		}
		if !slices.ContainsFunc(s.scanned[:i], before) && !slices.Contains(list, warning) {
			list = append(list, warning)
		}
	}
	switch {
	case s.owned < 0:
	case len(s.scanned) == 0:
		list = append(list, Warning{"gone", owned, s.sub.Name})
	case w.noEdge(s):
		list = append(list, Warning{"noEdge", owned, s.sub.Name})
	}
	if s.owned >= 0 && res.r.chosen.has(s.owned) && !inRange(s.sub, w.vars[s.owned].version) {
		list = append(list, Warning{"outsideRange", owned, s.sub.Name})
	}
	return list
}

// servedBy finds the bundle that satisfies a subscription, or -1, and the
// index of its channel: for a bundle that stays, the first in order.
func (res *result) servedBy(s *subscription) (met, from int) {
	met, from = -1, len(s.scanned)
	for _, v := range s.cands {
		if res.r.chosen.has(v) {
			met = v
		}
	}
	if s.owned >= 0 && res.r.chosen.has(s.owned) {
		met = s.owned
	}
	for i, l := range slices.Backward(s.scanned) {
		if !l.missing && (met < 0 || met == s.owned || l.cat == res.w.vars[met].cat && l.chain.channel.Name == s.channel[met]) {
			from = i
		}
	}
	return met, from
}

// deprecated reports whether a bundle of the set is deprecated in its channel.
func (res *result) deprecated(v int) bool {
	w, vr := res.w, res.w.vars[v]
	if vr.installed < 0 {
		channel := res.channel(v)
		return slices.ContainsFunc(vr.places, func(p place) bool { return p.channel == channel && p.deprecated })
	}
	channel := w.recorded(vr)
	for i := len(w.subs) - 1; i >= 0 && w.recorded(vr) == ""; i-- {
		if w.subs[i].owned == v {
			channel = only(w.subs[i].sub)
		}
	}
	return vr.bundle.Deprecated || w.avoided(vr, channel)
}

// isDependency reports whether a bundle of the set is present only because it, or
// the bundle it replaces, was installed as a dependency.
func (res *result) isDependency(v int) bool {
	w := res.w
	automatic := func(v int) bool {
		return v >= 0 && w.vars[v].installed >= 0 && w.p.Installed[w.vars[v].installed].Automatic
	}
	auto := automatic(v)
	for _, s := range w.subs {
		if s.dropped || !slices.Contains(s.cands, v) {
			continue
		}
		if !s.sub.Generated {
			return false
		}
		auto = auto || automatic(s.owned)
	}
	return auto
}

// orphans lists the automatic bundles, unowned or owned by a generated
// subscription, and their replacements, that no independently justified bundle
// needs.
func (res *result) orphans() []int {
	w := res.w
	var needed set
	for v := range w.vars {
		auto := res.isDependency(v) && !res.isForced(v)
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
