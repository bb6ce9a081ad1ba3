// Package change makes changes of requests, a function for each kind of
// [resolver.Change]: to ask a [resolver.Session] what would be if, or to make them with
// [resolver.Request.Apply].
//
//	solution, err := session.Resolve(ctx, change.PinSubscription("etcd", "etcd.v0.9.4"), change.DropSubscription("kafka"))
//
// A subject that the request does not have shows where the change is made, as a
// [*resolver.RequestError].
package change

import (
	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// AddSubscription adds a subscription after the others.
func AddSubscription(s resolver.Subscription) resolver.Change {
	return resolver.Change{Kind: resolver.AddSubscription, Subject: s.Name, NewSubscription: &s}
}

// DropSubscription drops a subscription or an extension. An installed bundle that it
// owned stays, as one that nobody owns.
func DropSubscription(name string) resolver.Change {
	return resolver.Change{Kind: resolver.DropSubscription, Subject: name}
}

// PinSubscription has a subscription met by the bundle of that name alone.
func PinSubscription(name, bundle string) resolver.Change {
	return resolver.Change{Kind: resolver.PinSubscription, Subject: name, Pin: bundle}
}

// ReleasePin takes the pin, the startingCSV and the version range off a subscription.
func ReleasePin(name string) resolver.Change {
	return resolver.Change{Kind: resolver.ReleasePin, Subject: name}
}

// ReleaseHold lets a subscription move that is held where it is.
func ReleaseHold(name string) resolver.Change {
	return resolver.Change{Kind: resolver.ReleasePin, Subject: name, Hold: true}
}

// Channel has a subscription follow another channel alone; the empty name stands
// for all channels.
func Channel(name, channel string) resolver.Change {
	return resolver.Change{Kind: resolver.ChangeChannel, Subject: name, Channel: channel}
}

// ChannelIn has a subscription follow another channel from a round of upgrades
// on, counted from 1, when the bundle named last is installed. Applying it changes
// something only if the round is the first: the others come once the rounds before them
// are carried out.
func ChannelIn(name, channel string, round int, installed string) resolver.Change {
	return resolver.Change{Kind: resolver.ChangeChannel, Subject: name, Channel: channel, Round: round, Installed: installed}
}

// AddInstalled adds an installed bundle.
func AddInstalled(in resolver.Installed) resolver.Change {
	return resolver.Change{Kind: resolver.AddInstalled, Subject: in.Name, NewInstalled: &in}
}

// RemoveInstalled removes an installed bundle. A subscription that owned it has nothing
// installed then.
func RemoveInstalled(bundle string) resolver.Change {
	return resolver.Change{Kind: resolver.RemoveInstalled, Subject: bundle}
}

// AdoptInstalled has a subscription own an installed bundle.
func AdoptInstalled(bundle, subscription string) resolver.Change {
	return resolver.Change{Kind: resolver.AdoptInstalled, Subject: bundle, Subscription: subscription}
}

// ForbidBundle keeps a bundle out of the result; the message says why.
func ForbidBundle(b resolver.BundleRef, message string) resolver.Change {
	return resolver.Change{Kind: resolver.ForbidBundle, Subject: b.Name, Catalog: b.Catalog, Message: message}
}

// AllowForbidden allows the bundles of that name again, in whichever catalog they are
// forbidden.
func AllowForbidden(bundle string) resolver.Change {
	return resolver.Change{Kind: resolver.AllowForbidden, Subject: bundle}
}

// ForceBundle wants a bundle in the result.
func ForceBundle(b resolver.BundleRef) resolver.Change {
	return resolver.Change{Kind: resolver.ForceBundle, Subject: b.Name, Catalog: b.Catalog}
}

// maxConstraint is how many bytes of a constraint's words a change repeats.
const maxConstraint = 4000

// RelaxConstraint makes a constraint of a bundle not count; nil stands for all of them.
func RelaxConstraint(b resolver.BundleRef, c constraints.Constraint) resolver.Change {
	out := resolver.Change{Kind: resolver.RelaxConstraint, Subject: b.Name, Catalog: b.Catalog, Formula: c}
	if c != nil {
		out.Constraint = text.Clip(c.String(), maxConstraint)
	}
	return out
}

// SetPriority gives a catalog another priority.
func SetPriority(catalog cache.Key, priority int) resolver.Change {
	return resolver.Change{Kind: resolver.SetPriority, Subject: catalog.String(), Catalog: catalog, Priority: priority}
}

// ReplaceCatalog puts a catalog in the place of the one of the same key, its priority
// included, or adds it.
func ReplaceCatalog(c resolver.Catalog) resolver.Change {
	return resolver.Change{Kind: resolver.ReplaceCatalog, Subject: c.Key.String(), Catalog: c.Key, NewCatalog: &c}
}
