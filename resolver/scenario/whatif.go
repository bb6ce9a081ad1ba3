package scenario

import (
	"maps"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
)

// Apply returns the request of a what-if, with its changes applied in the order drop, add, pin,
// forbid, force, priority. The base request does not change. (Section 9 of the semantics: a
// what-if has the same answer as a new resolution of the changed request.)
//
// The error is an [*Error] for an invalid change, which a valid scenario never has, or a
// [*resolver.RequestError].
func (w *WhatIf) Apply(base resolver.Request) (resolver.Request, error) {
	ps := &problems{origin: &origin{}}
	var changes []resolver.Change
	for _, name := range w.Drop.Subscriptions {
		changes = append(changes, resolver.DropSubscription{Subscription: name})
	}
	for _, name := range w.Drop.Installed {
		changes = append(changes, resolver.RemoveInstalled{Bundle: name})
	}
	for _, rule := range w.Drop.Veto {
		changes = append(changes, resolver.RelaxPolicy{Rule: rule})
	}
	for _, s := range requestSubscriptions(ps, "add.subscriptions", w.Add.Subscriptions) {
		changes = append(changes, resolver.AddSubscription{Subscription: s})
	}
	for _, in := range requestInstalled(ps, "add.installed", w.Add.Installed) {
		changes = append(changes, resolver.AddInstalled{Installed: in})
	}
	for _, rule := range w.Add.Veto {
		changes = append(changes, resolver.RestrictPolicy{Rule: rule})
	}
	for _, name := range slices.Sorted(maps.Keys(w.Pin)) {
		changes = append(changes, resolver.PinSubscription{Subscription: name, Bundle: w.Pin[name]})
	}
	for _, f := range requestForbid(ps, "forbid", w.Forbid) {
		changes = append(changes, resolver.ForbidBundle(f))
	}
	for _, name := range w.Force {
		changes = append(changes, resolver.ForceBundle{Bundle: resolver.BundleRef{Name: name}})
	}
	for _, text := range slices.Sorted(maps.Keys(w.Priority)) {
		key, err := cache.ParseKey(text)
		if err != nil {
			ps.add("priority", "%v", err)
		}
		changes = append(changes, resolver.SetPriority{Catalog: key, Priority: w.Priority[text]})
	}
	if err := ps.err(); err != nil {
		return base, err
	}
	return base.Apply(changes...)
}
