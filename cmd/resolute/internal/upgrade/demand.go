package upgrade

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// demand is a subscription, or an extension represented as one.
type demand struct {
	resolver.Subscription
	extension *resolver.Extension // nil for a subscription
}

// demands returns the subscriptions of a request, or its extensions.
func demands(req *resolver.Request) []demand {
	var out []demand
	for i := range req.Subscriptions {
		out = append(out, demand{req.Subscriptions[i], nil})
	}
	for i := range req.Extensions {
		e := req.Extensions[i]
		out = append(out, demand{resolver.Subscription{Name: e.Name, Package: e.Package, Channels: e.Channels, InstalledCSV: e.InstalledCSV, Pin: e.Pin}, &e})
	}
	return out
}

// withOwner sets the owner of an operator; an empty name means that it has none.
func withOwner(o Operator, owner string, extension bool) Operator {
	if extension {
		o.Extension = owner
	} else {
		o.Subscription = owner
	}
	return o
}

// demandNoun is the noun for the demands of the checked request.
func (c *checker) demandNoun() string { return nounOf(&c.state) }

// nounOf is the noun for the demands of a request.
func nounOf(req *resolver.Request) string {
	if len(req.Extensions) > 0 {
		return "extension"
	}
	return "subscription"
}

// selects reports whether the demand selects a catalog.
func (a *demand) selects(c *resolver.Catalog) bool {
	if a.extension != nil {
		return a.extension.Catalogs.Matches(c)
	}
	return a.Catalog.IsZero() || c.Key == a.Catalog
}

// packages yields the packages that a demand selects.
func (w *world) packages(a *demand) iter.Seq2[*resolver.Catalog, *graph.Package] {
	return func(yield func(*resolver.Catalog, *graph.Package) bool) {
		for c, pkg := range w.Packages(cache.Key{}, a.Package) {
			if a.selects(c) && !yield(c, pkg) {
				return
			}
		}
	}
}

// anyCatalog yields the packages with the name of a demand: those that an extension selects, and
// those of all catalogs for a subscription.
func (w *world) anyCatalog(a *demand) iter.Seq2[*resolver.Catalog, *graph.Package] {
	if a.extension != nil {
		return w.packages(a)
	}
	return w.Packages(cache.Key{}, a.Package)
}

// find returns the subscription or extension of a target. The error is a [*TargetError].
func find(req *resolver.Request, t Target) (*demand, error) {
	var names []string
	for _, a := range demands(req) {
		if names = append(names, a.Name); a.Name == t.Subscription {
			return &a, nil
		}
	}
	return nil, targetError(req, t, "there is no such "+nounOf(req)+text.DidYouMean(t.Subscription, slices.Values(names)))
}

// fork copies the demands of a request so that they can be changed.
func fork(req resolver.Request) resolver.Request {
	req.Subscriptions, req.Extensions = slices.Clone(req.Subscriptions), slices.Clone(req.Extensions)
	return req
}

// choose keeps some of the demands of a request, in the given order.
func choose(req resolver.Request, at []int) resolver.Request {
	subscriptions, extensions := req.Subscriptions, req.Extensions
	req.Subscriptions, req.Extensions = nil, nil
	for _, i := range at {
		if len(extensions) > 0 {
			req.Extensions = append(req.Extensions, extensions[i])
		} else {
			req.Subscriptions = append(req.Subscriptions, subscriptions[i])
		}
	}
	return req
}

// pin returns the pin of a demand of a request.
func pin(req *resolver.Request, i int) *string {
	if len(req.Extensions) > 0 {
		return &req.Extensions[i].Pin
	}
	return &req.Subscriptions[i].Pin
}

// release removes the pin and the hold of a demand of a request.
func release(req *resolver.Request, i int) {
	*pin(req, i) = ""
	if len(req.Extensions) == 0 {
		req.Subscriptions[i].Hold = ""
	}
}

// send directs a demand of a request to a bundle: a subscription by a pin, an extension by its
// version range, as its owner would.
func send(req *resolver.Request, i int, to string) {
	if len(req.Extensions) == 0 {
		req.Subscriptions[i].Pin = to
		return
	}
	e := &req.Extensions[i]
	for c, pkg := range req.Packages(cache.Key{}, e.Package) {
		if b := pkg.Bundle(to); b != nil && b.Version != nil && e.Catalogs.Matches(c) {
			e.VersionRange = exactly(e.VersionRange, b.Version.String())
			return
		}
	}
	e.Pin = to // installed, and in no catalog
}

// exactly narrows a version range to a version.
func exactly(within, version string) string {
	only := "=" + version
	if strings.TrimSpace(within) == "" {
		return only
	}
	parts := strings.Split(within, "||")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i]) + ", " + only
	}
	return strings.Join(parts, " || ")
}

// wait keeps a demand of a request at its bundle: an extension by its version, because OLM v1 has
// no hold.
func wait(req *resolver.Request, i int) {
	if len(req.Extensions) == 0 {
		if s := &req.Subscriptions[i]; s.Hold == "" {
			s.Hold = notNow
		}
		return
	}
	e := &req.Extensions[i]
	for k := range req.Installed {
		if in := &req.Installed[k]; in.Name == e.InstalledCSV {
			if v, known := versionOf(in); known {
				e.VersionRange = "=" + v.String()
			}
			return
		}
	}
}

// stay keeps the extensions of a request at their bundles, except those that move: OLM v1 has no
// policy that does this.
func stay(req *resolver.Request, moving map[int]bool) {
	req.Extensions = slices.Clone(req.Extensions)
	for i := range req.Extensions {
		if !moving[i] {
			wait(req, i)
		}
	}
}

// tighten keeps as many of the listed demands as possible at their bundles, provided that good
// accepts the solution. It returns the resulting request and its solution, which is nil if none can
// be kept.
func tighten(ctx context.Context, r *resolver.Resolver, loose resolver.Request, list []int, good func(*resolver.Solution) bool) (resolver.Request, *resolver.Solution, error) {
	var best *resolver.Solution
	for _, i := range list {
		req := fork(loose)
		wait(&req, i)
		sol, err := r.Resolve(ctx, req)
		if ignoreConflict(err) != nil {
			return loose, nil, err
		}
		if err == nil && good(sol) {
			best, loose = sol, req
		}
	}
	return loose, best, nil
}

// others returns the demands of a request that are not in a set.
func others(req *resolver.Request, some map[int]bool) []int {
	var out []int
	for i := range len(req.Subscriptions) + len(req.Extensions) {
		if !some[i] {
			out = append(out, i)
		}
	}
	return out
}

// checkExtensionOffer checks whether the catalogs that an extension selects offer its bundle.
func (b *bundleView) checkExtensionOffer() {
	e, offered := b.sub.extension, false
	version, known := versionOf(b.in)
	for _, pkg := range b.world.packages(b.sub) {
		for _, o := range pkg.Bundles {
			if known && (o.Version == nil || !o.Version.EQ(version)) || !known && o.Name != b.in.Name {
				continue
			}
			in := len(e.Channels) == 0
			for _, ch := range pkg.Channels {
				in = in || slices.Contains(e.Channels, ch.Name) && ch.Entry(o.Name) != nil
			}
			offered = offered || in
		}
	}
	if !offered {
		b.need(notOffered, "the catalogs that extension %s selects do not have %s in the next version", text.Name(cmp.Or(e.Name, e.Package)), text.Name(b.in.Name))
	}
}

// lacking reports whether the bundle is missing from the catalogs and channels that its owner
// selects.
func (b *bundleView) lacking() bool {
	return slices.ContainsFunc(b.view.needs[b.o], func(r Reason) bool {
		return r.Code == catalogGone || r.Code == packageGone || r.Code == channelGone || r.Code == notOffered
	})
}

// together moves extensions that cannot move while all others stay; as many others as possible
// stay. held is the request in which all others stay, and is set to the resolved one; all is the
// request in which none has to. The solution is nil if none of them moves.
func (c *checker) together(ctx context.Context, held *resolver.Request, all resolver.Request, at map[*operator]int, seen map[*operator]map[string]bool) (*resolver.Solution, map[*operator]string, error) {
	movers := make(map[int]bool)
	for _, i := range at { // in any order
		movers[i] = true
	}
	sol, err := c.r.Resolve(ctx, all)
	if err != nil {
		return nil, nil, ignoreConflict(err)
	}
	moving := targets(outcomeOf(sol), &all, at, seen)
	if len(moving) == 0 {
		return nil, nil, nil
	}
	same := func(sol *resolver.Solution) bool { return maps.Equal(targets(outcomeOf(sol), &all, at, seen), moving) }
	least, fewer, err := tighten(ctx, c.r, all, others(&all, movers), same)
	if err != nil {
		return nil, nil, err
	}
	if *held = least; fewer != nil {
		sol = fewer
	}
	return sol, moving, nil
}
