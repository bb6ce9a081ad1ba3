package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/explain"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// warn adds a warning about a bundle, which may be nil.
func (p *resolution) warn(kind WarningKind, b *graph.Bundle, w Warning) {
	if w.Kind = kind; b != nil {
		w.Bundle, w.Package = b.Name, b.Package
	}
	p.warnings = append(p.warnings, w)
}

// warnUnavailable warns about the catalogs that cannot be read.
func (p *resolution) warnUnavailable() {
	for _, c := range p.req.Catalogs {
		if c.Unavailable == nil {
			continue
		}
		done := "it is ignored"
		if c.Content != nil && p.req.Policy.Unavailable == UnavailableLastGood {
			done = "its last good snapshot is used"
		}
		p.warn(WarningUnavailable, nil, Warning{Catalog: c.Key.String(), Message: fmt.Sprintf("catalog %s cannot be read, %s: %v", c.Key, done, c.Unavailable)})
	}
}

func (p *resolution) warnBroken(i int32, c *Conflict) {
	b := p.universe.Nodes[p.universe.Inst[i]].Bundle
	why := c.Headline()
	for _, kind := range []argument.FactKind{argument.FactConstraint, argument.FactPackage, argument.FactGVK} {
		if k := slices.IndexFunc(c.Facts, func(f argument.Fact) bool {
			return f.Kind == kind && (f.Bundle == b.Name || kind != argument.FactConstraint)
		}); k >= 0 {
			why = c.Facts[k].Text
			break
		}
	}
	p.warn(WarningBroken, b, Warning{Message: fmt.Sprintf("%s is broken already and stays as it is: %s", b.Name, why)})
}

// warnKept warns if a subscription does not get what it requests: its operator has no upgrade
// (step 6 of section 2), part of its channels is quarantined, or its bundle is outside its
// version range.
func (t *solutionBuilder) warnKept(s *problem.Demand) {
	t.warnQuarantined(s)
	if s.Owned == problem.NoNode || s.Extension != nil {
		return
	}
	if s.Range != nil && t.st.Has(s.Owned) {
		t.warnOutsideRange(s)
	}
	b := t.u.Nodes[s.Owned].Bundle
	w := Warning{Channel: s.SoleChannel(), Subscription: s.Name}
	switch {
	case len(s.Scanned) == 0:
		w.Message = fmt.Sprintf("%s stays as it is: %s", b.Name, explain.WhyNothing(t.u, s).Text)
		t.of.warn(WarningGone, b, w)
	case explain.Stranded(t.u, s):
		w.Message = fmt.Sprintf("%s stays as it is: no update leads away from it in %s, and it is not the head", b.Name, explain.ChannelNames(s.Scanned))
		t.of.warn(WarningNoEdge, b, w)
	}
}

// warnOutsideRange warns if an installed bundle stays outside the version range of its
// subscription.
func (t *solutionBuilder) warnOutsideRange(s *problem.Demand) {
	b, version, is := t.u.Nodes[s.Owned].Bundle, t.of.versionOf(s.Owned), "whose version is not known"
	if version != nil {
		if s.Range.Contains(*version) {
			return
		}
		is = fmt.Sprintf("version %s", version)
	}
	t.of.warn(WarningOutsideRange, b, Warning{Channel: s.SoleChannel(), Subscription: s.Name,
		Message: fmt.Sprintf("%s %s requests version %s, but %s (%s) stays installed: %s", lexicon.Demand(t.u.Terms, false), s.Name, s.Range, b.Name, is, explain.Inside(t.u, s))})
}

// warnQuarantined warns about each quarantined channel or package that a subscription requests,
// with the bundle that it gets instead.
func (t *solutionBuilder) warnQuarantined(s *problem.Demand) {
	for _, b := range explain.Broken(t.u, s, t.st) {
		w := Warning{Package: b.Channel.Package.Name, Channel: b.Channel.Name,
			Catalog: t.u.Cats[b.Cat].Key.String(), Subscription: s.Name, Message: b.Text}
		if b.Instead != problem.NoNode {
			w.Bundle = t.u.Name(b.Instead)
		}
		t.of.warn(WarningQuarantined, nil, w)
	}
}

// warnDeprecations warns about the deprecated bundles of the result set. The channel of an
// installed bundle defaults to that of its first owner.
func (t *solutionBuilder) warnDeprecations() {
	subscribed := make([]string, len(t.u.Inst))
	for i := range slices.Backward(t.p.Demands.List) {
		if s := &t.p.Demands.List[i]; s.Owned != problem.NoNode {
			subscribed[t.u.Nodes[s.Owned].Inst] = s.SoleChannel()
		}
	}
	for i, n := range t.st.Chosen {
		channel := t.sol.Steps[t.at[i]].Channel
		if inst := t.u.Nodes[n].Inst; inst >= 0 && channel == "" {
			channel = subscribed[inst]
		}
		t.warnDeprecated(n, channel)
	}
}

func (t *solutionBuilder) warnDeprecated(n problem.NodeID, channel string) {
	d := t.u.DeprecationOf(n, channel)
	if !d.Named && !d.Barred {
		return
	}
	w := Warning{Channel: channel, Message: t.u.Name(n) + " is deprecated"}
	if d.Barred {
		d.Messages = append(d.Messages, "it has the property olm.deprecated")
	}
	if len(d.Messages) > 0 {
		w.Message += ": " + strings.Join(d.Messages, "; ")
	}
	t.of.warn(WarningDeprecated, t.u.Nodes[n].Bundle, w)
}

// warnIncompatible warns about bundles that do not fit the cluster and about lost versions of
// resource definitions.
func (t *solutionBuilder) warnIncompatible() {
	for _, n := range t.st.Chosen {
		b := t.u.Nodes[n].Bundle
		if why := explain.Incompatibilities(t.u, n); len(why) > 0 {
			t.of.warn(WarningIncompatible, b, Warning{Message: fmt.Sprintf("%s does not fit the cluster: it %s", b.Name, strings.Join(why, "; it "))})
		}
		for _, l := range explain.Losses(t.u, n) {
			t.of.warn(WarningIncompatible, b, Warning{Code: WarningCode(l.Code), Message: b.Name + " " + l.Text})
		}
		for _, message := range explain.SharedWith(t.u, n) {
			t.of.warn(WarningShared, b, Warning{Message: message})
		}
	}
}
