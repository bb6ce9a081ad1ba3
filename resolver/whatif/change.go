// Package whatif modifies requests and compares answers. It has a constructor for each kind of
// [resolver.Change], for use with a [resolver.Session] or [resolver.Request.Apply].
// [FindCorrections] finds minimal corrections of an unsatisfiable request, and [Compare]
// compares two solutions.
//
//	solution, err := session.Resolve(ctx, whatif.PinSubscription("etcd", "etcd.v0.9.4"), whatif.DropSubscription("kafka"))
//
// If the request has no such subject, applying the change returns a [*resolver.RequestError].
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

// DropSubscription removes a subscription or an extension. Its installed bundle stays, without
// an owner.
func DropSubscription(name string) resolver.Change {
	return resolver.Change{Kind: "dropSubscription", Subject: name}
}

// PinSubscription restricts a subscription to the bundle of that name.
func PinSubscription(name, bundle string) resolver.Change {
	return resolver.Change{Kind: "pinSubscription", Subject: name, Pin: bundle}
}

// ReleasePin removes the pin, the startingCSV and the version range of a subscription.
func ReleasePin(name string) resolver.Change {
	return resolver.Change{Kind: "releasePin", Subject: name}
}

// ReleaseHold removes the hold of a subscription.
func ReleaseHold(name string) resolver.Change {
	return resolver.Change{Kind: "releasePin", Subject: name, Hold: true}
}

// UseName replaces a name that a subscription or an extension uses. The second argument is the
// kind of name: "package", "channel" or "catalog" (namespace/name).
func UseName(subscription, of, from, to string) resolver.Change {
	return resolver.Change{Kind: "useName", Subject: subscription, Of: of, From: from, To: to}
}

// FollowChannel restricts a subscription to one channel; the empty name means all channels.
func FollowChannel(name, channel string) resolver.Change {
	return resolver.Change{Kind: "changeChannel", Subject: name, Channel: channel}
}

// FollowChannelFrom changes the channel of a subscription in a round of an upgrade path, counted
// from 1, when the bundle named last is installed. Applying a change of a later round than the
// first has no effect.
func FollowChannelFrom(name, channel string, round int, installed string) resolver.Change {
	return resolver.Change{Kind: "changeChannel", Subject: name, Channel: channel, Round: round, Installed: installed}
}

// AddInstalled adds an installed bundle.
func AddInstalled(in resolver.Installed) resolver.Change {
	return resolver.Change{Kind: "addInstalled", Subject: in.Name, NewInstalled: &in}
}

// RemoveInstalled removes an installed bundle. A subscription that owned it owns nothing then.
func RemoveInstalled(bundle string) resolver.Change {
	return resolver.Change{Kind: "removeInstalled", Subject: bundle}
}

// AdoptInstalled makes a subscription the owner of an installed bundle.
func AdoptInstalled(bundle, subscription string) resolver.Change {
	return resolver.Change{Kind: "adoptInstalled", Subject: bundle, Subscription: subscription}
}

// ForbidBundle excludes a bundle; message is the reason.
func ForbidBundle(b resolver.BundleRef, message string) resolver.Change {
	return resolver.Change{Kind: "forbidBundle", Subject: b.Name, Catalog: b.Catalog, Message: message}
}

// RestrictPolicy adds a rule to the policy.
func RestrictPolicy(rule resolver.VetoRule) resolver.Change {
	return resolver.Change{Kind: "restrictPolicy", Subject: rule.Rule, Message: rule.Message}
}

// RelaxPolicy removes a rule of the policy; it is the text of the rule.
func RelaxPolicy(rule string) resolver.Change {
	return resolver.Change{Kind: "relaxPolicy", Subject: rule}
}

// AllowForbidden allows the bundles of that name again, in any catalog.
func AllowForbidden(bundle string) resolver.Change {
	return resolver.Change{Kind: "allowForbidden", Subject: bundle}
}

// MigrateStorage migrates the stored objects of a resource definition to its storage version, so
// that no other version is stored.
func MigrateStorage(crd string) resolver.Change {
	return resolver.Change{Kind: "migrateStorage", Subject: crd}
}

// ForceBundle forces a bundle into the result.
func ForceBundle(b resolver.BundleRef) resolver.Change {
	return resolver.Change{Kind: "forceBundle", Subject: b.Name, Catalog: b.Catalog}
}

// maxConstraint is the maximum length of the text of a constraint, in bytes.
const maxConstraint = 4000

// RelaxConstraint ignores a constraint of a bundle; nil means all of its constraints.
func RelaxConstraint(b resolver.BundleRef, c constraints.Constraint) resolver.Change {
	out := resolver.Change{Kind: "relaxConstraint", Subject: b.Name, Catalog: b.Catalog, Formula: c}
	if c != nil {
		out.Constraint = text.Clip(c.String(), maxConstraint)
	}
	return out
}

// SetPriority changes the priority of a catalog.
func SetPriority(catalog cache.Key, priority int) resolver.Change {
	return resolver.Change{Kind: "setPriority", Subject: catalog.String(), Catalog: catalog, Priority: priority}
}

// ReplaceCatalog replaces the catalog of the same key, including its priority, or adds the
// catalog.
func ReplaceCatalog(c resolver.Catalog) resolver.Change {
	return resolver.Change{Kind: "replaceCatalog", Subject: c.Key.String(), Catalog: c.Key, NewCatalog: &c}
}
