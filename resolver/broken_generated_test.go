package resolver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
)

// TestBrokenChannelOfADependency: a conflict about a subscription whose only channel is broken
// names the channel and quotes the reason, also where the subscription is generated.
func TestBrokenChannelOfADependency(t *testing.T) {
	content, err := fbc.Read(t.Context(), strings.NewReader(`{"schema":"olm.package","name":"web","defaultChannel":"stable"}
{"schema":"olm.channel","package":"web","name":"stable","entries":[{"name":"web.v1"}]}
{"schema":"olm.bundle","package":"web","name":"web.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"web","version":"1.0.0"}},{"type":"olm.package.required","value":{"packageName":"db","versionRange":">=2.0.0"}}]}
{"schema":"olm.package","name":"db","defaultChannel":"stable"}
{"schema":"olm.channel","package":"db","name":"stable","entries":[{"name":"db.v1"},{"name":"db.v2"}]}
{"schema":"olm.bundle","package":"db","name":"db.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"db","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"db","name":"db.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"db","version":"2.0.0"}}]}
`), "catalog", fbc.Options{})
	require.NoError(t, err)
	key := cache.Key{Namespace: "test", Name: "one"}
	owner := resolver.Subscription{Name: "db-stable-one-test", Package: "db", Channels: []string{"stable"}, Catalog: key, InstalledCSV: "db.v1"}
	generated := owner
	generated.Generated = true
	for name, owners := range map[string][]resolver.Subscription{"of the user": {owner}, "generated": {generated}, "inferred": nil} {
		t.Run(name, func(t *testing.T) {
			req := resolver.Request{Namespace: "test", Catalogs: []resolver.Catalog{{Key: key, Content: content}},
				Installed:     []resolver.Installed{{Name: "db.v1", Automatic: name != "of the user"}},
				Subscriptions: append([]resolver.Subscription{{Name: "web", Package: "web"}}, owners...)}
			_, err := resolver.New().Resolve(t.Context(), req)
			var conflict *resolver.Conflict
			require.True(t, errors.As(err, &conflict), "%v", err)
			t.Log(conflict.Text())
			require.Contains(t, conflict.Text(), "channel stable")
			require.Contains(t, conflict.Text(), "has 2 heads")
		})
	}
}
