package upgrade_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// TestUpgradeOfExtensions: an extension goes to a version in as many rounds as that takes, and
// the others stay; where no upgrade leads there, a conflict says why.
func TestUpgradeOfExtensions(t *testing.T) {
	req := universe.Request(t, `
		catalog olm/c
		a/s a.v1 a.v2 a.v3 a.v4
		b/s b.v1 b.v2
		installed a.v1
		installed b.v1`)
	req.Subscriptions = nil
	req.Extensions = []resolver.Extension{{Name: "a", Package: "a", InstalledCSV: "a.v1"}, {Name: "b", Package: "b", InstalledCSV: "b.v1"}}
	for version, want := range map[string][]string{"": {"1 a.v2"}, "3.0.0": {"1 a.v2", "2 a.v3"}, "a.v4": {"1 a.v2", "2 a.v3", "3 a.v4"}} {
		up := leastOf(t, req, upgrade.Target{Subscription: "a", Version: version})
		require.Equal(t, want, moves(up), version)
	}
	_, err := upgrade.Least(t.Context(), resolver.New(), req, []upgrade.Target{{Subscription: "c"}})
	require.ErrorContains(t, err, "there is no such extension")
	_, err = upgrade.Least(t.Context(), resolver.New(), req, []upgrade.Target{{Subscription: "a", Version: "9.0.0"}})
	testkit.As[*upgrade.TargetError](t, err)
	req.Extensions[0].InstalledCSV, req.Installed[0].Name = "a.v3", "a.v3"
	_, err = upgrade.Least(t.Context(), resolver.New(), req, []upgrade.Target{{Subscription: "a", Version: "2.0.0"}})
	testkit.As[*resolver.Conflict](t, err)
}
