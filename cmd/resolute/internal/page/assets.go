package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/resolver/draw"
)

// assets is the page: hand-written HTML, scripts, and a style sheet that extends the common one.
//
//go:embed assets
var assets embed.FS

// File is a static file of the page.
type File struct {
	Name, Type string
	Body       []byte
	// Paths are the patterns of its address, as for http.ServeMux.
	Paths []string
}

// Files returns the static files of the page.
func Files() []File {
	out := []File{
		{Name: "index.html", Type: "text/html; charset=utf-8", Paths: []string{"{$}"}},
		{Name: "style.css", Type: "text/css; charset=utf-8"},
		{Name: "app.js", Type: "text/javascript; charset=utf-8"},
		// Browsers request favicon.ico if the page is not HTML.
		{Name: "favicon.svg", Type: "image/svg+xml", Paths: []string{"favicon.svg", "favicon.ico"}},
	}
	for i := range out {
		f := &out[i]
		f.Body, _ = assets.ReadFile("assets/" + f.Name) // embedded
		if f.Name == "style.css" {
			f.Body = append([]byte(htmldoc.Sheet), f.Body...)
		}
		if f.Paths == nil {
			f.Paths = []string{f.Name}
		}
	}
	return out
}

// Policy returns the content security policy of the page: content from its own address, images
// also from data URLs for the icons of packages, and the style sheet of pictures by its hash.
func Policy() string {
	style := sha256.Sum256([]byte(draw.Style))
	return "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-" + base64.StdEncoding.EncodeToString(style[:]) +
		"'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
}

// SiteFiles returns the static files that only a static site has.
func SiteFiles() []File {
	out := []File{{Name: "site.js", Type: "text/javascript; charset=utf-8"}, {Name: "worker.js", Type: "text/javascript; charset=utf-8"}}
	for i := range out {
		out[i].Body, _ = assets.ReadFile("assets/" + out[i].Name) // embedded
	}
	return out
}
