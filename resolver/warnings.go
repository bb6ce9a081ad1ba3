package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/explain"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

func (p *resolution) warnUnavailable(c Catalog) {
	done := "it is ignored"
	if c.Content != nil && p.req.Policy.Unavailable == unavailableLastGood {
		done = "its last good snapshot is used"
	}
	p.warnings = append(p.warnings, Warning{Kind: warningUnavailable, Catalog: c.Key.String(),
		Message: fmt.Sprintf("catalog %s cannot be read, %s: %v", c.Key, done, c.Unavailable)})
}

func (p *resolution) warnBroken(i int32, c *Conflict) {
	b := p.problem.Nodes[p.problem.Inst[i]].Bundle
	why := c.Headline()
	for _, kind := range []argument.FactKind{argument.FactConstraint, argument.FactPackage, argument.FactGVK} {
		if k := slices.IndexFunc(c.Facts, func(f argument.Fact) bool {
			return f.Kind == kind && (f.Bundle == b.Name || kind != argument.FactConstraint)
		}); k >= 0 {
			why = c.Facts[k].Text
			break
		}
	}
	p.warnings = append(p.warnings, Warning{Kind: warningBroken, Bundle: b.Name, Package: b.Package,
		Message: fmt.Sprintf("%s is broken already and stays as it is: %s", b.Name, why)})
}

// warnKept says what a subscription did not get that it asks for: why an installed
// operator has nowhere to go (step 6 of section 2), what of its channels is quarantined,
// and that what stays is outside its version range.
func (p *resolution) warnKept(s *problem.Subscription, st *search.State) {
	p.warnQuarantined(s, st)
	if s.Owned == problem.NoNode || s.Offer != nil {
		return
	}
	if s.Range != nil && st.Has(s.Owned) {
		p.warnOutsideRange(s)
	}
	w := p.warningOf(s)
	switch {
	case len(s.Looked) == 0:
		w.Kind, w.Message = warningGone, fmt.Sprintf("%s stays as it is: %s", w.Bundle, p.causes().WhyNothing(s).Text)
	case p.causes().Stranded(s):
		w.Kind = warningNoEdge
		w.Message = fmt.Sprintf("%s stays as it is: no update leads away from it in %s, and it is not the head",
			w.Bundle, explain.ChannelNames(s.Looked))
	default:
		return
	}
	p.warnings = append(p.warnings, w)
}

// warningOf is a warning about the installed bundle of a subscription.
func (p *resolution) warningOf(s *problem.Subscription) Warning {
	sub, b := &p.asked[s.Index], p.problem.Nodes[s.Owned].Bundle
	return Warning{Bundle: b.Name, Package: b.Package, Channel: sub.soleChannel(), Subscription: sub.Name}
}

// warnOutsideRange says of an installed bundle that stays whether it is outside the range
// of the subscription that owns it, and what there is inside.
func (p *resolution) warnOutsideRange(s *problem.Subscription) {
	version := p.versionOf(s.Owned)
	if version != nil && s.Range.Contains(*version) {
		return
	}
	w := p.warningOf(s)
	is := "whose version is not known"
	if version != nil {
		is = fmt.Sprintf("version %s", version)
	}
	w.Kind = warningOutsideRange
	w.Message = fmt.Sprintf("subscription %s asks for version %s, and %s (%s) stays installed: %s",
		w.Subscription, s.Range, w.Bundle, is, p.causes().Inside(s))
	p.warnings = append(p.warnings, w)
}

// warnQuarantined names each broken channel or package that a subscription asks for. Where
// the subscription gets something else because of that, the warning has the bundle.
func (p *resolution) warnQuarantined(s *problem.Subscription, st *search.State) {
	for _, b := range p.causes().Broken(s, st) {
		w := Warning{Kind: warningQuarantined, Package: b.Channel.Package.Name, Channel: b.Channel.Name,
			Catalog: p.problem.Cats[b.Cat].Key.String(), Subscription: p.asked[s.Index].Name, Message: b.Text}
		if b.Instead != problem.NoNode {
			w.Bundle = p.problem.Nodes[b.Instead].Bundle.Name
		}
		p.warnings = append(p.warnings, w)
	}
}

// warnDeprecations adds the deprecations of the result set, whose places among the
// steps are given. An installed bundle of unknown channel is looked up in the
// channel of the first subscription that owns it.
func (p *resolution) warnDeprecations(sol *Solution, chosen []problem.NodeID, at []int32) {
	subscribed := make([]string, len(p.problem.Inst))
	for i := range slices.Backward(p.view.Subs) {
		if s := &p.view.Subs[i]; s.Owned != problem.NoNode {
			subscribed[p.problem.Nodes[s.Owned].Inst] = p.asked[i].soleChannel()
		}
	}
	for i, n := range chosen {
		channel := sol.Steps[at[i]].Channel
		if inst := p.problem.Nodes[n].Inst; inst >= 0 && channel == "" {
			channel = subscribed[inst]
		}
		p.warnDeprecated(n, channel)
	}
}

func (p *resolution) warnDeprecated(n problem.NodeID, channel string) {
	d, ok := p.problem.DeprecationOf(n, channel)
	if !ok {
		return
	}
	b := p.problem.Nodes[n].Bundle
	w := Warning{Kind: warningDeprecated, Bundle: b.Name, Package: b.Package, Channel: channel,
		Message: b.Name + " is deprecated"}
	if d.Barred {
		d.Messages = append(d.Messages, "it has the property olm.deprecated")
	}
	if len(d.Messages) > 0 {
		w.Message += ": " + strings.Join(d.Messages, "; ")
	}
	p.warnings = append(p.warnings, w)
}

// warnIncompatible names the bundles of the result set that do not fit, and what becomes
// of the definitions of the cluster.
func (p *resolution) warnIncompatible(chosen []problem.NodeID) {
	for _, n := range chosen {
		b := p.problem.Nodes[n].Bundle
		w := Warning{Kind: warningIncompatible, Bundle: b.Name, Package: b.Package}
		if why := p.causes().Misfits(n); len(why) > 0 {
			w.Message = fmt.Sprintf("%s does not fit the cluster: it %s", b.Name, strings.Join(why, "; it "))
			p.warnings = append(p.warnings, w)
		}
		for _, l := range p.causes().Losses(n) {
			w.Code, w.Message = l.Code, b.Name+" "+l.Text
			p.warnings = append(p.warnings, w)
		}
		for _, message := range p.causes().SharedWith(n) {
			p.warnings = append(p.warnings, Warning{Kind: warningShared, Bundle: b.Name, Package: b.Package, Message: message})
		}
	}
}
