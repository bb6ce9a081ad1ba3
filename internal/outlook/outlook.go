// Package outlook connects an audit with the resolver: it follows the upgrade paths of bundles where
// that takes no resolution, which is no question that users have.
package outlook

import (
	"context"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// Path is the upgrade path of a bundle that a subscription to one channel installs on an empty
// cluster.
type Path struct {
	// Next is the bundle after the first round; nil if the bundle stays.
	Next *graph.Bundle
	// End is the bundle after the last round, Rounds the number of rounds that change something,
	// and Orphans the bundles orphaned by then, by package. End is nil if finding it takes
	// resolutions.
	End     *graph.Bundle
	Rounds  int
	Orphans []string
}

// Session has what an audit needs of a resolver.Session beyond its methods.
type Session struct {
	// Follow follows bundles of one package along a channel while every first choice succeeds, which
	// takes no resolution. The result has the bundles and those that they upgrade to, without
	// quarantined ones.
	//
	// The result is nil if resolutions are needed: the request has more than catalogs, a cluster and
	// a policy that keeps the order of channels; the resolver has hooks, a logger or metrics, which
	// observe each resolution; or its limits are not ample. The error is a
	// *resolver.IncompleteError.
	Follow func(ctx context.Context, catalog cache.Key, ch *graph.Channel, bundles []*graph.Bundle) (map[*graph.Bundle]*Path, error)
	// Ample is set if no resolution of the catalogs can exceed the limit on bundles, and the limit
	// on CEL cost is at least the default.
	Ample bool
}

// sessionKey is the key of a *Session in a context.
type sessionKey struct{}

// Into returns a context in which resolver.Resolver.Session sets a Session.
func Into(ctx context.Context, s *Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// Of returns the Session to set, or nil.
func Of(ctx context.Context) *Session {
	s, _ := ctx.Value(sessionKey{}).(*Session)
	return s
}
