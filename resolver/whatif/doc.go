// Package whatif corrects requests and compares answers. [FindCorrections] finds minimal
// corrections of an unsatisfiable request, and [Compare] compares two solutions, such as that of
// a request and that of a what-if:
//
//	solution, err := session.Resolve(ctx, resolver.PinSubscription{Subscription: "etcd", Bundle: "etcd.v0.9.4"})
package whatif
