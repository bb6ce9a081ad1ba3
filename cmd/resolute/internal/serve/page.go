package serve

import (
	"embed"
	"io/fs"
	"net/http"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
)

// files is the page: hand-written HTML, a script, and a style sheet that extends the common
// one.
//
//go:embed page
var files embed.FS

// page serves the static files.
func (s *Server) page(mux *http.ServeMux) {
	for path, file := range map[string]struct{ name, kind string }{
		"GET /{$}":       {"index.html", "text/html; charset=utf-8"},
		"GET /style.css": {"style.css", "text/css; charset=utf-8"},
		"GET /app.js":    {"app.js", "text/javascript; charset=utf-8"},
		// Browsers request this name if the page is not HTML.
		"GET /favicon.svg": {"favicon.svg", "image/svg+xml"},
		"GET /favicon.ico": {"favicon.svg", "image/svg+xml"},
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			body, err := fs.ReadFile(files, "page/"+file.name)
			if file.name == "style.css" {
				body = append([]byte(htmldoc.Sheet), body...)
			}
			if err != nil {
				http.Error(w, "page not found", http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", file.kind)
			_, _ = w.Write(body)
		})
	}
}
