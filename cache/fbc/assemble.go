package fbc

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// assemble makes a catalog of what the files declare.
func (l *loader) assemble(ctx context.Context, sinks []*sink) (*cache.Catalog, error) {
	for _, s := range sinks {
		s.finish()
	}
	decls := l.group(sinks)
	packages := make([]*graph.Package, len(decls))
	build := graph.Options{Catalog: l.opts.catalog(), Parser: l.opts.Parser, Done: ctx.Done()}
	err := forEach(ctx, len(decls), l.opts.Parallel, func(_ context.Context, i int) error {
		packages[i] = graph.Build(*decls[i], build)
		decls[i] = nil
		return nil
	})
	if err != nil {
		return nil, stopped(err)
	}
	c := cache.NewCatalog(packages, l.allProblems(sinks))
	if l.opts.Strict && len(c.Problems()) > 0 {
		return nil, &ProblemsError{Problems: slices.Clone(c.Problems())}
	}
	return c, nil
}

// allProblems returns what was found wrong outside of packages.
func (l *loader) allProblems(sinks []*sink) []graph.Problem {
	all := slices.Clone(l.problems)
	for _, s := range sinks {
		all = append(all, s.problems...)
	}
	slices.SortStableFunc(all, graph.CompareProblems)
	return all
}

// group gathers what the files declare about each package, in the order of the
// files. Packages come by name.
func (l *loader) group(sinks []*sink) []*graph.PackageDecl {
	byName := map[string]*graph.PackageDecl{}
	for _, s := range sinks {
		merge(byName, s.decls)
		s.decls, s.last = nil, nil
	}
	decls := make([]*graph.PackageDecl, 0, len(byName))
	for _, d := range byName { // sorted below
		if len(d.Definitions)+len(d.Channels)+len(d.Bundles) == 0 {
			l.problems = append(l.problems, dangling(l.opts.catalog(), *d))
			continue
		}
		decls = append(decls, d)
	}
	slices.SortFunc(decls, func(a, b *graph.PackageDecl) int { return strings.Compare(a.Name, b.Name) })
	return decls
}

// merge adds what more declares about each package behind what is there.
func merge(all, more map[string]*graph.PackageDecl) {
	for name, d := range more {
		a := all[name]
		if a == nil {
			all[name] = d
			continue
		}
		a.Definitions = append(a.Definitions, d.Definitions...)
		a.Channels = append(a.Channels, d.Channels...)
		a.Bundles = append(a.Bundles, d.Bundles...)
		a.Deprecations = append(a.Deprecations, d.Deprecations...)
	}
}

// forEach calls fn for 0 to n-1 from so many goroutines, and returns when all
// calls did. The first error ends the context that the calls are given and is
// returned; if the context itself ended, it is that of the context.
func forEach(ctx context.Context, n, workers int, fn func(context.Context, int) error) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		next  atomic.Int64
		group sync.WaitGroup
		once  sync.Once
		first error
	)
	work := func() {
		for inner.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if err := fn(inner, i); err != nil {
				once.Do(func() { first = err })
				cancel()
				return
			}
		}
	}
	for range min(workers, n) - 1 {
		group.Add(1)
		go func() {
			defer group.Done()
			work()
		}()
	}
	work()
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return first
}
