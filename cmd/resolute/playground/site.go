// Package playground writes the page of `resolute serve` as a static site: a folder that any web
// server can serve, whose handler runs in the browser as WebAssembly. Command cmd/playground is its
// command line; README.md in this folder describes the site.
//
// The program of the site is built with the go command from the source of this module.
package playground

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/listing"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/page"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/site"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Options configure a site.
type Options struct {
	// Dir is the folder to write. Files of a previous site in it are replaced.
	Dir string
	// Catalogs are paths or container images, each optionally after NAME= or NAMESPACE/NAME=.
	Catalogs []string
	// Source is the folder of the source of this module; empty means the module of the working
	// directory.
	Source string
	// Log is called with each step. It may be nil.
	Log func(line string)
}

// program is the package of the WebAssembly program.
const program = "github.com/seed109e2655/resolute/cmd/resolute/playground/wasm"

// writer writes a site.
type writer struct {
	Options
	written map[string][]byte // contents by path, without the programs
}

// Write writes a site. A catalog that cannot be read, and a source that does not build, are errors;
// the folder then has no new index.html.
func Write(ctx context.Context, opts Options) error {
	if opts.Dir == "" || len(opts.Catalogs) == 0 {
		return errors.New("a site needs a folder and at least one catalog")
	}
	if opts.Log == nil {
		opts.Log = func(string) {}
	}
	w := &writer{Options: opts, written: make(map[string][]byte)}
	manifest, err := w.catalogs(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(opts.Dir, 0o755); err != nil {
		return err
	}
	if err := w.programs(ctx); err != nil {
		return err
	}
	w.static()
	return w.files(manifest)
}

// catalogs reads the catalogs, and adds their files to the site.
func (w *writer) catalogs(ctx context.Context) (*site.Manifest, error) {
	images := &pull.Images{Settings: pull.Settings{Allow: true}}
	loader := &scenario.Loader{Images: images}
	m := &site.Manifest{}
	for i, arg := range w.Catalogs {
		key, path, err := pull.Argument(arg)
		if err != nil {
			return nil, err
		}
		content, err := loader.Catalog(ctx, key, path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if content.Len() == 0 {
			return nil, fmt.Errorf("%s has no bundles", path)
		}
		c := site.Catalog{Catalog: scenario.Catalog{Namespace: key.Namespace, Name: key.Name, Path: path}, Bundles: content.Len()}
		if pull.IsImage(path) {
			c.Path, c.Image = "", path
		}
		for b := range content.Bundles() {
			c.Rules = c.Rules || slices.ContainsFunc(b.Constraints, func(r graph.Requirement) bool { return hasRule(r.Constraint) })
		}
		var lean bytes.Buffer
		if err := fbc.Write(&lean, content, fbc.WriteOptions{Exact: true}); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		c.Content, c.Listing = fmt.Sprintf("data/catalog-%d.json", i), fmt.Sprintf("data/packages-%d.json", i)
		w.written[c.Content] = lean.Bytes()
		if w.written[c.Listing], err = w.descriptions(ctx, images, path, listing.New(content)); err != nil {
			return nil, err
		}
		m.Catalogs = append(m.Catalogs, c)
		w.Log(fmt.Sprintf("%s: %d bundles", path, content.Len()))
	}
	return m, nil
}

// hasRule reports whether a constraint contains a CEL rule.
func hasRule(c constraints.Constraint) bool {
	found := false
	constraints.Walk(c, func(c constraints.Constraint) bool {
		_, is := c.(*constraints.CEL)
		found = found || is
		return !found
	})
	return found
}

// descriptions returns the search index of a catalog, and adds a file for each icon.
func (w *writer) descriptions(ctx context.Context, images *pull.Images, path string, x *listing.Index) ([]byte, error) {
	blobs, done, err := images.Blobs(ctx, path)
	if err != nil {
		return nil, err
	}
	defer done()
	for b, err := range blobs {
		var problem *graph.Problem
		if err != nil && !errors.As(err, &problem) {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if err == nil {
			x.Blob(b)
		}
	}
	list := x.Descriptions()
	for i := range list {
		if icon := list[i].Icon; icon != "" {
			body, err := json.Marshal(map[string]string{"icon": icon})
			if err != nil {
				return nil, err
			}
			list[i].Icon = "icons/" + digest(body) + ".json"
			w.written[list[i].Icon] = body
		}
	}
	return json.Marshal(list)
}

// digest returns the start of the SHA-256 of contents.
func digest(contents ...[]byte) string {
	h := sha256.New()
	for _, c := range contents {
		h.Write(c)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// programs builds the WebAssembly programs: the one with CEL is fetched only if a rule needs it.
// Without inlining they are a sixth smaller, compressed, and as fast: browsers inline themselves.
func (w *writer) programs(ctx context.Context) error {
	for name, tags := range map[string]string{"resolute.wasm": "nocel", "resolute-cel.wasm": ""} {
		file := filepath.Join(w.Dir, name)
		abs, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		w.Log("building " + name)
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-tags", tags, "-gcflags=all=-l", "-ldflags=-s -w", "-o", abs, program)
		cmd.Dir, cmd.Env = w.Source, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s cannot be built (the go command and the source of this module are needed): %w\n%s", name, err, said)
		}
		body, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		w.written[name] = body
	}
	support, err := support(ctx)
	w.written["wasm_exec.js"] = support
	return err
}

// support returns the script of the Go distribution that runs a program.
func support(ctx context.Context) ([]byte, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	return os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
}

// static adds the files of the page.
func (w *writer) static() {
	for _, f := range append(page.Files(), page.SiteFiles()...) {
		w.written[f.Name] = f.Body
	}
}

// files writes all files; index.html, which refers to the others, is the last one.
func (w *writer) files(m *site.Manifest) error {
	var all [][]byte
	for _, name := range w.names() {
		all = append(all, []byte(name), w.written[name])
	}
	m.Version = digest(all...)
	var err error
	if w.written["site.json"], err = json.Marshal(m); err != nil {
		return err
	}
	w.written["index.html"] = index(w.written["index.html"], m.Version)
	for _, name := range w.names() {
		if err := w.write(name, w.written[name]); err != nil {
			return err
		}
	}
	return nil
}

// names returns the names of all files, index.html last.
func (w *writer) names() []string {
	var names []string
	for name := range w.written {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "index.html"), strings.Count(b, "index.html")), cmp.Compare(a, b))
	})
	return names
}

// index returns the page of the site: with its content security policy, which static servers do
// not send, and the script that answers calls.
func index(body []byte, version string) []byte {
	policy := page.Policy() + "; worker-src 'self'"
	policy = strings.Replace(policy, "script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'", 1)
	s := strings.Replace(string(body), `<meta charset="utf-8">`, `<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="`+html.EscapeString(policy)+`">
<meta name="referrer" content="no-referrer">`, 1)
	s = strings.Replace(s, `<script src="app.js" defer></script>`, `<script src="site.js" data-version="`+version+`" defer></script>
<script src="app.js" defer></script>`, 1)
	for _, name := range []string{"site.js", "app.js", "style.css"} {
		s = strings.Replace(s, `"`+name+`"`, `"`+name+"?v="+version+`"`, 1)
	}
	return []byte(s)
}

// write writes a file, and beside it a compressed one for servers that look for it.
func (w *writer) write(name string, body []byte) error {
	file := filepath.Join(w.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, body, 0o644); err != nil {
		return err
	}
	if strings.HasPrefix(name, "icons/") || len(body) < 1<<10 {
		return nil
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := io.Copy(z, bytes.NewReader(body)); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	w.Log(fmt.Sprintf("%s: %d bytes, %d with gzip", name, len(body), packed.Len()))
	return os.WriteFile(file+".gz", packed.Bytes(), 0o644)
}
