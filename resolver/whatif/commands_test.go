package whatif_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// TestCommands: each change that something on a cluster stands for comes with the commands
// that make it there.
func TestCommands(t *testing.T) {
	const subscription, csv = "subscription.operators.coreos.com", "clusterserviceversion.operators.coreos.com"
	for _, tt := range []struct {
		name, text string
		extension  *resolver.Extension
		kind       string
		want       []string
	}{
		{name: "a subscription goes", kind: "dropSubscription", text: `
			a/stable a.v1 needs=b@>=1.0.0
			subscribe a`, want: []string{"kubectl -n test delete " + subscription + " a"}},
		{name: "another channel", kind: "changeChannel", text: `
			a/stable a.v1 needs=b@>=1.0.0
			a/fast a.v2
			subscribe a in=stable`, want: []string{"kubectl -n test patch " + subscription + ` a --type merge -p '{"spec":{"channel":"fast"}}'`}},
		{name: "an installed bundle that nobody owns goes", kind: "removeInstalled", text: `
			old/stable old.v1 provides=Shop
			web/stable web.v1 provides=Shop
			installed old.v1
			subscribe web`, want: []string{"kubectl -n test delete " + csv + " old.v1"}},
		{name: "an installed bundle that a subscription owns goes, and the subscription is made anew", kind: "removeInstalled", text: `
			db/stable db.v1 db.v2
			web/stable web.v1 needs=db@>=2.0.0
			installed db.v1 by=db
			subscribe db hold
			subscribe web`, want: []string{"kubectl -n test delete " + csv + " db.v1",
			"kubectl -n test get " + subscription + " db -o json | kubectl replace --force -f -"}},
		{name: "a hold is a plan that nobody approved", kind: "releasePin", text: `
			db/stable db.v1 db.v2
			web/stable web.v1 needs=db@>=2.0.0
			installed db.v1 by=db
			subscribe db hold
			subscribe web`, want: []string{`kubectl -n test patch installplan.operators.coreos.com "$(kubectl -n test get ` + subscription +
			` db -o jsonpath='{.status.installPlanRef.name}')" --type merge -p '{"spec":{"approved":true}}'`}},
		{name: "a subscription adopts", kind: "adoptInstalled", text: `
			old/stable old.v1 provides=Shop
			web/stable web.v1 provides=Shop
			installed old.v1
			subscribe web`, want: []string{"kubectl -n test patch " + subscription + ` web --subresource=status --type merge -p '{"status":{"currentCSV":"old.v1","installedCSV":"old.v1"}}'`}},
		{name: "what the request forbids is not on the cluster", kind: "allowForbidden", text: `
			db/stable db.v1
			subscribe db
			forbid db.v1`},
		{name: "a requirement is for its author", kind: "relaxConstraint", text: `
			a/stable a.v1 needs=b@>=1.0.0
			subscribe a`},
		{name: "the version range of an extension", kind: "releasePin", text: "db/stable db.v1",
			extension: &resolver.Extension{Name: "db", Package: "db", VersionRange: ">=2.0.0"},
			want:      []string{`kubectl patch clusterextension db --type merge -p '{"spec":{"source":{"catalog":{"version":null}}}}'`}},
		{name: "the channels of an extension", kind: "useName", text: "db/stable db.v1",
			extension: &resolver.Extension{Name: "db", Package: "db", Channels: []string{"stabel"}},
			want:      []string{`kubectl patch clusterextension db --type merge -p '{"spec":{"source":{"catalog":{"channels":["stable"]}}}}'`}},
		{name: "the package of an extension, which cannot be changed in place", kind: "useName", text: "store/stable store.v1",
			extension: &resolver.Extension{Name: "db", Package: "stroe"},
			want: []string{`kubectl get clusterextension db -o json | kubectl patch --local -f - -o json --type merge -p '{"spec":{"source":{"catalog":{"packageName":"store"}}}}'` +
				` | kubectl replace --force -f -`}},
		{name: "a name that no cluster has", kind: "dropSubscription", text: "db/stable db.v1",
			extension: &resolver.Extension{Name: "db; reboot", Package: "db", VersionRange: ">=2.0.0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := universe.Request(t, tt.text)
			if tt.extension != nil {
				req.Extensions = []resolver.Extension{*tt.extension}
			}
			found := false
			for _, c := range corrected(t, req, whatif.FindOptions{}).Corrections {
				if len(c.Changes) != 1 || c.Changes[0].Kind != tt.kind {
					continue
				}
				found = true
				change := c.Changes[0]
				require.Equal(t, tt.want, change.Commands)
				require.Equal(t, tt.extension != nil, strings.Contains(c.Text, "extension db"), c.Text)
				require.False(t, tt.extension != nil && strings.Contains(c.Text, "subscription"), c.Text)
				require.Equal(t, tt.kind == "relaxConstraint", change.Who == "author")
				require.Equal(t, tt.kind != "relaxConstraint", change.Who == "administrator")
			}
			require.True(t, found, "the correction is missing")
		})
	}
}

// TestCommandsInAShell: a shell hands names and patches on to kubectl as they are,
// whatever is in them.
func TestCommandsInAShell(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	req := universe.Request(t, `
		a/stable a.v1 needs=b@>=1.0.0
		a/$(reboot)'"\ a.v2
		subscribe a in=stable`)
	tried := 0
	for _, c := range corrected(t, req, whatif.FindOptions{}).Corrections {
		for _, command := range c.Changes[0].Commands {
			said, err := exec.CommandContext(t.Context(), shell, "-c", `kubectl() { for a in "$@"; do printf '%s\n' "$a"; done; }; `+command).CombinedOutput()
			require.NoError(t, err, "%s: %s", command, said)
			if c.Changes[0].Kind == "changeChannel" {
				tried++
				words := strings.Split(strings.TrimSpace(string(said)), "\n")
				require.Equal(t, `{"spec":{"channel":"$(reboot)'\"\\"}}`, words[len(words)-1])
			}
		}
	}
	require.Equal(t, 1, tried)
}

// TestNames: where a package, channel or catalog is not there and another name is near,
// the right name is the first correction.
func TestNames(t *testing.T) {
	const world = `
		store/stable store.v1
		store/candidate store.v2
		stories/stable stories.v1
		`
	for _, tt := range []struct{ name, subscribe, of, to string }{
		{"a package", "subscribe s package=stroe", "package", "store"},
		{"a package and its channel", "subscribe s package=stroe in=stabel", "package", "store"},
		{"a channel", "subscribe s package=store in=stabel", "channel", "stable"},
		{"a channel that is nowhere near", "subscribe s package=store in=x", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := universe.Request(t, world+tt.subscribe)
			first := corrected(t, req, whatif.FindOptions{}).Corrections[0]
			checkCorrection(t, req, first)
			if tt.of == "" {
				require.NotEqual(t, "useName", first.Changes[0].Kind)
				return
			}
			require.Equal(t, "useName", first.Changes[0].Kind)
			require.Equal(t, "s", first.Changes[0].Subject)
			require.Equal(t, tt.of, first.Changes[0].Of)
			require.Equal(t, tt.to, first.Changes[0].To)
		})
	}
	t.Run("a catalog", func(t *testing.T) {
		req := universe.Request(t, world+"subscribe s package=store")
		key := req.Catalogs[0].Key
		wrong := key
		wrong.Name += "s"
		req.Subscriptions[0].Catalog = wrong
		first := corrected(t, req, whatif.FindOptions{}).Corrections[0]
		require.Equal(t, resolver.Change{Kind: "useName", Subject: "s", Of: "catalog", From: wrong.String(), To: key.String(), Who: "administrator",
			Commands: []string{"kubectl -n test patch subscription.operators.coreos.com s --type merge -p '" +
				`{"spec":{"source":"` + key.Name + `","sourceNamespace":"` + key.Namespace + `"}}'`}}, first.Changes[0])
	})
}

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
