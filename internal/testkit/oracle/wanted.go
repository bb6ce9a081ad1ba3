package oracle

import (
	"cmp"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// wanted is a subscription with its candidates (section 2).
type wanted struct {
	sub   *Subscription
	owned int   // the variable of the installed bundle that it owns, or -1
	cands []int // the ordered list, the owned bundle included
	free  []int // what cands would be without its hold
	// channel says from which channel it takes a candidate.
	channel map[int]string
	looked  []lookedAt
	// left says that policy Partial leaves the subscription out.
	left bool
	// waiting says that policy Partial has not come to it yet.
	waiting bool
}

// lookedAt is one channel that a subscription looks at.
type lookedAt struct {
	cat     int
	pkg     *Package
	chain   chain
	missing bool // set aside, with the channel or with the package
}

// settle finds what must stay: what no subscription that takes part owns, and what is
// broken.
func (w *world) settle() {
	w.stay = w.stay[:0]
	for i, v := range w.vars {
		owned := slices.ContainsFunc(w.subs, func(s *wanted) bool { return s.owned == i && !s.left })
		if v.installed >= 0 && (w.broken.has(i) || !owned) {
			w.stay = append(w.stay, i)
		}
	}
}

// want follows section 2 step by step.
func (w *world) want(sub *Subscription) *wanted {
	s := &wanted{sub: sub, owned: w.owner(sub), channel: map[int]string{}}
	var offers []offer
	for c, p := range w.packagesOf(sub.Catalog) { // step 1
		if p.Name != sub.Package {
			continue
		}
		for _, ch := range channelsFor(p, sub) {
			l := lookedAt{c, p, ch, ch.broken || quarantined(p)}
			s.looked = append(s.looked, l)
			offers = append(offers, w.offersOf(s, l)...)
		}
	}
	if s.owned >= 0 {
		inst := w.kept(s)
		if w.p.Policy.Goal == resolver.MinimalChange {
			offers = append([]offer{inst}, offers...)
		} else {
			offers = append(offers, inst)
		}
	}
	if w.p.Policy.Deprecations == resolver.DeprecationsAvoid {
		at := slices.IndexFunc(offers, func(o offer) bool { return o.v == s.owned })
		behind := make(map[int]bool) // lower versions behind the installed one stay there
		for i, o := range offers {
			first := slices.IndexFunc(offers, func(f offer) bool { return f.v == o.v }) == i
			if first && at >= 0 && i > at && w.vars[s.owned].version != nil && w.vars[o.v].version.Compare(*w.vars[s.owned].version) < 0 {
				behind[o.v] = true
			}
		}
		slices.SortStableFunc(offers, func(a, b offer) int {
			return cmp.Or(trueFirst(!behind[a.v], !behind[b.v]), trueFirst(!a.noted, !b.noted))
		})
	}
	for _, o := range offers {
		if !slices.Contains(s.cands, o.v) {
			s.cands = append(s.cands, o.v)
			s.channel[o.v] = o.channel
		}
	}
	if s.owned < 0 {
		s.cands = append(s.cands, w.setAside(s)...)
	}
	s.free = w.pinned(sub, s.cands)
	if sub.Hold != "" && s.owned >= 0 {
		s.cands = []int{s.owned}
	}
	s.cands = w.pinned(sub, s.cands)
	return s
}

// pinned lists the candidates that the pin of a subscription leaves.
func (w *world) pinned(sub *Subscription, cands []int) []int {
	return slices.DeleteFunc(slices.Clone(cands), func(v int) bool { return sub.Pin != "" && w.vars[v].name != sub.Pin })
}

// offer is a candidate at one of its places.
type offer struct {
	v       int
	channel string
	noted   bool
}

// offersOf lists what one channel offers to a subscription, in the order of the
// policy.
func (w *world) offersOf(s *wanted, l lookedAt) []offer {
	var list []offer
	channel := l.chain.channel.Name
	for _, v := range w.offered(l) {
		switch own := s.owned >= 0 && w.vars[s.owned].name == w.vars[v].name && w.vars[s.owned].pkg == w.vars[v].pkg; {
		case !w.keeps(s, l, w.vars[v]):
		case own: // the installed bundle stands where the catalog has it
			list = append(list, w.kept(s))
		default:
			list = append(list, offer{v, channel, noted(l.pkg, channel, w.vars[v].name)})
		}
	}
	if w.p.Policy.Goal == resolver.Oldest {
		slices.Reverse(list)
	}
	return list
}

// kept is the offer to stay as it is.
func (w *world) kept(s *wanted) offer {
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

// offered lists the candidates of a channel from its head down (step 2).
func (w *world) offered(l lookedAt) []int {
	var list []int
	if l.missing {
		return nil
	}
	for _, name := range l.chain.order {
		if l.chain.skipped[name] {
			continue
		}
		for i, v := range w.vars {
			if v.installed < 0 && !v.aside && v.cat == l.cat && v.pkg == l.pkg.Name && v.name == name {
				list = append(list, i)
			}
		}
	}
	return list
}

// keeps is steps 3 to 5.
func (w *world) keeps(s *wanted, l lookedAt, v *variable) bool {
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

// inRange reports whether a version is inside the range of a subscription; one that is not
// known is not.
func inRange(s *Subscription, v *Version) bool {
	return s.VersionRange.IsZero() || v != nil && rangeOf(s.VersionRange.String()).Holds(*v)
}

// noEdge says that no update leads away from the owned bundle, although there
// are channels, and that it is the head of none.
func (w *world) noEdge(s *wanted) bool {
	if w.p.Policy.Upgrades == resolver.UpgradesSelfCertified || s.owned < 0 {
		return false
	}
	installed := w.vars[s.owned]
	entries := false
	for _, l := range s.looked {
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
