// Package whatif asks what would be if a request were another one. It makes changes of
// requests, a function for each kind of [resolver.Change], to ask a [resolver.Session] or
// to make them with [resolver.Request.Apply]; [FindCorrections] finds the smallest changes
// after which a request that has no solution has one; and [Compare] says how two solutions
// differ.
//
//	solution, err := session.Resolve(ctx, whatif.PinSubscription("etcd", "etcd.v0.9.4"), whatif.DropSubscription("kafka"))
//
// A subject that the request does not have shows where the change is made, as a
// [*resolver.RequestError].
package whatif

import (
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// AddSubscription adds a subscription after the others.
func AddSubscription(s resolver.Subscription) resolver.Change {
	return resolver.Change{Kind: "addSubscription", Subject: s.Name, NewSubscription: &s}
}

// DropSubscription drops a subscription or an extension. An installed bundle that it
// owned stays, as one that nobody owns.
func DropSubscription(name string) resolver.Change {
	return resolver.Change{Kind: "dropSubscription", Subject: name}
}

// PinSubscription has a subscription met by the bundle of that name alone.
func PinSubscription(name, bundle string) resolver.Change {
	return resolver.Change{Kind: "pinSubscription", Subject: name, Pin: bundle}
}

// ReleasePin takes the pin, the startingCSV and the version range off a subscription.
func ReleasePin(name string) resolver.Change {
	return resolver.Change{Kind: "releasePin", Subject: name}
}

// ReleaseHold lets a subscription move that is held where it is.
func ReleaseHold(name string) resolver.Change {
	return resolver.Change{Kind: "releasePin", Subject: name, Hold: true}
}

// UseName has a subscription or an extension use a name in the place of another one: the
// name of its "package", of a "channel" or of its "catalog" (namespace/name), as the second
// argument says.
func UseName(subscription, of, from, to string) resolver.Change {
	return resolver.Change{Kind: "useName", Subject: subscription, Of: of, From: from, To: to}
}

// FollowChannel has a subscription follow another channel alone; the empty name stands
// for all channels.
func FollowChannel(name, channel string) resolver.Change {
	return resolver.Change{Kind: "changeChannel", Subject: name, Channel: channel}
}

// FollowChannelFrom has a subscription follow another channel from a round of upgrades
// on, counted from 1, when the bundle named last is installed. Applying it changes
// something only if the round is the first: the others come once the rounds before them
// are carried out.
func FollowChannelFrom(name, channel string, round int, installed string) resolver.Change {
	return resolver.Change{Kind: "changeChannel", Subject: name, Channel: channel, Round: round, Installed: installed}
}

// AddInstalled adds an installed bundle.
func AddInstalled(in resolver.Installed) resolver.Change {
	return resolver.Change{Kind: "addInstalled", Subject: in.Name, NewInstalled: &in}
}

// RemoveInstalled removes an installed bundle. A subscription that owned it has nothing
// installed then.
func RemoveInstalled(bundle string) resolver.Change {
	return resolver.Change{Kind: "removeInstalled", Subject: bundle}
}

// AdoptInstalled has a subscription own an installed bundle.
func AdoptInstalled(bundle, subscription string) resolver.Change {
	return resolver.Change{Kind: "adoptInstalled", Subject: bundle, Subscription: subscription}
}

// ForbidBundle keeps a bundle out of the result; the message says why.
func ForbidBundle(b resolver.BundleRef, message string) resolver.Change {
	return resolver.Change{Kind: "forbidBundle", Subject: b.Name, Catalog: b.Catalog, Message: message}
}

// AllowForbidden allows the bundles of that name again, in whichever catalog they are
// forbidden.
func AllowForbidden(bundle string) resolver.Change {
	return resolver.Change{Kind: "allowForbidden", Subject: bundle}
}

// MigrateStorage has the stored objects of a resource definition of the cluster migrated
// to its storage version, so that no other one is stored any more.
func MigrateStorage(crd string) resolver.Change {
	return resolver.Change{Kind: "migrateStorage", Subject: crd}
}

// ForceBundle wants a bundle in the result.
func ForceBundle(b resolver.BundleRef) resolver.Change {
	return resolver.Change{Kind: "forceBundle", Subject: b.Name, Catalog: b.Catalog}
}

// maxConstraint is how many bytes of a constraint's words a change repeats.
const maxConstraint = 4000

// RelaxConstraint makes a constraint of a bundle not count; nil stands for all of them.
func RelaxConstraint(b resolver.BundleRef, c constraints.Constraint) resolver.Change {
	out := resolver.Change{Kind: "relaxConstraint", Subject: b.Name, Catalog: b.Catalog, Formula: c}
	if c != nil {
		out.Constraint = text.Clip(c.String(), maxConstraint)
	}
	return out
}

// SetPriority gives a catalog another priority.
func SetPriority(catalog cache.Key, priority int) resolver.Change {
	return resolver.Change{Kind: "setPriority", Subject: catalog.String(), Catalog: catalog, Priority: priority}
}

// ReplaceCatalog puts a catalog in the place of the one of the same key, its priority
// included, or adds it.
func ReplaceCatalog(c resolver.Catalog) resolver.Change {
	return resolver.Change{Kind: "replaceCatalog", Subject: c.Key.String(), Catalog: c.Key, NewCatalog: &c}
}
