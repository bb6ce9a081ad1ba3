package resolver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// Bundles that provide what is asked for, but that no channel offers, are named
// with the reason for that.
func TestProvidersThatNoChannelOffers(t *testing.T) {
	const text = `{"schema":"olm.package","name":"app","defaultChannel":"x"}
{"schema":"olm.channel","package":"app","name":"x","entries":[{"name":"app.v1"}]}
{"schema":"olm.bundle","package":"app","name":"app.v1","properties":[{"type":"olm.package","value":{"packageName":"app","version":"1.0.0"}},{"type":"olm.gvk.required","value":{"group":"g.example.com","version":"v1","kind":"K"}}]}
{"schema":"olm.package","name":"db","defaultChannel":"x"}
{"schema":"olm.channel","package":"db","name":"x","entries":[{"name":"db.v1"},{"name":"db.v2","replaces":"db.v0","skips":["db.v1"]}]}
{"schema":"olm.bundle","package":"db","name":"db.v1","properties":[{"type":"olm.package","value":{"packageName":"db","version":"1.0.0"}},{"type":"olm.gvk","value":{"group":"g.example.com","version":"v1","kind":"K"}}]}
{"schema":"olm.bundle","package":"db","name":"db.v2","properties":[{"type":"olm.package","value":{"packageName":"db","version":"2.0.0"}}]}
{"schema":"olm.bundle","package":"db","name":"db.v9","properties":[{"type":"olm.package","value":{"packageName":"db","version":"9.0.0"}},{"type":"olm.gvk","value":{"group":"g.example.com","version":"v1","kind":"K"}}]}
`
	c, err := fbc.Read(context.Background(), strings.NewReader(text), "c.jsonl", fbc.Options{})
	require.NoError(t, err)
	_, err = resolver.New().Resolve(context.Background(), resolver.Request{
		Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "ns", Name: "c"}, Content: c}},
		Subscriptions: []resolver.Subscription{{Name: "app", Package: "app"}},
	})
	var conflict *resolver.Conflict
	require.ErrorAs(t, err, &conflict)
	require.Equal(t, `Subscription app cannot be met:
Subscription app asks for package app.
- app.v1 requires an operator that provides g.example.com/v1/K.
  - Nothing in the catalogs that could be installed provides g.example.com/v1/K.
    - db.v1 is skipped by db.v2 in channel x.
    - db.v9 is in no channel.
`, conflict.Text())
	reasons := map[string]argument.Rejection{}
	for _, f := range conflict.Facts {
		for _, r := range f.Candidates {
			if r.NearMiss() {
				reasons[r.Bundle] = r.Reason
			}
		}
	}
	require.Equal(t, map[string]argument.Rejection{"db.v1": argument.NearMissSkipped, "db.v9": argument.NearMissUnlisted}, reasons)
}
