package upgrade_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/upgrade"
)

// TestUpgradeInConflict: that the namespace as a whole has no solution does not stop an
// upgrade that has one, and is said.
func TestUpgradeInConflict(t *testing.T) {
	req := running(t, "mail", "db")
	req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: "gone", Package: "gone"})
	up := leastOf(t, req, upgrade.Target{Subscription: "mail"})
	require.Equal(t, []string{"db.v1", "mail.v2"}, up.Rounds[0].Solution.Set())
	var conflict *resolver.Conflict
	require.ErrorAs(t, up.Whole, &conflict)
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
	require.EqualError(t, err, "subscription db: it has no version 2.0.0 to choose")
	req.Subscriptions[0].Catalog, req.Subscriptions[0].Channels = cache.Key{}, []string{"y"}
	_, err = upgrade.Least(t.Context(), resolver.New(), req, []upgrade.Target{{Subscription: "db", Version: "3.0.0"}})
	require.EqualError(t, err, "subscription db: it has no version 3.0.0 to choose")
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
	d := testkit.Must(g.Drop(t.Context(), resolver.New(), "db"))(t)
	require.Equal(t, []string{"mail.v1"}, d.Breaks)
}
