package whatif_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// TestCorrections: what is offered for conflicts, and the commands that make it on a cluster.
func TestCorrections(t *testing.T) {
	verbs := []string{"has", "force", "extension", "package", "channel", "range", "catalog", "offers", "first", "runs"}
	for _, c := range testkit.Cases(t, "testdata/corrections.txt", verbs...) {
		t.Run(c.Name, func(t *testing.T) {
			req := universe.Request(t, c.Part("has").Text())
			extension := c.Part("extension").Rest
			if extension != "" {
				req.Extensions = []resolver.Extension{{Name: extension, Package: cmp.Or(c.Part("package").Rest, "db"),
					VersionRange: c.Part("range").Rest, Channels: c.Rests("channel")}}
			}
			for _, wrong := range c.Rests("catalog") {
				req.Subscriptions[0].Catalog = testkit.Must(cache.ParseKey(wrong))(t)
			}
			for _, forced := range c.Rests("force") {
				req.Force = append(req.Force, resolver.BundleRef{Name: forced})
			}
			var kinds []string
			commands := make(map[string][]string)
			for _, k := range corrected(t, req, whatif.FindOptions{Commands: olm.Commands}).Corrections {
				checkCorrection(t, req, k)
				if len(k.Changes) > 1 {
					continue
				}
				change := k.Changes[0]
				kind := string(change.Change.Kind())
				kinds = append(kinds, kind)
				commands[kind] = change.Commands
				author := map[bool]resolver.Role{true: resolver.RoleAuthor, false: resolver.RoleAdministrator}[kind == "relaxConstraint"]
				require.Equal(t, author, change.Who)
				require.Equal(t, extension != "", strings.Contains(k.Text, "extension db"), k.Text)
				require.False(t, extension != "" && strings.Contains(k.Text, "subscription"), k.Text)
			}
			for _, want := range c.Rests("offers") {
				require.Equal(t, strings.Fields(want), kinds)
			}
			for _, first := range c.Rests("first") {
				change := corrected(t, req, whatif.FindOptions{Commands: olm.Commands}).Corrections[0].Changes[0]
				got := fmt.Sprintf("%s %s", change.Change.Kind(), change.Change.Subject())
				if use, ok := change.Change.(resolver.UseName); ok {
					got += fmt.Sprintf(" %s %s", use.Of, use.To)
				}
				require.Equal(t, first, got)
			}
			for _, run := range c.All("runs") {
				require.Contains(t, kinds, run.Rest)
				require.Equal(t, run.Lines, commands[run.Rest])
			}
		})
	}
}

// TestTooManyChanges: where more changes are needed than are tried together, the conflict
// says how many sets of changes were tried.
func TestTooManyChanges(t *testing.T) {
	req := universe.Request(t, `
		app/stable app.v1 needs=a@>=1.0.0 needs=b@>=1.0.0 needs=c@>=1.0.0 needs=d@>=1.0.0 needs=e@>=1.0.0
		subscribe app`)
	c := corrected(t, req, whatif.FindOptions{Allow: func(c resolver.Change) bool { return c.Kind() == resolver.ChangeRelaxConstraint }})
	require.Empty(t, c.Corrections)
	require.Positive(t, c.Tried)
}

// corrected is the conflict of a request with its corrections.
func corrected(t *testing.T, req resolver.Request, opts whatif.FindOptions) *resolver.Conflict {
	t.Helper()
	conflict := universe.Conflict(t, req)
	require.NoError(t, whatif.FindCorrections(t.Context(), resolver.New(), req, conflict, opts))
	return conflict
}

// TestAcrossConflicts: a correction of one conflict adopts nothing that another one is about,
// and does not say that it removes that.
func TestAcrossConflicts(t *testing.T) {
	req := universe.Request(t, `
		d/beta d.v2
		installed d.v2 automatic
		installed d.v1 package=d version=1.0.0
		subscribe s1 package=d in=alpha`)
	var texts []string
	for _, one := range corrected(t, req, whatif.FindOptions{Commands: olm.Commands}).All() {
		for _, k := range one.Corrections {
			texts = append(texts, k.Text)
		}
	}
	require.Contains(t, texts, "drop subscription s1")
	require.NotContains(t, strings.Join(texts, "\n"), "adopt")
}

// TestResultOfTheWhole: a correction that clears every conflict has the result of the whole
// request; one that leaves some says how many.
func TestResultOfTheWhole(t *testing.T) {
	req := universe.Request(t, `
		a/stable a.v1 needs=base@>=1.0.0
		b/stable b.v1 needs=base@>=1.0.0
		base/stable base.v1
		subscribe a
		subscribe b
		forbid base.v1`)
	conflict := corrected(t, req, whatif.FindOptions{Commands: olm.Commands})
	require.Len(t, conflict.All(), 2)
	for _, one := range conflict.All() {
		remaining := map[resolver.ChangeKind]int{}
		for _, k := range one.Corrections {
			checkCorrection(t, req, k)
			remaining[k.Changes[0].Change.Kind()] = k.Remaining
		}
		require.Equal(t, map[resolver.ChangeKind]int{"allowForbidden": 0, "dropSubscription": 1, "relaxConstraint": 1}, remaining)
		require.Equal(t, []string{"a.v1", "b.v1", "base.v1"}, one.Corrections[0].Result)
	}
}
