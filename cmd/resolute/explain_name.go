package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// named finds the bundle that a name means: itself, or the newest version of the package of
// that name. Either may stand behind a catalog and a colon. The error names those that may
// have been meant, newest first.
func named(ctx context.Context, req resolver.Request, name string) (bundle, pkg string, err error) {
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
			if b := newest(p); b != nil && (newestOf[p.Name] == nil || b.CompareVersion(newestOf[p.Name]) > 0) {
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
	if len(near) > 0 {
		return "", "", fmt.Errorf("%q: no catalog and nothing installed has a bundle of this name%s", name, didYouMean(near))
	}
	near = text.Near(rest, text.Until(ctx, maps.Keys(newestOf)), 3)
	return "", "", fmt.Errorf("%q: no catalog and nothing installed has a bundle of this name, and there is no such package%s", name, didYouMean(near))
}

// nearBundles are the bundles that a name may have meant, the newest first: those whose names
// are near, and the newest version of the package whose bundles are called like that. There
// are none for a name that is nearer to that of a package.
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
	for _, b := range newestOf { // whatever version was asked for
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
