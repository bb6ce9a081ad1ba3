package main

import (
	"context"
	"fmt"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/listing"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// findBundle finds the bundle with the given name, or the newest version of the package with that
// name. A catalog key and a colon may precede the name. The error suggests similar names,
// newest first.
func findBundle(ctx context.Context, req resolver.Request, name string) (bundle, pkg string, err error) {
	catalogs, prefix, rest := req.Catalogs, "", name
	for _, c := range req.Catalogs {
		if behind, ok := strings.CutPrefix(name, c.Key.String()+":"); ok {
			catalogs, prefix, rest = []resolver.Catalog{c}, c.Key.String()+":", behind
			break
		}
	}
	var all []*graph.Bundle
	newestOf := make(map[string]*graph.Bundle)
	for _, c := range catalogs {
		if c.Content == nil {
			continue
		}
		for p := range c.Content.Packages() {
			if ctx.Err() != nil {
				return "", "", context.Cause(ctx)
			}
			all = append(all, p.Bundles...)
			if b := listing.Newest(p); b != nil && (newestOf[p.Name] == nil || b.CompareVersion(newestOf[p.Name]) > 0) {
				newestOf[p.Name] = b
			}
		}
	}
	for _, b := range all {
		if b.Name == rest {
			return name, "", nil
		}
	}
	if best := newestOf[rest]; best != nil {
		return prefix + best.Name, rest, nil
	}
	for _, in := range req.Installed {
		switch {
		case in.Name == name:
			return name, "", nil
		case in.Package == name:
			bundle, pkg = in.Name, name
		}
	}
	if bundle != "" {
		return bundle, pkg, nil
	}
	near := nearBundles(ctx, rest, all, newestOf, req.Installed)
	if len(near) == 0 {
		near = text.Near(rest, text.Until(ctx, maps.Keys(newestOf)), 3)
	}
	return "", "", fmt.Errorf("no bundle or package %q in any catalog or on the cluster%s", name, text.Suggestion(near))
}

// nearBundles returns bundles with similar names, newest first: the newest version of a package
// whose bundles share the name's stem, and bundles with nearby names. It returns none if a
// package name is nearer.
func nearBundles(ctx context.Context, name string, all []*graph.Bundle, newestOf map[string]*graph.Bundle, installed []resolver.Installed) []string {
	bundles := make(map[string]*graph.Bundle, len(all))
	for _, b := range all {
		bundles[b.Name] = b
	}
	known := slices.Collect(maps.Keys(bundles))
	for _, in := range installed {
		known = append(known, in.Name)
	}
	var near []string
	for _, b := range newestOf { // regardless of the requested version
		if stem := strings.TrimSuffix(b.Name, b.Version.String()); stem != b.Name && stem != "" && strings.HasPrefix(name, stem) {
			near = append(near, b.Name)
		}
	}
	if len(near) == 0 && len(text.Near(name, text.Until(ctx, maps.Keys(newestOf)), 1)) > 0 {
		return nil
	}
	near = text.Distinct(append(near, text.Near(name, text.Until(ctx, slices.Values(known)), 3)...))
	slices.SortFunc(near, func(x, y string) int {
		a, b := bundles[x], bundles[y]
		if a == nil || b == nil || a.Package != b.Package {
			return strings.Compare(x, y)
		}
		return b.CompareVersion(a)
	})
	return near[:min(len(near), 3)]
}
