package upgrade

import (
	"cmp"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
)

// Known is a request with all written down that its catalogs say of what is installed,
// and with each subscription naming what it owns: for those who go on with other
// catalogs, which may not know the bundles any more.
func Known(req resolver.Request) resolver.Request {
	best := slices.Clone(req.Catalogs)
	foreign := func(c resolver.Catalog) int {
		if c.Key.Namespace == req.Namespace {
			return 0
		}
		return 1
	}
	slices.SortFunc(best, func(a, b resolver.Catalog) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), foreign(a)-foreign(b), a.Key.Compare(b.Key))
	})
	req.Installed, req.Subscriptions = slices.Clone(req.Installed), slices.Clone(req.Subscriptions)
	named, owners := make(map[string]*resolver.Subscription), make(map[string]*resolver.Subscription)
	for i := range slices.Backward(req.Subscriptions) {
		s := &req.Subscriptions[i]
		named[s.Name], owners[s.InstalledCSV] = s, s
	}
	for i := range req.Installed {
		in := &req.Installed[i]
		if in.PackageUnknown {
			continue
		}
		if in.Properties != nil && in.Package == "" {
			if p, ok := in.Properties.Package(); ok {
				in.Package = p.Name
			}
		}
		owner := owners[in.Name]
		if owner != nil && owner.InstalledCSV != in.Name {
			owner = nil // it owns another one, as was found before
		}
		if s := named[in.Subscription]; s != nil {
			s.InstalledCSV, owner = in.Name, cmp.Or(owner, s)
		}
		if owner != nil {
			in.Package = cmp.Or(in.Package, owner.Package)
		}
		fill(in, best)
	}
	return req
}

// fill takes from the catalogs what an installed bundle does not say of itself.
func fill(in *resolver.Installed, catalogs []resolver.Catalog) {
	var found *graph.Bundle
	packages := make(map[string]bool)
	for i := range catalogs {
		c := &catalogs[i]
		if c.Content == nil || in.Catalog != (cache.Key{}) && c.Key != in.Catalog && in.Package != "" {
			continue
		}
		for _, id := range c.Content.Named(in.Name) {
			b := c.Content.Bundle(id)
			if in.Package != "" && b.Package != in.Package {
				continue
			}
			packages[b.Package] = true
			if found == nil && (in.Catalog == (cache.Key{}) || c.Key == in.Catalog) {
				found = b
			}
		}
	}
	if len(packages) > 1 || found == nil {
		return // several packages have such a bundle, or none
	}
	in.Package = found.Package
	if in.Properties == nil {
		in.Properties = &found.Properties
	}
	if _, said := in.Properties.Package(); in.Version == nil && !said && found.Quarantine == nil {
		in.Version = found.Version
	}
}
