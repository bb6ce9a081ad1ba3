package upgradetest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
)

type packageOf struct {
	catalog cache.Key
	pkg     string
}

func (p packageOf) compare(o packageOf) int {
	return cmp.Or(p.catalog.Compare(o.catalog), strings.Compare(p.pkg, o.pkg))
}

// in finds the package in catalogs; it is nil if it is not there.
func (p packageOf) in(cats []resolver.Catalog) *graph.Package {
	for _, c := range cats {
		if c.Key == p.catalog && c.Content != nil {
			return c.Content.Package(p.pkg)
		}
	}
	return nil
}

// readable are the catalogs that have content.
func readable(cats []resolver.Catalog) []resolver.Catalog {
	return slices.DeleteFunc(slices.Clone(cats), func(c resolver.Catalog) bool { return c.Content == nil })
}

// packagesOf lists the packages of catalogs in a fixed order.
func packagesOf(cats []resolver.Catalog) []packageOf {
	var all []packageOf
	for _, c := range readable(cats) {
		for p := range c.Content.Packages() {
			all = append(all, packageOf{c.Key, p.Name})
		}
	}
	slices.SortFunc(all, packageOf.compare)
	return slices.Compact(all)
}

// related finds the packages within reach of a request: those that it names, and
// all that have a bundle which some constraint of a bundle within reach could be
// about, prohibitions included. A CEL rule may be about anything, and so may a `not`
// or an empty `all` where one bundle must satisfy the whole of a compound. No other
// package can play a part in the answer.
type related struct {
	req       *resolver.Request
	cats      []resolver.Catalog // those that have content
	found     map[packageOf]bool
	queue     []packageOf
	perBundle bool
	all       bool
}

// relatedTo starts from the packages that a request names.
func relatedTo(req *resolver.Request) *related {
	r := &related{req: req, cats: readable(req.Catalogs), found: map[packageOf]bool{},
		perBundle: req.Policy.Compounds == "PerBundle"}
	for _, s := range req.Subscriptions {
		r.addNamed(s.Package)
	}
	r.run()
	return r
}

func (r *related) addNamed(name string) {
	for c := range r.req.Packages(cache.Key{}, name) {
		r.add(packageOf{c.Key, name})
	}
}

// addIDs adds the packages of some bundles of each catalog.
func (r *related) addIDs(ids func(*cache.Catalog) []int32) {
	for _, c := range r.cats {
		for _, id := range ids(c.Content) {
			r.add(packageOf{c.Key, c.Content.Bundle(id).Package})
		}
	}
}

func (r *related) add(p packageOf) {
	if !r.found[p] {
		r.found[p] = true
		r.queue = append(r.queue, p)
	}
}

// run follows the constraints of what was found until nothing more is.
func (r *related) run() {
	for len(r.queue) > 0 && !r.all {
		p := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		for _, b := range p.in(r.cats).Bundles {
			for _, q := range b.Constraints {
				r.constraint(q.Constraint)
			}
		}
	}
	if r.all {
		for _, p := range packagesOf(r.cats) {
			r.found[p] = true
		}
	}
}

// constraint adds what a formula is about.
func (r *related) constraint(c constraints.Constraint) {
	constraints.Walk(c, func(c constraints.Constraint) bool {
		switch c := c.(type) {
		case *constraints.Package:
			r.addNamed(c.Name)
		case *constraints.GVK:
			r.addIDs(func(of *cache.Catalog) []int32 { return of.Providers(c.GVK) })
		case *constraints.Label:
			r.addIDs(func(of *cache.Catalog) []int32 { return of.Labelled(c.Label) })
		case *constraints.CEL:
			r.all = true
		case *constraints.Not:
			r.all = r.all || r.perBundle
		case *constraints.All:
			r.all = r.all || r.perBundle && len(c.Constraints) == 0
		}
		return true
	})
}

// only returns the catalogs without all other packages, and whether there are any.
func (r *related) only() ([]resolver.Catalog, bool) {
	return keepPackages(r.req.Catalogs, func(p packageOf) bool { return r.found[p] })
}

// keepPackages returns the catalogs with some of their packages, and whether that
// is less than all.
func keepPackages(cats []resolver.Catalog, keep func(packageOf) bool) (_ []resolver.Catalog, less bool) {
	out := slices.Clone(cats)
	for i := range out {
		c := &out[i]
		if c.Content == nil {
			continue
		}
		packages := slices.Collect(c.Content.Packages())
		kept := slices.DeleteFunc(slices.Clone(packages), func(p *graph.Package) bool { return !keep(packageOf{c.Key, p.Name}) })
		if len(kept) < len(packages) {
			less = true
			c.Content = cache.NewCatalog(kept, nil)
		}
	}
	return out, less
}
