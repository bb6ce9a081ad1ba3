package whatif_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// ladder is a request in which web needs a.v5. Package a goes from v1 to v2 in channel
// one, to v4 in channel two, and to v5 in channel three.
func ladder(t testing.TB) resolver.Request {
	t.Helper()
	return universe.Request(t, `
		a/one a.v1 a.v2
		a/two a.v3 replaces=a.v2
		a/two a.v4 replaces=a.v3
		a/three a.v5 replaces=a.v4
		web/x web.v1 needs=a@>=5.0.0
		installed a.v1 package=a
		subscribe a in=one at=a.v1
		subscribe web`)
}

// pathOf is the correction of a request that is a path, or nil.
func pathOf(t *testing.T, req resolver.Request) *resolver.Correction {
	t.Helper()
	r := resolver.New()
	_, err := r.Resolve(t.Context(), req)
	conflict := testkit.As[*resolver.Conflict](t, err)
	require.NoError(t, whatif.FindCorrections(t.Context(), r, req, conflict, whatif.FindOptions{Commands: olm.Commands}))
	for i := range conflict.Corrections {
		c := &conflict.Corrections[i]
		if follow, ok := c.Changes[0].Change.(resolver.FollowChannel); ok && follow.Round > 0 {
			return c
		}
	}
	return nil
}

// A path through three channels says which comes when, and carrying it out round by
// round leads to its result.
func TestPathThroughChannels(t *testing.T) {
	req := ladder(t)
	path := pathOf(t, req)
	require.NotNil(t, path)
	encoded := testkit.Must(json.Marshal(path))(t)
	require.JSONEq(t, `{"changes":[
		{"kind":"changeChannel","subject":"a","channel":"two","round":2,"installed":"a.v2","who":"administrator","commands":[
			"kubectl -n test wait clusterserviceversion.operators.coreos.com a.v2 --for=jsonpath='{.status.phase}'=Succeeded --timeout=1h",
			"kubectl -n test patch subscription.operators.coreos.com a --type merge -p '{\"spec\":{\"channel\":\"two\"}}'"]},
		{"kind":"changeChannel","subject":"a","channel":"three","round":4,"installed":"a.v4","who":"administrator","commands":[
			"kubectl -n test wait clusterserviceversion.operators.coreos.com a.v4 --for=jsonpath='{.status.phase}'=Succeeded --timeout=1h",
			"kubectl -n test patch subscription.operators.coreos.com a --type merge -p '{\"spec\":{\"channel\":\"three\"}}'"]}],
		"text":"let subscription a follow channel two from round 2 on, when a.v2 is installed, and let subscription a follow channel three from round 4 on, when a.v4 is installed",
		"result":["a.v5","web.v1"]}`, string(encoded))

	web := req.Subscriptions[1]
	req.Subscriptions = req.Subscriptions[:1]
	for round := 1; round < 4; round++ {
		for _, c := range path.List() {
			if c := c.(resolver.FollowChannel); c.Round == round {
				req = testkit.Must(req.Apply(resolver.FollowChannel{Subscription: c.Subscription, Channel: c.Channel}))(t)
			}
		}
		sol := universe.Solution(t, req)
		req = req.Advance(sol)
	}
	req = testkit.Must(req.Apply(resolver.AddSubscription{Subscription: web}, resolver.FollowChannel{Subscription: "a", Channel: "three"}))(t)
	sol := universe.Solution(t, req)
	require.Equal(t, path.Result, sol.Set())
}

// A pin on what another channel has leads there as well; a hold keeps it from moving, as
// does a range that has nothing on the way, and where one step does, there is no path.
func TestWherePathsLead(t *testing.T) {
	req := ladder(t)
	req.Subscriptions = req.Subscriptions[:1]
	req.Subscriptions[0].Pin = "a.v4"
	path := pathOf(t, req)
	require.NotNil(t, path)
	require.Equal(t, []string{"a.v4"}, path.Result)
	require.Equal(t, "let subscription a follow channel two from round 2 on, when a.v2 is installed", path.Text)

	req = ladder(t)
	req.Subscriptions[0].Hold = "not approved"
	require.Nil(t, pathOf(t, req))

	req = ladder(t)
	req.Subscriptions[0].VersionRange = properties.MustParseRange("<3.0.0 || >=5.0.0")
	require.Nil(t, pathOf(t, req))

	req = ladder(t)
	req.Subscriptions[0].InstalledCSV, req.Installed[0].Name = "a.v4", "a.v4"
	require.Nil(t, pathOf(t, req))
}

// Apply does not make what is for a later round.
func TestApplyNow(t *testing.T) {
	req := ladder(t)
	for round, want := range map[int]string{1: "two", 2: "one"} {
		got := testkit.Must(req.Apply(resolver.FollowChannel{Subscription: "a", Channel: "two", Round: round, Installed: "a.v1"}))(t)
		require.Equal(t, []string{want}, got.Subscriptions[0].Channels)
	}
}
