package upgradetest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver/scenario"
	ut "github.com/seed109e2655/resolute/resolver/upgradetest"
)

// TestShrinksToTheCause hides a mistake among unrelated parts, and checks the remaining case.
func TestShrinksToTheCause(t *testing.T) {
	var more string
	for _, b := range []string{"app.v1.0.0", "app.v1.1.0"} {
		more += "require " + b + " all(web@>=1.0.0, any(all(cache@>=1.0.0, db@>=1.0.0), queue@=1.0.0), not(legacy@>=0.1.0)) ; needs a lot\n" +
			"property " + b + ` example.com.tier "gold"` + "\nproperty " + b + ` olm.label {"label":"blue"}` + "\n"
	}
	c := small(" needs=DB", "", "", more+"deprecated app.v1.0.0 old\ndeprecated app all of it\napp/other app.v1.0.0 range=<1.0.0 skips=app.v0.9.0")
	c.Priority = 7
	r := report(t, c, ut.Options{Only: []string{"notInstallable"}, Packages: []string{"app"}})
	require.Len(t, r.Findings, 2)
	require.Equal(t, "app.v1.0.0", r.Findings[0].Bundle)
	small := r.Findings[0].Small
	require.Equal(t, 1, small.Bundles)
	var text strings.Builder
	for _, b := range small.Scenario.Catalogs[0].Blobs {
		text.WriteString(string(b) + "\n")
	}
	require.Equal(t, `{"schema":"olm.package","name":"app","defaultChannel":"other"}
{"schema":"olm.channel","package":"app","name":"other","entries":[{"name":"app.v1.0.0"}]}
{"schema":"olm.bundle","package":"app","name":"app.v1.0.0","image":"example.com/app.v1.0.0","properties":[{"type":"olm.package","value":{"packageName":"app","version":"1.0.0"}},{"type":"olm.constraint","value":{"package":{"packageName":"cache","versionRange":">=1.0.0"}}}]}
`, text.String())
	require.Zero(t, small.Scenario.Catalogs[0].Priority)
}

// TestShrinksLongChains joins the ends of a chain when it removes versions from it.
func TestShrinksLongChains(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("db.v1.%d.0", i) }
	text := "db/stable"
	for i := range 11 {
		text += " " + name(i)
	}
	text += "\ndb/stable " + name(11) + " replaces=" + name(3) + " skips=" + name(10)
	r := report(t, catalog(text), ut.Options{Only: []string{"headUnreachable"}})
	require.Len(t, r.Findings, 6)
	for i, f := range r.Findings[:5] { // five are shrunk of each code
		require.Equal(t, name(4+i), f.Bundle)
		require.LessOrEqual(t, f.Small.Bundles, 3, "%s", f.Lines())
	}
}

// timed is a test with a context and a deadline.
type timed struct {
	recorder
	ctx      context.Context
	deadline time.Time
}

func (t *timed) Context() context.Context         { return t.ctx }
func (t *timed) Deadline() (d time.Time, ok bool) { return t.deadline, !t.deadline.IsZero() }

// TestEndsWithTheTest stops a check when its test ends, or is about to end.
func TestEndsWithTheTest(t *testing.T) {
	content := testkit.Must(small().Build(t.Context()))(t)
	late := &timed{ctx: t.Context(), deadline: time.Now().Add(time.Second)}
	ut.CheckAll(late, content, ut.Options{})
	require.Len(t, late.errors, 1)
	require.Contains(t, late.errors[0], "deadline exceeded")

	ctx := testkit.Ended()
	over := &timed{ctx: ctx}
	ut.CheckAll(over, content, ut.Options{})
	require.Len(t, over.errors, 1)
	require.Contains(t, over.errors[0], "canceled")

	fine := &timed{ctx: t.Context(), deadline: time.Now().Add(time.Hour)}
	ut.CheckAll(fine, content, ut.Options{})
	require.Empty(t, fine.errors)
	require.Empty(t, fine.logs)
}

// TestForeignNames: names from catalogs are escaped in messages and files.
func TestForeignNames(t *testing.T) {
	name := "db\x1b[31m\n# replay: rm\u2028"
	c := &declared.Catalog{Packages: []declared.Package{{Name: name, DefaultChannel: "gone",
		Channels: []declared.Channel{{Name: "a\nb"}, {Name: "s", Entries: []declared.Entry{{Name: name + ".v1"}, {Name: name + ".v2"}}}},
		Bundles:  []declared.Bundle{declared.NewBundle(name, name+".v1", "1.0.0"), declared.NewBundle(name, name+".v2", "2.0.0", scenario.Property{Type: "x", Value: []byte("{")})},
	}, {Name: "undefined", Surplus: -1, Bundles: []declared.Bundle{declared.NewBundle("undefined", "u.v1", "1.0.0")}}}}
	content := testkit.Must(c.Build(t.Context()))(t)
	rec, dir := &recorder{}, t.TempDir()
	ut.CheckAll(rec, content, ut.Options{Dir: dir})
	require.NotEmpty(t, rec.errors)
	require.NotContains(t, strings.Join(rec.errors, ""), "\x1b")
	files := testkit.Must(filepath.Glob(filepath.Join(dir, "*.yaml")))(t)
	require.NotEmpty(t, files)
	for _, f := range files {
		data := testkit.Must(os.ReadFile(f))(t)
		require.NotContains(t, string(data), "\x1b")
		require.NotContains(t, string(data), "\n# replay: rm")
		_, err := scenario.ReadFile(t.Context(), f)
		require.NoError(t, err)
	}
}
