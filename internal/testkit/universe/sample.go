package universe

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"
	testify "github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Draw draws a package of at most nine versions in up to three
// channels. Most channels have a head: entries replace and skip what is older,
// and now and then something else.
func Draw(t *rapid.T) graph.PackageDecl {
	d := graph.PackageDecl{Name: "p", Definitions: []graph.DefinitionDecl{{DefaultChannel: "b"}}}
	versions := []string{"1.0.0", "1.0.1", "1.1.0", "1.1.1", "1.1.2", "1.2.0", "1.2.1-rc.1", "1.2.1", "2.0.0"}
	name := func(i int) string { return "p.v" + versions[i] }
	for i, v := range versions {
		b := graph.BundleDecl{Name: name(i)}
		var all []*properties.Property
		switch rapid.IntRange(0, 11).Draw(t, "state of "+v) {
		case 0:
			continue // virtual, if an entry has it
		case 1: // without a version, so quarantined
		case 2:
			all = append(all, PackageProperty(t, "other", v)) // quarantined, but with a version
		case 3:
			all = append(all, releaseProperty(t, v), Property(t, properties.TypeDeprecated, `{}`))
		default:
			all = append(all, releaseProperty(t, v))
		}
		b.Properties = properties.NewSet(all...)
		d.Bundles = append(d.Bundles, b)
	}
	dense := rapid.Bool().Draw(t, "dense")
	for c := range rapid.IntRange(1, 3).Draw(t, "channels") {
		ch := graph.ChannelDecl{Name: string(rune('a' + c))}
		listed := rapid.SliceOfNDistinct(rapid.IntRange(0, len(versions)-1), 1, len(versions), rapid.ID).Draw(t, "listed")
		slices.Sort(listed)
		for n, i := range listed {
			e := graph.EntryDecl{Name: name(i)}
			if n > 0 {
				e.Replaces = name(listed[n-1])
				switch rapid.IntRange(0, 5).Draw(t, "form") {
				case 0:
					older := rapid.IntRange(0, n-1).Draw(t, "replaces")
					e.Replaces = name(listed[older])
					for k := older + 1; k < n; k++ {
						e.Skips = append(e.Skips, name(listed[k]))
					}
				case 1:
					e.Skips = append(e.Skips, name(rapid.SampledFrom(listed).Draw(t, "skips")))
				case 2:
					e.Skips = []string{e.Replaces}
					e.Replaces = ""
				}
			} else if rapid.IntRange(0, 3).Draw(t, "leaves") == 0 {
				e.Replaces = rapid.SampledFrom([]string{"p.v0.1.0", name(0), name(1)}).Draw(t, "outside")
			}
			if dense {
				e.SkipRange = rapid.SampledFrom([]string{"<2.0.0", "<9.0.0", "<1.2.1"}).Draw(t, "wide range")
			} else if rapid.IntRange(0, 2).Draw(t, "ranged") == 0 {
				e.SkipRange = rapid.SampledFrom([]string{"<1.0.1", ">=1.0.0 <1.1.2", "<2.0.0", "<1.0.0", "1.1.x", ">=1.1.0 <=9.0.0"}).Draw(t, "range")
			}
			ch.Entries = append(ch.Entries, e)
		}
		d.Channels = append(d.Channels, ch)
	}
	return d
}

// sameVersion are bundles that are releases of one version, though their names
// are those of others.
var sameVersion = map[string]string{"1.1.1": "2", "1.1.2": "10"}

// releaseProperty says of a bundle with the version in its name which it is of.
func releaseProperty(t testify.TestingT, version string) *properties.Property {
	if release, ok := sameVersion[version]; ok {
		return Property(t, properties.TypePackage, fmt.Sprintf(`{"packageName":"p","version":"1.1.1","release":%q}`, release))
	}
	return PackageProperty(t, "p", version)
}

// Property parses a property or fails the test.
func Property(t testify.TestingT, typ, value string) *properties.Property {
	p, err := properties.New(typ, []byte(value))
	testify.NoError(t, err)
	return p
}

// PackageProperty returns an olm.package property.
func PackageProperty(t testify.TestingT, pkg, version string) *properties.Property {
	return Property(t, properties.TypePackage, fmt.Sprintf(`{"packageName":%q,"version":%q}`, pkg, version))
}

// Written makes the package op of a universe.
func Written(t testify.TestingT, text string) *graph.Package {
	return Content(t, text).Package("op")
}

// Version returns the version of a bundle that a package is known to have: one that it
// declares.
func Version(p *graph.Package, name string) *semver.Version {
	b := p.Bundle(name)
	if b == nil {
		return nil
	}
	declared, ok := b.Properties.Package()
	if !ok {
		return nil
	}
	return &declared.Version
}
