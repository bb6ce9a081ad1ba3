package upgrade_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// shop is a catalog in which every package has two versions. web.v2 needs db.v2; mail
// needs any db; stats.v1 tolerates nothing but db.v1.
func shop(t testing.TB) resolver.Catalog {
	return universe.Catalogs(t, `
		catalog n/shop
		db/x db.v1 db.v2
		web/x web.v1 needs=db@>=1.0.0
		web/x web.v2 replaces=web.v1 needs=db@>=2.0.0
		mail/x mail.v1 needs=db@>=1.0.0
		mail/x mail.v2 replaces=mail.v1 needs=db@>=1.0.0
		stats/x stats.v1 needs=db@<2.0.0
		stats/x stats.v2 replaces=stats.v1 needs=db@>=2.0.0`)[0]
}

// running is the shop with the first version of some packages installed.
func running(t testing.TB, packages ...string) resolver.Request {
	req := resolver.Request{Namespace: "n", Catalogs: []resolver.Catalog{shop(t)}}
	for _, pkg := range packages {
		req.Installed = append(req.Installed, resolver.Installed{Name: pkg + ".v1", Package: pkg})
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: pkg, Package: pkg, InstalledCSV: pkg + ".v1"})
	}
	return req
}

func leastOf(t *testing.T, req resolver.Request, targets ...upgrade.Target) *upgrade.Upgraded {
	return testkit.Must(upgrade.Least(t.Context(), resolver.New(), req, targets))(t)
}

func TestUpgradeTargets(t *testing.T) {
	_, err := upgrade.Least(t.Context(), resolver.New(), running(t, "db"), []upgrade.Target{{Subscription: "bd"}})
	target := testkit.As[*upgrade.TargetError](t, err)
	require.ErrorContains(t, err, "db")
	_, err = upgrade.Least(t.Context(), resolver.New(), running(t, "db"), []upgrade.Target{{Subscription: "db", Version: "7.0.0"}})
	require.ErrorAs(t, err, &target)
	require.ErrorContains(t, err, "2.0.0")
	held := running(t, "db", "web")
	held.Subscriptions[0].Hold = "not approved"
	_, err = upgrade.Least(t.Context(), resolver.New(), held, []upgrade.Target{{Subscription: "web", Version: "web.v2"}})
	testkit.As[*resolver.Conflict](t, err)
	_, err = upgrade.Least(testkit.Ended(), resolver.New(), running(t, "db"), []upgrade.Target{{Subscription: "db"}})
	require.ErrorIs(t, err, context.Canceled)
}

func TestNeeds(t *testing.T) {
	g := testkit.Must(upgrade.Needs(t.Context(), resolver.New(), running(t, "db", "mail", "web")))(t)
	require.Len(t, g.Bundles, 3)
	require.Equal(t, "db.v1", g.Bundles[0].Bundle)
	require.Empty(t, g.Bundles[0].Needs)
	require.Equal(t, []string{"db"}, g.Bundles[0].Subscriptions)
	require.Len(t, g.Bundles[0].NeededBy, 2)
	require.Equal(t, "db.v1", g.Bundles[1].Needs[0].Bundle)

	d := testkit.Must(g.Drop(t.Context(), resolver.New(), "db"))(t)
	require.Equal(t, &upgrade.Dropped{Breaks: []string{"mail.v1", "web.v1"}, Orphans: []string{}}, d)
	d = testkit.Must(g.Drop(t.Context(), resolver.New(), "web"))(t)
	require.Equal(t, &upgrade.Dropped{Breaks: []string{}, Orphans: []string{}}, d)
	_, err := g.Drop(t.Context(), resolver.New(), "wbe")
	require.ErrorContains(t, err, "web")
}

// Dependencies that came in by themselves are left over when the last one that needs
// them goes.
func TestDropLeavesOver(t *testing.T) {
	req := resolver.Request{Namespace: "n", Catalogs: []resolver.Catalog{shop(t)}}
	for _, pkg := range []string{"mail", "web"} {
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: pkg, Package: pkg})
	}
	g := testkit.Must(upgrade.Needs(t.Context(), resolver.New(), req))(t)
	d := testkit.Must(g.Drop(t.Context(), resolver.New(), "web"))(t)
	require.Empty(t, d.Orphans) // mail needs it still
	req.Subscriptions = req.Subscriptions[:1]
	g = testkit.Must(upgrade.Needs(t.Context(), resolver.New(), req))(t)
	d = testkit.Must(g.Drop(t.Context(), resolver.New(), "mail"))(t)
	require.Equal(t, &upgrade.Dropped{Breaks: []string{}, Orphans: []string{"db.v2"}}, d)
}

// TestUpgradeInConflict: that the namespace as a whole has no solution does not stop an
// upgrade that has one, and is said.
func TestUpgradeInConflict(t *testing.T) {
	req := running(t, "mail", "db")
	req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: "gone", Package: "gone"})
	up := leastOf(t, req, upgrade.Target{Subscription: "mail"})
	require.Equal(t, []string{"db.v1", "mail.v2"}, up.Rounds[0].Solution.Set())
	testkit.As[*resolver.Conflict](t, up.Whole)
	require.Empty(t, up.Besides)
}

// TestUpgradeTo: a target may name what is installed, and is looked for where its
// subscription looks.
func TestUpgradeTo(t *testing.T) {
	require.Equal(t, []string{"db.v1"}, leastOf(t, running(t, "db"), upgrade.Target{Subscription: "db", Version: "db.v1"}).Rounds[0].Solution.Set())

	req := running(t, "db")
	req.Catalogs = append(req.Catalogs, resolver.Catalog{Key: cache.Key{Namespace: "n", Name: "empty"}, Content: cache.NewCatalog(nil, nil)})
	req.Subscriptions[0].Catalog = cache.Key{Namespace: "n", Name: "empty"}
	_, err := upgrade.Least(t.Context(), resolver.New(), req, []upgrade.Target{{Subscription: "db", Version: "2.0.0"}})
	testkit.As[*upgrade.TargetError](t, err)
	require.EqualError(t, err, "subscription db: no candidate has version 2.0.0")
	req.Subscriptions[0].Catalog, req.Subscriptions[0].Channels = cache.Key{}, []string{"y"}
	_, err = upgrade.Least(t.Context(), resolver.New(), req, []upgrade.Target{{Subscription: "db", Version: "3.0.0"}})
	require.EqualError(t, err, "subscription db: no candidate has version 3.0.0")
	_, err = upgrade.Least(t.Context(), resolver.New(), req, []upgrade.Target{{Subscription: "db", Version: "2.0.0"}})
	var refused *upgrade.RefusedError
	require.ErrorAs(t, err, &refused, "another channel has it")
}

// TestErrorsOfTheResolver come back as they are: an invalid request, a limit.
func TestErrorsOfTheResolver(t *testing.T) {
	twice := running(t, "db", "db")
	_, err := upgrade.Needs(t.Context(), resolver.New(), twice)
	invalid := testkit.As[*resolver.RequestError](t, err)
	_, err = upgrade.Least(t.Context(), resolver.New(), twice, []upgrade.Target{{Subscription: "db"}})
	require.ErrorAs(t, err, &invalid)

	tight := resolver.New(resolver.WithLimits(resolver.Limits{Bundles: 1}))
	_, err = upgrade.Least(t.Context(), tight, running(t, "db", "mail"), []upgrade.Target{{Subscription: "db", Version: "2.0.0"}})
	testkit.As[*resolver.IncompleteError](t, err)
}

// TestDropOfWhatIsShared: an operator that another subscription owns as well stays, and
// one that is taking over counts for what it takes over from.
func TestDropOfWhatIsShared(t *testing.T) {
	req := running(t, "db", "mail")
	req.Subscriptions[0].InstalledCSV = "" // owned by what the bundle says
	req.Installed[0].Subscription = "db"
	req.Installed = append(req.Installed, resolver.Installed{Name: "db.v2", Package: "db"})
	req.Installed[0].ReplacedBy = "db.v2"
	g := testkit.Must(upgrade.Needs(t.Context(), resolver.New(), req))(t)
	require.Equal(t, []string{"mail.v1"}, testkit.Must(g.Drop(t.Context(), resolver.New(), "db"))(t).Breaks)
}
