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

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/scenario"
	ut "github.com/seed109e2655/resolute/resolver/upgradetest"
)

// compound is an olm.constraint property.
func compound(c constraints.Constraint) scenario.Property { return declared.Prop("olm.constraint", c) }

func pkg(name, versions string) constraints.Constraint {
	r, err := properties.ParseRange(versions)
	if err != nil {
		panic(err)
	}
	return &constraints.Package{Name: name, Range: r}
}

// TestShrinksToTheCause buries a mistake under what has nothing to do with it, and
// reads what is left.
func TestShrinksToTheCause(t *testing.T) {
	c := small()
	c.Priority = 7
	for i := range c.Package("app").Bundles {
		b := &c.Package("app").Bundles[i]
		b.Properties = append(b.Properties[:1:1],
			compound(constraints.WithMessage(constraints.NewAll(
				pkg("web", ">=1.0.0"),
				constraints.NewAny(constraints.NewAll(pkg("cache", ">=1.0.0"), pkg("db", ">=1.0.0")), pkg("queue", "=1.0.0")),
				constraints.NewNot(pkg("legacy", ">=0.1.0")),
			), "needs a lot")),
			declared.Prop("example.com.tier", "gold"), declared.Prop("olm.label", map[string]string{"label": "blue"}))
	}
	c.Package("app").Deprecations = []declared.Deprecation{{Schema: graph.SchemaBundle, Name: "app.v1.0.0", Message: "old"}, {Schema: graph.SchemaPackage, Message: "all of it"}}
	c.Package("app").Channels = append(c.Package("app").Channels, declared.Channel{Name: "other", Entries: []declared.Entry{{Name: "app.v1.0.0", SkipRange: "<1.0.0", Skips: []string{"app.v0.9.0"}}}})
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

// TestShrinksLongChains joins the ends of a chain where it takes versions out of it.
func TestShrinksLongChains(t *testing.T) {
	p := declared.Package{Name: "db", DefaultChannel: "stable", Channels: []declared.Channel{{Name: "stable"}}}
	name := func(i int) string { return fmt.Sprintf("db.v1.%d.0", i) }
	for i := range 12 {
		e := declared.Entry{Name: name(i)}
		if i > 0 {
			e.Replaces = name(i - 1)
		}
		if i == 11 {
			e.Replaces, e.Skips = name(3), []string{name(10)}
		}
		p.Channels[0].Entries = append(p.Channels[0].Entries, e)
		p.Bundles = append(p.Bundles, declared.NewBundle("db", name(i), fmt.Sprintf("1.%d.0", i)))
	}
	r := report(t, &declared.Catalog{Packages: []declared.Package{p}}, ut.Options{Only: []string{"headUnreachable"}})
	require.Len(t, r.Findings, 6)
	for i, f := range r.Findings[:5] { // of each code, five are shrunk
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

// TestEndsWithTheTest stops a check when its test is over, or about to be.
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

// TestForeignNames keeps names from catalogs inert in messages and files.
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
