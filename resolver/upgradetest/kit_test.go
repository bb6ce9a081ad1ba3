package upgradetest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/scenario"
	ut "github.com/seed109e2655/resolute/resolver/upgradetest"
)

func gvk(kind string) properties.GVK {
	return properties.GVK{Group: "example.com", Version: "v1", Kind: kind}
}

func provides(kind string) scenario.Property { return declared.Prop(properties.TypeGVK, gvk(kind)) }
func wants(kind string) scenario.Property {
	return declared.Prop(properties.TypeGVKRequired, gvk(kind))
}
func wantsPackage(name, versions string) scenario.Property {
	return declared.Prop(properties.TypePackageRequired, map[string]string{"packageName": name, "versionRange": versions})
}

// small is a sound catalog: db with three versions that provide DB, and app with two
// that require it. Each replaces the one before.
func small() *declared.Catalog {
	return &declared.Catalog{Key: cache.Key{Namespace: "olm", Name: "catalog"}, Packages: []declared.Package{
		{
			Name: "app", DefaultChannel: "stable",
			Channels: []declared.Channel{{Name: "stable", Entries: []declared.Entry{{Name: "app.v1.0.0"}, {Name: "app.v1.1.0", Replaces: "app.v1.0.0"}}}},
			Bundles:  []declared.Bundle{declared.NewBundle("app", "app.v1.0.0", "1.0.0", wants("DB")), declared.NewBundle("app", "app.v1.1.0", "1.1.0", wants("DB"))},
		},
		{
			Name: "db", DefaultChannel: "stable",
			Channels: []declared.Channel{{Name: "stable", Entries: []declared.Entry{
				{Name: "db.v1.0.0"}, {Name: "db.v1.1.0", Replaces: "db.v1.0.0"}, {Name: "db.v1.2.0", Replaces: "db.v1.1.0"},
			}}},
			Bundles: []declared.Bundle{
				declared.NewBundle("db", "db.v1.0.0", "1.0.0", provides("DB")),
				declared.NewBundle("db", "db.v1.1.0", "1.1.0", provides("DB")),
				declared.NewBundle("db", "db.v1.2.0", "1.2.0", provides("DB")),
			},
		},
		{
			Name: "web", DefaultChannel: "stable",
			Channels: []declared.Channel{{Name: "stable", Entries: []declared.Entry{{Name: "web.v1.0.0"}}}},
			Bundles:  []declared.Bundle{declared.NewBundle("web", "web.v1.0.0", "1.0.0", provides("Web"))},
		},
	}}
}

func dbEntry(c *declared.Catalog, i int) *declared.Entry {
	return &c.Package("db").Channels[0].Entries[i]
}
func dbBundle(c *declared.Catalog, i int) *declared.Bundle { return &c.Package("db").Bundles[i] }
func appHead(c *declared.Catalog) *declared.Bundle         { return c.Package("app").Bundle("app.v1.1.0") }
func with(b *declared.Bundle, props ...scenario.Property) {
	b.Properties = append(b.Properties, props...)
}

// TestFindsInTheSmall makes one change at a time to a small sound catalog and says
// what exactly is found: properties, places and bundles.
func TestFindsInTheSmall(t *testing.T) {
	tests := []struct {
		name   string
		change func(c *declared.Catalog)
		want   []string
	}{
		{"nothing", func(*declared.Catalog) {}, nil},
		{"one more channel", func(c *declared.Catalog) {
			p := c.Package("db")
			p.Channels = append(p.Channels, declared.Channel{Name: "old", Entries: []declared.Entry{{Name: "db.v1.0.0"}}})
		}, nil},
		{"skips the versions that it jumps over", func(c *declared.Catalog) {
			*dbEntry(c, 2) = declared.Entry{Name: "db.v1.2.0", Replaces: "db.v1.0.0", Skips: []string{"db.v1.1.0"}}
		}, nil},
		{"a skipRange for all before", func(c *declared.Catalog) {
			dbEntry(c, 2).SkipRange = ">=1.0.0 <1.2.0"
		}, nil},
		{"deprecated, but not the head", func(c *declared.Catalog) {
			with(dbBundle(c, 0), declared.Prop("olm.deprecated", map[string]any{}))
			c.Package("db").Deprecations = []declared.Deprecation{{Schema: graph.SchemaBundle, Name: "db.v1.0.0", Message: "old"}}
		}, nil},
		{"a warning only", func(c *declared.Catalog) {
			with(dbBundle(c, 0), declared.Prop("olm.constraint", map[string]any{"all": map[string]any{"constraints": []any{}}}))
		}, nil},

		{"two heads", func(c *declared.Catalog) { dbEntry(c, 2).Replaces = "" }, []string{
			"notInstallable app app.v1.0.0", "notInstallable app app.v1.1.0", "newProblem severalHeads db",
		}},
		{"an unknown default channel", func(c *declared.Catalog) { c.Package("web").DefaultChannel = "beta" }, []string{
			"newProblem defaultChannelUnknown web",
		}},
		{"a broken property", func(c *declared.Catalog) { with(dbBundle(c, 2), declared.Prop("olm.label", "no object")) }, []string{
			"newProblem propertyInvalid db db.v1.2.0",
			"headUnreachable db db.v1.1.0: db.v1.0.0 db.v1.1.0",
		}},
		{"a requirement that nobody meets", func(c *declared.Catalog) { with(appHead(c), wants("Cache")) }, []string{
			"notInstallable app app.v1.1.0", "headUnreachable app app.v1.0.0",
		}},
		{"the head is barred", func(c *declared.Catalog) { with(dbBundle(c, 2), declared.Prop("olm.deprecated", map[string]any{})) }, []string{
			"headUnreachable db db.v1.1.0: db.v1.0.0 db.v1.1.0",
		}},
		{"stranded by a jump", func(c *declared.Catalog) {
			p := c.Package("db")
			p.Channels[0].Entries = append(p.Channels[0].Entries, declared.Entry{Name: "db.v1.3.0", Replaces: "db.v1.0.0", Skips: []string{"db.v1.2.0"}})
			p.Bundles = append(p.Bundles, declared.NewBundle("db", "db.v1.3.0", "1.3.0", provides("DB")))
		}, []string{"headUnreachable db db.v1.1.0"}},
		{"not listed any more", func(c *declared.Catalog) {
			c.Package("db").Channels[0].Entries = []declared.Entry{{Name: "db.v1.2.0", SkipRange: ">=1.0.0 <1.1.0"}}
		}, []string{"headUnreachable db db.v1.1.0"}},
		{"the update takes away what a dependent requires", func(c *declared.Catalog) {
			dbBundle(c, 2).Properties = dbBundle(c, 2).Properties[:1]
		}, []string{"dependentBroken app app.v1.1.0"}},
		{"a dependent pins what moves on", func(c *declared.Catalog) {
			for i := range c.Package("app").Bundles {
				with(&c.Package("app").Bundles[i], wantsPackage("db", "=1.1.0"))
			}
		}, []string{"dependentBroken app app.v1.1.0"}},
		{"skips a version that a dependent pins, and says so", func(c *declared.Catalog) {
			with(appHead(c), wantsPackage("db", "=1.1.0"))
			c.Package("app").Channels[0].Entries = c.Package("app").Channels[0].Entries[1:]
			c.Package("app").Bundles = c.Package("app").Bundles[1:]
			dbEntry(c, 2).Skips = []string{"db.v1.1.0"}
		}, []string{
			"notInstallable app app.v1.1.0",
			"headUnreachable db db.v1.0.0",                  // its only way on is skipped
			"newProblem strandedBehindSkipped db db.v1.0.0", // for opm the chain ends above
		}},
		{"a clash of what a bundle requires", func(c *declared.Catalog) {
			with(appHead(c), wants("Web"))
			with(&c.Package("web").Bundles[0], provides("DB"), declared.Prop("olm.label", map[string]string{"label": "x"}))
			with(appHead(c), wantsPackage("db", ">=1.0.0"))
		}, []string{"notInstallable app app.v1.1.0", "headUnreachable app app.v1.0.0"}},
		{"a road that goes round", func(c *declared.Catalog) { dbEntry(c, 1).SkipRange = ">=1.2.0" }, []string{
			"headUnreachable db db.v1.1.0: db.v1.0.0 db.v1.1.0", "headUnreachable db db.v1.2.0",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := small()
			tt.change(c)
			var got []string
			for _, f := range report(t, c, ut.Options{}).Findings {
				got = append(got, said(&f))
				require.NotNil(t, f.Small, "%s", &f)
				most := 3
				if tt.name == "a clash of what a bundle requires" {
					most = 4 // an old version, the new one, and the two that clash
				}
				require.LessOrEqual(t, f.Small.Bundles, most, "%s", f.Lines())
				s := testkit.Must(scenario.ReadFile(t.Context(), f.Small.File))(t)
				requireReplayed(t, &f, s)
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// said is a finding without its words.
func said(f *ut.Finding) string {
	parts := slices.DeleteFunc([]string{f.Code, string(f.Problem), f.Package, f.Bundle}, func(s string) bool { return s == "" })
	if len(f.Bundles) > 0 {
		return strings.Join(parts, " ") + ": " + strings.Join(f.Bundles, " ")
	}
	return strings.Join(parts, " ")
}

// TestBefore: with the state before a change, only what got worse since is found.
func TestBefore(t *testing.T) {
	before := testkit.Must(flawed().Build(t.Context()))(t)
	require.Empty(t, report(t, flawed(), ut.Options{Before: before}).Findings)
	worse := flawed()
	worse.Package("db").Channels[0].Entries = worse.Package("db").Channels[0].Entries[1:] // db.v1.0.0
	var got []string
	for _, f := range report(t, worse, ut.Options{Before: before}).Findings {
		require.Nil(t, f.Small)
		got = append(got, said(&f))
	}
	require.Equal(t, []string{"notInstallable db db.v1.0.0"}, got)
}

// report checks a catalog.
func report(t *testing.T, c *declared.Catalog, opts ut.Options) *ut.Report {
	t.Helper()
	content := testkit.Must(c.Build(t.Context()))(t)
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	r := testkit.Must(ut.Run(t.Context(), content, opts))(t)
	return r
}
