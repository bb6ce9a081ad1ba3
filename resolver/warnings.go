package resolver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// warnUnavailable says that a catalog could not be read, and what was done.
func (p *problem) warnUnavailable(c Catalog) {
	done := "it is ignored"
	if c.Content != nil && p.req.Policy.Unavailable == UnavailableLastGood {
		done = "its last good snapshot is used"
	}
	p.warnings = append(p.warnings, Warning{Kind: WarnUnavailable, Catalog: c.Key.String(),
		Message: fmt.Sprintf("catalog %s cannot be read, %s: %v", c.Key, done, c.Unavailable)})
}

// warnBroken says that an installed bundle is broken, and why.
func (p *problem) warnBroken(i int32, c *Conflict) {
	b := p.nodes[p.inst[i]].bundle
	why := c.Headline()
	for _, kind := range []FactKind{FactConstraint, FactPackage, FactGVK} {
		if k := slices.IndexFunc(c.Facts, func(f Fact) bool { return f.Kind == kind && (f.Bundle == b.Name || kind != FactConstraint) }); k >= 0 {
			why = c.Facts[k].Text
			break
		}
	}
	p.warnings = append(p.warnings, Warning{Kind: WarnBroken, Bundle: b.Name, Package: b.Package,
		Message: fmt.Sprintf("%s is broken already and stays as it is: %s", b.Name, why)})
}

// warnKept tells why an installed operator has nowhere to go (step 6 of section
// 2), and what of a subscription is quarantined.
func (p *problem) warnKept(s *subscription) {
	p.warnQuarantined(s)
	if s.owned == noNode || p.asked[s.index].offers != nil {
		return
	}
	sub, b := &p.asked[s.index], p.nodes[s.owned].bundle
	w := Warning{Bundle: b.Name, Package: b.Package, Channel: sub.soleChannel(), Subscription: sub.Name}
	switch {
	case len(s.looked) == 0:
		w.Kind, w.Message = WarnGone, fmt.Sprintf("%s stays as it is: %s", b.Name, p.whyNothing(s))
	case p.stranded(s):
		w.Kind = WarnNoEdge
		w.Message = fmt.Sprintf("%s stays as it is: no update leads away from it in %s, and it is not the head",
			b.Name, channelNames(s.looked))
	default:
		return
	}
	p.warnings = append(p.warnings, w)
}

// warnQuarantined names each broken channel or package that a subscription asks
// for.
func (p *problem) warnQuarantined(s *subscription) {
	sub := &p.asked[s.index]
	var told *graph.Problem
	for _, l := range s.looked {
		q := l.channel.Quarantined()
		if q == nil || q == told {
			continue
		}
		told = q
		w := Warning{Kind: WarnQuarantined, Package: l.channel.Package.Name, Channel: l.channel.Name,
			Catalog: p.cats[l.cat].Key.String(), Subscription: sub.Name, Message: q.Message}
		if s.owned != noNode {
			w.Bundle = p.nodes[s.owned].bundle.Name
		}
		p.warnings = append(p.warnings, w)
	}
}

// stranded reports whether no healthy channel that a subscription looks at has an
// edge away from its installed bundle, and none has it for its head.
func (p *problem) stranded(s *subscription) bool {
	if p.req.Policy.Upgrades == UpgradesSelfCertified {
		return false
	}
	b := p.nodes[s.owned].bundle
	entries := false
	for _, l := range s.looked {
		if l.channel.Quarantined() != nil {
			continue
		}
		entries = entries || len(l.channel.Entries) > 0
		if h := l.channel.Head(); h != nil && h.Name == b.Name {
			return false
		}
		for _, next := range l.channel.Chain() {
			if next.Candidate() && next.Name != b.Name && p.upgrades(next, s.owned) {
				return false
			}
		}
	}
	return entries
}

// whyNothing says which of catalog, package and channel of a subscription is not
// there, with what there is instead.
func (p *problem) whyNothing(s *subscription) string {
	sub := &p.asked[s.index]
	if sub.Catalog != (cache.Key{}) && p.catalogIndex(sub.Catalog) == noCatalog {
		keys := make([]string, len(p.cats))
		for i := range p.cats {
			keys[i] = p.cats[i].Key.String()
		}
		return fmt.Sprintf("catalog %s not found; %s%s", sub.Catalog, p.catalogNames(), p.didYouMean(sub.Catalog.String(), slices.Values(keys)))
	}
	var names []string
	found := false
	for c := range p.cats {
		if sub.Catalog != (cache.Key{}) && p.cats[c].Key != sub.Catalog {
			continue
		}
		if pkg := p.cats[c].Content.Package(sub.Package); pkg != nil {
			found = true
			for _, ch := range pkg.Channels {
				names = appendNew(names, ch.Name)
			}
		}
	}
	if !found {
		return p.packageNotFound(sub)
	}
	if len(names) == 0 {
		return fmt.Sprintf("package %s has no channel", sub.Package)
	}
	if len(sub.Channels) == 0 {
		return fmt.Sprintf("package %s has nothing to offer", sub.Package)
	}
	near := ""
	for _, ch := range sub.Channels {
		near = cmp.Or(near, p.didYouMean(ch, slices.Values(names)))
	}
	return fmt.Sprintf("%s%s not found; the package has %s%s", plural(len(sub.Channels), "channel ", "channels "),
		enumerate(sub.Channels), shorten(names, 10), near)
}

// packageNotFound names packages that are spelled much like the one asked for.
func (p *problem) packageNotFound(sub *Subscription) string {
	where := "any catalog"
	if sub.Catalog != (cache.Key{}) {
		where = "catalog " + sub.Catalog.String()
	}
	text := fmt.Sprintf("package %s not found in %s", sub.Package, where)
	if len(p.cats) == 0 {
		return text + "; the request has no catalog that can be used"
	}
	return text + p.didYouMean(sub.Package, packageNames(p.usable(sub.Catalog)))
}

func (p *problem) catalogNames() string {
	if len(p.cats) == 0 {
		return "there are no catalogs"
	}
	names := make([]string, len(p.cats))
	for i, c := range p.cats {
		names[i] = c.Key.String()
	}
	return "there are " + strings.Join(names, ", ")
}

func channelNames(looked []lookedAt) string {
	var names []string
	for _, l := range looked {
		names = appendNew(names, l.channel.Name)
	}
	if len(names) == 1 {
		return "channel " + names[0]
	}
	return "channels " + strings.Join(names, ", ")
}

func appendNew(list []string, s string) []string {
	for _, t := range list {
		if t == s {
			return list
		}
	}
	return append(list, s)
}

// deprecation is what the catalogs say against a bundle.
type deprecation struct {
	named    bool // an olm.deprecations blob names it
	messages []string
}

// deprecationOf looks a bundle up in the deprecations of its catalog: the
// package, the channel and the bundle itself. An installed bundle that came from
// nowhere known is looked up in the best catalog that has its package.
func (p *problem) deprecationOf(n nodeID, channel string) (deprecation, bool) {
	nd := &p.nodes[n]
	var d deprecation
	if pkg := p.packageOf(n); pkg != nil {
		d.add(pkg.Deprecated, pkg.Deprecation)
		if ch := pkg.Channel(channel); ch != nil {
			d.add(ch.Deprecated, ch.Deprecation)
		}
		if nd.inst >= 0 {
			if b := pkg.Bundle(nd.bundle.Name); b != nil {
				d.add(b.Deprecated, b.Deprecation)
			}
		} else {
			d.add(nd.bundle.Deprecated, nd.bundle.Deprecation)
		}
	}
	barred := nd.inst >= 0 && nd.bundle.Properties.Deprecated()
	if barred {
		d.messages = append(d.messages, "it has the property olm.deprecated")
	}
	return d, d.named || barred
}

func (d *deprecation) add(named bool, message string) {
	if !named {
		return
	}
	d.named = true
	if message != "" {
		d.messages = append(d.messages, message)
	}
}

// packageOf returns the package of a node in its catalog, or nil.
func (p *problem) packageOf(n nodeID) *graph.Package {
	nd := &p.nodes[n]
	if nd.inst < 0 && len(nd.bundle.Places) > 0 {
		return nd.bundle.Places[0].Channel.Package
	}
	if nd.cat != noCatalog {
		return p.cats[nd.cat].Content.Package(nd.bundle.Package)
	}
	for _, c := range p.cats {
		if pkg := c.Content.Package(nd.bundle.Package); pkg != nil && pkg.Bundle(nd.bundle.Name) != nil {
			return pkg
		}
	}
	return nil
}

// candidateShunned is shunned for a candidate of a subscription, which stands in
// the channel that the subscription takes it from.
func (p *problem) candidateShunned(s *subscription, c candidate) bool {
	n, channel := s.owned, p.asked[s.index].soleChannel()
	if c.id >= 0 {
		n, channel = p.node(c.cat, c.id), c.channel.Name
	}
	if p.nodes[n].inst >= 0 {
		if recorded := p.req.Installed[p.nodes[n].inst].Channel; recorded != "" {
			channel = recorded
		}
	}
	d, ok := p.deprecationOf(n, channel)
	return ok && d.named
}

// warnDeprecations adds the deprecations of the result set, whose places among the
// steps are given. An installed bundle of unknown channel is looked up in the
// channel of the first subscription that owns it.
func (p *problem) warnDeprecations(sol *Solution, chosen []nodeID, at []int32) {
	subscribed := make([]string, len(p.inst))
	for i := range slices.Backward(p.subs) {
		if s := &p.subs[i]; s.owned != noNode {
			subscribed[p.nodes[s.owned].inst] = p.asked[i].soleChannel()
		}
	}
	for i, n := range chosen {
		channel := sol.Steps[at[i]].Channel
		if inst := p.nodes[n].inst; inst >= 0 && channel == "" {
			channel = subscribed[inst]
		}
		p.warnDeprecated(n, channel)
	}
}

// warnDeprecated adds the deprecations of a bundle of the result set.
func (p *problem) warnDeprecated(n nodeID, channel string) {
	d, ok := p.deprecationOf(n, channel)
	if !ok {
		return
	}
	b := p.nodes[n].bundle
	w := Warning{Kind: WarnDeprecation, Bundle: b.Name, Package: b.Package, Channel: channel,
		Message: b.Name + " is deprecated"}
	if len(d.messages) > 0 {
		w.Message += ": " + strings.Join(d.messages, "; ")
	}
	p.warnings = append(p.warnings, w)
}
