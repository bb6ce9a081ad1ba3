package resolver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// warnUnavailable says that a catalog could not be read, and what was done.
func (p *translation) warnUnavailable(c Catalog) {
	done := "it is ignored"
	if c.Content != nil && p.req.Policy.Unavailable == UnavailableLastGood {
		done = "its last good snapshot is used"
	}
	p.warnings = append(p.warnings, Warning{Kind: WarnUnavailable, Catalog: c.Key.String(),
		Message: fmt.Sprintf("catalog %s cannot be read, %s: %v", c.Key, done, c.Unavailable)})
}

// warnBroken says that an installed bundle is broken, and why.
func (p *causes) warnBroken(i int32, c *Conflict) {
	b := p.Nodes[p.Inst[i]].Bundle
	why := c.Headline()
	for _, kind := range []argument.FactKind{argument.FactConstraint, argument.FactPackage, argument.FactGVK} {
		if k := slices.IndexFunc(c.Facts, func(f argument.Fact) bool {
			return f.Kind == kind && (f.Bundle == b.Name || kind != argument.FactConstraint)
		}); k >= 0 {
			why = c.Facts[k].Text
			break
		}
	}
	p.warnings = append(p.warnings, Warning{Kind: WarnBroken, Bundle: b.Name, Package: b.Package,
		Message: fmt.Sprintf("%s is broken already and stays as it is: %s", b.Name, why)})
}

// warnKept tells why an installed operator has nowhere to go (step 6 of section
// 2), and what of a subscription is quarantined.
func (p *causes) warnKept(s *problem.Subscription) {
	p.warnQuarantined(s)
	if s.Owned == problem.NoNode || p.asked[s.Index].offers != nil {
		return
	}
	sub, b := &p.asked[s.Index], p.Nodes[s.Owned].Bundle
	w := Warning{Bundle: b.Name, Package: b.Package, Channel: sub.soleChannel(), Subscription: sub.Name}
	switch {
	case len(s.Looked) == 0:
		w.Kind, w.Message = WarnGone, fmt.Sprintf("%s stays as it is: %s", b.Name, p.whyNothing(s))
	case p.stranded(s):
		w.Kind = WarnNoEdge
		w.Message = fmt.Sprintf("%s stays as it is: no update leads away from it in %s, and it is not the head",
			b.Name, channelNames(s.Looked))
	default:
		return
	}
	p.warnings = append(p.warnings, w)
}

// warnQuarantined names each broken channel or package that a subscription asks
// for.
func (p *causes) warnQuarantined(s *problem.Subscription) {
	sub := &p.asked[s.Index]
	var told *graph.Problem
	for _, l := range s.Looked {
		q := l.Channel.Quarantined()
		if q == nil || q == told {
			continue
		}
		told = q
		w := Warning{Kind: WarnQuarantined, Package: l.Channel.Package.Name, Channel: l.Channel.Name,
			Catalog: p.Cats[l.Cat].Key.String(), Subscription: sub.Name, Message: q.Message}
		if s.Owned != problem.NoNode {
			w.Bundle = p.Nodes[s.Owned].Bundle.Name
		}
		p.warnings = append(p.warnings, w)
	}
}

// stranded reports whether no healthy channel that a subscription looks at has an
// edge away from its installed bundle, and none has it for its head.
func (p *causes) stranded(s *problem.Subscription) bool {
	if p.req.Policy.Upgrades == UpgradesSelfCertified {
		return false
	}
	b := p.Nodes[s.Owned].Bundle
	entries := false
	for _, l := range s.Looked {
		if l.Channel.Quarantined() != nil {
			continue
		}
		entries = entries || len(l.Channel.Entries) > 0
		if h := l.Channel.Head(); h != nil && h.Name == b.Name {
			return false
		}
		for _, next := range l.Channel.Chain() {
			if next.Candidate() && next.Name != b.Name && p.Upgrades(next, s.Owned) {
				return false
			}
		}
	}
	return entries
}

// whyNothing says which of catalog, package and channel of a subscription is not
// there, with what there is instead.
func (p *causes) whyNothing(s *problem.Subscription) string {
	sub := &p.asked[s.Index]
	if sub.Catalog != (cache.Key{}) && p.CatalogIndex(sub.Catalog) == problem.NoCatalog {
		keys := make([]string, len(p.Cats))
		for i := range p.Cats {
			keys[i] = p.Cats[i].Key.String()
		}
		return fmt.Sprintf("catalog %s not found; %s%s", sub.Catalog, p.catalogNames(), p.didYouMean(sub.Catalog.String(), slices.Values(keys)))
	}
	var names []string
	told := make(map[string]bool)
	found := false
	for c := range p.Cats {
		if sub.Catalog != (cache.Key{}) && p.Cats[c].Key != sub.Catalog {
			continue
		}
		if pkg := p.Cats[c].Content.Package(sub.Package); pkg != nil {
			found = true
			for _, ch := range pkg.Channels {
				if p.Tick(); !told[ch.Name] {
					told[ch.Name] = true
					names = append(names, ch.Name)
				}
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
	return fmt.Sprintf("%s%s not found; the package has %s%s", text.Plural(len(sub.Channels), "channel ", "channels "),
		text.And(sub.Channels), text.Short(names, 10), near)
}

// packageNotFound names packages that are spelled much like the one asked for.
func (p *causes) packageNotFound(sub *Subscription) string {
	where := "any catalog"
	if sub.Catalog != (cache.Key{}) {
		where = "catalog " + sub.Catalog.String()
	}
	text := fmt.Sprintf("package %s not found in %s", sub.Package, where)
	if len(p.Cats) == 0 {
		return text + "; the request has no catalog that can be used"
	}
	return text + p.didYouMean(sub.Package, packageNames(p.usable(sub.Catalog)))
}

func (p *causes) catalogNames() string {
	if len(p.Cats) == 0 {
		return "there are no catalogs"
	}
	names := make([]string, len(p.Cats))
	for i, c := range p.Cats {
		names[i] = c.Key.String()
	}
	return "there are " + strings.Join(names, ", ")
}

func channelNames(looked []problem.LookedAt) string {
	var names []string
	told := make(map[string]bool, len(looked))
	for _, l := range looked {
		if !told[l.Channel.Name] {
			told[l.Channel.Name] = true
			names = append(names, l.Channel.Name)
		}
	}
	if len(names) == 1 {
		return "channel " + names[0]
	}
	return "channels " + text.Short(names, maxChannelNames)
}

// maxChannelNames bounds the names of channels in one text.
const maxChannelNames = 30

func appendNew(list []string, s string) []string {
	for _, t := range list {
		if t == s {
			return list
		}
	}
	return append(list, s)
}

// warnDeprecations adds the deprecations of the result set, whose places among the
// steps are given. An installed bundle of unknown channel is looked up in the
// channel of the first subscription that owns it.
func (p *causes) warnDeprecations(sol *Solution, chosen []problem.NodeID, at []int32) {
	subscribed := make([]string, len(p.Inst))
	for i := range slices.Backward(p.Subs) {
		if s := &p.Subs[i]; s.Owned != problem.NoNode {
			subscribed[p.Nodes[s.Owned].Inst] = p.asked[i].soleChannel()
		}
	}
	for i, n := range chosen {
		channel := sol.Steps[at[i]].Channel
		if inst := p.Nodes[n].Inst; inst >= 0 && channel == "" {
			channel = subscribed[inst]
		}
		p.warnDeprecated(n, channel)
	}
}

// warnDeprecated adds the deprecations of a bundle of the result set.
func (p *causes) warnDeprecated(n problem.NodeID, channel string) {
	d, ok := p.DeprecationOf(n, channel)
	if !ok {
		return
	}
	b := p.Nodes[n].Bundle
	w := Warning{Kind: WarnDeprecation, Bundle: b.Name, Package: b.Package, Channel: channel,
		Message: b.Name + " is deprecated"}
	if d.Barred {
		d.Messages = append(d.Messages, "it has the property olm.deprecated")
	}
	if len(d.Messages) > 0 {
		w.Message += ": " + strings.Join(d.Messages, "; ")
	}
	p.warnings = append(p.warnings, w)
}

// clip cuts the end off a text that is longer than a sentence repeats.
func clip(s string) string { return text.Clip(s, argument.MaxText) }

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
