package upgrade_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// TestChannels: each channel of each catalog is reported with its head, the way there, and what has
// to move along.
func TestChannels(t *testing.T) {
	req := universe.Request(t, `
		catalog olm/one
		db/stable db.v1 db.v2 db.v3
		db/fast db.v4 replaces=db.v2 needs=lib@>=2.0.0
		db/fast db.v2
		lib/stable lib.v1
		lib/stable lib.v2 replaces=lib.v1
		catalog olm/two
		db/fast db.v2
		package db default=stable
		installed db.v1
		installed lib.v1
		subscribe db at=db.v1 in=stable
		subscribe lib at=lib.v1`)
	list := testkit.Must(upgrade.Channels(t.Context(), resolver.New(), req, "db"))(t)
	byName := make(map[string]upgrade.ChannelReport)
	var names []string
	for _, c := range list {
		names = append(names, c.Channel+" "+c.Catalog)
		byName[c.Channel+" "+c.Catalog] = c
	}
	require.Equal(t, []string{"stable olm/one", "fast olm/one", "fast olm/two"}, names)

	stable := byName["stable olm/one"]
	require.True(t, stable.Followed)
	require.Equal(t, "db.v3", stable.Head)
	require.Equal(t, "3.0.0", stable.Version)
	require.Equal(t, []string{"db.v2", "db.v3"}, stable.Path)
	require.Empty(t, stable.Along)

	fast := byName["fast olm/one"]
	require.False(t, fast.Reaches, "no entry of the channel upgrades db.v1")
	require.Contains(t, fast.Reason, "db.v4 has no update edge from db.v1")

	req.Installed[0].Name, req.Subscriptions[0].InstalledCSV = "db.v2", "db.v2"
	for _, c := range testkit.Must(upgrade.Channels(t.Context(), resolver.New(), req, "db"))(t) {
		switch c.Channel + " " + c.Catalog {
		case "fast olm/one":
			require.True(t, c.Reaches)
			require.Equal(t, []string{"db.v4"}, c.Path)
			require.Equal(t, []upgrade.Along{{Action: resolver.Upgrade, Bundle: "lib.v2", Replaces: []string{"lib.v1"}, Round: 1}}, c.Along)
		case "fast olm/two":
			require.True(t, c.Reaches)
			require.Empty(t, c.Path, "the head is installed")
		}
	}

	req.Installed, req.Subscriptions[0].InstalledCSV, req.Subscriptions[1].InstalledCSV = nil, "", ""
	for _, c := range testkit.Must(upgrade.Channels(t.Context(), resolver.New(), req, "db"))(t) {
		require.True(t, c.Reaches, c.Channel)
		require.Equal(t, []string{c.Head}, c.Path)
	}

	_, err := upgrade.Channels(t.Context(), resolver.New(), req, "bd")
	testkit.As[*upgrade.TargetError](t, err)
	_, err = upgrade.Channels(testkit.Ended(), resolver.New(), req, "db")
	require.ErrorIs(t, err, context.Canceled)
}

// TestAcross: a channel that a catalog lacks is absent there.
func TestAcross(t *testing.T) {
	old := universe.Request(t, "db/stable db.v1 db.v2\nother/x other.v1").Catalogs[0].Content
	next := universe.Request(t, "db/stable db.v2 db.v3\ndb/new db.v4 replaces=db.v3\ndb/new db.v3").Catalogs[0].Content
	version := testkit.Must(universe.Request(t, "installed db.v1 package=db version=1.0.0").Installed[0].Version, nil)(t)
	list := testkit.Must(upgrade.Across(t.Context(), resolver.New(), []upgrade.Place{{Name: "4.18", Content: old}, {Name: "4.19", Content: next}}, "db",
		&resolver.Installed{Name: "db.v1", Package: "db", Version: version}))(t)
	type row struct {
		channel, catalog, head string
		absent, reaches        bool
	}
	var rows []row
	for _, c := range list {
		rows = append(rows, row{c.Channel, c.Catalog, c.Head, c.Absent, c.Reaches})
	}
	require.ElementsMatch(t, []row{{"stable", "4.18", "db.v2", false, true}, {"stable", "4.19", "db.v3", false, false},
		{"new", "4.18", "", true, false}, {"new", "4.19", "db.v4", false, false}}, rows)
}

// TestPropertyChannels: a channel is reached exactly if following it, with nothing else upgraded
// first, can end at its head: where repeated upgrades end there, it is, and every path is made of
// upgrades that the channel has.
func TestPropertyChannels(t *testing.T) {
	first, reached, refused := int(testkit.Must(seed.Seed())(t)), 0, 0
	generator, converter, r := draw.Problem(), draw.NewConverter(), resolver.New()
	for i := range testkit.Times(150, 1500) {
		req := converter.Request(generator.Example(first + i))
		req.Policy = resolver.Policy{Dependencies: req.Policy.Dependencies}
		if len(req.Subscriptions) == 0 || len(req.Forbid)+len(req.Force) > 0 {
			continue
		}
		name := req.Subscriptions[0].Name
		list, err := upgrade.Channels(t.Context(), r, req, name)
		var invalid *resolver.RequestError
		if errors.As(err, &invalid) {
			continue
		}
		require.NoError(t, err, "seed %d", first+i)
		for _, c := range list {
			if !c.Reaches {
				refused++
				require.NotEmpty(t, c.Reason, "seed %d", first+i)
			} else if reached++; len(c.Path) > 0 {
				require.Equal(t, c.Head, c.Path[len(c.Path)-1], "seed %d", first+i)
			}
			follow := req
			follow.Subscriptions = append([]resolver.Subscription(nil), req.Subscriptions...)
			s := &follow.Subscriptions[0]
			s.Channels, s.Hold, s.Pin = []string{c.Channel}, "", ""
			for _, k := range req.Catalogs {
				if k.Key.String() == c.Catalog {
					s.Catalog = k.Key
				}
			}
			if follow.Owned()[name] == "" {
				s.StartingCSV = ""
			}
			path, err := r.Converge(t.Context(), follow, resolver.ConvergeOptions{})
			if err != nil || path.Loop {
				continue
			}
			if path.Final.Owned()[name] == c.Head && c.Head != "" {
				require.True(t, c.Reaches, "seed %d: channel %s: %s", first+i, c.Channel, c.Reason)
			}
		}
	}
	require.Greater(t, reached, 20)
	require.Greater(t, refused, 20)
}
