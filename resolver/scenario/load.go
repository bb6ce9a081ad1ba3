package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cache/fbc/document"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/resolver"
)

// Loader reads the catalogs of scenarios. A catalog stays in memory and is shared by all
// scenarios that use the same path and key; use a new Loader to read changed files.
//
// The zero value is ready to use. A Loader is safe for concurrent use as long as its fields do
// not change.
type Loader struct {
	// Options apply to each catalog. The Loader sets Catalog and Parser. Parallel limits both the
	// number of catalogs read at a time and the parallelism for each. Calls of Progress are
	// sequential.
	Options fbc.Options
	// Images reads the catalogs in container images; nil reads none.
	Images Images

	mu     sync.Mutex
	parser *constraints.Parser
	read   map[source]*reading

	reporting sync.Mutex // held while Options.Progress is called
}

// source is the key of a catalog in memory: a path of the operating system, or an image with the
// folder for its relative paths.
type source struct {
	path, image string
	key         cache.Key
	metadata    bool // annotations and labels are kept
}

type reading struct {
	done    chan struct{}
	catalog *cache.Catalog
	err     error
}

// Loaded is a scenario with its loaded catalogs.
type Loaded struct {
	// Request is the base problem of the scenario. It includes unreadable catalogs with their
	// error; the default policy rejects them.
	Request resolver.Request
	// Took is the loading time.
	Took time.Duration
}

// Bundles returns the number of bundles in all catalogs.
func (l *Loaded) Bundles() int {
	n := 0
	for _, c := range l.Request.Catalogs {
		if c.Content != nil {
			n += c.Content.Len()
		}
	}
	return n
}

// Load reads the catalogs of a scenario and returns its request. Paths are relative to the
// scenario file.
//
// The error is an [*Error] if the scenario is invalid or names an image (see [Loader].Images), or
// the context's error. An unreadable catalog is not an error: see [Loaded].
func (s *Scenario) Load(ctx context.Context) (*Loaded, error) {
	return new(Loader).Load(ctx, s)
}

// Load is [Scenario.Load] with catalogs shared between all scenarios of the loader.
func (l *Loader) Load(ctx context.Context, s *Scenario) (*Loaded, error) {
	start := time.Now()
	if err := s.wellFormed(ctx); err != nil {
		return nil, err
	}
	if err := l.allowImages(s); err != nil {
		return nil, err
	}
	req := s.request(&problems{origin: &s.origin})
	if err := l.contents(ctx, s, req.Catalogs); err != nil {
		return nil, err
	}
	return &Loaded{Request: req, Took: time.Since(start)}, nil
}

// contents reads the catalogs of a scenario in parallel, because a small catalog alone cannot use
// several processors.
func (l *Loader) contents(ctx context.Context, s *Scenario, catalogs []resolver.Catalog) error {
	workers := l.Options.Parallel
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, len(catalogs)) {
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(catalogs) {
					return
				}
				c := &catalogs[i]
				c.Content, c.Unavailable = l.content(ctx, s, i, c.Key)
			}
		})
	}
	group.Wait()
	stopped := ctx.Err()
	if stopped == nil {
		return nil
	}
	for _, c := range catalogs {
		if c.Content == nil && (c.Unavailable == nil || isStopped(c.Unavailable)) {
			return fmt.Errorf("stopped while catalog %s was read: %w", c.Key, stopped)
		}
	}
	return fmt.Errorf("stopped when the catalogs had been read: %w", stopped)
}

func (l *Loader) content(ctx context.Context, s *Scenario, i int, key cache.Key) (*cache.Catalog, error) {
	c, metadata := s.Catalogs[i], s.usesMetadata()
	if c.Blobs != nil {
		return l.inline(ctx, s, i, key)
	}
	if c.Image != "" {
		return l.once(ctx, source{path: filepath.Dir(s.origin.file), image: c.Image, key: key, metadata: metadata})
	}
	if s.origin.fsys == nil {
		file := filepath.FromSlash(c.Path)
		if !filepath.IsAbs(file) && s.origin.file != "" {
			file = filepath.Join(filepath.Dir(s.origin.file), file)
		}
		return l.once(ctx, source{path: filepath.Clean(file), key: key, metadata: metadata})
	}
	name := path.Join(path.Dir(s.origin.file), c.Path)
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("the path %q is outside the file system of the scenario", c.Path)
	}
	return open(ctx, s.origin.fsys, name, l.options(key, metadata))
}

// usesMetadata reports whether a rule of the policy may refer to the annotations or labels of
// bundles, or to their time of creation, which is an annotation.
func (s *Scenario) usesMetadata() bool {
	uses := func(v resolver.VetoRule) bool {
		return strings.Contains(v.Rule, "annotations") || strings.Contains(v.Rule, "labels") || strings.Contains(v.Rule, "createdAt")
	}
	return slices.ContainsFunc(s.Policy.Veto, uses) || slices.ContainsFunc(s.WhatIf, func(w WhatIf) bool { return slices.ContainsFunc(w.Add.Veto, uses) })
}

// inline builds a catalog from inline blobs. If the scenario was read from a file, problems have
// the lines of that file.
func (l *Loader) inline(ctx context.Context, s *Scenario, i int, key cache.Key) (*cache.Catalog, error) {
	blobs, opts := s.Catalogs[i].Blobs, l.options(key, s.usesMetadata())
	nodes := make([]*document.Node, len(blobs))
	for j, blob := range blobs {
		nodes[j] = s.origin.nodes[fmt.Sprintf("catalogs[%d].blobs[%d]", i, j)]
		if nodes[j] == nil || !bytes.Equal(nodes[j].JSON(), blob) {
			return fbc.FromBlobs(ctx, blobs, opts) // built by a program
		}
	}
	return fbc.FromNodes(ctx, nodes, s.origin.file, opts)
}

// Catalog reads the file-based catalog at a path of the operating system: a directory or a single
// file. With Images it may also be an image reference, which needs no further permission because
// the caller chose it. The key becomes part of its problems.
func (l *Loader) Catalog(ctx context.Context, key cache.Key, name string) (*cache.Catalog, error) {
	if l.Images != nil && l.Images.IsReference(name) {
		return l.once(ctx, source{image: name, key: key})
	}
	return l.once(ctx, source{path: filepath.Clean(name), key: key})
}

// once reads a source unless it was read before. Concurrent readers wait; if the context of the
// first reader ends, they retry.
func (l *Loader) once(ctx context.Context, from source) (*cache.Catalog, error) {
	for {
		l.mu.Lock()
		r, found := l.read[from]
		if !found {
			r = &reading{done: make(chan struct{})}
			if l.read == nil {
				l.read = make(map[source]*reading)
			}
			l.read[from] = r
		}
		l.mu.Unlock()
		if !found {
			r.catalog, r.err = l.openSource(ctx, from)
			if ctx.Err() != nil { // the next reader reads again
				l.mu.Lock()
				delete(l.read, from)
				l.mu.Unlock()
			}
			close(r.done)
			return r.catalog, r.err
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if r.err == nil || !isStopped(r.err) {
			return r.catalog, r.err
		}
	}
}

func (l *Loader) openSource(ctx context.Context, from source) (*cache.Catalog, error) {
	if from.image != "" {
		return l.Images.Catalog(ctx, from.image, from.path, l.options(from.key, from.metadata))
	}
	if _, err := os.Stat(from.path); err != nil {
		return nil, err
	}
	catalog, err := fbc.LoadPath(ctx, from.path, l.options(from.key, from.metadata))
	var in *fs.PathError
	if errors.As(err, &in) && in.Path == filepath.Base(from.path) {
		return nil, &fs.PathError{Op: in.Op, Path: from.path, Err: in.Err} // the path from the user
	}
	return catalog, err
}

func open(ctx context.Context, fsys fs.FS, name string, opts fbc.Options) (*cache.Catalog, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		opts.File = name
		return fbc.Load(ctx, fsys, opts)
	}
	if fsys, err = fs.Sub(fsys, name); err != nil {
		return nil, err
	}
	return fbc.Load(ctx, fsys, opts)
}

func (l *Loader) options(key cache.Key, metadata bool) fbc.Options {
	l.mu.Lock()
	defer l.mu.Unlock()
	opts := l.Options
	if opts.Parser == nil {
		if l.parser == nil {
			l.parser = constraints.NewParser()
		}
		opts.Parser = l.parser
	}
	if report := opts.Progress; report != nil {
		opts.Progress = func(p fbc.Progress) {
			l.reporting.Lock()
			defer l.reporting.Unlock()
			report(p)
		}
	}
	opts.Catalog = key
	opts.Metadata = opts.Metadata || metadata
	return opts
}

// Images reads catalogs in container images for a [Loader]. Package cache/image implements it, so
// that only programs that need images link its dependencies. It must be safe for concurrent use.
type Images interface {
	// IsReference reports whether a path is an image reference.
	IsReference(text string) bool
	// Allow returns an error with the reason why an image of a scenario must not be read; nil
	// allows it. Scenarios are untrusted, and fetching an image reveals the client to the
	// registry.
	Allow(reference string) error
	// Catalog reads the catalog in an image. A path in the reference is relative to dir, or to
	// the working directory if dir is empty. It may be called concurrently.
	Catalog(ctx context.Context, reference, dir string, opts fbc.Options) (*cache.Catalog, error)
}

// localImages are the prefixes of references to images in files.
var localImages = [...]string{"oci:", "oci-archive:", "docker-archive:"}

// allowImages checks that each image of a scenario is allowed. The error is an [*Error] that
// lists all others.
func (l *Loader) allowImages(s *Scenario) error {
	ps := &problems{origin: &s.origin}
	for i, c := range s.Catalogs {
		if c.Image == "" {
			continue
		}
		path := fmt.Sprintf("catalogs[%d].image", i)
		if l.Images == nil {
			ps.add(path, "this program does not read container images, such as %s; write the catalog to a file, and give its path", c.Image)
			continue
		}
		if err := l.Images.Allow(c.Image); err != nil {
			ps.add(path, "%v", err)
			continue
		}
		for _, transport := range localImages {
			if s.origin.fsys != nil && strings.HasPrefix(c.Image, transport) {
				ps.add(path, "%s is outside the file system of the scenario", c.Image)
			}
		}
	}
	return ps.err()
}
