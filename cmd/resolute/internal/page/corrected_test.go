package page

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// A correction that removes a rule of the policy keeps the other rules and the time.
func TestCorrectedPolicy(t *testing.T) {
	state := `{"now":"2026-08-22","subscriptions":[{"name":"e","package":"etcd"}],"policy":{"veto":[{"rule":"bundle.package == \"etcd\"","message":"no"},{"rule":"bundle.deprecated"}]}}`
	st, err := scenario.Parse(t.Context(), "state", []byte(state))
	require.NoError(t, err)
	req, err := st.Request()
	require.NoError(t, err)
	raw, err := corrected(st, &req, []resolver.Change{resolver.RelaxPolicy{Rule: `bundle.package == "etcd"`}})
	require.NoError(t, err)
	require.JSONEq(t, `{"now":"2026-08-22","subscriptions":[{"name":"e","package":"etcd"}],"policy":{"veto":[{"rule":"bundle.deprecated"}]}}`, string(raw))
}
