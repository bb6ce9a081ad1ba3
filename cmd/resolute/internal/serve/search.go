package serve

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// listed is a package in search results.
type listed struct {
	Catalog  string   `json:"catalog"`
	Name     string   `json:"name"`
	Default  string   `json:"default,omitempty"`
	Channels []string `json:"channels"`
	Head     string   `json:"head,omitempty"`
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

// search finds packages and versions. Each word must occur in the name of a package, or in the
// name or version of a bundle.
func (s *Server) search(r *http.Request) (any, error) {
	words := strings.Fields(strings.ToLower(r.URL.Query().Get("q")))
	words = words[:min(len(words), MaxWords)]
	out := &found{Packages: []listed{}}
	for _, c := range s.catalogs {
		for p := range c.Content.Packages() {
			if err := r.Context().Err(); err != nil {
				return nil, err
			}
			name := strings.ToLower(p.Name)
			rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.Contains(name, w) })
			switch {
			case len(rest) > 0:
				out.versions(c.Key, p, rest)
			case len(out.Packages) < MaxListed/10:
				out.Packages = append(out.Packages, list(c.Key, p))
			default:
				out.More++
			}
		}
	}
	if len(out.Packages)+len(out.Bundles) == 0 && len(words) > 0 {
		out.Near = text.Near(words[0], text.Until(r.Context(), s.names()), 5)
	}
	return out, r.Context().Err()
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
func (s *Server) names() func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, c := range s.catalogs {
			for p := range c.Content.Packages() {
				if !yield(p.Name) {
					return
				}
			}
		}
	}
}

func list(key cache.Key, p *graph.Package) listed {
	l := listed{Catalog: key.String(), Name: p.Name, Default: p.DefaultChannel, Channels: []string{}}
	for i, ch := range p.Channels {
		if i < MaxListed {
			l.Channels = append(l.Channels, ch.Name)
		}
		if ch.Name == p.DefaultChannel {
			for _, b := range ch.Candidates() {
				l.Head = b.Name
				break
			}
		}
	}
	return l
}

// onePackage lists the channels of a package and their bundles.
func (s *Server) onePackage(r *http.Request) (any, error) {
	type channel struct {
		Name    string    `json:"name"`
		Default bool      `json:"default,omitempty"`
		Entries []version `json:"entries"`
	}
	type inCatalog struct {
		Catalog  string    `json:"catalog"`
		Channels []channel `json:"channels"`
	}
	name := r.URL.Query().Get("name")
	out := struct {
		Name     string      `json:"name"`
		Catalogs []inCatalog `json:"catalogs"`
	}{Name: name}
	left := MaxListed
	for _, c := range s.catalogs {
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
		return nil, s.noPackage(r.Context(), name)
	}
	return out, nil
}

// noPackage returns the error for an unknown package.
func (s *Server) noPackage(ctx context.Context, name string) error {
	return &problem{http.StatusNotFound, "package " + text.Quote(name) + " not found in any catalog" + text.DidYouMean(name, text.Until(ctx, s.names()))}
}
