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

// Follow follows bundles of one package along a channel while every first choice succeeds, which
// takes no resolution. The first argument is a *resolver.Session. The result has the bundles and
// those that they upgrade to, without quarantined ones.
//
// The result is nil if resolutions are needed: the request has more than catalogs, a cluster and
// a policy that keeps the order of channels; the resolver has hooks, a logger or metrics, which
// observe each resolution; or its limits are not ample. The error is a *resolver.IncompleteError.
//
// Package resolver sets Follow when the program starts.
var Follow func(ctx context.Context, session any, catalog cache.Key, ch *graph.Channel, bundles []*graph.Bundle) (map[*graph.Bundle]*Path, error)
