package catalogdiff

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// A bundle can hold back what it depends on: on a cluster that has both, upgrades of
// the dependency end below its head, which alone it would reach. An audit does not
// see that, for it follows one package at a time.

// holding is a dependency that is held back in a channel, by a package.
type holding struct {
	catalog, by  string // the package that holds it back, and its catalog
	pkg, channel string
	of           string // the catalog of the dependency
}

// holdingStart is a cluster that a dependent begins on, and a dependency there.
type holdingStart struct {
	by  subject
	pkg string
}

// held is what is known of a holding.
type held struct {
	start   holdingStart
	from    string // the bundle of the dependency that is installed at first
	at      string // and the one that it stays at
	by      string // the bundle that holds it back, at the end
	request resolver.Request
	sub     resolver.Subscription // that is held back
	head    string
	ownHead bool // alone, it gets to the head
	why     string
	facts   []argument.FactKind
	about   map[string]bool
}

// together installs every bundle that depends on others together with them, and
// looks who is held back.
func (s *side) together(ctx context.Context, c *comparison) error {
	o := &c.opts
	policy := o.Policy
	policy.Failures = resolver.FailuresAll
	base := resolver.Request{Namespace: o.Namespace, Catalogs: s.all, Cluster: o.Cluster, Policy: policy}
	session, err := o.Resolver.Session(ctx, base)
	if err != nil {
		return err
	}
	for _, b := range s.order {
		bundle := s.bundle(b)
		if !s.found[b].Installable || len(bundle.Constraints) == 0 || len(bundle.Places) == 0 {
			continue
		}
		sub := resolver.Subscription{Name: b.pkg, Package: b.pkg, Catalog: s.catalog(b.catalog).Key, StartingCSV: b.bundle,
			Channels: []string{bundle.Places[0].Channel.Name}}
		sol, err := session.Resolve(ctx, whatif.AddSubscription(sub))
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue
		}
		if len(sol.Steps) < 2 {
			continue // it needs nothing else
		}
		first := base
		first.Subscriptions = []resolver.Subscription{sub}
		req := first.Advance(sol)
		if err := s.holds(ctx, c, b, req); err != nil {
			return err
		}
	}
	return nil
}

// holds goes the path of a dependent and what it needs, and notes who stays below
// the head.
func (s *side) holds(ctx context.Context, c *comparison, b subject, req resolver.Request) error {
	req.Subscriptions[0].StartingCSV = ""
	path, err := c.opts.Resolver.Converge(ctx, req, resolver.ConvergeOptions{})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil || path.Loop:
		return nil // an audit reports that
	}
	by := path.Final.Subscriptions[0].InstalledCSV
	for i, sub := range path.Final.Subscriptions {
		at := slices.IndexFunc(req.Subscriptions, func(o resolver.Subscription) bool { return o.Name == sub.Name })
		if i == 0 || at < 0 || len(sub.Channels) != 1 {
			continue
		}
		start := holdingStart{b, sub.Package}
		s.ends[start] = sub.InstalledCSV
		of := subject{catalog: s.name(sub.Catalog.String()), pkg: sub.Package}
		ch := s.channel(of, sub.Channels[0])
		if ch == nil || ch.Head() == nil || ch.Head().Name == sub.InstalledCSV {
			continue
		}
		k := holding{b.catalog, b.pkg, sub.Package, ch.Name, of.catalog}
		if s.held[k] == nil {
			s.held[k] = &held{start: start, from: req.Subscriptions[at].InstalledCSV, at: sub.InstalledCSV, by: by, request: path.Final, sub: sub, head: ch.Head().Name}
		}
	}
	return nil
}

// explain finds out whether a dependency that is held back would get to its head
// alone, and why it does not.
func (s *side) explain(ctx context.Context, c *comparison, h *held) error {
	sub := h.sub
	alone := h.request
	alone.Installed, alone.Subscriptions = nil, []resolver.Subscription{{Name: sub.Name, Package: sub.Package, Catalog: sub.Catalog, Channels: sub.Channels, StartingCSV: h.from}}
	path, err := c.opts.Resolver.Converge(ctx, alone, resolver.ConvergeOptions{})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	h.ownHead = err == nil && !path.Loop && path.Final.Subscriptions[0].InstalledCSV == h.head
	if !h.ownHead {
		return nil
	}
	session, err := c.opts.Resolver.Session(ctx, h.request)
	if err != nil {
		return err
	}
	_, err = session.Resolve(ctx, whatif.PinSubscription(sub.Name, h.head))
	var conflict *resolver.Conflict
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &conflict):
		h.why, h.about = reason(conflict)
		h.facts = factKinds(conflict)
	}
	return nil
}

// explainNew explains what one side holds back and the other does not.
func (s *side) explainNew(ctx context.Context, c *comparison, other *side) error {
	for k, h := range s.held {
		if other.held[k] == nil {
			if err := s.explain(ctx, c, h); err != nil {
				return err
			}
		}
	}
	return nil
}

// heldBack reports dependencies that are newly held back.
func (c *comparison) heldBack() {
	for k, h := range c.now.held { // in any order: findings are sorted in the end
		if !h.ownHead || c.stopsAt(k.catalog, k.by, h.by) {
			continue
		}
		f := Finding{Code: "dependentBroken", Catalog: k.catalog, Package: k.by, Bundle: h.by, Why: h.why, Facts: h.facts}
		who := fmt.Sprintf("whoever runs %s together with package %s ", text.Name(h.by), text.Name(k.pkg))
		where := fmt.Sprintf("%s of channel %s", text.Name(h.at), text.Name(k.channel))
		f.Text = c.either(sentence(who+"stays at "+where+", and does not get to its head "+text.Name(h.head), h.why), who+"gets beyond "+where+" now")
		if end, was := c.old.ends[h.start]; !was || end == h.at {
			f.Severity = graph.SeverityWarning // it stays where it stayed before
		}
		place := c.pos(subject{k.catalog, k.by, h.by}, "")
		if d := c.deltas[k.by]; d == nil || k.catalog != "" || !d.bundles[h.by] {
			place = c.cause(subject{k.of, k.pkg, h.head}, k.channel, h.about)
		}
		c.add(f, place)
	}
}

// stopsAt reports whether it is reported already that a bundle itself does not move on any more:
// then it also does not get to the version that would let others move.
func (c *comparison) stopsAt(catalog, pkg, bundle string) bool {
	return slices.ContainsFunc(c.findings, func(f Finding) bool {
		return f.Catalog == catalog && f.Package == pkg && f.Bundle == bundle && f.Channel != "" &&
			(f.Code == "headUnreachable" || f.Code == "dependentBroken" || f.Code == "edgeLost")
	})
}
