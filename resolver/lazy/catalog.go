package lazy

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// FromCatalog returns a provider of a catalog that was read as a whole.
func FromCatalog(c *cache.Catalog) Provider { return whole{c} }

type whole struct{ content *cache.Catalog }

// Packages implements [Provider].
func (w whole) Packages(_ context.Context, names []string) ([]*Package, error) {
	out := make([]*Package, len(names))
	for i, name := range names {
		if p := w.content.Package(name); p != nil {
			out[i] = packageOf(p)
		}
	}
	return out, nil
}

// packageOf returns what a package declares apart from the contents of its versions.
func packageOf(p *graph.Package) *Package {
	d := p.Decl()
	out := &Package{Channels: d.Channels, DefaultChannel: p.DefaultChannel, Deprecations: d.Deprecations}
	if len(d.Definitions) == 0 {
		out.Flaws = []graph.Flaw{{Code: p.Quarantine.Code, Message: p.Quarantine.Message}}
	} else {
		out.Flaws = d.Definitions[0].Flaws
	}
	order := slices.SortedFunc(slices.Values(p.Bundles), func(a, b *graph.Bundle) int { return cmp.Compare(a.Order, b.Order) })
	for _, b := range order {
		out.Versions = append(out.Versions, Version{Name: b.Name, Version: *b.Version, Release: b.Release, Image: b.Image,
			Payload: b.Payload, Barred: b.Barred, Flaws: b.Decl().Flaws})
	}
	return out
}

// Details implements [Provider].
func (w whole) Details(_ context.Context, versions []Ref) ([]Details, error) {
	out := make([]Details, len(versions))
	for i, of := range versions {
		p := w.content.Package(of.Package)
		if p == nil || p.Bundle(of.Name) == nil {
			return nil, &ProviderError{Package: of.Package, Version: of.Name, Message: "the catalog does not have it"}
		}
		b := p.Bundle(of.Name)
		out[i] = Details{Properties: b.Properties, Compatibility: b.Compatibility, Metadata: b.Metadata}
		for _, r := range b.Constraints {
			if r.Property == nil {
				out[i].Requires = append(out[i].Requires, r.Constraint)
			}
		}
	}
	return out, nil
}

// Find implements [Provider].
func (w whole) Find(_ context.Context, queries []Query) ([][]Ref, error) {
	out := make([][]Ref, len(queries))
	for i, q := range queries {
		var ids []int32
		switch q := q.(type) {
		case ByAPI:
			ids = w.content.Providers(q.API)
		case ByLabel:
			ids = w.content.Labelled(q.Label)
		case ByName:
			ids = w.content.Named(q.Name)
		case ByRule:
			for b := range w.content.Bundles() {
				if rule, ok := q.Rule.(*constraints.CEL); !ok || rule.Program.Needs().Maybe(b.Properties) {
					ids = append(ids, b.ID)
				}
			}
		}
		for _, id := range ids {
			b := w.content.Bundle(id)
			out[i] = append(out[i], Ref{b.Package, b.Name})
		}
	}
	return out, nil
}

// propertyOf returns a property of a value that is valid, else nil.
func propertyOf(typ string, value any) *properties.Property {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	p, err := properties.New(typ, raw)
	if err != nil {
		return nil
	}
	return p
}

// labelOf returns the property of a label.
func labelOf(label string) *properties.Property {
	return propertyOf(properties.TypeLabel, map[string]string{"label": label})
}

// identity returns the property olm.package of a version; nil if its package has no valid name.
func identity(pkg string, v *Version) *properties.Property {
	if v.Release == "" {
		p, err := properties.NewPackage(pkg, &v.Version)
		if err != nil {
			return nil
		}
		return p
	}
	return propertyOf(properties.TypePackage, properties.Package{Name: pkg, Version: v.Version, Release: v.Release})
}
