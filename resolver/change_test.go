package resolver_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// Every change says in words what it does, to whom and with what.
func TestChangesInWords(t *testing.T) {
	key := cache.Key{Namespace: "ns", Name: "c"}
	b := resolver.BundleRef{Name: "b.v1"}
	newer := testkit.Must(properties.ParseRange(">=1.0.0"))(t)
	for want, c := range map[string]resolver.Change{
		"drop subscription s":        resolver.DropSubscription{Subscription: "s"},
		"add subscription s":         resolver.AddSubscription{Subscription: resolver.Subscription{Name: "s", Package: "p"}},
		"pin subscription s to b.v1": resolver.PinSubscription{Subscription: "s", Bundle: "b.v1"},
		"release version range and startingCSV of subscription s":                                   resolver.ReleasePin{Subscription: "s"},
		"release the pin to b.v1, the version range >=1.0.0 and startingCSV b.v2 of subscription s": resolver.ReleasePin{Subscription: "s", Pin: "b.v1", VersionRange: ">=1.0.0", StartingCSV: "b.v2"},
		"let subscription s use package p instead of q":                                             resolver.UseName{Subscription: "s", Of: "package", From: "q", To: "p"},
		"let subscription s follow channel x instead of y":                                          resolver.UseName{Subscription: "s", Of: "channel", From: "y", To: "x"},
		"let subscription s use catalog ns/c instead of ns/d":                                       resolver.UseName{Subscription: "s", Of: "catalog", From: "ns/d", To: "ns/c"},
		"let subscription s follow channel x":                                                       resolver.FollowChannel{Subscription: "s", Channel: "x"},
		"let subscription s use every channel from round 2 on, when b.v1 is installed":              resolver.FollowChannel{Subscription: "s", Channel: "", Round: 2, Installed: "b.v1"},
		"release the hold of subscription s":                                                        resolver.ReleaseHold{Subscription: "s"},
		"let subscription s use every channel":                                                      resolver.FollowChannel{Subscription: "s", Channel: ""},
		"forbid b.v1":                                                                               resolver.ForbidBundle{Bundle: b, Message: "why"},
		"allow b.v1":                                                                                resolver.AllowForbidden{Bundle: "b.v1"},
		"force b.v1":                                                                                resolver.ForceBundle{Bundle: b},
		"add installed bundle b.v1":                                                                 resolver.AddInstalled{Installed: resolver.Installed{Name: "b.v1"}},
		"remove the installed b.v1":                                                                 resolver.RemoveInstalled{Bundle: "b.v1"},
		"let subscription s adopt the installed b.v1":                                               resolver.AdoptInstalled{Bundle: "b.v1", Subscription: "s"},
		"relax all that b.v1 requires":                                                              resolver.RelaxConstraint{Bundle: b},
		"relax what b.v1 requires: an operator with the label 'l'":                                  resolver.RelaxConstraint{Bundle: b, Constraint: &constraints.Label{Label: "l"}},
		"relax what b.v1 requires: package p in range >=1.0.0":                                      resolver.RelaxConstraint{Bundle: b, Constraint: &constraints.Package{Name: "p", Range: newer}},
		"set the priority of catalog ns/c to 7":                                                     resolver.SetPriority{Catalog: key, Priority: 7},
		"replace catalog ns/c":                                                                      resolver.ReplaceCatalog{Catalog: resolver.Catalog{Key: key}},
		`drop subscription a b`:                                                                     resolver.DropSubscription{Subscription: "a\nb"},
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
		resolver.DropSubscription{Subscription: "s"}, resolver.PinSubscription{Subscription: "s", Bundle: "b.v1"}, resolver.ReleasePin{Subscription: "s"}, resolver.ReleaseHold{Subscription: "s"},
		resolver.UseName{Subscription: "s", Of: "package", From: "p", To: "q"}, resolver.UseName{Subscription: "s", Of: "channel", From: "y", To: "x"}, resolver.UseName{Subscription: "s", Of: "catalog", From: "ns/d", To: "ns/c"},
		resolver.FollowChannel{Subscription: "s", Channel: "x"}, resolver.FollowChannel{Subscription: "s", Channel: "x", Round: 1, Installed: "b.v1"}, resolver.FollowChannel{Subscription: "s", Channel: "x", Round: 2, Installed: "b.v1"},
		resolver.ForbidBundle{Bundle: b, Message: "why"}, resolver.AllowForbidden{Bundle: "b.v3"}, resolver.ForceBundle{Bundle: b}, resolver.RemoveInstalled{Bundle: "b.v1"},
		resolver.AdoptInstalled{Bundle: "b.v1", Subscription: "s"}, resolver.RelaxConstraint{Bundle: b}, resolver.SetPriority{Catalog: b.Catalog, Priority: 7},
	} {
		want, err := req.Apply(c)
		require.NoError(t, err, c)
		got, err := req.Apply(readBack(t, c))
		require.NoError(t, err, c)
		require.Equal(t, want, got, c)
	}
	for _, c := range []resolver.Change{
		resolver.AddSubscription{Subscription: resolver.Subscription{Name: "t", Package: "p"}}, resolver.AddInstalled{Installed: resolver.Installed{Name: "b.v4"}},
		resolver.ReplaceCatalog{Catalog: req.Catalogs[0]}, resolver.RelaxConstraint{Bundle: b, Constraint: &constraints.Label{Label: "l"}},
	} {
		_, err := req.Apply(c)
		require.NoError(t, err, c)
		_, err = req.Apply(readBack(t, c))
		var invalid *resolver.RequestError
		require.ErrorAs(t, err, &invalid, c)
		require.Equal(t, "changes[0]", invalid.Problems[0].Field)
	}
}

func readBack(t *testing.T, c resolver.Change) resolver.Change {
	encoded := testkit.Must(json.Marshal(resolver.CorrectionChange{Change: c}))(t)
	var again resolver.CorrectionChange
	require.NoError(t, json.Unmarshal(encoded, &again))
	return again.Change
}

// A kind that this version does not know is printed, and not applied.
func TestUnknownChange(t *testing.T) {
	var read resolver.CorrectionChange
	require.NoError(t, json.Unmarshal([]byte(`{"kind":"improve","subject":"s","who":"author","commands":["make it so"]}`), &read))
	require.Equal(t, "improve s", read.Change.String())
	require.Equal(t, resolver.RoleAuthor, read.Who)
	_, err := resolver.Request{}.Apply(read.Change)
	require.ErrorContains(t, err, "unknown kind of change")
	require.JSONEq(t, `{"kind":"improve","subject":"s","who":"author","commands":["make it so"]}`, string(testkit.Must(json.Marshal(read))(t)))
}

// Literals without a change are an error, not a panic.
func TestNoChange(t *testing.T) {
	_, err := resolver.Request{}.Apply(nil, (&resolver.Correction{Changes: make([]resolver.CorrectionChange, 1)}).List()[0])
	require.Len(t, testkit.As[*resolver.RequestError](t, err).Problems, 2)
	require.JSONEq(t, `{"kind":"","subject":""}`, string(testkit.Must(json.Marshal(resolver.CorrectionChange{}))(t)))
}
