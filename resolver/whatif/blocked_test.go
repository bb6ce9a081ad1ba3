package whatif_test

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// TestBlockedCandidates: what channels offer as an upgrade, and what is no candidate, has the reason
// as well: it is outside of the range, deprecated, broken, or absent from the catalog.
func TestBlockedCandidates(t *testing.T) {
	const (
		entry = "catalog olm/c\na/s a.v1\na/s a.v2 replaces=a.v1 %s\n%s\ninstalled a.v1\nsubscribe a in=s at=a.v1 %s"
		none  = "-"
	)
	for name, c := range map[string]struct {
		entry, line, subscription string // words about a.v2, a line and words about the subscription
		policy                    resolver.Policy
		want                      string
		olmv1                     string // of an extension, where that differs
	}{
		"outside of the range": {subscription: "range=<2.0.0", want: "a.v2 has version 2.0.0, outside <2.0.0"},
		"broken":               {entry: "flawed", want: "a.v2 is ignored, because the catalog is broken: "},
		"barred":               {entry: "barred", want: "a.v2 is marked olm.deprecated"},
		"avoided": {line: "deprecated a.v2 it loses data", policy: resolver.Policy{Deprecations: resolver.DeprecationsAvoid},
			want: "a.v1 is selected instead, because the other one is deprecated", olmv1: "a.v2 is deprecated, and OLM v1 selects a.v1, which is not"},
		"only listed":        {entry: "virtual", want: "channel s lists it, but the catalog has no such bundle", olmv1: none},
		"change little":      {subscription: "range=<2.0.0", policy: resolver.Policy{Goal: resolver.MinimalChange}, want: none},
		"the oldest is best": {subscription: "range=<2.0.0", policy: resolver.Policy{Goal: resolver.Oldest}, want: none},
	} {
		for _, extension := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, extension %t", name, extension), func(t *testing.T) {
				req := universe.Request(t, fmt.Sprintf(entry, "", "", c.subscription))
				req.Catalogs = universe.Catalogs(t, fmt.Sprintf(entry, c.entry, c.line, "")) // which may be broken
				req.Policy = c.policy
				want := c.want
				if extension {
					s := req.Subscriptions[0]
					req.Extensions = []resolver.Extension{{Name: "a", Package: "a", Channels: s.Channels, InstalledCSV: "a.v1", VersionRange: s.VersionRange.String()}}
					req.Subscriptions, want = nil, cmp.Or(c.olmv1, want)
				}
				sol := testkit.Must(resolver.New().Resolve(t.Context(), req))(t)
				list := testkit.Must(whatif.FindBlocked(t.Context(), resolver.New(), req, sol))(t)
				if want == none {
					require.Empty(t, list)
					return
				}
				require.Len(t, list, 1)
				require.Equal(t, []string{"a", "a.v1", "a.v2"}, []string{list[0].Subscription, list[0].Installed, list[0].Bundle})
				require.Contains(t, list[0].Text, want)
			})
		}
	}
}

// TestBlocked: a subscription or an extension that does not get its best candidate has the reason,
// whether it stays or moves, and also where policy "Partial" leaves something else out; one on
// hold, or at the head of its channel, has nothing to explain.
func TestBlocked(t *testing.T) {
	const catalog = `
		catalog olm/c
		etcd/s etcd.v1
		etcd/s etcd.v2 replaces=etcd.v1 skips=etcd.v0 needs=db@>=2.0.0
		db/s db.v1
		installed etcd.v1
		installed db.v1
		subscribe db at=db.v1
		subscribe etcd at=etcd.v1`
	const between = `
		catalog olm/c
		etcd/s etcd.v1 etcd.v2
		etcd/s etcd.v3 replaces=etcd.v2 skips=etcd.v1 needs=db@>=2.0.0
		db/s db.v1
		installed etcd.v1
		installed db.v1
		subscribe db at=db.v1
		subscribe etcd at=etcd.v1`
	plan := func(req *resolver.Request) {
		req.Policy.Dependencies = resolver.DependenciesPlan
		for _, s := range req.Subscriptions {
			req.Extensions = append(req.Extensions, resolver.Extension{Name: s.Name, Package: s.Package, InstalledCSV: s.InstalledCSV})
		}
		req.Subscriptions = nil
	}
	none := func(*resolver.Request) {}
	for name, c := range map[string]struct {
		problem string
		change  func(*resolver.Request)
		want    []string
	}{
		"stays":     {catalog, none, []string{"etcd", "etcd.v1", "etcd.v2", "etcd.v2 requires package db in range >=2.0.0"}},
		"moves":     {between, none, []string{"etcd", "etcd.v1", "etcd.v3", "etcd.v3 requires package db in range >=2.0.0"}},
		"extension": {between, plan, []string{"etcd", "etcd.v1", "etcd.v3", "etcd.v3 requires package db in range >=2.0.0"}},
		"partial": {between + `
		subscribe nope`, func(req *resolver.Request) { req.Policy.Failures = resolver.FailuresPartial },
			[]string{"etcd", "etcd.v1", "etcd.v3", "etcd.v3 requires package db in range >=2.0.0"}},
		"partial and broken": {between + `
		far/s far.v1 needs=away@>=1.0.0
		installed far.v1`, func(req *resolver.Request) { req.Policy.Failures = resolver.FailuresPartial },
			[]string{"etcd", "etcd.v1", "etcd.v3", "etcd.v3 requires package db in range >=2.0.0"}},
		"held": {catalog + " hold", none, nil},
	} {
		t.Run(name, func(t *testing.T) {
			req := universe.Request(t, c.problem)
			c.change(&req)
			sol := testkit.Must(resolver.New().Resolve(t.Context(), req))(t)
			list := testkit.Must(whatif.FindBlocked(t.Context(), resolver.New(), req, sol))(t)
			if c.want == nil {
				require.Empty(t, list)
				return
			}
			require.Len(t, list, 1)
			require.Equal(t, c.want, []string{list[0].Subscription, list[0].Installed, list[0].Bundle, list[0].Text})
			require.NotNil(t, list[0].Conflict)
		})
	}
}
