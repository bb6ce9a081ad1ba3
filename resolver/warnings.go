package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/explain"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

func (p *resolution) warnUnavailable(c Catalog) {
	done := "it is ignored"
	if c.Content != nil && p.req.Policy.Unavailable == UnavailableLastGood {
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

// warnKept says why an installed operator has nowhere to go (step 6 of section
// 2), and what of a subscription is quarantined.
func (p *resolution) warnKept(s *problem.Subscription) {
	p.warnQuarantined(s)
	if s.Owned == problem.NoNode || s.Offer != nil {
		return
	}
	sub, b := &p.asked[s.Index], p.problem.Nodes[s.Owned].Bundle
	w := Warning{Bundle: b.Name, Package: b.Package, Channel: sub.soleChannel(), Subscription: sub.Name}
	switch {
	case len(s.Looked) == 0:
		w.Kind, w.Message = warningGone, fmt.Sprintf("%s stays as it is: %s", b.Name, p.causes().WhyNothing(s).Text)
	case p.causes().Stranded(s):
		w.Kind = warningNoEdge
		w.Message = fmt.Sprintf("%s stays as it is: no update leads away from it in %s, and it is not the head",
			b.Name, explain.ChannelNames(s.Looked))
	default:
		return
	}
	p.warnings = append(p.warnings, w)
}

// warnQuarantined names each broken channel or package that a subscription asks
// for.
func (p *resolution) warnQuarantined(s *problem.Subscription) {
	sub := &p.asked[s.Index]
	var seen *graph.Problem
	for _, l := range s.Looked {
		q := l.Channel.Quarantined()
		if q == nil || q == seen {
			continue
		}
		seen = q
		w := Warning{Kind: warningQuarantined, Package: l.Channel.Package.Name, Channel: l.Channel.Name,
			Catalog: p.problem.Cats[l.Cat].Key.String(), Subscription: sub.Name, Message: q.Message}
		if s.Owned != problem.NoNode {
			w.Bundle = p.problem.Nodes[s.Owned].Bundle.Name
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

// warnIncompatible names the bundles of the result set that do not fit.
func (p *resolution) warnIncompatible(chosen []problem.NodeID) {
	for _, n := range chosen {
		if why := p.causes().WhyUnfit(n); len(why) > 0 {
			b := p.problem.Nodes[n].Bundle
			p.warnings = append(p.warnings, Warning{Kind: warningIncompatible, Bundle: b.Name, Package: b.Package,
				Message: fmt.Sprintf("%s does not fit the cluster: it %s", b.Name, strings.Join(why, "; it "))})
		}
	}
}
