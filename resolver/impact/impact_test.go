package impact_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/impact"
)

// shop is a catalog in which every package has two versions. web.v2 needs db.v2; mail
// needs any db; stats.v1 tolerates nothing but db.v1.
func shop(t testing.TB) resolver.Catalog {
	t.Helper()
	var b strings.Builder
	requires := map[string]string{
		"web.v1":   `{"packageName":"db","versionRange":">=1.0.0"}`,
		"web.v2":   `{"packageName":"db","versionRange":">=2.0.0"}`,
		"mail.v1":  `{"packageName":"db","versionRange":">=1.0.0"}`,
		"mail.v2":  `{"packageName":"db","versionRange":">=1.0.0"}`,
		"stats.v1": `{"packageName":"db","versionRange":"<2.0.0"}`,
		"stats.v2": `{"packageName":"db","versionRange":">=2.0.0"}`,
	}
	for _, pkg := range []string{"db", "mail", "stats", "web"} {
		fmt.Fprintf(&b, `{"schema":"olm.package","name":%q,"defaultChannel":"x"}
{"schema":"olm.channel","package":%[1]q,"name":"x","entries":[{"name":"%[1]s.v1"},{"name":"%[1]s.v2","replaces":"%[1]s.v1"}]}
`, pkg)
		for i := 1; i <= 2; i++ {
			name, extra := fmt.Sprintf("%s.v%d", pkg, i), ""
			if r := requires[name]; r != "" {
				extra = `,{"type":"olm.package.required","value":` + r + `}`
			}
			fmt.Fprintf(&b, `{"schema":"olm.bundle","package":%q,"name":%q,"image":"i","properties":[{"type":"olm.package","value":{"packageName":%[1]q,"version":"%[3]d.0.0"}}%[4]s]}
`, pkg, name, i, extra)
		}
	}
	content, err := fbc.Read(t.Context(), strings.NewReader(b.String()), "shop", fbc.Options{})
	require.NoError(t, err)
	require.Empty(t, content.Problems())
	return resolver.Catalog{Key: cache.Key{Namespace: "n", Name: "shop"}, Content: content}
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

func upgrade(t *testing.T, req resolver.Request, targets ...impact.Target) *impact.Upgraded {
	t.Helper()
	up, err := impact.Upgrade(t.Context(), resolver.New(), req, targets)
	require.NoError(t, err)
	return up
}

func companions(up *impact.Upgraded) []string {
	out := []string{}
	for _, c := range up.Companions {
		out = append(out, c.Bundle)
	}
	return out
}

// What does not have to move stays, though there is something newer.
func TestUpgradeLeavesOthers(t *testing.T) {
	up := upgrade(t, running(t, "db", "mail", "web"), impact.Target{Subscription: "mail"})
	require.Equal(t, []string{"db.v1", "mail.v2", "web.v1"}, up.Solution.Set())
	require.Empty(t, up.Companions)
	require.Len(t, up.Besides, 2)
	require.Equal(t, "db.v2", up.Besides[0].Bundle)
}

// What the target requires comes along, with that as its reason.
func TestUpgradeBringsWhatItRequires(t *testing.T) {
	up := upgrade(t, running(t, "db", "mail", "web"), impact.Target{Subscription: "web", Version: "2.0.0"})
	require.Equal(t, []string{"db.v2", "mail.v1", "web.v2"}, up.Solution.Set())
	require.Equal(t, []string{"db.v2"}, companions(up))
	require.Equal(t, []resolver.Reason{{Bundle: "web.v2", Constraint: "package db in range >=2.0.0"}}, up.Companions[0].Because)
}

// What cannot stay beside the target comes along, and the reason is what it would
// break.
func TestUpgradeMovesWhatWouldBreak(t *testing.T) {
	up := upgrade(t, running(t, "db", "mail", "stats"), impact.Target{Subscription: "db"})
	require.Equal(t, []string{"db.v2", "mail.v1", "stats.v2"}, up.Solution.Set())
	require.Equal(t, []string{"stats.v2"}, companions(up))
	require.Equal(t, "stats.v1", up.Companions[0].Because[0].Bundle)
}

// A hold on the target does not count, a hold on another does.
func TestUpgradeAndHolds(t *testing.T) {
	req := running(t, "db", "web")
	req.Subscriptions[1].Hold = "not approved"
	require.Equal(t, []string{"db.v2", "web.v2"}, upgrade(t, req, impact.Target{Subscription: "web"}).Solution.Set())
	req = running(t, "db", "web")
	req.Subscriptions[0].Hold = "not approved"
	_, err := impact.Upgrade(t.Context(), resolver.New(), req, []impact.Target{{Subscription: "web", Version: "web.v2"}})
	var conflict *resolver.Conflict
	require.ErrorAs(t, err, &conflict)
}

// What is not installed yet waits, unless it is what is asked for.
func TestUpgradeWaits(t *testing.T) {
	req := running(t, "db")
	req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: "mail", Package: "mail"})
	require.Equal(t, []string{"db.v2"}, upgrade(t, req, impact.Target{Subscription: "db"}).Solution.Set())
	require.Equal(t, []string{"db.v1", "mail.v2"}, upgrade(t, req, impact.Target{Subscription: "mail"}).Solution.Set())
}

// Of the ways to get there, one with the fewest companions is found, whatever the
// order of the subscriptions prefers.
func TestUpgradeIsLeast(t *testing.T) {
	const blobs = `{"schema":"olm.package","name":"t","defaultChannel":"x"}
{"schema":"olm.channel","package":"t","name":"x","entries":[{"name":"t.v1"},{"name":"t.v2","replaces":"t.v1"}]}
{"schema":"olm.bundle","package":"t","name":"t.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"t","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"t","name":"t.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"t","version":"2.0.0"}},{"type":"olm.constraint","value":{"any":{"constraints":[{"package":{"packageName":"a","versionRange":"2.0.0"}},{"all":{"constraints":[{"package":{"packageName":"b","versionRange":"2.0.0"}},{"package":{"packageName":"c","versionRange":"2.0.0"}}]}}]}}}]}
`
	var b strings.Builder
	b.WriteString(blobs)
	for _, pkg := range []string{"a", "b", "c"} {
		fmt.Fprintf(&b, `{"schema":"olm.package","name":%q,"defaultChannel":"x"}
{"schema":"olm.channel","package":%[1]q,"name":"x","entries":[{"name":"%[1]s.v1"},{"name":"%[1]s.v2","replaces":"%[1]s.v1"}]}
{"schema":"olm.bundle","package":%[1]q,"name":"%[1]s.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":%[1]q,"version":"1.0.0"}}]}
{"schema":"olm.bundle","package":%[1]q,"name":"%[1]s.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":%[1]q,"version":"2.0.0"}}]}
`, pkg)
	}
	content, err := fbc.Read(t.Context(), strings.NewReader(b.String()), "c", fbc.Options{})
	require.NoError(t, err)
	req := resolver.Request{Namespace: "n", Catalogs: []resolver.Catalog{{Key: cache.Key{Namespace: "n", Name: "c"}, Content: content}}}
	for _, pkg := range []string{"a", "b", "c", "t"} { // a before b and c: it would rather stay
		req.Installed = append(req.Installed, resolver.Installed{Name: pkg + ".v1", Package: pkg})
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: pkg, Package: pkg, InstalledCSV: pkg + ".v1"})
	}
	up := upgrade(t, req, impact.Target{Subscription: "t"})
	require.Equal(t, []string{"a.v2"}, companions(up))
}

func TestUpgradeTargets(t *testing.T) {
	var target *impact.TargetError
	_, err := impact.Upgrade(t.Context(), resolver.New(), running(t, "db"), []impact.Target{{Subscription: "bd"}})
	require.ErrorAs(t, err, &target)
	require.ErrorContains(t, err, "db")
	_, err = impact.Upgrade(t.Context(), resolver.New(), running(t, "db"), []impact.Target{{Subscription: "db", Version: "7.0.0"}})
	require.ErrorAs(t, err, &target)
	require.ErrorContains(t, err, "2.0.0")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = impact.Upgrade(ctx, resolver.New(), running(t, "db"), []impact.Target{{Subscription: "db"}})
	require.ErrorIs(t, err, context.Canceled)
}

func TestNeeds(t *testing.T) {
	g, err := impact.Needs(t.Context(), resolver.New(), running(t, "db", "mail", "web"))
	require.NoError(t, err)
	require.Len(t, g.Bundles, 3)
	require.Equal(t, "db.v1", g.Bundles[0].Bundle)
	require.Empty(t, g.Bundles[0].Needs)
	require.Equal(t, []string{"db"}, g.Bundles[0].Subscriptions)
	require.Len(t, g.Bundles[0].NeededBy, 2)
	require.Equal(t, "db.v1", g.Bundles[1].Needs[0].Bundle)

	d, err := g.Drop(t.Context(), resolver.New(), "db")
	require.NoError(t, err)
	require.Equal(t, &impact.Dropped{Breaks: []string{"mail.v1", "web.v1"}, Orphans: []string{}}, d)
	d, err = g.Drop(t.Context(), resolver.New(), "web")
	require.NoError(t, err)
	require.Equal(t, &impact.Dropped{Breaks: []string{}, Orphans: []string{}}, d)
	_, err = g.Drop(t.Context(), resolver.New(), "wbe")
	require.ErrorContains(t, err, "web")
}

// Dependencies that came in by themselves are left over when the last one that needs
// them goes.
func TestDropLeavesOver(t *testing.T) {
	req := resolver.Request{Namespace: "n", Catalogs: []resolver.Catalog{shop(t)}}
	for _, pkg := range []string{"mail", "web"} {
		req.Subscriptions = append(req.Subscriptions, resolver.Subscription{Name: pkg, Package: pkg})
	}
	g, err := impact.Needs(t.Context(), resolver.New(), req)
	require.NoError(t, err)
	d, err := g.Drop(t.Context(), resolver.New(), "web")
	require.NoError(t, err)
	require.Empty(t, d.Orphans) // mail needs it still
	req.Subscriptions = req.Subscriptions[:1]
	g, err = impact.Needs(t.Context(), resolver.New(), req)
	require.NoError(t, err)
	d, err = g.Drop(t.Context(), resolver.New(), "mail")
	require.NoError(t, err)
	require.Equal(t, &impact.Dropped{Breaks: []string{}, Orphans: []string{"db.v2"}}, d)
}
