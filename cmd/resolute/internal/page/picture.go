package page

import (
	"context"
	"errors"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// graph draws the update graph of a package with its installed bundle and upgrade path, or
// writes its sources.
func (h *Handler) graph(ctx context.Context, q *question, st *scenario.Scenario) (any, error) {
	pkg, err := h.packageOf(ctx, q.Catalog, q.Package)
	if err != nil {
		return nil, err
	}
	show := draw.Options{}
	if q.Channel != "" {
		show.Channels = []string{q.Channel}
	}
	for _, in := range st.Installed {
		if in.Package != nil && *in.Package == pkg.Name || pkg.Bundle(in.Name) != nil {
			v, _ := semver.Parse(in.Version) // an invalid version counts as unknown
			show.Installed = append(show.Installed, graph.Installed{Name: in.Name, Version: v})
		}
	}
	if q.Sources {
		mermaid, err := view.Drawn(ctx, draw.Mermaid, pkg, show)
		dot, other := view.Drawn(ctx, draw.DOT, pkg, show)
		return struct {
			Mermaid string `json:"mermaid"`
			DOT     string `json:"dot"`
		}{mermaid, dot}, errors.Join(err, other)
	}
	drawn, err := view.Drawn(ctx, draw.SVG, pkg, show)
	if err != nil {
		return nil, err
	}
	live := livePage(ctx)
	live.AddGraph(pkg.Name, htmldoc.Drawn{Picture: drawn}, "")
	return h.show(ctx, live)
}

// packageOf returns a package of a catalog.
func (h *Handler) packageOf(ctx context.Context, catalog, name string) (*graph.Package, error) {
	key, err := cache.ParseKey(catalog)
	if err != nil {
		return nil, bad("catalog: %v", err)
	}
	for _, c := range h.catalogs {
		if p := c.Content.Package(name); c.Key == key && p != nil {
			return p, nil
		}
	}
	return nil, h.noPackage(ctx, name)
}
