package upgradetest_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	_ "github.com/seed109e2655/resolute/internal/testkit/seed"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
	"github.com/seed109e2655/resolute/resolver/scenario"
	ut "github.com/seed109e2655/resolute/resolver/upgradetest"
)

var key = cache.Key{Namespace: "olm", Name: "catalog"}

// drawn draws a catalog and reads it.
func drawn(t *rapid.T) *cache.Catalog {
	p := draw.Problem().Draw(t, "problem")
	return testkit.Must(fbc.FromBlobs(t.Context(), p.Catalogs[0].Blobs(), fbc.Options{Catalog: key}))(t)
}

// TestFindsAuditErrors: on drawn catalogs of every kind, each bundle with an error in the
// audit has a finding.
func TestFindsAuditErrors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := drawn(t)
		report, err := ut.Run(t.Context(), content, ut.Options{Shrink: -1, Around: catalogdiff.Options{Workers: 1, Key: key}})
		require.NoError(t, err)
		found := map[string]bool{}
		for _, f := range report.Findings {
			for _, b := range append(f.Bundles, f.Bundle) {
				found[b] = found[b] || b != ""
			}
		}
		_, err = audit.Run(t.Context(), resolver.New(), []resolver.Catalog{{Key: key, Content: content}}, audit.Options{
			Namespace: "default", Workers: 1,
			Each: func(b *audit.Bundle) error {
				pkg := content.Package(b.Package)
				if to := b.ReachesHead; to != nil && !to.Reaches && pkg.Channel(to.Channel).Quarantined() == nil {
					require.True(t, found[b.Bundle], "%s does not reach its head", b.Bundle)
				}
				if bundle := pkg.Bundle(b.Bundle); !b.Installable && len(bundle.Places) > 0 && !bundle.Barred {
					require.True(t, found[b.Bundle], "%s cannot be installed", b.Bundle)
				}
				return nil
			}})
		require.NoError(t, err)
	})
}

// TestDeclareIsFaithful: a catalog that was read, declared and rebuilt gives the same answers and
// the same declarations, including quarantined parts.
func TestDeclareIsFaithful(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := drawn(t)
		once := declared.Of(resolver.Catalog{Content: content})
		again := testkit.Must(once.Build(t.Context()))(t)
		require.Equal(t, content.Choosable(), again.Choosable())
		for b := range content.Bundles() {
			o := again.Package(b.Package).Bundle(b.Name)
			require.Equal(t, b.Quarantine != nil, o.Quarantine != nil, b.Name)
			require.Equal(t, len(b.Places), len(o.Places), b.Name)
			require.Equal(t, b.ID, o.ID)
		}
		twice := declared.Of(resolver.Catalog{Content: again})
		require.Equal(t, len(once.Blobs()), len(twice.Blobs()))
	})
}

// TestDeclareKeepsErrors: every kind of quarantine survives declaring and rebuilding.
func TestDeclareKeepsErrors(t *testing.T) {
	wrong := map[graph.Code]func(p *declared.Package){
		"packageMissing":                    func(p *declared.Package) { p.Surplus = -1 },
		"packageDuplicate":                  func(p *declared.Package) { p.Surplus = 1 },
		graph.Code("defaultChannelUnknown"): func(p *declared.Package) { p.DefaultChannel = "gone" },
		"channelDuplicate":                  func(p *declared.Package) { p.Channels = append(p.Channels, p.Channels[0]) },
		"channelEmpty":                      func(p *declared.Package) { p.Channels = append(p.Channels, declared.Channel{Name: "empty"}) },
		"severalHeads":                      func(p *declared.Package) { p.Channels[0].Entries[2].Replaces = "" },
		"replacesCycle":                     func(p *declared.Package) { p.Channels[0].Entries[0].Replaces = "db.v1.1.0" },
		"entryDuplicate": func(p *declared.Package) {
			p.Channels[0].Entries = append(p.Channels[0].Entries, p.Channels[0].Entries[2])
		},
		graph.Code("bundleDuplicate"): func(p *declared.Package) { p.Bundles = append(p.Bundles, p.Bundles[0]) },
		"propertyInvalid":             func(p *declared.Package) { declare(p, declared.Prop("olm.gvk", "no object")) },
		graph.Code("constraintInvalid"): func(p *declared.Package) {
			declare(p, declared.Prop("olm.constraint", map[string]any{"none of those": 1}))
		},
		graph.Code("packagePropertyMissing"): func(p *declared.Package) { p.Bundles[0].Properties = p.Bundles[0].Properties[1:] },
		graph.Code("packagePropertySeveral"): func(p *declared.Package) { declare(p, p.Bundles[0].Properties[0]) },
		graph.Code("packageMismatch"):        func(p *declared.Package) { p.Bundles[0] = declared.NewBundle("web", "db.v1.0.0", "1.0.0") },
	}
	for code, spoil := range wrong {
		t.Run(string(code), func(t *testing.T) {
			c := small()
			spoil(c.Package("db"))
			once := testkit.Must(c.Build(t.Context()))(t)
			require.Contains(t, flaws(once), string(code))
			again := testkit.Must(declared.Of(resolver.Catalog{Key: c.Key, Content: once}).Build(t.Context()))(t)
			require.Equal(t, flaws(once), flaws(again))
		})
	}
}

// declare adds a property to the first bundle of a package.
func declare(p *declared.Package, property scenario.Property) {
	p.Bundles[0].Properties = append(p.Bundles[0].Properties, property)
}

// flaws lists the errors of a catalog without their texts.
func flaws(c *cache.Catalog) (out []string) {
	for _, p := range c.Problems() {
		if p.Severity == graph.SeverityError {
			out = append(out, string(p.Code))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
