package upgradetest_test

import (
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
			"sound: package db, channel stable [severalHeads]",
			"installable: package app, channel stable: app.v1.0.0 and app.v1.1.0 [constraint+quarantined]",
			"reachesHead: package app, channel stable: app.v1.0.0 and app.v1.1.0 [conflict+constraint+quarantined]",
			"reachesHead: package db, channel stable: db.v1.0.0, db.v1.1.0 and db.v1.2.0 [quarantined+severalHeads]",
			"addition: package db, at db.v1.2.0 [quarantined]",
		}},
		{"an unknown default channel", func(c *declared.Catalog) { c.Package("web").DefaultChannel = "beta" }, []string{
			"sound: package web [defaultChannelUnknown]",
		}},
		{"a broken property", func(c *declared.Catalog) { with(dbBundle(c, 2), declared.Prop("olm.label", "no object")) }, []string{
			"sound: package db: db.v1.2.0 [propertyInvalid]",
			"reachesHead: package db, channel stable: db.v1.1.0 [noEdge+headQuarantined]",
			"reachesHead: package db, channel stable, at db.v1.1.0: db.v1.0.0 [noEdge+headQuarantined]",
		}},
		{"a requirement that nobody meets", func(c *declared.Catalog) { with(appHead(c), wants("Cache")) }, []string{
			"installable: package app, channel stable: app.v1.1.0 [constraint]",
			"reachesHead: package app, channel stable: app.v1.1.0 [conflict+constraint]",
			"reachesHead: package app, channel stable: app.v1.0.0 [stuck+constraint]",
		}},
		{"the head is barred", func(c *declared.Catalog) { with(dbBundle(c, 2), declared.Prop("olm.deprecated", map[string]any{})) }, []string{
			"installable: package db, channel stable: db.v1.2.0 [deprecated]",
			"reachesHead: package db, channel stable: db.v1.1.0 [stuck+deprecated]",
			"reachesHead: package db, channel stable, at db.v1.1.0: db.v1.0.0 [stuck+deprecated]",
		}},
		{"stranded by a jump", func(c *declared.Catalog) {
			p := c.Package("db")
			p.Channels[0].Entries = append(p.Channels[0].Entries, declared.Entry{Name: "db.v1.3.0", Replaces: "db.v1.0.0", Skips: []string{"db.v1.2.0"}})
			p.Bundles = append(p.Bundles, declared.NewBundle("db", "db.v1.3.0", "1.3.0", provides("DB")))
		}, []string{
			"reachesHead: package db, channel stable: db.v1.1.0 [noEdge]",
			"addition: package db, at db.v1.3.0 [noCandidate+offChain+skipped]",
		}},
		{"not listed any more", func(c *declared.Catalog) {
			c.Package("db").Channels[0].Entries = []declared.Entry{{Name: "db.v1.2.0", SkipRange: ">=1.0.0 <1.1.0"}}
		}, []string{"reachesHead: package db, channel stable: db.v1.1.0 [noEdge+unlisted]"}},
		{"the update takes away what a dependent requires", func(c *declared.Catalog) {
			dbBundle(c, 2).Properties = dbBundle(c, 2).Properties[:1]
		}, []string{"dependents: package db, channel stable, at db.v1.1.0: app.v1.0.0 and app.v1.1.0 [stuck+constraint+package]"}},
		{"a dependent pins what moves on", func(c *declared.Catalog) {
			for i := range c.Package("app").Bundles {
				with(&c.Package("app").Bundles[i], wantsPackage("db", "=1.1.0"))
			}
		}, []string{"dependents: package db, channel stable, at db.v1.1.0: app.v1.0.0 and app.v1.1.0 [stuck+constraint+package]"}},
		{"skips a version that a dependent pins, and says so", func(c *declared.Catalog) {
			with(appHead(c), wantsPackage("db", "=1.1.0"))
			c.Package("app").Channels[0].Entries = c.Package("app").Channels[0].Entries[1:]
			c.Package("app").Bundles = c.Package("app").Bundles[1:]
			dbEntry(c, 2).Skips = []string{"db.v1.1.0"}
		}, []string{
			"sound: package db, channel stable: db.v1.0.0 [strandedBehindSkipped]", // for opm the chain ends above
			"installable: package app, channel stable: app.v1.1.0 [constraint+skipped]",
			"reachesHead: package app, channel stable: app.v1.1.0 [conflict+constraint+skipped]",
			"reachesHead: package db, channel stable: db.v1.0.0 [noEdge]", // its only way on is skipped
		}},
		{"a clash of what a bundle requires", func(c *declared.Catalog) {
			with(appHead(c), wants("Web"))
			with(&c.Package("web").Bundles[0], provides("DB"), declared.Prop("olm.label", map[string]string{"label": "x"}))
			with(appHead(c), wantsPackage("db", ">=1.0.0"))
		}, []string{
			"installable: package app, channel stable: app.v1.1.0 [constraint+gvk]",
			"reachesHead: package app, channel stable: app.v1.1.0 [conflict+constraint+gvk]",
			"reachesHead: package app, channel stable: app.v1.0.0 [stuck+constraint+gvk]",
		}},
		{"a road that goes round", func(c *declared.Catalog) { dbEntry(c, 1).SkipRange = ">=1.2.0" }, []string{
			"converges: package db, channel stable: db.v1.0.0, db.v1.1.0 and db.v1.2.0 [loop]",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := small()
			tt.change(c)
			var got []string
			for _, f := range report(t, c, ut.Options{}).Findings {
				got = append(got, f.String())
				require.NotNil(t, f.Small, "%s", &f)
				most := 3
				if f.Code == "stuck+constraint+gvk" {
					most = 4 // an old version, the new one, and the two that clash
				}
				require.LessOrEqual(t, f.Small.Bundles, most, "%s", f.Text())
				s := testkit.Must(scenario.ReadFile(t.Context(), f.Small.File))(t)
				requireReplayed(t, &f, s)
			}
			require.Equal(t, tt.want, got)
		})
	}
}

// TestAdditionsAreTheLatest: what could have been added last is what nothing replaces
// or skips, in any channel, in packages that had something before.
func TestAdditionsAreTheLatest(t *testing.T) {
	c := small()
	*dbEntry(c, 2) = declared.Entry{Name: "db.v1.2.0", Replaces: "db.v1.0.0", Skips: []string{"db.v1.1.0"}}
	require.Equal(t, []ut.Looked{{Property: ut.Addition, Cases: 2, Of: 2}}, report(t, c, ut.Options{Only: []ut.Property{ut.Addition}}).Looked)
	c.Package("app").Channels = append(c.Package("app").Channels, declared.Channel{Name: "next", Entries: []declared.Entry{{Name: "app.v2.0.0", Replaces: "app.v1.1.0"}}})
	require.Equal(t, []ut.Looked{{Property: ut.Addition, Cases: 1, Of: 1}}, report(t, c, ut.Options{Only: []ut.Property{ut.Addition}}).Looked)
}

// report checks a catalog.
func report(t *testing.T, c *declared.Catalog, opts ut.Options) *ut.Report {
	t.Helper()
	content := testkit.Must(c.Build(t.Context()))(t)
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	return testkit.Must(ut.Run(t.Context(), content, opts))(t)
}
