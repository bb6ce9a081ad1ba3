package upgradetest

import (
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Declare returns what a catalog that was read declares, so that it can be changed
// and built again. What the reader could not make sense of is gone from the catalog
// and comes back as something else that is quarantined just as narrowly, for
// example a property that does not parse with the problem as its value. Images
// and places in files are left out.
func Declare(c resolver.Catalog) *Catalog {
	out := &Catalog{Key: c.Key, Priority: c.Priority}
	if c.Content == nil {
		return out
	}
	for p := range c.Content.Packages() {
		out.Packages = append(out.Packages, declarePackage(p))
	}
	return out
}

func declarePackage(p *graph.Package) Package {
	out := Package{Name: p.Name, DefaultChannel: p.DefaultChannel}
	if q := p.Quarantine; q != nil {
		out.Surplus = 1
		if q.Code == graph.CodePackageMissing {
			out.Surplus = -1
		}
	}
	note := func(is bool, schema, name, message string) {
		if is {
			out.Deprecations = append(out.Deprecations, Deprecation{schema, name, message})
		}
	}
	note(p.Deprecated, graph.SchemaPackage, "", p.Deprecation)
	for _, ch := range p.Channels {
		out.Channels = append(out.Channels, declareChannel(ch)...)
		note(ch.Deprecated, graph.SchemaChannel, ch.Name, ch.Deprecation)
	}
	for _, b := range p.Bundles {
		out.Bundles = append(out.Bundles, declareBundle(b)...)
		note(b.Deprecated, graph.SchemaBundle, b.Name, b.Deprecation)
	}
	return out
}

// declareChannel returns the channel, twice if that is what is wrong with it.
func declareChannel(ch *graph.Channel) []Channel {
	out := Channel{Name: ch.Name}
	for i := range ch.Entries {
		e := &ch.Entries[i]
		out.Entries = append(out.Entries, Entry{Name: e.Name, Replaces: e.Replaces, Skips: slices.Clone(e.Skips), SkipRange: e.SkipRange.String()})
	}
	if q := ch.Quarantine; q != nil {
		switch q.Code {
		case graph.CodeSeveralHeads, graph.CodeNoHead, graph.CodeReplacesCycle, graph.CodeEntryDuplicate, graph.CodeChannelEmpty:
			// the entries show it
		default:
			return []Channel{out, out}
		}
	}
	return []Channel{out}
}

// declareBundle returns the bundle, twice if that is what is wrong with it.
func declareBundle(b *graph.Bundle) []Bundle {
	out := Bundle{Name: b.Name}
	for p := range b.Properties.All() {
		out.Properties = append(out.Properties, scenario.Property{Type: p.Type(), Value: p.Raw()})
	}
	if q := b.Quarantine; q != nil {
		switch q.Code {
		case graph.CodeBundleDuplicate:
			return []Bundle{out, out}
		case graph.CodePackagePropertyMissing, graph.CodePackagePropertySeveral, graph.CodePackageMismatch, graph.CodeConstraintInvalid:
			// the properties show it
		default:
			out.Properties = append(out.Properties, Prop(properties.TypeLabel, q.Message)) // a label is an object
		}
	}
	return []Bundle{out}
}

func declareAll(cats []resolver.Catalog) []*Catalog {
	out := make([]*Catalog, len(cats))
	for i, c := range cats {
		out[i] = Declare(c)
	}
	return out
}
