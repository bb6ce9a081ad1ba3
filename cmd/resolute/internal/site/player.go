package site

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/listing"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/page"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// The limits of files that a visitor opens.
const (
	// MaxOpenedBytes is the maximum size of a catalog, decompressed.
	MaxOpenedBytes = 512 << 20
	// MaxOpenedFiles is the maximum number of files opened at a time.
	MaxOpenedFiles = 5_000
	// OpenTimeout bounds the time in which they are read.
	OpenTimeout = 2 * time.Minute
)

// Player answers the calls of a page without a server. It is not safe for concurrent use.
type Player struct {
	handler  *page.Handler
	catalogs []page.Catalog // of the site
	sources  []scenario.Catalog
}

// New returns a player of a site. Read returns the content of a file of the site.
func New(ctx context.Context, m *Manifest, read func(file string) (io.Reader, error)) (*Player, error) {
	p := &Player{}
	for _, c := range m.Catalogs {
		key := cache.Key{Namespace: c.Namespace, Name: c.Name}
		r, err := read(c.Content)
		if err != nil {
			return nil, err
		}
		content, err := fbc.Read(ctx, r, c.Content, fbc.Options{Catalog: key, Exact: true, Parallel: 1})
		if err != nil {
			return nil, fmt.Errorf("catalog %s cannot be read: %w", key, err)
		}
		p.catalogs = append(p.catalogs, page.Catalog{Catalog: resolver.Catalog{Key: key, Content: content}, Listing: listing.New(content)})
		p.sources = append(p.sources, c.Catalog)
	}
	return p, p.play(p.catalogs, &scenario.Scenario{Catalogs: p.sources})
}

// play changes the catalogs and the initial problem.
func (p *Player) play(catalogs []page.Catalog, start *scenario.Scenario) error {
	h, err := page.New(page.Config{Scenario: start, Catalogs: catalogs})
	if err == nil {
		p.handler = h
	}
	return err
}

// Describe adds the descriptions of the packages of a catalog of the site.
func (p *Player) Describe(i int, file []byte) error {
	var list []listing.Description
	if err := json.Unmarshal(file, &list); err != nil || i < 0 || i >= len(p.catalogs) {
		return errors.Join(errors.New("the descriptions of the packages cannot be read"), err)
	}
	for j := range list {
		p.catalogs[i].Listing.Describe(&list[j])
	}
	return nil
}

// Answer answers a call, see [page.Handler.Answer], within its time limit.
func (p *Player) Answer(target string, body []byte) (status int, answer []byte) {
	answer, err := p.handler.Answer(until(p.handler.Timeout()), target, body)
	if err != nil {
		return p.handler.Failure(err)
	}
	return page.StatusOK, answer
}

// Open replaces the catalogs of the site by files of a visitor: a catalog, or a scenario
// and the files of its catalog. On an error, nothing changes.
func (p *Player) Open(files fs.FS, names []string) (status int, answer []byte) {
	if err := p.open(until(OpenTimeout), files, names); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("reading took longer than %v", OpenTimeout)
		}
		status, answer = p.handler.Failure(&page.Problem{Status: page.StatusUnprocessable, Text: err.Error()})
		return status, answer
	}
	return p.Answer("api/start", nil)
}

// Close returns to the catalogs of the site.
func (p *Player) Close() (status int, answer []byte) {
	if err := p.play(p.catalogs, &scenario.Scenario{Catalogs: p.sources}); err != nil {
		return p.handler.Failure(err)
	}
	return p.Answer("api/start", nil)
}

func (p *Player) open(ctx context.Context, files fs.FS, names []string) error {
	switch {
	case len(names) == 0:
		return errors.New("there is no file to open")
	case len(names) > MaxOpenedFiles:
		return fmt.Errorf("%d files exceed the limit of %d", len(names), MaxOpenedFiles)
	}
	s, file, invalid := findScenario(ctx, files, names)
	rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return s != nil && n == file })
	if s == nil {
		return p.openCatalog(ctx, files, names, invalid)
	}
	catalogs := make([]page.Catalog, len(s.Catalogs))
	inline, err := inlineCatalogs(ctx, s)
	if err != nil {
		return err
	}
	for i, c := range s.Catalogs {
		key := cache.Key{Namespace: cmp.Or(c.Namespace, s.Namespace, scenario.DefaultNamespace), Name: c.Name}
		known := slices.IndexFunc(p.catalogs, func(k page.Catalog) bool { return k.Key == key })
		switch {
		case c.Blobs != nil:
			catalogs[i] = inline[i]
		case len(rest) > 0:
			if catalogs[i], err = readCatalog(ctx, files, rest, key); err != nil {
				return err
			}
			rest = nil
		case known >= 0:
			catalogs[i] = p.catalogs[known]
		default:
			return fmt.Errorf("%s names catalog %s at %s, which a page cannot read: open its files together with the scenario", file, key, text.Quote(cmp.Or(c.Path, c.Image)))
		}
		catalogs[i].Priority, catalogs[i].Labels = c.Priority, c.Labels
	}
	if len(catalogs) == 0 {
		catalogs = p.catalogs
		s.Catalogs = p.sources
	}
	return p.play(catalogs, s)
}

// findScenario returns the first file that is a scenario. Invalid is the error of a file that looks
// like one.
func findScenario(ctx context.Context, files fs.FS, names []string) (s *scenario.Scenario, file string, invalid error) {
	for _, name := range names {
		info, err := fs.Stat(files, name)
		if err != nil || info.Size() > scenario.MaxBytes || !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)) {
			continue
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			continue
		}
		s, err := scenario.Parse(ctx, name, data)
		if err == nil {
			err = s.Validate()
		}
		if err == nil {
			return s, name, nil
		}
		if invalid == nil {
			invalid = err
		}
	}
	return nil, "", invalid
}

// inlineCatalogs returns the inline catalogs of a scenario, by index.
func inlineCatalogs(ctx context.Context, s *scenario.Scenario) (map[int]page.Catalog, error) {
	only := *s
	only.Catalogs = nil
	var at []int
	for i, c := range s.Catalogs {
		if c.Blobs != nil {
			only.Catalogs = append(only.Catalogs, c)
			at = append(at, i)
		}
	}
	only.WhatIf, only.Expect = nil, nil
	loaded, err := only.Load(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[int]page.Catalog)
	for n, c := range loaded.Request.Catalogs {
		if c.Content == nil {
			return nil, fmt.Errorf("catalog %s cannot be read: %w", c.Key, c.Unavailable)
		}
		one := page.Catalog{Catalog: c, Listing: listing.New(c.Content)}
		for _, raw := range only.Catalogs[n].Blobs {
			one.Listing.Raw(raw)
		}
		out[at[n]] = one
	}
	return out, nil
}

// openCatalog opens files as one catalog. Invalid is why none is a scenario, if one looks like it.
func (p *Player) openCatalog(ctx context.Context, files fs.FS, names []string, invalid error) error {
	key := cache.Key{Namespace: scenario.DefaultNamespace, Name: catalogName(names)}
	c, err := readCatalog(ctx, files, names, key)
	var wrong *scenario.Error
	switch {
	case err != nil && errors.As(invalid, &wrong) && len(names) == 1:
		return fmt.Errorf("%s is neither a catalog nor a scenario. As a catalog: %w. As a scenario: %w", names[0], err, invalid)
	case err != nil:
		return err
	}
	return p.play([]page.Catalog{c}, &scenario.Scenario{Catalogs: []scenario.Catalog{{Namespace: key.Namespace, Name: key.Name, Path: commonName(names)}}})
}

// readCatalog reads files as one catalog.
func readCatalog(ctx context.Context, files fs.FS, names []string, key cache.Key) (page.Catalog, error) {
	out := page.Catalog{Catalog: resolver.Catalog{Key: key}}
	opts := fbc.Options{Catalog: key, Parallel: 1, MaxTotalBytes: MaxOpenedBytes}
	if len(names) == 1 {
		opts.File = names[0]
	}
	var err error
	if out.Content, err = fbc.Load(ctx, files, opts); err != nil {
		return out, fmt.Errorf("%s: %w", commonName(names), err)
	}
	if out.Content.Len() == 0 {
		return out, fmt.Errorf("%s has no bundles", commonName(names))
	}
	out.Listing = listing.New(out.Content)
	for b, err := range fbc.Blobs(ctx, files, opts) {
		if err == nil {
			out.Listing.Blob(b)
		}
	}
	return out, ctx.Err()
}

// commonName returns the name of one file, or the folder that all files are in.
func commonName(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	first, _, inside := strings.Cut(names[0], "/")
	if inside && !slices.ContainsFunc(names, func(n string) bool { return !strings.HasPrefix(n, first+"/") }) {
		return first
	}
	return "the files"
}

// catalogName returns a name for the catalog in files.
func catalogName(names []string) string {
	name := path.Base(commonName(names))
	for slices.Contains([]string{".gz", ".jsonl", ".json", ".yaml", ".yml"}, path.Ext(name)) && path.Ext(name) != name {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	if key, err := cache.ParseKey(scenario.DefaultNamespace + "/" + name); err == nil {
		return key.Name
	}
	return "opened"
}
