package mirror_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit/growth"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/mirror"
)

// TestStops: wherever the context ends, that is the error, and never half a plan.
func TestStops(t *testing.T) {
	// foo needs what is not selected, and its lower end does not lead to the head.
	content, err := fbc.Read(t.Context(), strings.NewReader(`{"schema":"olm.package","name":"foo","defaultChannel":"x"}
{"schema":"olm.channel","package":"foo","name":"x","entries":[{"name":"foo.v1"},{"name":"foo.v2","replaces":"foo.v1"},{"name":"foo.v3","replaces":"foo.v2"}]}
{"schema":"olm.bundle","package":"foo","name":"foo.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"foo","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"foo","name":"foo.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"foo","version":"2.0.0"}},{"type":"olm.package.required","value":{"packageName":"gone","versionRange":">=1.0.0"}}]}
{"schema":"olm.bundle","package":"foo","name":"foo.v3","image":"i","properties":[{"type":"olm.package","value":{"packageName":"foo","version":"3.0.0"}},{"type":"olm.package.required","value":{"packageName":"bar","versionRange":"<2.0.0-0"}}]}
{"schema":"olm.package","name":"bar","defaultChannel":"x"}
{"schema":"olm.channel","package":"bar","name":"x","entries":[{"name":"bar.v1"},{"name":"bar.v2","replaces":"bar.v1"}]}
{"schema":"olm.bundle","package":"bar","name":"bar.v1","image":"i","properties":[{"type":"olm.package","value":{"packageName":"bar","version":"1.0.0-rc1"}}]}
{"schema":"olm.bundle","package":"bar","name":"bar.v2","image":"i","properties":[{"type":"olm.package","value":{"packageName":"bar","version":"2.0.0"}}]}
`), "catalog", fbc.Options{})
	require.NoError(t, err)
	isc := configuration(t, false, []string{"{name: foo, channels: [{name: x, minVersion: 1.0.0}]}"})
	opts := mirror.Options{Catalogs: []mirror.Catalog{{Ref: "example.com/index:v1", Content: content}}, Installed: []resolver.Request{{
		Installed:     []resolver.Installed{{Name: "foo.v1", Package: "foo"}},
		Subscriptions: []resolver.Subscription{{Name: "foo", Package: "foo", Channels: []string{"x"}, InstalledCSV: "foo.v1"}},
	}}}
	growth.StopsAnywhere(t, func(ctx context.Context) error {
		plan, err := mirror.Make(ctx, resolver.New(), isc, opts)
		if err == nil {
			require.NotEmpty(t, plan.Unresolved)
			require.Equal(t, "bar.v1", plan.Added[0].Bundle)
		}
		return err
	})
}
