package serve

import (
	"bytes"
	"io"
	"net/http"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/graph/draw"
)

// picture serves what a function draws as SVG. The page shows it as an image, so that
// nothing in it can run or reach anything, and its own policy says so too.
func (s *Server) picture(drawn func(io.Writer, *http.Request) error) http.Handler {
	return s.bounded(func(w http.ResponseWriter, r *http.Request) error {
		var b bytes.Buffer
		if err := drawn(&b, r); err != nil {
			return err
		}
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		_, err := b.WriteTo(w)
		return err
	})
}

// drawGraph draws the update graph of a package, what is installed of it marked.
func (s *Server) drawGraph(w io.Writer, r *http.Request) error {
	query := r.URL.Query()
	key, err := cache.ParseKey(query.Get("catalog"))
	if err != nil {
		return bad("catalog: %v", err)
	}
	var pkg *graph.Package
	for _, c := range s.catalogs {
		if c.Key == key {
			pkg = c.Content.Package(query.Get("package"))
		}
	}
	if pkg == nil {
		return &problem{http.StatusNotFound, "there is no such package"}
	}
	raw, err := linked(r)
	if err != nil {
		return err
	}
	st, err := s.readState(r.Context(), raw)
	if err != nil {
		return err
	}
	show := draw.Options{}
	if channel := query.Get("channel"); channel != "" {
		show.Channels = []string{channel}
	}
	for _, in := range st.Installed {
		if in.Package == pkg.Name || pkg.Bundle(in.Name) != nil {
			show.Installed = append(show.Installed, graph.Installed{Name: in.Name})
		}
	}
	return draw.SVG(r.Context(), w, pkg, show)
}
