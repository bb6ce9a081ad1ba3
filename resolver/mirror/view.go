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

// filteredPackage declares what is selected of a package, without what is set aside.
func filteredPackage(ctx context.Context, p *graph.Package, sel *SelectedPackage) *graph.Package {
	d := p.Decl()
	d.Definitions = []graph.DefinitionDecl{{DefaultChannel: sel.DefaultChannel}}
	d.Channels = slices.DeleteFunc(d.Channels, func(c graph.ChannelDecl) bool { _, selected := sel.channel(c.Name); return !selected })
	for i := range d.Channels {
		c := &d.Channels[i]
		at, _ := sel.channel(c.Name)
		kept := make(map[string]bool)
		for _, name := range sel.Channels[at].Entries {
			kept[name] = true
		}
		c.Flaws = nil
		c.Entries = slices.DeleteFunc(c.Entries, func(e graph.EntryDecl) bool {
			once := kept[e.Name]
			delete(kept, e.Name)
			return !once
		})
	}
	d.Bundles = slices.DeleteFunc(d.Bundles, func(b graph.BundleDecl) bool { return b.Flaws != nil || !sel.has(b.Name) })
	d.Deprecations = slices.DeleteFunc(d.Deprecations, func(about graph.DeprecationDecl) bool { return !sel.selects(about.Schema, about.Name) })
	return graph.Build(d, graph.Options{Done: ctx.Done()})
}
