package upgradetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// additionCases lists the bundles that could have been added last.
func additionCases(_ context.Context, c *check) ([]*situation, int, error) {
	var list []*situation
	for _, cat := range c.own {
		for p := range cat.Content.Packages() {
			for _, b := range p.Bundles {
				if c.wants(p.Name) && isLatest(p, b.Name) {
					list = append(list, &situation{property: Addition, catalog: cat.Key, pkg: p.Name, bundle: b.Name})
				}
			}
		}
	}
	return list, len(list), nil
}

// isLatest reports whether a bundle is listed, and nowhere replaced or skipped.
func isLatest(p *graph.Package, name string) bool {
	listed := false
	for _, ch := range p.Channels {
		for i := range ch.Entries {
			e := &ch.Entries[i]
			listed = listed || e.Name == name
			if e.Name != name && (e.Replaces == name || slices.Contains(e.Skips, name)) {
				return false
			}
		}
	}
	return listed && len(p.Bundles) > 1
}

// askAddition looks for a request that the bundle of the situation makes unsolvable.
func askAddition(ctx context.Context, a *asker, cats []resolver.Catalog, s *situation) (*failure, error) {
	pkg, _, b := locate(cats, s)
	if b == nil || !isLatest(pkg, s.bundle) {
		return nil, nil
	}
	near, asks := a.touched(cats, s)
	before, skipped, err := without(ctx, near, s)
	if err != nil {
		return nil, err
	}
	for _, req := range asks(before) {
		f, err := a.added(ctx, req, near, skipped, s)
		if f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// added compares what a request is answered before and after.
func (a *asker) added(ctx context.Context, before resolver.Request, now []resolver.Catalog, skipped []resolver.Forbid, s *situation) (*failure, error) {
	for _, in := range before.Installed {
		if in.Name == s.bundle {
			return nil, nil // what is installed may be what the catalog says it is
		}
	}
	after := before
	after.Catalogs = now
	_, conflict, _, err := a.resolve(ctx, after)
	if err != nil || conflict == nil {
		return nil, err
	}
	sol, _, _, err := a.resolve(ctx, before)
	if err != nil || sol == nil {
		return nil, err
	}
	said := before
	said.Forbid = append(slices.Clone(said.Forbid), skipped...)
	if len(skipped) > 0 {
		if sol, _, _, err := a.resolve(ctx, said); err != nil || sol == nil {
			return nil, err // it needs a version that the new bundle says it skips
		}
	}
	return &failure{
		code: codeOf(conflict), cause: reason(conflict), at: s.bundle, request: after, verb: "resolve", expect: &expected{Status: scenario.Resolved},
		want: fmt.Sprintf("%s can be had with %s in the catalog as it could without: %s", askedFor(&before), text.Name(s.bundle), few(sol.Set())),
		got:  reason(conflict),
	}, nil
}

// askedFor says what a request is for.
func askedFor(req *resolver.Request) string {
	var parts []string
	for _, s := range req.Subscriptions {
		part := "package " + text.Name(s.Package)
		if s.StartingCSV != "" {
			part = text.Name(s.StartingCSV)
		}
		if len(s.Channels) > 0 {
			part += " from channel " + text.Name(strings.Join(s.Channels, " or "))
		}
		parts = append(parts, part)
	}
	return cmp.Or(strings.Join(parts, " and "), "what is installed")
}

// touched returns the catalogs as far as an addition matters, and the requests to
// ask: that of the situation, or subscriptions on an empty cluster. They begin with
// each candidate of the package itself, and with each candidate of others that
// requires something of it.
func (a *asker) touched(cats []resolver.Catalog, s *situation) ([]resolver.Catalog, func(before []resolver.Catalog) []resolver.Request) {
	if s.whole {
		req := a.requestOf(cats, s)
		near, _ := relatedTo(&req).only()
		return near, func(before []resolver.Catalog) []resolver.Request {
			req.Catalogs = before
			return []resolver.Request{req}
		}
	}
	all := a.base(cats)
	all.Subscriptions = []resolver.Subscription{{Name: s.pkg, Package: s.pkg, Catalog: s.catalog}}
	dependents := dependentsOf(cats, s)
	for _, d := range dependents {
		all.Subscriptions = append(all.Subscriptions, resolver.Subscription{Package: d.name, Catalog: d.catalog})
	}
	near, _ := relatedTo(&all).only()
	return near, func(before []resolver.Catalog) []resolver.Request {
		var list []resolver.Request
		for _, p := range append([]packageOf{{s.catalog, s.pkg}}, dependents...) {
			list = append(list, a.starts(before, p)...)
		}
		return list
	}
}

// starts are subscriptions to a package: to each channel, beginning with its head
// and with each other candidate.
func (a *asker) starts(cats []resolver.Catalog, p packageOf) []resolver.Request {
	pkg, _, _ := locate(cats, &situation{catalog: p.catalog, pkg: p.name})
	if pkg == nil {
		return nil
	}
	var list []resolver.Request
	for _, ch := range pkg.Channels {
		list = append(list, a.requestOf(cats, &situation{catalog: p.catalog, pkg: p.name, channel: ch.Name}))
		for _, b := range ch.Candidates() {
			list = append(list, a.requestOf(cats, &situation{catalog: p.catalog, pkg: p.name, channel: ch.Name, bundle: b.Name}))
		}
	}
	return list
}

// dependentsOf lists the other packages that have a bundle with a constraint which a
// bundle of the situation's package satisfies.
func dependentsOf(cats []resolver.Catalog, s *situation) []packageOf {
	pkg, _, _ := locate(cats, s)
	wanted := map[string]bool{}
	for _, b := range pkg.Bundles {
		for api := range b.Properties.GVKs() {
			wanted[constraints.NewGVK(api).Key()] = true
		}
		for label := range b.Properties.Labels() {
			wanted[constraints.NewLabel(label).Key()] = true
		}
	}
	asks := func(c constraints.Constraint) (is bool) {
		constraints.Walk(c, func(c constraints.Constraint) bool {
			p, ofPackage := c.(*constraints.Package)
			_, rule := c.(*constraints.CEL)
			is = is || rule || ofPackage && p.Name == s.pkg || wanted[c.Key()]
			return !is
		})
		return is
	}
	var list []packageOf
	for _, p := range packagesOf(cats) {
		if p == (packageOf{s.catalog, s.pkg}) {
			continue
		}
		other, _, _ := locate(cats, &situation{catalog: p.catalog, pkg: p.name})
		if slices.ContainsFunc(other.Bundles, func(b *graph.Bundle) bool {
			return slices.ContainsFunc(b.Constraints, func(q graph.Requirement) bool { return asks(q.Constraint) })
		}) {
			list = append(list, p)
		}
	}
	return list
}

// without is the catalog before the bundle of a situation was added, and what its
// entries say that they skip.
func without(ctx context.Context, cats []resolver.Catalog, s *situation) ([]resolver.Catalog, []resolver.Forbid, error) {
	pkg, _, _ := locate(cats, s)
	decl := declarePackage(pkg)
	decl.Bundles = slices.DeleteFunc(decl.Bundles, func(b Bundle) bool { return b.Name == s.bundle })
	var skipped []resolver.Forbid
	for i := range decl.Channels {
		ch := &decl.Channels[i]
		for _, e := range ch.Entries {
			if e.Name != s.bundle {
				continue
			}
			for _, name := range e.Skips {
				skipped = append(skipped, resolver.Forbid{Bundle: resolver.BundleRef{Catalog: s.catalog, Name: name}, Message: "skipped by " + s.bundle})
			}
		}
		ch.Entries = slices.DeleteFunc(ch.Entries, func(e Entry) bool { return e.Name == s.bundle })
	}
	decl.Channels = slices.DeleteFunc(decl.Channels, func(ch Channel) bool { return len(ch.Entries) == 0 })
	small, err := (&Catalog{Key: s.catalog, Packages: []Package{decl}}).Build(ctx)
	if err != nil {
		return nil, nil, err
	}
	out := slices.Clone(cats)
	for i := range out {
		if out[i].Key != s.catalog {
			continue
		}
		packages := []*graph.Package{small.Package(s.pkg)}
		for p := range out[i].Content.Packages() {
			if p.Name != s.pkg {
				packages = append(packages, p)
			}
		}
		out[i].Content = cache.NewCatalog(packages, nil)
	}
	return out, skipped, nil
}
