package scenario_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// base is the request that the what-ifs of TestWhatIf change.
const base = `
namespace: ns
catalogs: [{name: c, blobs: []}, {name: d, blobs: [], priority: 1}]
installed: [{name: a.v1, package: a}, {name: b.v1, package: b}]
subscriptions: [{name: a, package: a, installedCSV: a.v1}, {name: b, package: b}]
forbid: [{bundle: x.v1}]
`

// shown returns a request without the content of its catalogs.
func shown(r resolver.Request) string {
	catalogs := slices.Clone(r.Catalogs)
	for i := range catalogs {
		catalogs[i].Content = nil
	}
	r.Catalogs = catalogs
	return fmt.Sprintf("%+v", r)
}

// TestWhatIf checks the changed request for each key of the format.
func TestWhatIf(t *testing.T) {
	key := func(name string) cache.Key { return cache.Key{Namespace: "ns", Name: name} }
	for name, tc := range map[string]struct {
		whatif string
		change func(*resolver.Request)
	}{
		"nothing": {"", func(*resolver.Request) {}},
		"drop a subscription": {"drop: {subscriptions: [a]}", func(r *resolver.Request) {
			r.Subscriptions = r.Subscriptions[1:]
		}},
		"drop an installed bundle": {"drop: {installed: [a.v1]}", func(r *resolver.Request) {
			r.Installed = r.Installed[1:]
		}},
		"add": {"add: {subscriptions: [{name: n, package: n, catalog: ns/d}], installed: [{name: n.v1, package: n}]}", func(r *resolver.Request) {
			r.Subscriptions = append(r.Subscriptions, resolver.Subscription{Name: "n", Package: "n", Catalog: key("d")})
			r.Installed = append(r.Installed, resolver.Installed{Name: "n.v1", Package: "n"})
		}},
		"drop before add": {"{drop: {subscriptions: [a]}, add: {subscriptions: [{name: a, package: other}]}}", func(r *resolver.Request) {
			r.Subscriptions = []resolver.Subscription{r.Subscriptions[1], {Name: "a", Package: "other"}}
		}},
		"pin": {"pin: {b: b.v3, a: a.v2}", func(r *resolver.Request) {
			r.Subscriptions[0].Pin = "a.v2"
			r.Subscriptions[1].Pin = "b.v3"
		}},
		"pin an added subscription": {"{add: {subscriptions: [{name: n, package: n}]}, pin: {n: n.v1}}", func(r *resolver.Request) {
			r.Subscriptions = append(r.Subscriptions, resolver.Subscription{Name: "n", Package: "n", Pin: "n.v1"})
		}},
		"forbid": {"forbid: [{bundle: y.v1, message: no, catalog: ns/c}]", func(r *resolver.Request) {
			r.Forbid = append(r.Forbid, resolver.Forbidden{Bundle: resolver.BundleRef{Catalog: key("c"), Name: "y.v1"}, Message: "no"})
		}},
		"force": {"force: [n.v1, m.v1]", func(r *resolver.Request) {
			r.Force = []resolver.BundleRef{{Name: "n.v1"}, {Name: "m.v1"}}
		}},
		"priority": {"priority: {ns/d: 7, ns/c: -1}", func(r *resolver.Request) {
			r.Catalogs[0].Priority, r.Catalogs[1].Priority = -1, 7
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.whatif == "" || tc.whatif[0] != '{' {
				tc.whatif = "{" + tc.whatif + "}"
			}
			text := base + "whatif: [{name: w, " + tc.whatif[1:] + "]"
			s := parse(t, text)
			load := func() resolver.Request { return testkit.Must(parse(t, text).Load(t.Context()))(t).Request }
			request, want := load(), load()
			got := testkit.Must(s.WhatIf[0].Apply(request))(t)
			tc.change(&want)
			require.Equal(t, shown(want), shown(got))
			require.Equal(t, shown(load()), shown(request), "the base is not changed")
		})
	}
}

func TestInvalidWhatIf(t *testing.T) {
	for _, w := range []scenario.WhatIf{
		{Add: scenario.Add{Subscriptions: []scenario.Subscription{{Name: "a", Package: "a", VersionRange: "newest"}}}},
		{Add: scenario.Add{Installed: []scenario.Installed{{Name: "a.v1", Version: "one"}}}},
		{Forbid: []scenario.Forbid{{Bundle: "a.v1", Catalog: "c"}}},
		{Priority: map[string]int{"c": 1}},
		{Drop: scenario.Drop{Subscriptions: []string{"unknown"}}},
	} {
		_, err := w.Apply(resolver.Request{})
		require.Error(t, err, "%+v", w)
	}
}
