package whatif_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// TestKinds: for each thing that can be in the way there is a change that takes it away,
// those of the request before those of the cluster and of an author's constraint.
func TestKinds(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		extension  *resolver.Extension
		force      string
		want       []string // of the corrections of one change
	}{
		{name: "what is forbidden", text: `
			db/stable db.v1
			subscribe db
			forbid db.v1`, want: []string{"allowForbidden", "dropSubscription"}},
		{name: "a hold", text: `
			db/stable db.v1 db.v2
			web/stable web.v1 needs=db@>=2.0.0
			installed db.v1 by=db
			subscribe db hold
			subscribe web`, want: []string{"releasePin", "dropSubscription", "removeInstalled", "relaxConstraint"}},
		{name: "an installed bundle that nobody owns", text: `
			old/stable old.v1 provides=Shop
			web/stable web.v1 provides=Shop
			installed old.v1
			subscribe web`, want: []string{"adoptInstalled", "dropSubscription", "removeInstalled"}},
		{name: "a requirement", text: `
			web/stable web.v1 needs=db@>=1.0.0
			subscribe web`, want: []string{"dropSubscription", "relaxConstraint"}},
		{name: "the range of an extension", text: `
			db/stable db.v1`, extension: &resolver.Extension{Name: "db", Package: "db", VersionRange: ">=2.0.0"},
			want: []string{"releasePin", "dropSubscription"}},
		{name: "what is forced and forbidden, beside what is only forbidden", text: `
			db/stable db.v1
			web/stable web.v1
			subscribe web
			forbid db.v1
			forbid web.v1`, force: "db.v1", want: []string{"allowForbidden", "dropSubscription"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := universe.Request(t, tt.text)
			if tt.extension != nil {
				req.Extensions = []resolver.Extension{*tt.extension}
			}
			if tt.force != "" {
				req.Force = []resolver.BundleRef{{Name: tt.force}}
			}
			var got []string
			for _, c := range corrected(t, req, whatif.FindOptions{}).Corrections {
				checkCorrection(t, req, c)
				if len(c.Changes) == 1 {
					got = append(got, c.Changes[0].Kind)
				}
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// TestTooManyChanges: where more changes are needed than are tried together, the conflict
// says how many sets of changes were tried.
func TestTooManyChanges(t *testing.T) {
	req := universe.Request(t, `
		app/stable app.v1 needs=a@>=1.0.0 needs=b@>=1.0.0 needs=c@>=1.0.0 needs=d@>=1.0.0 needs=e@>=1.0.0
		subscribe app`)
	c := corrected(t, req, whatif.FindOptions{Allow: func(c resolver.Change) bool { return c.Kind == "relaxConstraint" }})
	require.Empty(t, c.Corrections)
	require.Positive(t, c.Tried)
}

// corrected is the conflict of a request with its corrections.
func corrected(t *testing.T, req resolver.Request, opts whatif.FindOptions) *resolver.Conflict {
	t.Helper()
	_, err := resolver.New().Resolve(t.Context(), req)
	conflict := testkit.As[*resolver.Conflict](t, err)
	require.NoError(t, whatif.FindCorrections(t.Context(), resolver.New(), req, conflict, opts))
	return conflict
}
