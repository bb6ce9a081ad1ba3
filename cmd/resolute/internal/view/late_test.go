package view_test

import (
	"fmt"
	"testing"

	"github.com/blang/semver/v4"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// stopped is a large upgrade path whose end is not known.
func stopped(subscriptions, rounds int) *scenario.Path {
	path := &scenario.Path{Status: scenario.Incomplete, Error: "the time is over"}
	for n := range rounds {
		answer := &scenario.Answer{Status: scenario.Resolved}
		for i := range subscriptions {
			pkg := fmt.Sprintf("operator-%d", i)
			answer.Steps = append(answer.Steps, resolver.Step{Action: resolver.Upgrade, Package: pkg, Version: &semver.Version{Major: uint64(n + 2)},
				Bundle: fmt.Sprintf("%s.v%d.0.0", pkg, n+2), Replaces: []string{fmt.Sprintf("%s.v%d.0.0", pkg, n+1)}, Because: []resolver.Reason{{Subscription: pkg}}})
		}
		path.Rounds = append(path.Rounds, answer)
	}
	return path
}

// TestStoppedPathIsShort: what is shown of a path that was stopped does not grow with the
// path, for stopping may take no long time, and says that it is cut. A small one is shown whole.
func TestStoppedPathIsShort(t *testing.T) {
	var page, tenth counted
	require.NoError(t, view.NewPage(t.Context()).AddPath("large", stopped(1_500, 3)).Write(&tenth))
	require.NoError(t, view.NewPage(t.Context()).AddPath("large", stopped(15_000, 3)).Write(&page))
	require.Less(t, len(page), len(tenth)*11/10)
	require.Contains(t, string(page), "44700 more changes of 3 rounds not shown")
	page = counted{}
	require.NoError(t, view.NewPage(t.Context()).AddPath("small", stopped(3, 3)).Write(&page))
	require.NotContains(t, string(page), "not shown")
	require.Contains(t, string(page), "operator-2.v4.0.0")
}

// counted is a page in memory.
type counted []byte

func (c *counted) Write(p []byte) (int, error) { *c = append(*c, p...); return len(p), nil }
