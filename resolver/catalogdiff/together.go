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
)

// A bundle can hold back its dependency: on a cluster with both, the upgrade path of the
// dependency ends below its head, which it reaches alone. An audit follows one package at a time,
// so it cannot detect this.

// holding is a dependency that a package holds back in a channel.
type holding struct {
	catalog, by  string // the dependent and its catalog
	pkg, channel string
	of           string // the catalog of the dependency
}

// holdingStart is a cluster with a dependent and its dependency.
type holdingStart struct {
	by  subject
	pkg string
}

// held is the state of a holding.
type held struct {
	start   holdingStart
	from    string // the dependency's bundle at the start
	at      string // and at the end
	by      string // the dependent's bundle at the end
	request resolver.Request
	sub     resolver.Subscription // the subscription that is held back
	head    string
	ownHead bool // reaches the head alone
	why     string
	facts   []argument.FactKind
	about   map[string]bool
}

// together installs every bundle together with its dependencies, and finds dependencies that are
// held back.
func (s *side) together(ctx context.Context, c *comparison) error {
	o := &c.opts
	policy := o.Policy
	policy.Failures = resolver.FailuresAll
	base := resolver.Request{Namespace: o.Namespace, Catalogs: s.all, Cluster: o.Cluster, Policy: policy, Now: o.Now}
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
		sol, err := session.Resolve(ctx, resolver.AddSubscription{Subscription: sub})
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue
		}
		if len(sol.Steps) < 2 {
			continue // no dependencies
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

// holds follows the path of a dependent and its dependencies, and records those that stay below
// the head.
func (s *side) holds(ctx context.Context, c *comparison, b subject, req resolver.Request) error {
	req.Subscriptions[0].StartingCSV = ""
	path, err := c.opts.Resolver.Converge(ctx, req, resolver.ConvergeOptions{})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil || path.Loop:
		return nil // reported by the audit
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

// explain finds out whether a dependency that is held back would reach its head alone, and why it
// does not.
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
	_, err = session.Resolve(ctx, resolver.PinSubscription{Subscription: sub.Name, Bundle: h.head})
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

// explainNew explains holdings of one side that the other side does not have.
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
	for k, h := range c.now.held { // in any order: findings are sorted later
		if !h.ownHead || c.stopsAt(k.catalog, k.by, h.by) {
			continue
		}
		f := Finding{Code: "dependentBroken", Catalog: k.catalog, Package: k.by, Bundle: h.by, Why: h.why, Facts: h.facts}
		who := fmt.Sprintf("clusters on %s and package %s ", text.Name(h.by), text.Name(k.pkg))
		where := fmt.Sprintf("%s (channel %s)", text.Name(h.at), text.Name(k.channel))
		f.Text = c.either(sentence(who+"reach only "+where+", not the head "+text.Name(h.head), h.why), who+"can now upgrade beyond "+where)
		if end, was := c.old.ends[h.start]; !was || end == h.at {
			f.Severity = graph.SeverityWarning // as before
		}
		place := c.pos(subject{k.catalog, k.by, h.by}, "")
		if d := c.deltas[k.by]; d == nil || k.catalog != "" || !d.bundles[h.by] {
			place = c.cause(subject{k.of, k.pkg, h.head}, k.channel, h.about)
		}
		c.add(f, place)
	}
}

// stopsAt reports whether a finding already covers that a bundle cannot upgrade, and so cannot
// reach the version that would unblock others.
func (c *comparison) stopsAt(catalog, pkg, bundle string) bool {
	return slices.ContainsFunc(c.findings, func(f Finding) bool {
		return f.Catalog == catalog && f.Package == pkg && f.Bundle == bundle && f.Channel != "" &&
			(f.Code == "headUnreachable" || f.Code == "dependentBroken" || f.Code == "edgeLost")
	})
}
