package synthetic

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Namespace is the namespace of the requests.
const Namespace = "bench"

// CatalogKey returns the key of the catalog with that number. Even ones are in
// the namespace of the requests, odd ones in another.
func CatalogKey(number int) cache.Key {
	if number%2 == 0 {
		return cache.Key{Namespace: Namespace, Name: CatalogName(number)}
	}
	return cache.Key{Namespace: "global", Name: CatalogName(number)}
}

// Roots returns the numbers of the subscribed packages, in the order of the
// subscriptions.
func (g *Generator) Roots() []int { return g.shape.roots(g) }

// spreadRoots returns one package per subscription, spread evenly, the last
// one first.
func (g *Generator) spreadRoots() []int {
	reach, n := g.cfg.reach(), g.cfg.Subscriptions
	var roots []int
	for i := range n {
		roots = append(roots, reach-1-i*reach/n)
	}
	return roots
}

func distinctInOrder(numbers []int) []int {
	seen := map[int]bool{}
	var out []int
	for _, n := range numbers {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// Scenario returns the request for the catalogs: the configured number of
// subscriptions and installed bundles, and the catalogs with decreasing
// priority. file returns the path of a catalog's file, relative to the
// scenario.
func (g *Generator) Scenario(file func(catalog int) string) *scenario.Scenario {
	s := &scenario.Scenario{Namespace: Namespace}
	for c := range g.cfg.Catalogs {
		key := CatalogKey(c)
		s.Catalogs = append(s.Catalogs, scenario.Catalog{
			Name: key.Name, Namespace: key.Namespace, Priority: g.priority(c), Path: file(c)})
	}
	for i, n := range g.Roots() {
		p := g.Package(n)
		sub := scenario.Subscription{Name: p.Name, Package: p.Name}
		if i < g.cfg.Installed {
			in := p.installed()
			s.Installed = append(s.Installed, in)
			sub.InstalledCSV, sub.Channel = in.Name, in.Channel
		}
		s.Subscriptions = append(s.Subscriptions, sub)
	}
	return s
}

func (g *Generator) priority(catalog int) int {
	return 10 * (g.cfg.Catalogs - 1 - catalog)
}

// installed returns the installed bundle of the package: the source of an edge
// to the head of the default channel, or the head if there is none.
func (p *Package) installed() scenario.Installed {
	entries := p.Channels[0].Entries
	head := entries[len(entries)-1]
	v := head.Version
	if head.Replaces >= 0 {
		v = head.Replaces
	}
	return scenario.Installed{
		Name: p.Bundles[v].Name, Package: &p.Name, Version: p.Bundles[v].Version,
		Catalog: CatalogKey(p.Catalog).String(), Channel: p.Channels[0].Name,
	}
}

// Request returns the request of [Generator.Scenario] with its catalogs, which
// are streamed to the reader of package fbc without files. The error is that
// of the context.
func (g *Generator) Request(ctx context.Context) (resolver.Request, error) {
	loaded, err := g.Scenario(func(int) string { return "none" }).Load(ctx)
	if err != nil {
		return resolver.Request{}, err
	}
	req := loaded.Request
	for i := range req.Catalogs {
		c := &req.Catalogs[i]
		if c.Content, err = g.load(ctx, i); err != nil {
			return resolver.Request{}, err
		}
		c.Unavailable = nil
	}
	return req, nil
}

// load reads the catalog with that number.
func (g *Generator) load(ctx context.Context, catalog int) (*cache.Catalog, error) {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = w.CloseWithError(g.WriteCatalog(w, catalog))
	}()
	stop := context.AfterFunc(ctx, func() { _ = r.CloseWithError(ctx.Err()) })
	defer stop()
	content, err := fbc.Read(ctx, r, CatalogName(catalog)+".jsonl",
		fbc.Options{Catalog: CatalogKey(catalog), MaxTotalBytes: -1, MaxBlobs: -1})
	_ = r.Close() // stops the writer if the reader fails
	<-done
	return content, err
}

// WriteFiles writes each catalog to a file named after it, and the request as
// scenario.json, into an existing folder. The error is that of the file
// system.
func (g *Generator) WriteFiles(dir string) error {
	file := func(catalog int) string { return CatalogName(catalog) + ".jsonl" }
	for i := range g.cfg.Catalogs {
		err := writeFile(filepath.Join(dir, file(i)), func(w io.Writer) error { return g.WriteCatalog(w, i) })
		if err != nil {
			return err
		}
	}
	return writeFile(filepath.Join(dir, "scenario.json"), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(g.Scenario(file))
	})
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
