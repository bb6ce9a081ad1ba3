package resolver_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
)

// straightRoads counts the straight roads of drawn problems, and those with something
// about them.
type straightRoads struct{ all, none, installed, long, brings, orphans atomic.Int64 }

// TestPropertyStraightRoads: a straight road, from each bundle in each channel, is the one
// that Converge goes. One session answers all, so that each answer rests on those before.
func TestPropertyStraightRoads(t *testing.T) {
	c, r := newConverter(), resolver.New()
	var n straightRoads
	checkProperty(t, 0.15, func(p *oracle.Problem) error {
		req := c.request(p)
		req = resolver.Request{Namespace: req.Namespace, Catalogs: req.Catalogs, Cluster: req.Cluster, Policy: req.Policy}
		s, err := r.Session(context.Background(), req)
		if err != nil {
			return err
		}
		for _, cat := range req.Catalogs {
			if cat.Content == nil || cat.Unavailable != nil {
				continue
			}
			for b := range cat.Content.Bundles() {
				for _, ch := range cat.Content.Package(b.Package).Channels {
					for _, installed := range []bool{false, true} {
						if err := n.like(s, cat, ch, b, installed); err != nil {
							return fmt.Errorf("%s in channel %s of %s, installed: %v: %w", b.Name, ch.Name, cat.Key, installed, err)
						}
					}
				}
			}
		}
		return nil
	})
	t.Logf("straight roads: %d, other ones: %d", n.all.Load(), n.none.Load())
	if testkit.Long() {
		for what, count := range map[string]*atomic.Int64{"straight": &n.all, "other": &n.none, "from what is installed": &n.installed,
			"of some rounds": &n.long, "that bring more on the way": &n.brings, "that leave orphans": &n.orphans} {
			require.Greater(t, count.Load(), int64(5), "roads %s", what)
		}
	}
}

// like compares a road with the one that Converge goes.
func (n *straightRoads) like(s *resolver.Session, cat resolver.Catalog, ch *graph.Channel, b *graph.Bundle, installed bool) error {
	ctx := context.Background()
	got, err := s.StraightRoad(ctx, cat.Key, ch, b, installed, 50)
	if err != nil {
		return err
	}
	if got == nil {
		n.none.Add(1)
		return nil
	}
	req, sub := s.Request(), resolver.Subscription{Name: b.Package, Package: b.Package, Channels: []string{ch.Name}, Catalog: cat.Key}
	if installed {
		sub.InstalledCSV = b.Name
		req.Installed = []resolver.Installed{{Name: b.Name, Package: b.Package, Version: b.Version, Properties: &b.Properties, Catalog: cat.Key, Channel: ch.Name}}
	} else {
		sub.StartingCSV = b.Name
	}
	req.Subscriptions = []resolver.Subscription{sub}
	road, err := resolver.New().Converge(ctx, req, resolver.ConvergeOptions{MaxRounds: 50})
	if err != nil {
		return err
	}
	want := &resolver.StraightRoad{End: road.Final.Subscriptions[0].InstalledCSV, Rounds: len(road.Rounds)}
	if !installed {
		want.Rounds-- // to install it is no round of the road that begins there
	}
	brings := 0
	for _, round := range road.Rounds {
		if slices.ContainsFunc(round.Steps, func(s resolver.Step) bool { return s.Action == resolver.Install }) {
			brings++
		}
	}
	if road.Last == nil {
		return fmt.Errorf("the road is a loop, not %+v", got)
	}
	for _, w := range road.Last.Warnings {
		if w.Kind == resolver.WarningOrphan {
			want.Orphans = append(want.Orphans, w.Bundle)
		}
	}
	n.count(want, installed, brings)
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		return fmt.Errorf("(- Converge, + straight):\n%s", d)
	}
	return nil
}

// count counts a road.
func (n *straightRoads) count(road *resolver.StraightRoad, installed bool, brings int) {
	for count, is := range map[*atomic.Int64]bool{&n.all: true, &n.installed: installed, &n.long: road.Rounds > 1,
		&n.brings: brings > 1 || installed && brings > 0, &n.orphans: len(road.Orphans) > 0} {
		if is {
			count.Add(1)
		}
	}
}
