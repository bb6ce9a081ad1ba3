package view_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// An answer that took all the time is shown completely, with a note for its picture.
func TestPageAfterTheEnd(t *testing.T) {
	answer := &scenario.Answer{Status: scenario.Resolved, Steps: []resolver.Step{{Bundle: "a.v1", Package: "a", Action: resolver.Install}}}
	ctx, cancel := context.WithCancel(t.Context())
	page := view.NewPage(ctx).Add("first", answer)
	var before, after strings.Builder
	require.NoError(t, page.Write(&before))
	cancel()
	require.NoError(t, page.Write(&after))
	require.Contains(t, before.String(), "<svg")
	require.NotContains(t, before.String(), "Not drawn")
	require.Contains(t, after.String(), "Not drawn: the time limit was reached.")
	require.NotContains(t, after.String(), "<svg")
	require.NotContains(t, after.String(), "Show source")
	require.Contains(t, after.String(), "a.v1")
	requireClosed(t, after.String())
}
