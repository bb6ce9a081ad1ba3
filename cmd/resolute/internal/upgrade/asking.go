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

// asking is a subscription, or an extension in the shape of one.
type asking struct {
	resolver.Subscription
	extension *resolver.Extension // nil for a subscription
}

// askers are the subscriptions of a request, or its extensions.
func askers(req *resolver.Request) []asking {
	var out []asking
	for i := range req.Subscriptions {
		out = append(out, asking{req.Subscriptions[i], nil})
	}
	for i := range req.Extensions {
		e := req.Extensions[i]
		out = append(out, asking{resolver.Subscription{Name: e.Name, Package: e.Package, Channels: e.Channels, InstalledCSV: e.InstalledCSV, Pin: e.Pin}, &e})
	}
	return out
}

// owns says who owns an operator; an empty name says that nobody does.
func owns(o Operator, owner string, extension bool) Operator {
	if extension {
		o.Extension = owner
	} else {
		o.Subscription = owner
	}
	return o
}

// asker is what requests of the checker have.
func (c *checker) asker() string { return askerOf(&c.state) }

// askerOf is what a request has.
func askerOf(req *resolver.Request) string {
	if len(req.Extensions) > 0 {
		return "extension"
	}
	return "subscription"
}

// looksIn reports whether it looks in a catalog.
func (a *asking) looksIn(c *resolver.Catalog) bool {
	if a.extension != nil {
		return a.extension.Catalogs.Matches(c)
	}
	return a.Catalog.IsZero() || c.Key == a.Catalog
}

// packages are those that it chooses from.
func (w *world) packages(a *asking) iter.Seq2[*resolver.Catalog, *graph.Package] {
	return func(yield func(*resolver.Catalog, *graph.Package) bool) {
		for c, pkg := range w.Packages(cache.Key{}, a.Package) {
			if a.looksIn(c) && !yield(c, pkg) {
				return
			}
		}
	}
}

// anyCatalog are the packages of its name in the catalogs in which it might look: those that an
// extension chooses, and all for a subscription.
func (w *world) anyCatalog(a *asking) iter.Seq2[*resolver.Catalog, *graph.Package] {
	if a.extension != nil {
		return w.packages(a)
	}
	return w.Packages(cache.Key{}, a.Package)
}

// find finds the subscription or extension of a target. The error is a [*TargetError].
func find(req *resolver.Request, t Target) (*asking, error) {
	var names []string
	for _, a := range askers(req) {
		if names = append(names, a.Name); a.Name == t.Subscription {
			return &a, nil
		}
	}
	return nil, targetError(req, t, "there is no such "+askerOf(req)+text.DidYouMean(t.Subscription, slices.Values(names)))
}

// fork copies what asks for packages in a request, so that it can be changed.
func fork(req resolver.Request) resolver.Request {
	req.Subscriptions, req.Extensions = slices.Clone(req.Subscriptions), slices.Clone(req.Extensions)
	return req
}

// choose keeps some of the subscriptions or extensions of a request, in the order given.
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

// pin is the bundle that a subscription or an extension of a request is pinned to.
func pin(req *resolver.Request, i int) *string {
	if len(req.Extensions) > 0 {
		return &req.Extensions[i].Pin
	}
	return &req.Subscriptions[i].Pin
}

// release lets a subscription or an extension of a request move.
func release(req *resolver.Request, i int) {
	*pin(req, i) = ""
	if len(req.Extensions) == 0 {
		req.Subscriptions[i].Hold = ""
	}
}

// send has a subscription or an extension of a request go to a bundle: an extension as its owner
// does, by asking for the version.
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

// wait keeps a subscription or an extension of a request where it is: an extension by its version,
// for OLM v1 knows no hold.
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

// stay keeps the extensions of a request where they are, but for those that move: OLM v1 knows
// no policy that does.
func stay(req *resolver.Request, moving map[int]bool) {
	req.Extensions = slices.Clone(req.Extensions)
	for i := range req.Extensions {
		if !moving[i] {
			wait(req, i)
		}
	}
}

// tighten has as many as can of the subscriptions or extensions of a request wait that are listed:
// a solution has to be found good all the same. It returns the request that is left and its solution, which
// is nil if none can wait.
func tighten(ctx context.Context, r *resolver.Resolver, loose resolver.Request, list []int, good func(*resolver.Solution) bool) (resolver.Request, *resolver.Solution, error) {
	var best *resolver.Solution
	for _, i := range list {
		req := fork(loose)
		wait(&req, i)
		sol, err := r.Resolve(ctx, req)
		if unlessConflict(err) != nil {
			return loose, nil, err
		}
		if err == nil && good(sol) {
			best, loose = sol, req
		}
	}
	return loose, best, nil
}

// others are those of a request that are not among some.
func others(req *resolver.Request, some map[int]bool) []int {
	var out []int
	for i := range len(req.Subscriptions) + len(req.Extensions) {
		if !some[i] {
			out = append(out, i)
		}
	}
	return out
}

// standingOfExtension says where the bundle stands in what its extension chooses from.
func (b *bundleView) standingOfExtension() {
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
		b.need(notOffered, "the catalogs of the next version do not have %s where extension %s looks", text.Name(b.in.Name), text.Name(cmp.Or(e.Name, e.Package)))
	}
}

// lacking reports whether the catalogs of the world lack the bundle where its owner looks.
func (b *bundleView) lacking() bool {
	return slices.ContainsFunc(b.view.needs[b.o], func(r Reason) bool {
		return r.Code == catalogGone || r.Code == packageGone || r.Code == channelGone || r.Code == notOffered
	})
}

// together has extensions move that cannot while all others stay: as many others as can stay do.
// The request is the one in which all others stay, and becomes the one that was resolved; all is
// the request in which none has to. The solution is nil if none of them moves.
func (c *checker) together(ctx context.Context, held *resolver.Request, all resolver.Request, at map[*operator]int, seen map[*operator]map[string]bool) (*resolver.Solution, map[*operator]string, error) {
	movers := make(map[int]bool)
	for _, i := range at { // in any order
		movers[i] = true
	}
	sol, err := c.r.Resolve(ctx, all)
	if err != nil {
		return nil, nil, unlessConflict(err)
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
