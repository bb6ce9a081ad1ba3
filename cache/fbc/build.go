package fbc

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc/internal/read"
	"github.com/seed109e2655/resolute/graph"
)

// build builds a catalog from declarations and problems. It drops each declaration as soon as it is
// used.
func build(ctx context.Context, opts *Options, files []*read.File, problems []graph.Problem) (*cache.Catalog, error) {
	problems = allProblems(files, problems)
	if opts.Exact && len(problems) > 0 {
		return nil, &ProblemsError{Problems: problems}
	}
	all := read.File{Decls: map[string]*graph.PackageDecl{}}
	for _, f := range files {
		all.Merge(f)
		f.Decls = nil
	}
	problems = append(problems, all.Found...)
	todo := slices.AppendSeq(make([]*graph.PackageDecl, 0, len(all.Decls)), maps.Values(all.Decls))
	all.Decls = nil
	slices.SortFunc(todo, func(a, b *graph.PackageDecl) int { return strings.Compare(a.Name, b.Name) })
	todo = slices.DeleteFunc(todo, func(d *graph.PackageDecl) bool {
		alone := len(d.Definitions)+len(d.Channels)+len(d.Bundles) == 0
		if alone {
			problems = append(problems, dangling(opts.read.Catalog, d))
		}
		return alone
	})
	packages := make([]*graph.Package, len(todo))
	how := graph.Options{Catalog: opts.read.Catalog, Parser: opts.Parser, Done: ctx.Done()}
	err := forEach(ctx, len(todo), opts.Parallel, func(_ context.Context, i int) error {
		packages[i] = graph.Build(*todo[i], how)
		if f := all.Findings[todo[i].Name]; f != nil {
			f.Apply(packages[i])
		}
		todo[i] = nil
		return nil
	})
	if err != nil {
		return nil, stopped(err)
	}
	c := cache.NewCatalog(packages, problems)
	if opts.Strict && len(c.Problems()) > 0 {
		return nil, &ProblemsError{Problems: slices.Clone(c.Problems())}
	}
	return c, nil
}

// dangling returns the problem of deprecations of a missing package: they alone do not define one.
func dangling(catalog string, d *graph.PackageDecl) graph.Problem {
	at := d.DeprecationBlobs[0]
	if len(d.Deprecations) > 0 {
		at = d.Deprecations[0].Pos
	}
	return graph.Problem{
		Severity: graph.SeverityError, Code: read.CodeDeprecationDangling, Catalog: catalog, Package: d.Name,
		File: at.File, Line: at.Line,
		Message: fmt.Sprintf("package %q has deprecations, but is not in the catalog: correct the name, or remove the olm.deprecations blob", d.Name),
	}
}

// allProblems returns the problems outside of packages.
func allProblems(files []*read.File, problems []graph.Problem) []graph.Problem {
	all := slices.Clone(problems)
	for _, f := range files {
		all = append(all, f.Problems...)
	}
	slices.SortStableFunc(all, graph.Problem.Compare)
	return all
}

// unreadable returns the error of a source without readable blobs, or nil if one could be read.
func unreadable(name string, files []*read.File, problems []graph.Problem) error {
	if slices.ContainsFunc(files, func(f *read.File) bool { return f.Objects > 0 }) {
		return nil
	}
	e := &UnreadableError{Name: name, Problems: allProblems(files, problems)}
	if len(files) == 1 {
		e.Err = files[0].Cause
	}
	return e
}
