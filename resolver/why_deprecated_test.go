package resolver_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver"
)

// Under a policy that avoids what is deprecated, that is why the head is not taken;
// under the other one the head is.
func TestWhyNotTheDeprecatedHead(t *testing.T) {
	req := onCatalog(t, `{"schema":"olm.package","name":"db","defaultChannel":"x"}
{"schema":"olm.channel","package":"db","name":"x","entries":[{"name":"db.v1"},{"name":"db.v2","replaces":"db.v1"}]}
{"schema":"olm.bundle","package":"db","name":"db.v1","properties":[{"type":"olm.package","value":{"packageName":"db","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"db","name":"db.v2","properties":[{"type":"olm.package","value":{"packageName":"db","version":"2.0.0"}}]}
{"schema":"olm.deprecations","package":"db","entries":[{"reference":{"schema":"olm.bundle","name":"db.v2"},"message":"broken"}]}
`, "db")
	req.Policy.Deprecations = resolver.DeprecationsAvoid
	s, err := resolver.New().Session(context.Background(), req)
	require.NoError(t, err)
	sol, err := s.Resolve(context.Background())
	require.NoError(t, err)
	require.Equal(t, []string{"db.v1"}, sol.Set())
	why, err := s.WhyNot(context.Background(), resolver.BundleRef{Name: "db.v2"})
	require.NoError(t, err)
	require.Contains(t, why.Text(), "because the other one is deprecated")
}
