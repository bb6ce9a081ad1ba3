package upgradetest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// additionCases lists the bundles that could have been added last.
func additionCases(_ context.Context, c *check) (list []*situation, _ int, _ error) {
	for _, p := range packagesOf(c.own) {
		pkg := p.in(c.own)
		for _, b := range pkg.Bundles {
			if c.wants(p.pkg) && isLatest(pkg, b.Name) {
				list = append(list, &situation{packageOf: p, bundle: b.Name})
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
func askAddition(ctx context.Context, q *question) *failure {
	pkg, _, b := q.s.locate(q.cats)
	if b == nil || !isLatest(pkg, b.Name) {
		return nil
	}
	near, asks := q.touched(pkg)
	if q.s.in(near) == nil {
		return nil // nothing that is asked for could want it
	}
	before, skipped, err := without(ctx, near, q.s)
	if err != nil {
		q.err = err
		return nil
	}
	for _, req := range asks(before) {
		if f := q.added(ctx, req, near, skipped); f != nil {
			return f
		}
	}
	return nil
}

// added compares what a request is answered before and after.
func (q *question) added(ctx context.Context, before resolver.Request, now []resolver.Catalog, skipped []resolver.Forbidden) *failure {
	after := before
	after.Catalogs = now
	_, conflict, _ := q.resolve(ctx, after)
	if conflict == nil {
		return nil
	}
	sol, _, _ := q.resolve(ctx, before)
	if sol == nil {
		return nil
	}
	if len(skipped) > 0 {
		said := before
		said.Forbid = append(slices.Clone(said.Forbid), skipped...)
		if sol, _, _ := q.resolve(ctx, said); sol == nil {
			return nil // it needs a version that the new bundle says it skips
		}
	}
	f := unsolvable(after, conflict, fmt.Sprintf("%s can be installed with %s in the catalog, as it could without: %s", askedFor(&before), text.Name(q.s.bundle), few(sol.Set())))
	f.at = q.s.bundle
	return f
}

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
	return strings.Join(parts, " and ")
}

// touched returns the catalogs as far as an addition matters, and the requests to
// ask: subscriptions on an empty cluster that begin with each candidate of the package
// itself, and with each candidate of others that requires something of it.
func (q *question) touched(pkg *graph.Package) ([]resolver.Catalog, func(before []resolver.Catalog) []resolver.Request) {
	all := q.base(q.cats)
	all.Subscriptions = []resolver.Subscription{{Name: q.s.pkg, Package: q.s.pkg, Catalog: q.s.catalog}}
	starts := []packageOf{q.s.packageOf}
	for _, d := range q.dependents(pkg) {
		all.Subscriptions = append(all.Subscriptions, resolver.Subscription{Package: d.pkg, Catalog: d.catalog})
		starts = append(starts, d)
	}
	near, _ := relatedTo(&all).only()
	return near, func(before []resolver.Catalog) (list []resolver.Request) {
		for _, p := range starts {
			list = append(list, q.starts(before, p)...)
		}
		return list
	}
}

// starts are subscriptions to a package: to each channel, beginning with its head
// and with each other candidate.
func (q *question) starts(cats []resolver.Catalog, p packageOf) (list []resolver.Request) {
	pkg := p.in(cats)
	if pkg == nil {
		return nil
	}
	for _, ch := range pkg.Channels {
		list = append(list, q.requestOf(cats, &situation{packageOf: p, channel: ch.Name}))
		for _, b := range ch.Candidates() {
			list = append(list, q.requestOf(cats, &situation{packageOf: p, channel: ch.Name, bundle: b.Name}))
		}
	}
	return list
}

// dependents lists the other packages that have a bundle with a constraint which a
// bundle of the situation's package satisfies.
func (q *question) dependents(pkg *graph.Package) (list []packageOf) {
	wanted := map[string]bool{}
	for _, b := range pkg.Bundles {
		for api := range b.Properties.GVKs() {
			wanted[(&constraints.GVK{GVK: api}).Key()] = true
		}
		for label := range b.Properties.Labels() {
			wanted[(&constraints.Label{Label: label}).Key()] = true
		}
	}
	asks := func(r graph.Requirement) (is bool) {
		constraints.Walk(r.Constraint, func(c constraints.Constraint) bool {
			p, ofPackage := c.(*constraints.Package)
			_, rule := c.(*constraints.CEL)
			is = is || rule || ofPackage && p.Name == pkg.Name || wanted[c.Key()]
			return !is
		})
		return is
	}
	for _, p := range packagesOf(q.cats) {
		if p != q.s.packageOf && slices.ContainsFunc(p.in(q.cats).Bundles, func(b *graph.Bundle) bool { return slices.ContainsFunc(b.Constraints, asks) }) {
			list = append(list, p)
		}
	}
	return list
}

// without is the catalog before the bundle of a situation was added, and what its
// entries say that they skip.
func without(ctx context.Context, cats []resolver.Catalog, s *situation) ([]resolver.Catalog, []resolver.Forbidden, error) {
	decl := declared.PackageOf(s.in(cats))
	decl.Bundles = slices.DeleteFunc(decl.Bundles, func(b declared.Bundle) bool { return b.Name == s.bundle })
	var skipped []resolver.Forbidden
	for i := range decl.Channels {
		ch := &decl.Channels[i]
		ch.Entries = slices.DeleteFunc(ch.Entries, func(e declared.Entry) bool {
			if e.Name != s.bundle {
				return false
			}
			for _, name := range e.Skips {
				skipped = append(skipped, resolver.Forbidden{Bundle: resolver.BundleRef{Catalog: s.catalog, Name: name}, Message: "skipped by " + s.bundle})
			}
			return true
		})
	}
	decl.Channels = slices.DeleteFunc(decl.Channels, func(ch declared.Channel) bool { return len(ch.Entries) == 0 })
	small, err := (&declared.Catalog{Key: s.catalog, Packages: []declared.Package{decl}}).Build(ctx)
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
