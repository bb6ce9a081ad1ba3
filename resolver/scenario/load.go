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

// Loader makes requests of scenarios by reading their catalogs. A catalog that
// was read stays in memory and is shared by all scenarios that name the same
// path of the operating system under the same key; use a new Loader to see files
// that changed.
//
// The zero value is ready to use. A Loader is safe for concurrent use as long as
// nobody changes its fields.
type Loader struct {
	// Options apply to each catalog that is read; its Catalog and Parser are
	// set by the Loader. Parallel bounds both the catalogs of a scenario that are
	// read at a time and what each of them is read by. Calls of Progress come one
	// at a time, each about one of the catalogs.
	Options fbc.Options
	// Images reads the catalogs that are container images; nil reads none.
	Images Images

	mu     sync.Mutex
	parser *constraints.Parser
	read   map[source]*reading

	reporting sync.Mutex // held while Options.Progress is called
}

// source is what a catalog in memory is known by: a path of the operating
// system, or an image with the folder that paths in it are relative to.
type source struct {
	path, image string
	key         cache.Key
}

type reading struct {
	done    chan struct{}
	catalog *cache.Catalog
	err     error
}

// Loaded is a scenario with its catalogs read.
type Loaded struct {
	// Request is the base problem of the scenario. A catalog that cannot be
	// read is in it, with the reason; the default policy refuses it then.
	Request resolver.Request
	// Took is the time that it took.
	Took time.Duration
}

// Bundles is the number of bundles in all catalogs.
func (l *Loaded) Bundles() int {
	n := 0
	for _, c := range l.Request.Catalogs {
		if c.Content != nil {
			n += c.Content.Len()
		}
	}
	return n
}

// Load reads the catalogs of a scenario and returns its request. Paths are
// relative to the file that the scenario was read from.
//
// The error is an [*Error] if the scenario is not well formed or names an image
// ([Loader].Images), or the context's error. A catalog that cannot be read is no
// error here: see [Loaded].
func (s *Scenario) Load(ctx context.Context) (*Loaded, error) {
	return new(Loader).Load(ctx, s)
}

// Load is [Scenario.Load] with the catalogs shared among all scenarios that the
// loader loads.
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

// contents reads the catalogs of a scenario, several at a time: much of what it
// takes to read a small one cannot be shared among processors.
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
	c := s.Catalogs[i]
	if c.Blobs != nil {
		return l.inline(ctx, s, i, key)
	}
	if c.Image != "" {
		return l.once(ctx, source{path: filepath.Dir(s.origin.file), image: c.Image, key: key})
	}
	if s.origin.fsys == nil {
		file := filepath.FromSlash(c.Path)
		if !filepath.IsAbs(file) && s.origin.file != "" {
			file = filepath.Join(filepath.Dir(s.origin.file), file)
		}
		return l.once(ctx, source{path: filepath.Clean(file), key: key})
	}
	name := path.Join(path.Dir(s.origin.file), c.Path)
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("the path %q leads out of the file system that the scenario was read from", c.Path)
	}
	return open(ctx, s.origin.fsys, name, l.options(key))
}

// inline makes a catalog of the blobs that a scenario has in place. Where the
// scenario was read from a file, its problems have the lines of that file.
func (l *Loader) inline(ctx context.Context, s *Scenario, i int, key cache.Key) (*cache.Catalog, error) {
	blobs, opts := s.Catalogs[i].Blobs, l.options(key)
	nodes := make([]*document.Node, len(blobs))
	for j, blob := range blobs {
		nodes[j] = s.origin.nodes[fmt.Sprintf("catalogs[%d].blobs[%d]", i, j)]
		if nodes[j] == nil || !bytes.Equal(nodes[j].JSON(), blob) {
			return fbc.FromBlobs(ctx, blobs, opts) // a program made it
		}
	}
	return fbc.FromNodes(ctx, nodes, s.origin.file, opts)
}

// Catalog reads the file-based catalog at a path of the operating system: a
// directory, or a single file. With Images it may also be the reference to an
// image: that the caller names it is the permission to fetch it. Its problems are
// stamped with the key.
func (l *Loader) Catalog(ctx context.Context, key cache.Key, name string) (*cache.Catalog, error) {
	if l.Images != nil && l.Images.IsReference(name) {
		return l.once(ctx, source{image: name, key: key})
	}
	return l.once(ctx, source{path: filepath.Clean(name), key: key})
}

// once reads a source unless it was read before. Readers that come while it is
// being read wait for it; if it was not their own context that ended, they try
// themselves.
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
		return l.Images.Catalog(ctx, from.image, from.path, l.options(from.key))
	}
	if _, err := os.Stat(from.path); err != nil {
		return nil, err
	}
	catalog, err := fbc.LoadPath(ctx, from.path, l.options(from.key))
	var in *fs.PathError
	if errors.As(err, &in) && in.Path == filepath.Base(from.path) {
		return nil, &fs.PathError{Op: in.Op, Path: from.path, Err: in.Err} // as the user knows it
	}
	return catalog, err
}

func open(ctx context.Context, fsys fs.FS, name string, opts fbc.Options) (*cache.Catalog, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return fbc.LoadFile(ctx, fsys, name, opts)
	}
	if fsys, err = fs.Sub(fsys, name); err != nil {
		return nil, err
	}
	return fbc.Load(ctx, fsys, opts)
}

func (l *Loader) options(key cache.Key) fbc.Options {
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
	return opts
}

// Images reads the catalogs that are container images, for a [Loader]. Programs
// make one with package cache/image, so that only those that want images link
// what it takes to fetch them. It has to be safe for concurrent use.
type Images interface {
	// IsReference reports whether a text that stands where a path may stand
	// means an image.
	IsReference(text string) bool
	// Allow says why an image that a scenario names is not to be read; nil
	// allows it. Scenarios come from anybody, and fetching an image shows the
	// registry who asks.
	Allow(reference string) error
	// Catalog reads the catalog in an image. A path in the reference is relative
	// to dir, and to the working directory if dir is empty. Several goroutines may
	// call it at the same time.
	Catalog(ctx context.Context, reference, dir string, opts fbc.Options) (*cache.Catalog, error)
}

// localImages are what references to images in files begin with.
var localImages = [...]string{"oci:", "oci-archive:", "docker-archive:"}

// allowImages wants each image that a scenario names to be allowed. The error is
// an [*Error] about all that are not.
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
				ps.add(path, "%s leads out of the file system that the scenario was read from", c.Image)
			}
		}
	}
	return ps.err()
}
