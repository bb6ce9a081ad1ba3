package upgrade_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/upgrade"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// A version that only another channel has is a conflict, whose corrections lead there:
// in one step, or over several rounds. None of them gives the target up.
func TestUpgradeIntoAnotherChannel(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"schema":"olm.package","name":"a","defaultChannel":"one"}
{"schema":"olm.channel","package":"a","name":"one","entries":[{"name":"a.v1"},{"name":"a.v2","replaces":"a.v1"}]}
{"schema":"olm.channel","package":"a","name":"two","entries":[{"name":"a.v3","replaces":"a.v2"},{"name":"a.v4","replaces":"a.v3"}]}
`)
	for i := 1; i <= 4; i++ {
		fmt.Fprintf(&b, `{"schema":"olm.bundle","package":"a","name":"a.v%d","image":"i","properties":[{"type":"olm.package","value":{"packageName":"a","version":"%[1]d.0.0"}}]}`+"\n", i)
	}
	content := testkit.Must(fbc.Read(t.Context(), strings.NewReader(b.String()), "channels", fbc.Options{}))(t)
	for _, tc := range []struct{ installed, version, want string }{
		{"a.v1", "4.0.0", "let subscription a follow channel two from round 2 on, when a.v2 is installed"},
		{"a.v2", "a.v3", "let subscription a follow channel two"},
	} {
		req := resolver.Request{
			Catalogs:      []resolver.Catalog{{Key: cache.Key{Namespace: "n", Name: "c"}, Content: content}},
			Installed:     []resolver.Installed{{Name: tc.installed, Package: "a"}},
			Subscriptions: []resolver.Subscription{{Name: "a", Package: "a", Channels: []string{"one"}, InstalledCSV: tc.installed, Hold: "not approved"}},
		}
		_, err := upgrade.Least(t.Context(), resolver.New(), req, []upgrade.Target{{Subscription: "a", Version: tc.version}})
		refused := testkit.As[*upgrade.RefusedError](t, err)
		var conflict *resolver.Conflict
		require.ErrorAs(t, err, &conflict)
		require.NoError(t, whatif.FindCorrections(t.Context(), resolver.New(), refused.Request, conflict, whatif.FindOptions{Allow: refused.Allow, Resolve: refused.Reach(resolver.New())}))
		var texts []string
		for _, c := range conflict.Corrections {
			texts = append(texts, c.Text)
		}
		require.Equal(t, []string{tc.want}, texts)
	}
}
