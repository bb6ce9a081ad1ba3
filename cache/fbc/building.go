package fbc

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// group is all that the decoded of a catalog declare about one package, in
// their order; or the package itself, finished.
type group struct {
	decls []*graph.PackageDecl
	whole *graph.Package
}

// same reports whether both are the very same declarations.
func (g group) same(o group) bool { return g.whole == o.whole && slices.Equal(g.decls, o.decls) }

// empty reports whether there is nothing to make a package of, for deprecations
// alone make none.
func (g group) empty() bool {
	return g.whole == nil && !slices.ContainsFunc(g.decls, func(d *graph.PackageDecl) bool {
		return len(d.Definitions)+len(d.Channels)+len(d.Bundles) > 0
	})
}

// decl returns the declarations as one. Those of the decoded stay as they are.
func (g group) decl() graph.PackageDecl {
	if len(g.decls) == 1 {
		return *g.decls[0]
	}
	all := graph.PackageDecl{Name: g.decls[0].Name}
	for _, d := range g.decls {
		all.Definitions = append(all.Definitions, d.Definitions...)
		all.Channels = append(all.Channels, d.Channels...)
		all.Bundles = append(all.Bundles, d.Bundles...)
		all.Deprecations = append(all.Deprecations, d.Deprecations...)
	}
	return all
}

// building makes a catalog of what is declared, and of the one before.
type building struct {
	ctx    context.Context
	opts   *Options
	before *memo // or nil
	now    *declared
	once   bool // nothing is loaded again: declarations are forgotten as soon as they are used

	groups   map[string]group
	problems []graph.Problem
}

// build returns the catalog. Packages whose declarations are the same as
// before are not made again.
func (b *building) build() (*cache.Catalog, error) {
	b.group()
	b.problems = b.now.problems
	if all := allProblems(b.now.decoded, b.problems); b.opts.Exact && len(all) > 0 {
		return nil, &ProblemsError{Problems: all}
	}
	names := make([]string, 0, len(b.groups))
	for name := range b.groups { // sorted below
		names = append(names, name)
	}
	slices.Sort(names)
	var todo []group
	for _, name := range names {
		switch g := b.groups[name]; {
		case g.empty():
			b.dangling(g)
		case b.before == nil || !g.same(b.before.groups[name]):
			todo = append(todo, g)
		}
	}
	if b.once {
		b.groups = nil
		for _, p := range b.now.decoded {
			p.Decls = nil
		}
	}
	changed := make([]*graph.Package, len(todo))
	how := graph.Options{Catalog: b.opts.declare.Catalog, Parser: b.opts.Parser, Done: b.ctx.Done()}
	err := forEach(b.ctx, len(todo), b.opts.Parallel, func(_ context.Context, i int) error {
		if changed[i] = todo[i].whole; changed[i] == nil {
			changed[i] = graph.Build(todo[i].decl(), how)
		}
		if b.once {
			todo[i] = group{}
		}
		return nil
	})
	if err != nil {
		return nil, stopped(err)
	}
	c := b.catalog(changed)
	if b.opts.Strict && len(c.Problems()) > 0 {
		return nil, &ProblemsError{Problems: slices.Clone(c.Problems())}
	}
	return c, nil
}

// group gathers what is declared by package.
func (b *building) group() {
	n := 0
	if b.before != nil {
		n = len(b.before.groups)
	}
	b.groups = make(map[string]group, n)
	for _, p := range b.now.packages {
		b.groups[p.Name] = group{whole: p}
	}
	for _, p := range b.now.decoded {
		for _, d := range p.Decls {
			g := b.groups[d.Name]
			g.decls = append(g.decls, d)
			b.groups[d.Name] = g
		}
	}
}

// catalog makes the catalog of the packages that changed, and of those of the
// catalog before.
func (b *building) catalog(changed []*graph.Package) *cache.Catalog {
	problems := allProblems(b.now.decoded, b.problems)
	for _, p := range b.now.decoded {
		problems = append(problems, p.Found...)
	}
	if b.before == nil {
		return cache.NewCatalog(changed, problems)
	}
	var removed []string
	for p := range b.before.catalog.Packages() {
		if g, ok := b.groups[p.Name]; !ok || g.empty() {
			removed = append(removed, p.Name)
		}
	}
	return b.before.catalog.Update(changed, removed, problems)
}

// dangling reports deprecations of a package that is not there.
func (b *building) dangling(g group) {
	b.problems = append(slices.Clip(b.problems), dangling(b.opts.declare.Catalog, g.decl()))
}

// dangling is the problem of deprecations of a package that is not there.
func dangling(catalog string, d graph.PackageDecl) graph.Problem {
	at := d.Deprecations[0].Pos
	return graph.Problem{
		Severity: graph.SeverityWarning, Code: CodeDeprecationDangling, Catalog: catalog, Package: d.Name,
		File: at.File, Line: at.Line,
		Message: fmt.Sprintf("package %q has deprecations, but is not in the catalog: correct the name, or remove the olm.deprecations blob", d.Name),
	}
}
