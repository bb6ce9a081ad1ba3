package resolver_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// orderMatters is a road on which two dependencies move at the same time, to bundles that
// lack something each: which is asked first decides what comes.
const orderMatters = `
web/stable web.v1 needs=north@<2.0.0 needs=east@<2.0.0
web/stable web.v2 replaces=web.v1
east/stable east.v1
east/stable east.v2 replaces=east.v1 needs=Disk
north/stable north.v1
north/stable north.v2 replaces=north.v1 needs=zip@>=1.0.0
disk/stable disk.v1 provides=Disk
zip/stable zip.v1
zip/stable zip.v2 replaces=zip.v1 provides=Disk
`

func TestStraightRoads(t *testing.T) {
	road := func(end string, rounds int, orphans ...string) *resolver.StraightRoad {
		return &resolver.StraightRoad{End: end, Rounds: rounds, Orphans: orphans}
	}
	tests := []struct {
		name, universe string
		rounds         int
		request        func(*resolver.Request)
		options        []resolver.Option
		want           *resolver.StraightRoad // from web.v1
	}{
		{name: "alone", universe: "web/stable web.v1 web.v2 web.v3", want: road("web.v3", 2)},
		{name: "as many rounds as may be", universe: "web/stable web.v1 web.v2 web.v3", rounds: 2, want: road("web.v3", 2)},
		{name: "a loop", universe: "web/stable web.v1 range=>=2.0.0\nweb/stable web.v2 replaces=web.v1"},
		{name: "more rounds than may be", universe: "web/stable web.v1 web.v2 web.v3", rounds: 1},
		{
			name: "a dependency moves on, and its own stays behind",
			universe: "web/stable web.v1 needs=db@<2.0.0\nweb/stable web.v2 replaces=web.v1 needs=db@>=1.0.0\n" +
				"db/stable db.v1 needs=Disk\ndb/stable db.v2 replaces=db.v1\ndisk/stable disk.v1 provides=Disk",
			want: road("web.v2", 1, "disk.v1"),
		},
		{
			name:     "the best candidate is barred",
			universe: "web/stable web.v1 needs=Disk\nada/stable ada.v1 provides=Disk barred\nbob/stable bob.v1 provides=Disk",
			want:     road("web.v1", 0),
		},
		{name: "the best candidate is taken up by another", universe: "web/stable web.v1 needs=Disk needs=Net\n" +
			"ada/stable ada.v1 provides=Disk\nbob/stable bob.v1 provides=Disk provides=Net"},
		{name: "which comes first decides", universe: orderMatters},
		{name: "two of one name", universe: "web/stable web.v1 needs=db@>=1.0.0\ncatalog test/two 0\ndb/stable web.v1"},
		{name: "nothing to have", universe: "web/stable web.v1 needs=Disk"},
		{name: "an any", universe: "web/stable web.v1\nrequire web.v1 any(db@>=1.0.0, Disk)\ndb/stable db.v1"},
		{name: "a not", universe: "web/stable web.v1\nrequire web.v1 not(db@>=1.0.0)\ndb/stable db.v1"},
		{name: "a rule", universe: "web/stable web.v1\nrequire web.v1 cel(true)"},
		{name: "an all", universe: "web/stable web.v1\nrequire web.v1 all(db@>=1.0.0, Disk)\ndb/stable db.v1 provides=Disk", want: road("web.v1", 0)},
		{
			name: "something is forbidden", universe: "web/stable web.v1\ndb/stable db.v1",
			request: func(req *resolver.Request) {
				req.Forbid = []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: "db.v1"}}}
			},
		},
		{
			name: "hooks look on", universe: "web/stable web.v1",
			options: []resolver.Option{resolver.WithHooks(trace.Hooks{Decided: func(context.Context, trace.Decision) {}})},
		},
		{
			name: "resolving might reach too much", universe: "web/stable web.v1\ndb/stable db.v1",
			options: []resolver.Option{resolver.WithLimits(resolver.Limits{Bundles: 2})},
		},
		{
			name: "resolving cannot reach too much", universe: "web/stable web.v1\ndb/stable db.v1",
			options: []resolver.Option{resolver.WithLimits(resolver.Limits{Bundles: 3})}, want: road("web.v1", 0),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			req := universe.Request(t, test.universe)
			if test.request != nil {
				test.request(&req)
			}
			s, err := resolver.New(test.options...).Session(t.Context(), req)
			require.NoError(t, err)
			if test.rounds == 0 {
				test.rounds = 10
			}
			for range 2 { // the second from what is known by then
				got, err := fromWeb(t.Context(), s, test.rounds)
				require.NoError(t, err)
				require.Equal(t, test.want, got)
			}
		})
	}
}

// fromWeb goes the road from web.v1.
func fromWeb(ctx context.Context, s *resolver.Session, rounds int) (*resolver.StraightRoad, error) {
	c := s.Request().Catalogs[0]
	web := c.Content.Package("web")
	return s.StraightRoad(ctx, c.Key, web.Channel("stable"), web.Bundle("web.v1"), false, rounds)
}

// TestStraightRoadStops: a context that ends is an error, and what was left half known by
// it does no harm to the next road.
func TestStraightRoadStops(t *testing.T) {
	var many strings.Builder
	many.WriteString("web/stable web.v1 needs=a0@>=1.0.0\n")
	for i := range 2000 {
		fmt.Fprintf(&many, "a%[1]d/stable a%[1]d.v1 needs=a%[2]d@>=1.0.0\n", i, i+1)
	}
	many.WriteString("a2000/stable a2000.v1\n")
	s, err := resolver.New().Session(t.Context(), universe.Request(t, many.String()))
	require.NoError(t, err)
	growth.StopsAnywhere(t, func(ctx context.Context) error {
		road, err := fromWeb(ctx, s, 10)
		if err == nil {
			require.Equal(t, &resolver.StraightRoad{End: "web.v1"}, road)
		}
		return err
	})
}

// Nothing has to be resolved to see where a subscription to collector leads.
func ExampleSession_StraightRoad() {
	session, err := resolver.New().Session(context.Background(), request())
	if err != nil {
		fmt.Println(err)
		return
	}
	catalog := session.Request().Catalogs[0]
	collector := catalog.Content.Package("collector")
	road, err := session.StraightRoad(context.Background(), catalog.Key, collector.Channel("stable"), collector.Bundle("collector.v1"), false, 10)
	if err != nil || road == nil {
		fmt.Println("not straight:", err)
		return
	}
	fmt.Println(road.End, "after", road.Rounds, "rounds")
	// Output: collector.v3 after 2 rounds
}
