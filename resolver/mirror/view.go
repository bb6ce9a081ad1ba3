package mirror

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
)

// namespace is where a mirror imagines its catalogs and an empty cluster to be.
const namespace = "mirror"

type maker struct {
	r         *resolver.Resolver
	c         *Configuration
	plan      *Plan
	whole     []Catalog // of each operator
	keys      []cache.Key
	first     []*Selection
	now       []*Selection
	needs     []*needs
	operators []Operator // the completed configuration
	grown     bool       // this pass added something
	views     []resolver.Catalog
	installed []resolver.Request
}

// keysOf are keys for catalogs while a plan is made: their references, as far as a key
// can be one.
func keysOf(operators []Operator) []cache.Key {
	var out []cache.Key
	for i := range operators {
		k := cache.Key{Namespace: namespace, Name: path.Base(operators[i].Catalog)}
		for slices.Contains(out, k) {
			k.Name = fmt.Sprintf("%s-%d", k.Name, i+1)
		}
		out = append(out, k)
	}
	return out
}

func (m *maker) selections(ctx context.Context, operators []Operator) ([]*Selection, error) {
	out := make([]*Selection, len(operators))
	var errs []error
	for i := range operators {
		sel, err := Select(ctx, m.whole[i].Content, operators[i])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out[i] = sel
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return out, errors.Join(errs...)
}

// catalogs are all of them as a whole.
func (m *maker) catalogs() []resolver.Catalog {
	all := make([]resolver.Catalog, len(m.whole))
	for i := range m.whole {
		all[i] = resolver.Catalog{Key: m.keys[i], Content: m.whole[i].Content}
	}
	return all
}

// view makes catalogs of what is selected now.
func (m *maker) view(ctx context.Context) error {
	for i := range m.operators {
		m.operators[i] = m.needs[i].operator(ctx)
	}
	now, err := m.selections(ctx, m.operators)
	if err != nil {
		return err
	}
	m.now, m.views = now, nil
	for i, sel := range now {
		packages, err := filtered(ctx, m.whole[i].Content, sel)
		if err != nil {
			return err
		}
		m.views = append(m.views, resolver.Catalog{Key: m.keys[i], Content: cache.NewCatalog(packages, nil)})
	}
	return nil
}

// filtered are the packages that are mirrored. The error is that of the context.
func filtered(ctx context.Context, content *cache.Catalog, sel *Selection) ([]*graph.Package, error) {
	var packages []*graph.Package
	for i := range sel.Packages {
		packages = append(packages, filteredPackage(ctx, content.Package(sel.Packages[i].Name), &sel.Packages[i]))
		if ctx.Err() != nil {
			return nil, ctx.Err() // the package may not be whole
		}
	}
	return packages, nil
}

func filteredPackage(ctx context.Context, p *graph.Package, sel *SelectedPackage) *graph.Package {
	d := graph.PackageDecl{Name: p.Name, Definitions: []graph.DefinitionDecl{{DefaultChannel: sel.DefaultChannel}}}
	deprecated := func(is bool, schema, name, message string) {
		if is {
			d.Deprecations = append(d.Deprecations, graph.DeprecationDecl{Schema: schema, Name: name, Message: message})
		}
	}
	deprecated(p.Deprecated, graph.SchemaPackage, "", p.Deprecation)
	for _, want := range sel.Channels {
		ch := p.Channel(want.Name)
		deprecated(ch.Deprecated, graph.SchemaChannel, ch.Name, ch.Deprecation)
		cd := graph.ChannelDecl{Name: ch.Name}
		for _, name := range want.Entries {
			e := ch.Entry(name)
			cd.Entries = append(cd.Entries, graph.EntryDecl{Name: e.Name, Replaces: e.Replaces, Skips: slices.Clone(e.Skips), SkipRange: e.SkipRange.String()})
		}
		d.Channels = append(d.Channels, cd)
	}
	for _, name := range sel.Bundles {
		b := p.Bundle(name)
		if b.Quarantine != nil {
			continue
		}
		deprecated(b.Deprecated, graph.SchemaBundle, b.Name, b.Deprecation)
		d.Bundles = append(d.Bundles, graph.BundleDecl{Name: b.Name, Image: b.Image, Properties: b.Properties, Compatibility: b.Compatibility})
	}
	return graph.Build(d, graph.Options{Done: ctx.Done()})
}
