package draw

import (
	"fmt"
	"slices"

	"github.com/blang/semver/v4"
	"pgregory.net/rapid"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/upgradetest"
)

// Property draws properties of every type. It shrinks towards the API of pkg-a.
func (c Config) Property() *rapid.Generator[scenario.Property] {
	return rapid.Custom(func(t *rapid.T) scenario.Property {
		i := rapid.IntRange(0, c.packages()-1).Draw(t, "package")
		switch rapid.IntRange(0, 5).Draw(t, "type") {
		case 1:
			return upgradetest.Prop(properties.TypeLabel, map[string]string{"label": "blue"})
		case 2:
			return required(c.constraint(t, c.packages(), c.depth()))
		case 3:
			return upgradetest.Prop("example.com.tier", rapid.SampledFrom([]string{"gold", "silver"}).Draw(t, "tier"))
		case 4:
			return upgradetest.Prop(properties.TypeMaxOpenShiftVersion, "4.19")
		case 5:
			return upgradetest.Prop(properties.TypePackage, map[string]string{"packageName": packageName(i), "version": c.Version().Draw(t, "version").String()})
		}
		return upgradetest.Prop(properties.TypeGVK, api(i))
	})
}

// required is the property that declares a constraint: of the plain type where there
// is one for it.
func required(c constraints.Constraint) scenario.Property {
	switch c := c.(type) {
	case *constraints.Package:
		return upgradetest.Prop(properties.TypePackageRequired, map[string]string{"packageName": c.Name, "versionRange": c.Range.String()})
	case *constraints.GVK:
		return upgradetest.Prop(properties.TypeGVKRequired, c.GVK)
	}
	return upgradetest.Prop(properties.TypeConstraint, c)
}

// Catalog draws catalogs. It shrinks towards one package with one bundle: pkg-a,
// channel stable, a.v1.0.0.
func (c Config) Catalog() *rapid.Generator[*upgradetest.Catalog] {
	return rapid.Custom(func(t *rapid.T) *upgradetest.Catalog {
		out := &upgradetest.Catalog{Key: cache.Key{Namespace: "olm", Name: "one"}}
		for i := range rapid.IntRange(1, c.packages()).Draw(t, "packages") {
			out.Packages = append(out.Packages, c.pkg(t, i))
		}
		return out
	})
}

// Package draws packages, which may require any other. It shrinks towards pkg-a with
// one bundle.
func (c Config) Package() *rapid.Generator[upgradetest.Package] {
	return rapid.Custom(func(t *rapid.T) upgradetest.Package {
		return c.pkg(t, rapid.IntRange(0, c.packages()-1).Draw(t, "package"))
	})
}

func (c Config) pkg(t *rapid.T, number int) upgradetest.Package {
	p := upgradetest.Package{Name: packageName(number), DefaultChannel: channelNames[0]}
	versions := c.versions(t)
	for _, v := range versions {
		p.Bundles = append(p.Bundles, c.bundle(t, number, v))
	}
	for i := range rapid.IntRange(1, c.channels()).Draw(t, "channels") {
		p.Channels = append(p.Channels, c.channel(t, i, &p, versions))
	}
	if !c.Sound {
		c.notes(t, &p)
	}
	return p
}

func (c Config) versions(t *rapid.T) []semver.Version {
	v := semver.Version{Major: 1}
	out := []semver.Version{v}
	for range rapid.IntRange(0, c.bundles()-1).Draw(t, "updates") {
		switch rapid.SampledFrom([]string{"minor", "patch", "major"}).Draw(t, "update") {
		case "minor":
			v.Minor, v.Patch = v.Minor+1, 0
		case "patch":
			v.Patch++
		default:
			v = semver.Version{Major: v.Major + 1}
		}
		out = append(out, v)
	}
	return out
}

func (c Config) bundle(t *rapid.T, number int, v semver.Version) upgradetest.Bundle {
	name := packageName(number)
	b := upgradetest.NewBundle(name, bundleName(name, v.String()), v.String())
	add := func(p scenario.Property) { b.Properties = append(b.Properties, p) }
	if c.Sound || rapid.IntRange(0, 3).Draw(t, "provides") < 3 {
		add(upgradetest.Prop(properties.TypeGVK, api(number)))
	}
	others := c.packages()
	if c.Sound {
		others = number // those that are there already
	}
	if others > 0 {
		for range rapid.IntRange(0, c.requires()).Draw(t, "requires") {
			add(required(c.constraint(t, others, c.depth())))
		}
	}
	if c.Sound {
		return b
	}
	if rarely(t, "shares an API") {
		if other := rapid.IntRange(0, c.packages()-1).Draw(t, "of"); other != number {
			add(upgradetest.Prop(properties.TypeGVK, api(other)))
		}
	}
	if rarely(t, "barred") && rarely(t, "deprecated") {
		add(upgradetest.Prop(properties.TypeDeprecated, map[string]any{}))
	}
	if rarely(t, "broken") && rarely(t, "property") {
		add(upgradetest.Prop(properties.TypeLabel, "a label is an object"))
	}
	return b
}

// channel draws a channel: a chain in which each entry replaces the one before, or
// one further down and skips all those that come after that. So nobody is stranded:
// what was skipped before is skipped again, or by somebody who stays.
func (c Config) channel(t *rapid.T, number int, p *upgradetest.Package, versions []semver.Version) upgradetest.Channel {
	ch := upgradetest.Channel{Name: channelNames[number]}
	first := 0
	if number > 0 {
		first = rapid.IntRange(0, len(versions)-1).Draw(t, "first")
	}
	var chain []int // the entries that are not skipped
	for i := first; i < len(versions); i++ {
		e := upgradetest.Entry{Name: p.Bundles[i].Name}
		if n := len(chain); n > 0 {
			over := 0
			if rarely(t, "jumps") {
				over = rapid.IntRange(0, n-1).Draw(t, "over")
			}
			chain = chain[:n-over]
			to := chain[len(chain)-1]
			e.Replaces = ch.Entries[to].Name
			if over > 0 {
				for _, s := range ch.Entries[to+1:] {
					e.Skips = append(e.Skips, s.Name)
				}
			}
		}
		chain = append(chain, len(ch.Entries))
		if rarely(t, "skipRange") {
			e.SkipRange = fmt.Sprintf(">=%s <%s", versions[0], versions[i])
		}
		ch.Entries = append(ch.Entries, e)
	}
	if !c.Sound {
		spoil(t, &ch)
	}
	return ch
}

// spoil does to a channel what happens to channels.
func spoil(t *rapid.T, ch *upgradetest.Channel) {
	last := len(ch.Entries) - 1
	switch rapid.IntRange(0, 31).Draw(t, "spoilt") {
	case 31: // two heads
		ch.Entries[last].Replaces, ch.Entries[last].Skips = "", nil
	case 30: // a circle, unless there is only one entry
		ch.Entries[0].Replaces = ch.Entries[last].Name
	case 29: // a virtual node
		ch.Entries = append(ch.Entries, upgradetest.Entry{Name: ch.Entries[last].Name + "-gone", Replaces: ch.Entries[last].Name})
	case 28: // somebody is stranded
		if last >= 2 {
			ch.Entries[last].Replaces, ch.Entries[last].Skips = ch.Entries[0].Name, []string{ch.Entries[last-1].Name}
		}
	}
}

func (c Config) notes(t *rapid.T, p *upgradetest.Package) {
	if rarely(t, "deprecation") {
		p.Deprecations = append(p.Deprecations, upgradetest.Deprecation{Schema: graph.SchemaBundle, Name: p.Bundles[0].Name, Message: "take a newer one"})
	}
	if rarely(t, "default channel") {
		i := rapid.IntRange(0, len(p.Channels)-1).Draw(t, "number")
		p.DefaultChannel = p.Channels[i].Name
	}
}

// Catalogs draws one catalog or several, their keys and priorities distinct or not.
// It shrinks towards one catalog as Catalog draws it.
func (c Config) Catalogs() *rapid.Generator[[]*upgradetest.Catalog] {
	return rapid.Custom(func(t *rapid.T) []*upgradetest.Catalog {
		names := []string{"one", "two", "three", "four"}
		most := min(c.catalogs(), len(names))
		if c.Sound {
			most = 1 // the same bundle in two catalogs may provide the same twice
		}
		var out []*upgradetest.Catalog
		for i := range rapid.IntRange(1, most).Draw(t, "catalogs") {
			one := c.Catalog().Draw(t, "catalog")
			one.Key.Name = names[i]
			one.Priority = rapid.IntRange(0, 2).Draw(t, "priority")
			out = append(out, one)
		}
		return slices.Clip(out)
	})
}
