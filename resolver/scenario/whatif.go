package scenario

import (
	"cmp"
	"maps"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
)

// Apply returns the request that a what-if asks about; the base request is not
// changed (section 9 of the semantics: a what-if answers exactly as a fresh
// resolution of the changed request). The changes apply in this order:
//
//   - drop: a dropped subscription leaves the installed bundle that it owned
//     without an owner; a subscription that names a dropped installed bundle is
//     a new one;
//   - add: appended in the order given, after those of the base;
//   - pin: the subscription is met by that bundle and by no other. Where nothing
//     is installed it becomes its startingCSV, else the bundle is forced;
//   - forbid, force and priority.
//
// The error is an [*Error] for a change that cannot be read; for a scenario that
// is valid there is none.
func (w *WhatIf) Apply(base resolver.Request) (resolver.Request, error) {
	ps := &problems{origin: &origin{}}
	req := base
	req.Subscriptions = slices.Clone(base.Subscriptions)
	req.Installed = slices.Clone(base.Installed)
	req.Catalogs = slices.Clone(base.Catalogs)
	req.Forbid = slices.Clone(base.Forbid)
	req.Force = slices.Clone(base.Force)

	w.drop(&req)
	req.Installed = append(req.Installed, requestInstalled(ps, "add.installed", w.Add.Installed)...)
	req.Subscriptions = append(req.Subscriptions, requestSubscriptions(ps, "add.subscriptions", w.Add.Subscriptions)...)
	for _, name := range sortedStrings(w.Pin) {
		pin(&req, name, w.Pin[name])
	}
	req.Forbid = append(req.Forbid, requestForbid(ps, "forbid", w.Forbid)...)
	for _, name := range w.Force {
		req.Force = append(req.Force, resolver.BundleRef{Name: name})
	}
	for i := range req.Catalogs {
		if p, ok := w.Priority[req.Catalogs[i].Key.String()]; ok {
			req.Catalogs[i].Priority = p
		}
	}
	return req, ps.err()
}

// drop leaves out what the what-if drops.
func (w *WhatIf) drop(req *resolver.Request) {
	req.Subscriptions = slices.DeleteFunc(req.Subscriptions, func(s resolver.Subscription) bool {
		return slices.Contains(w.Drop.Subscriptions, s.Name)
	})
	req.Installed = slices.DeleteFunc(req.Installed, func(in resolver.Installed) bool {
		return slices.Contains(w.Drop.Installed, in.Name)
	})
	for i := range req.Installed {
		if slices.Contains(w.Drop.Subscriptions, req.Installed[i].Subscription) {
			req.Installed[i].Subscription = ""
		}
	}
}

// pin narrows a subscription to one bundle.
func pin(req *resolver.Request, subscription, bundle string) {
	i := slices.IndexFunc(req.Subscriptions, func(s resolver.Subscription) bool { return s.Name == subscription })
	if i < 0 {
		return
	}
	s := &req.Subscriptions[i]
	if !owns(req, s) {
		s.StartingCSV = bundle
		return
	}
	ref := resolver.BundleRef{Catalog: s.Catalog, Name: bundle}
	if slices.ContainsFunc(req.Installed, func(in resolver.Installed) bool { return in.Name == bundle }) {
		ref.Catalog = cache.Key{} // the installed bundle will do
	}
	req.Force = append(req.Force, ref)
}

// owns says whether a subscription owns something that is installed.
func owns(req *resolver.Request, s *resolver.Subscription) bool {
	return slices.ContainsFunc(req.Installed, func(in resolver.Installed) bool {
		return in.Subscription == s.Name || s.InstalledCSV != "" && in.Name == s.InstalledCSV
	})
}

func subscriptionNames(list []Subscription) []string {
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}

func installedNames(list []Installed) []string {
	var names []string
	for _, in := range list {
		names = append(names, in.Name)
	}
	return names
}

// sortedStrings returns the keys of a map in ascending order.
func sortedStrings[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
