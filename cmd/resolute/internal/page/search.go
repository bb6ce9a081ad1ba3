package page

import (
	"context"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/listing"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// MaxWords is the maximum number of search words; further ones are ignored.
const MaxWords = 16

// listed is a package in search results.
type listed struct {
	Catalog     string `json:"catalog"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName,omitempty"`
	Summary     string `json:"summary,omitempty"`
	Provider    string `json:"provider,omitempty"`
	Default     string `json:"default,omitempty"`
	Head        string `json:"head,omitempty"`
	Version     string `json:"version,omitempty"`
	// Icon is the call that returns the icon, or the path of a file with it.
	Icon string `json:"icon,omitempty"`
}

// version is a bundle in search results and channels.
type version struct {
	Catalog string `json:"catalog,omitempty"`
	Package string `json:"package,omitempty"`
	Bundle  string `json:"bundle"`
	Version string `json:"version,omitempty"`
}

// found is a search result.
type found struct {
	Packages []listed  `json:"packages"`
	Bundles  []version `json:"bundles,omitempty"`
	More     int       `json:"more,omitempty"`
	Near     []string  `json:"near,omitempty"`
}

// search finds packages and versions. Each word must occur in the description of a package, or in
// its name or the name or version of one of its bundles.
func (h *Handler) search(ctx context.Context, q *question) (any, error) {
	words := listing.Words(q.words)
	words = words[:min(len(words), MaxWords)]
	most := MaxListed / 10
	if len(words) == 0 {
		most = MaxListed // the start page shows all packages
	}
	out := &found{Packages: []listed{}}
	for i, c := range h.catalogs {
		matches, err := h.listings[i].Search(ctx, words)
		if err != nil {
			return nil, err
		}
		is := make(map[string]bool, len(matches))
		for _, p := range matches {
			is[p.Name] = true
			if len(out.Packages) < most {
				out.Packages = append(out.Packages, list(c.Key, p))
			} else {
				out.More++
			}
		}
		for p := range c.Content.Packages() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if is[p.Name] {
				continue
			}
			name := strings.ToLower(p.Name)
			out.versions(c.Key, p, slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.Contains(name, w) }))
		}
	}
	if len(out.Packages)+len(out.Bundles) == 0 && len(words) > 0 {
		for _, x := range h.listings {
			out.Near = append(out.Near, x.Near(ctx, q.words, 5)...)
		}
		out.Near = text.Distinct(out.Near)
		out.Near = out.Near[:min(len(out.Near), 5)]
	}
	return out, ctx.Err()
}

// versions adds the bundles of a package whose name or version contains all words.
func (out *found) versions(key cache.Key, p *graph.Package, words []string) {
	for _, b := range p.Bundles {
		text := strings.ToLower(b.Name + " " + b.Version.String())
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			continue
		}
		if len(out.Bundles) < MaxListed/10 {
			out.Bundles = append(out.Bundles, version{key.String(), p.Name, b.Name, b.Version.String()})
		} else {
			out.More++
		}
	}
}

// names returns the names of all packages.
func (h *Handler) names() func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, c := range h.catalogs {
			for p := range c.Content.Packages() {
				if !yield(p.Name) {
					return
				}
			}
		}
	}
}

func list(key cache.Key, p *listing.Package) listed {
	return listed{Catalog: key.String(), Name: p.Name, DisplayName: p.DisplayName, Summary: p.Summary, Provider: p.Provider,
		Default: p.DefaultChannel, Head: p.Bundle, Version: p.Version, Icon: iconOf(key, p)}
}

// onePackage lists the channels of a package and their bundles.
func (h *Handler) onePackage(ctx context.Context, q *question) (any, error) {
	type channel struct {
		Name    string    `json:"name"`
		Default bool      `json:"default,omitempty"`
		Entries []version `json:"entries"`
	}
	type inCatalog struct {
		Catalog  string    `json:"catalog"`
		Channels []channel `json:"channels"`
	}
	name := q.name
	out := struct {
		Name     string      `json:"name"`
		Catalogs []inCatalog `json:"catalogs"`
	}{Name: name}
	left := MaxListed
	for _, c := range h.catalogs {
		p := c.Content.Package(name)
		if p == nil {
			continue
		}
		in := inCatalog{Catalog: c.Key.String(), Channels: []channel{}}
		for _, ch := range p.Channels[:min(len(p.Channels), MaxListed)] {
			one := channel{Name: ch.Name, Default: ch.Name == p.DefaultChannel, Entries: []version{}}
			for _, b := range ch.Candidates() {
				if left == 0 {
					break
				}
				left--
				one.Entries = append(one.Entries, version{Bundle: b.Name, Version: b.Version.String()})
			}
			in.Channels = append(in.Channels, one)
		}
		out.Catalogs = append(out.Catalogs, in)
	}
	if len(out.Catalogs) == 0 {
		return nil, h.noPackage(ctx, name)
	}
	return out, nil
}

// noPackage returns the error for an unknown package.
func (h *Handler) noPackage(ctx context.Context, name string) error {
	return &Problem{StatusNotFound, "package " + text.Quote(name) + " not found in any catalog" + text.DidYouMean(name, text.Until(ctx, h.names()))}
}
