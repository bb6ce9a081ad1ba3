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

// namespace is the namespace of the catalogs and of the empty cluster of a plan.
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
	ignore    bool       // missing objects are warnings
	views     []resolver.Catalog
	installed []resolver.Request
	// unmirrored has, for each catalog, the bundles that oc-mirror does not mirror, and why.
	unmirrored []map[bundleKey]string
}

// keysOf returns keys for catalogs during planning: their references, as far as a key permits.
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

// selections selects from each catalog. What a catalog lacks is an error, or returned
// where that is ignored.
func (m *maker) selections(ctx context.Context, operators []Operator) ([]*Selection, *UnknownError, error) {
	out := make([]*Selection, len(operators))
	all := new(UnknownError)
	var errs []error
	for i := range operators {
		if m.needs != nil && m.needs[i].none() { // without packages it would select all
			out[i] = &Selection{}
			continue
		}
		sel, err := Select(ctx, m.whole[i].Content, operators[i])
		var unknown *UnknownError
		if errors.As(err, &unknown) {
			all.Problems, all.More = append(all.Problems, unknown.Problems...), all.More+unknown.More
			err = nil
			if m.ignore {
				err = unknown.Rest
			}
		}
		if err != nil {
			errs = append(errs, err)
		}
		out[i] = sel
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if len(all.Problems) > 0 && !m.ignore {
		errs = slices.Insert(errs, 0, error(all))
	}
	return out, all, errors.Join(errs...)
}

// catalogs are all of them as a whole.
func (m *maker) catalogs() []resolver.Catalog {
	all := make([]resolver.Catalog, len(m.whole))
	for i := range m.whole {
		all[i] = resolver.Catalog{Key: m.keys[i], Content: m.whole[i].Content}
	}
	return all
}

// view builds the catalogs of the current selection.
func (m *maker) view(ctx context.Context) error {
	for i := range m.operators {
		m.operators[i] = m.needs[i].operator(ctx)
	}
	now, _, err := m.selections(ctx, m.operators)
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

// filteredPackage declares the selected part of a package, without quarantined parts.
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
