package oracle

import (
	"cmp"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// subscription is a subscription with its candidates (section 2).
type subscription struct {
	sub   *Subscription
	owned int   // the variable of the installed bundle that it owns, or -1
	cands []int // ordered, including the owned bundle
	free  []int // cands without the hold
	// channel maps a candidate to its channel.
	channel map[int]string
	scanned []scannedChannel
	// dropped means that policy Partial drops the subscription.
	dropped bool
	// pending means that policy Partial has not reached it.
	pending bool
}

// scannedChannel is one channel that a subscription scans.
type scannedChannel struct {
	cat     int
	pkg     *Package
	chain   chain
	missing bool // quarantined, itself or with its package
}

// settle finds the bundles that must stay: those that no active subscription
// owns, and broken ones.
func (w *world) settle() {
	w.stay = w.stay[:0]
	for i, v := range w.vars {
		owned := slices.ContainsFunc(w.subs, func(s *subscription) bool { return s.owned == i && !s.dropped })
		if v.installed >= 0 && (w.broken.has(i) || !owned) {
			w.stay = append(w.stay, i)
		}
	}
}

// resolveSubscription follows section 2 step by step.
func (w *world) resolveSubscription(sub *Subscription) *subscription {
	s := &subscription{sub: sub, owned: w.owner(sub), channel: map[int]string{}}
	var offers []offer
	for c, p := range w.packagesOf(sub.Catalog) { // step 1
		if p.Name != sub.Package {
			continue
		}
		for _, ch := range channelsFor(p, sub) {
			l := scannedChannel{c, p, ch, ch.broken || quarantined(p)}
			s.scanned = append(s.scanned, l)
			offers = append(offers, w.offersOf(s, l)...)
		}
	}
	if s.owned >= 0 {
		inst := w.kept(s)
		if goal := w.p.Policy.Goal; goal == resolver.MinimalChange || goal == resolver.Nearest {
			offers = append([]offer{inst}, offers...)
		} else {
			offers = append(offers, inst)
		}
	}
	if w.p.Policy.Deprecations == resolver.DeprecationsAvoid {
		at := slices.IndexFunc(offers, func(o offer) bool { return o.v == s.owned })
		behind := make(map[int]bool) // lower versions behind the installed one are no candidates
		for i, o := range offers {
			first := slices.IndexFunc(offers, func(f offer) bool { return f.v == o.v }) == i
			if first && at >= 0 && i > at && w.vars[s.owned].version != nil && w.vars[o.v].version.Compare(*w.vars[s.owned].version) < 0 {
				behind[o.v] = true
			}
		}
		slices.SortStableFunc(offers, func(a, b offer) int {
			return cmp.Or(trueFirst(!behind[a.v], !behind[b.v]), trueFirst(!a.deprecated, !b.deprecated))
		})
	}
	for _, o := range offers {
		if !slices.Contains(s.cands, o.v) {
			s.cands = append(s.cands, o.v)
			s.channel[o.v] = o.channel
		}
	}
	if s.owned < 0 {
		s.cands = append(s.cands, w.quarantinedCandidates(s)...)
	}
	s.free = w.pinned(sub, s.cands)
	if sub.Hold != "" && s.owned >= 0 {
		s.cands = []int{s.owned}
	}
	s.cands = w.pinned(sub, s.cands)
	return s
}

// pinned returns the candidates allowed by the pin of a subscription.
func (w *world) pinned(sub *Subscription, cands []int) []int {
	return slices.DeleteFunc(slices.Clone(cands), func(v int) bool { return sub.Pin != "" && w.vars[v].name != sub.Pin })
}

// offer is a candidate at one of its places.
type offer struct {
	v          int
	channel    string
	deprecated bool
}

// offersOf lists the candidates of one channel for a subscription, in policy
// order.
func (w *world) offersOf(s *subscription, l scannedChannel) []offer {
	var list []offer
	channel := l.chain.channel.Name
	for _, v := range w.offered(l) {
		switch own := s.owned >= 0 && w.vars[s.owned].name == w.vars[v].name && w.vars[s.owned].pkg == w.vars[v].pkg; {
		case !w.keeps(s, l, w.vars[v]):
		case own: // the installed bundle has its catalog position
			list = append(list, w.kept(s))
		default:
			list = append(list, offer{v, channel, deprecated(l.pkg, channel, w.vars[v].name)})
		}
	}
	switch w.p.Policy.Goal {
	case resolver.Oldest:
		slices.Reverse(list)
	case resolver.Nearest:
		if s.owned < 0 {
			break
		}
		var up, down []offer
		for _, o := range list {
			if own := w.vars[s.owned].version; own != nil && w.vars[o.v].version.Compare(*own) < 0 {
				down = append(down, o)
			} else {
				up = append([]offer{o}, up...)
			}
		}
		list = append(up, down...)
	}
	return list
}

// kept returns the offer to keep the installed bundle.
func (w *world) kept(s *subscription) offer {
	channel := w.recorded(w.vars[s.owned])
	if channel == "" {
		channel = only(s.sub)
	}
	return offer{s.owned, channel, w.avoided(w.vars[s.owned], channel)}
}

// owner finds the installed bundle that a subscription owns.
func (w *world) owner(sub *Subscription) int {
	name := w.p.installedNow(sub.InstalledCSV)
	if name == "" {
		for i := range w.p.Installed {
			if w.p.Installed[i].Subscription == sub.Name && name == "" {
				name = w.p.installedNow(w.p.Installed[i].Bundle.Name)
			}
		}
	}
	return slices.IndexFunc(w.vars, func(v *variable) bool { return v.installed >= 0 && v.name == name })
}

// offered lists the candidates of a channel, head first (step 2).
func (w *world) offered(l scannedChannel) []int {
	var list []int
	if l.missing {
		return nil
	}
	for _, name := range l.chain.order {
		if l.chain.skipped[name] {
			continue
		}
		for i, v := range w.vars {
			if v.installed < 0 && !v.quarantined && v.cat == l.cat && v.pkg == l.pkg.Name && v.name == name {
				list = append(list, i)
			}
		}
	}
	return list
}

// keeps implements steps 3 to 5.
func (w *world) keeps(s *subscription, l scannedChannel, v *variable) bool {
	if s.owned >= 0 {
		installed := w.vars[s.owned]
		if w.p.Policy.Upgrades != resolver.UpgradesSelfCertified && !updates(l.chain.entry(v.name), installed.name, installed.version) {
			return false
		}
	} else if s.sub.StartingCSV != "" && v.name != s.sub.StartingCSV {
		return false
	}
	return inRange(s.sub, v.version)
}

// inRange reports whether a version is inside the range of a subscription; an
// unknown version is not.
func inRange(s *Subscription, v *Version) bool {
	return s.VersionRange.IsZero() || v != nil && rangeOf(s.VersionRange.String()).Holds(*v)
}

// noEdge reports whether the owned bundle has no upgrade edge and is no head,
// although there are channels.
func (w *world) noEdge(s *subscription) bool {
	if w.p.Policy.Upgrades == resolver.UpgradesSelfCertified || s.owned < 0 {
		return false
	}
	installed := w.vars[s.owned]
	entries := false
	for _, l := range s.scanned {
		if l.missing {
			continue
		}
		entries = true
		if l.chain.head == installed.name {
			return false
		}
		for _, v := range w.offered(l) {
			name := w.vars[v].name
			if name != installed.name && updates(l.chain.entry(name), installed.name, installed.version) {
				return false
			}
		}
	}
	return entries
}
