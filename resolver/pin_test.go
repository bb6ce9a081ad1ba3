package resolver_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// A pin is met by its bundle or not at all, and the conflict says why not.
func TestPin(t *testing.T) {
	ctx, r := context.Background(), resolver.New()
	sol := testkit.Must(r.Resolve(ctx, pinned("collector.v2", false)))(t)
	require.Equal(t, []string{"collector.v2"}, sol.Set())

	for pin, why := range map[string]string{
		"collector.v3": "- collector.v3 has no update edge from collector.v1; channel stable offers collector.v2.",
		"collector.v9": "- collector.v9 is not in channel stable; did you mean collector.v1, collector.v2 or collector.v3?",
	} {
		_, err := r.Resolve(ctx, pinned(pin, true))
		conflict := testkit.As[*resolver.Conflict](t, err)
		require.Contains(t, conflict.Text(), why)
		require.NoError(t, whatif.FindCorrections(ctx, r, pinned(pin, true), conflict, whatif.FindOptions{}))
		corrections := conflict.Corrections
		require.Equal(t, "releasePin", corrections[0].Changes[0].Kind)
		require.Equal(t, []string{"collector.v2"}, corrections[0].Result)
	}
}

// pinned is a subscription to the collector that is pinned, with its first version
// installed or not.
func pinned(bundle string, installed bool) resolver.Request {
	req := request("collector")
	req.Subscriptions[0].Pin = bundle
	if installed {
		req.Installed = []resolver.Installed{{Name: "collector.v1", Subscription: "collector"}}
	}
	return req
}
