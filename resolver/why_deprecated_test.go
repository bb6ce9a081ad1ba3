package resolver_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
)

// Under a policy that avoids what is deprecated, that is why the head is not taken;
// under the other one the head is.
func TestWhyNotTheDeprecatedHead(t *testing.T) {
	req := universe.Request(t, "db/x db.v1 db.v2\ndeprecated db.v2 broken\nsubscribe db")
	req.Policy.Deprecations = "Avoid"
	s := testkit.Must(resolver.New().Session(context.Background(), req))(t)
	sol := testkit.Must(s.Resolve(context.Background()))(t)
	require.Equal(t, []string{"db.v1"}, sol.Set())
	why := testkit.Must(s.WhyNot(context.Background(), resolver.BundleRef{Name: "db.v2"}))(t)
	require.Contains(t, why.Text(), "because the other one is deprecated")
}
