package whatif

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// Blocked is a better candidate that a subscription or an extension does not get.
type Blocked struct {
	// Subscription is the name of the subscription, or of the extension if Extension is true.
	Subscription string `json:"subscription"`
	Extension    bool   `json:"extension,omitempty"`
	// Installed is the bundle that it owns before the solution is applied.
	Installed string `json:"installed"`
	// Bundle is its best candidate.
	Bundle string `json:"bundle"`
	// Text states the obstacle in one line.
	Text string `json:"text"`
	// Conflict is the conflict of a request that forces Bundle; nil if it could be selected.
	Conflict *resolver.Conflict `json:"conflict,omitempty"`
}

// maxBlocked limits the subscriptions that FindBlocked explains.
const maxBlocked = 5

// FindBlocked explains why operators do not reach the best bundle to which their subscription or
// extension could upgrade: those that stay, and those that move to a worse one. The best bundle is
// the best candidate, or an earlier entry of the channels that is no candidate: outside of the
// range, deprecated, broken, or absent. It explains the first five. Operators on hold, and those of
// a request that prefers few changes, count as intended; those that policy "Partial" omits have a
// conflict of their own. The error is a [*resolver.IncompleteError], with the explanations so far.
func FindBlocked(ctx context.Context, r *resolver.Resolver, req resolver.Request, sol *resolver.Solution) ([]Blocked, error) {
	if req.Policy.Goal != "" && req.Policy.Goal != resolver.Newest {
		return nil, nil
	}
	f := &blockedFinder{ctx: ctx, r: r, req: &req, owned: req.Owned()}
	var out []Blocked
	for i := range sol.Steps {
		step := &sol.Steps[i]
		why := slices.IndexFunc(step.Because, func(r resolver.Reason) bool { return f.owned[r.Subscription] != "" })
		if step.Action == resolver.Install || step.Hold != "" || why < 0 || len(out) >= maxBlocked {
			continue
		}
		b, err := f.find(step, step.Because[why].Subscription)
		if err != nil {
			return out, err
		}
		if b != nil {
			out = append(out, *b)
		}
	}
	return out, nil
}

type blockedFinder struct {
	ctx     context.Context
	r       *resolver.Resolver
	req     *resolver.Request
	owned   map[string]string
	session *resolver.Session
}

// find explains why the step of a subscription or an extension has no better bundle; nil if there
// is none, or the request is broken without it as well.
func (f *blockedFinder) find(step *resolver.Step, name string) (*Blocked, error) {
	b := &Blocked{Subscription: name, Extension: len(f.req.Extensions) > 0, Installed: f.owned[name]}
	ref := resolver.BundleRef{}
	if k := slices.IndexFunc(step.PassedOver, func(b resolver.BundleRef) bool { return !slices.Contains(step.Replaces, b.Name) }); k >= 0 {
		ref = step.PassedOver[k]
	} else if next := f.next(step, b); next.bundle != "" {
		if ref = (resolver.BundleRef{Catalog: next.catalog, Name: next.bundle}); next.absent {
			b.Bundle, b.Text = next.bundle, "channel "+next.channel+" lists it, but the catalog has no such "+cmp.Or(f.r.Terms().Bundle, "bundle")
			return b, nil
		}
	}
	if ref.Name == "" {
		return nil, nil
	}
	b.Bundle = ref.Name
	if f.session == nil {
		var err error
		if f.session, err = f.r.Session(f.ctx, *f.req); err != nil {
			return nil, err
		}
	}
	e, err := f.session.WhyNot(f.ctx, ref)
	var incomplete *resolver.IncompleteError
	switch {
	case errors.As(err, &incomplete):
		return nil, err
	case err != nil || e.In:
		return nil, nil
	case e.Conflict != nil:
		if b.Conflict = about(e.Conflict); b.Conflict == nil {
			return nil, nil // broken with or without the bundle
		}
		b.Text = obstacle(b.Conflict, b.Bundle)
	case e.Better.Name != "":
		b.Text = e.Better.Name + " is selected instead, " + e.Rule
	default:
		b.Text = e.Rule
	}
	return b, nil
}

// about returns the conflict, among several, that concerns the hypothetical bundle; nil if none
// does.
func about(c *resolver.Conflict) *resolver.Conflict {
	all := c.All()
	i := slices.IndexFunc(all, func(c *resolver.Conflict) bool {
		return slices.ContainsFunc(c.Facts, func(f argument.Fact) bool { return f.Kind == argument.FactSupposed || f.Kind == argument.FactForced })
	})
	if i < 0 {
		return nil
	}
	one := *all[i]
	one.Further = nil
	return &one
}

// obstacle describes the main obstacle to a bundle in a conflict: why it is not a candidate,
// what it requires, or what it conflicts with.
func obstacle(c *resolver.Conflict, bundle string) string {
	for _, f := range c.Facts {
		for _, r := range f.Candidates {
			switch {
			case r.Bundle != bundle:
			case f.Kind == argument.FactSubscription && r.NearMiss(),
				f.Kind == argument.FactSupposed && (r.Reason == argument.RejectedDeprecated || r.Reason == argument.RejectedIncompatible):
				return r.Bundle + " " + r.Text
			}
		}
	}
	for _, kind := range []argument.FactKind{argument.FactConstraint, argument.FactGVK, argument.FactPackage, argument.FactForbidden} {
		if i := slices.IndexFunc(c.Facts, func(f argument.Fact) bool { return f.Kind == kind }); i >= 0 {
			return c.Facts[i].Text
		}
	}
	return c.Headline()
}

// listed is a bundle that a channel lists.
type listed struct {
	catalog         cache.Key
	channel, bundle string
	absent          bool // from the catalog
}

// next returns the best upgrade in the channels of a subscription or an extension, if it is better
// than the bundle of its step.
func (f *blockedFinder) next(step *resolver.Step, b *Blocked) listed {
	owned := resolver.Installed{Name: b.Installed}
	for i := range f.req.Installed {
		if f.req.Installed[i].Name == b.Installed {
			owned = f.req.Installed[i]
		}
	}
	var version semver.Version // no skipRange of a catalog contains 0.0.0-0
	if version.Pre = []semver.PRVersion{{IsNum: true}}; owned.Version != nil {
		version = *owned.Version
	}
	in, pkg, channels := f.scope(b)
	for c, p := range f.req.Packages(cache.Key{}, pkg) {
		if !in(c) {
			continue
		}
		if known := p.Bundle(b.Installed); known != nil && owned.Version == nil {
			version = *known.Version
		}
		for _, ch := range p.Channels {
			if len(channels) > 0 && !slices.Contains(channels, ch.Name) || !b.Extension && ch.Quarantined() != nil ||
				!b.Extension && len(channels) == 0 && !ch.Default() {
				continue
			}
			if e := better(ch, step, b, version); e != nil {
				return listed{c.Key, ch.Name, e.Name, e.Bundle == nil}
			}
		}
	}
	return listed{}
}

// scope returns the catalogs, package and channels in which a subscription or an extension
// searches.
func (f *blockedFinder) scope(b *Blocked) (in func(*resolver.Catalog) bool, pkg string, channels []string) {
	for i := range f.req.Extensions {
		if e := &f.req.Extensions[i]; e.Name == b.Subscription {
			return e.Catalogs.Matches, e.Package, e.Channels
		}
	}
	for i := range f.req.Subscriptions {
		if s := &f.req.Subscriptions[i]; s.Name == b.Subscription {
			return func(c *resolver.Catalog) bool { return s.Catalog.IsZero() || c.Key == s.Catalog }, s.Package, s.Channels
		}
	}
	return nil, "", nil
}

// better returns the entry of a channel nearest to its head that is an upgrade of the installed
// bundle, and nearer to the head than the bundle of a step; nil if there is none. For an extension,
// it is the one with the highest version.
func better(ch *graph.Channel, step *resolver.Step, b *Blocked, version semver.Version) *graph.Entry {
	var best *graph.Entry
	now := ch.Entry(step.Bundle)
	for i := range ch.Entries {
		e := &ch.Entries[i]
		if e.Name == step.Bundle || !e.Upgrades(b.Installed, version) {
			continue
		}
		if b.Extension {
			if e.Bundle == nil || e.Bundle.Quarantine == nil && step.Version != nil && !e.Bundle.Version.GT(*step.Version) {
				continue
			}
			if best == nil || e.Bundle.Version.GT(*best.Bundle.Version) {
				best = e
			}
			continue
		}
		if e.Position >= 0 && e.SkippedBy() == "" && (now == nil || now.Position < 0 || e.Position < now.Position) && (best == nil || e.Position < best.Position) {
			best = e
		}
	}
	return best
}
