package view

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// changed is an answer for a cluster on which everything happens, and many bundles stay.
func changed(kept int) *scenario.Answer {
	a := &scenario.Answer{Status: scenario.Resolved, Steps: []resolver.Step{
		{Action: resolver.Install, Bundle: "a.v1.0.0", Package: "a", Because: []resolver.Reason{{Subscription: "a"}}},
		{Action: resolver.Upgrade, Bundle: "b.v2.0.0", Package: "b", Replaces: []string{"old-b.v1.0.0", "b.v1.0.0"}, Because: []resolver.Reason{{Subscription: "b"}}},
		{Action: resolver.Downgrade, Bundle: "c.v1.0.0", Package: "c", Replaces: []string{"c.v2.0.0"}, Because: []resolver.Reason{{Subscription: "c"}}},
		{Action: resolver.Keep, Bundle: "held.v1.0.0", Package: "held", Hold: "frozen", Because: []resolver.Reason{{Subscription: "held"}}},
	}}
	for i := range kept {
		a.Steps = append(a.Steps, resolver.Step{Action: resolver.Keep, Bundle: fmt.Sprintf("k%d.v1.0.0", i), Because: []resolver.Reason{{Installed: true}}})
	}
	for _, s := range a.Steps {
		a.Set = append(a.Set, s.Bundle)
	}
	return a
}

// The text and the page of an answer show the same changes and count what stays.
func TestPlan(t *testing.T) {
	for _, kept := range []int{3, 40} {
		const summary = "Plan: 1 to install, 1 to upgrade, 1 to downgrade, 1 to remove, %d unchanged."
		text := Text{Text: new(terminal.Text)}
		text.Answer("x", changed(kept))
		rows := make(map[string]string) // by action and bundle: the reason
		for _, line := range strings.Split(text.String(), "\n") {
			if f := strings.Fields(line); len(f) > 4 && f[0] == "0" {
				rows[strings.Join(f[1:4], " ")] = strings.Join(f[4:], " ")
			}
		}
		require.Contains(t, rows, "+ install a.v1.0.0")
		require.Contains(t, rows["~ upgrade b.v1.0.0"], "-> b.v2.0.0")
		require.Contains(t, rows["~ downgrade c.v2.0.0"], "-> c.v1.0.0")
		require.Contains(t, rows["- remove old-b.v1.0.0"], "replaced by b.v2.0.0")
		require.Contains(t, rows["= keep held.v1.0.0"], "on hold: frozen")
		require.Len(t, rows, 5+min(kept, maxKept))
		require.Equal(t, kept > maxKept, strings.Contains(text.String(), "and 30 more bundles that stay\n"))
		require.Contains(t, text.String(), fmt.Sprintf(summary, kept+1)+"\n")

		var page strings.Builder
		require.NoError(t, NewPage(t.Context()).Add("x", changed(kept)).Write(&page))
		for _, want := range []string{fmt.Sprintf("<p>"+summary+"</p>", kept+1), `<span class="tag install">+ install</span> <span class="name">a.v1.0.0</span>`, `<span class="tag upgrade">~ upgrade</span> <span class="name">b.v1.0.0 → b.v2.0.0</span>`,
			`<span class="tag downgrade">~ downgrade</span> <span class="name">c.v2.0.0 → c.v1.0.0</span>`, `<span class="tag remove">- remove</span> <span class="name">old-b.v1.0.0</span>`, fmt.Sprintf("<summary>%d more unchanged</summary>", kept)} {
			require.Contains(t, html.UnescapeString(page.String()), want)
		}
		require.Equal(t, kept <= maxKept, strings.Contains(page.String(), `<details class="card" open>`))
	}
	text := Text{Text: new(terminal.Text)}
	text.diff(&whatif.Diff{Install: []string{"a.v1.0.0"}, Upgrade: []whatif.Move{{From: "b.v1.0.0", To: "b.v2.0.0"}, {From: "c.v2.0.0", To: "c.v1.0.0"}}, Remove: []string{"d.v1.0.0"}, Keep: []string{"e", "f"}})
	require.Equal(t, "  + a.v1.0.0\n  ~ b.v1.0.0 -> b.v2.0.0\n  ~ c.v2.0.0 -> c.v1.0.0 (downgrade)\n  - d.v1.0.0\n  Plan: 1 to install, 1 to upgrade, 1 to downgrade, 1 to remove, 2 unchanged.\n", text.String())
	require.Equal(t, "Plan: nothing changes.", newPlan(nil).Summary())
	require.False(t, newPlan(changed(0).Steps[:1]).Cluster(), "nothing was installed")
}
