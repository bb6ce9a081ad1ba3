package whatif_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// Every change says in words what it does, to whom and with what.
func TestChangesInWords(t *testing.T) {
	key := cache.Key{Namespace: "ns", Name: "c"}
	b := resolver.BundleRef{Name: "b.v1"}
	newer := testkit.Must(properties.ParseRange(">=1.0.0"))(t)
	for want, c := range map[string]resolver.Change{
		"drop subscription s":        whatif.DropSubscription("s"),
		"add subscription s":         whatif.AddSubscription(resolver.Subscription{Name: "s", Package: "p"}),
		"pin subscription s to b.v1": whatif.PinSubscription("s", "b.v1"),
		"release version range and startingCSV of subscription s":                                   whatif.ReleasePin("s"),
		"release the pin to b.v1, the version range >=1.0.0 and startingCSV b.v2 of subscription s": {Kind: "releasePin", Subject: "s", Pin: "b.v1", VersionRange: ">=1.0.0", StartingCSV: "b.v2"},
		"let subscription s use package p instead of q":                                             whatif.UseName("s", "package", "q", "p"),
		"let subscription s follow channel x instead of y":                                          whatif.UseName("s", "channel", "y", "x"),
		"let subscription s use catalog ns/c instead of ns/d":                                       whatif.UseName("s", "catalog", "ns/d", "ns/c"),
		"let subscription s follow channel x":                                                       whatif.FollowChannel("s", "x"),
		"let subscription s use every channel from round 2 on, when b.v1 is installed":              whatif.FollowChannelFrom("s", "", 2, "b.v1"),
		"release the hold of subscription s":                                                        whatif.ReleaseHold("s"),
		"let subscription s use every channel":                                                      whatif.FollowChannel("s", ""),
		"forbid b.v1":                                                                               whatif.ForbidBundle(b, "why"),
		"allow b.v1":                                                                                whatif.AllowForbidden("b.v1"),
		"force b.v1":                                                                                whatif.ForceBundle(b),
		"add installed bundle b.v1":                                                                 whatif.AddInstalled(resolver.Installed{Name: "b.v1"}),
		"remove the installed b.v1":                                                                 whatif.RemoveInstalled("b.v1"),
		"let subscription s adopt the installed b.v1":                                               whatif.AdoptInstalled("b.v1", "s"),
		"relax all that b.v1 requires":                                                              whatif.RelaxConstraint(b, nil),
		"relax what b.v1 requires: an operator with the label 'l'":                                  whatif.RelaxConstraint(b, &constraints.Label{Label: "l"}),
		"relax what b.v1 requires: package p in range >=1.0.0":                                      whatif.RelaxConstraint(b, &constraints.Package{Name: "p", Range: newer}),
		"set the priority of catalog ns/c to 7":                                                     whatif.SetPriority(key, 7),
		"replace catalog ns/c":                                                                      whatif.ReplaceCatalog(resolver.Catalog{Key: key}),
		`drop subscription a b`:                                                                     whatif.DropSubscription("a\nb"),
	} {
		require.Equal(t, want, c.String())
		require.Equal(t, want, readBack(t, c).String(), "read back from JSON")
	}
}

// A change that was read back is made as before, or refused where JSON lacks what it
// needs.
func TestChangesReadBack(t *testing.T) {
	req := resolver.Request{
		Installed:     []resolver.Installed{{Name: "b.v1"}},
		Subscriptions: []resolver.Subscription{{Name: "s", Package: "p", Pin: "b.v2", Hold: "held", Channels: []string{"y"}}},
		Forbid:        []resolver.Forbidden{{Bundle: resolver.BundleRef{Name: "b.v3"}}},
		Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}}},
	}
	b := resolver.BundleRef{Catalog: cache.Key{Namespace: "ns", Name: "c"}, Name: "b.v1"}
	for _, c := range []resolver.Change{
		whatif.DropSubscription("s"), whatif.PinSubscription("s", "b.v1"), whatif.ReleasePin("s"), whatif.ReleaseHold("s"),
		whatif.UseName("s", "package", "p", "q"), whatif.UseName("s", "channel", "y", "x"), whatif.UseName("s", "catalog", "ns/d", "ns/c"),
		whatif.FollowChannel("s", "x"), whatif.FollowChannelFrom("s", "x", 1, "b.v1"), whatif.FollowChannelFrom("s", "x", 2, "b.v1"),
		whatif.ForbidBundle(b, "why"), whatif.AllowForbidden("b.v3"), whatif.ForceBundle(b), whatif.RemoveInstalled("b.v1"),
		whatif.AdoptInstalled("b.v1", "s"), whatif.RelaxConstraint(b, nil), whatif.SetPriority(b.Catalog, 7),
	} {
		want, err := req.Apply(c)
		require.NoError(t, err, c)
		got, err := req.Apply(readBack(t, c))
		require.NoError(t, err, c)
		require.Equal(t, want, got, c)
	}
	for _, c := range []resolver.Change{
		whatif.AddSubscription(resolver.Subscription{Name: "t", Package: "p"}), whatif.AddInstalled(resolver.Installed{Name: "b.v4"}),
		whatif.ReplaceCatalog(req.Catalogs[0]), whatif.RelaxConstraint(b, &constraints.Label{Label: "l"}),
	} {
		_, err := req.Apply(c)
		require.NoError(t, err, c)
		_, err = req.Apply(readBack(t, c))
		var invalid *resolver.RequestError
		require.ErrorAs(t, err, &invalid, c)
		require.Equal(t, "changes[0]", invalid.Problems[0].Field)
	}
}

func readBack(t *testing.T, c resolver.Change) (again resolver.Change) {
	encoded := testkit.Must(json.Marshal(c))(t)
	require.NoError(t, json.Unmarshal(encoded, &again))
	return again
}
