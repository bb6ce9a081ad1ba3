package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// question is a scenario to lock or to verify a lock with. Relative paths of its catalogs are
// relative to the working directory.
type question struct {
	scenario.Scenario
	given map[int]bool // indexes of the catalogs that the command line names
	fixed map[int]bool // indexes of those with an absolute path
}

// catalogFlag is --catalog for commands that read locks.
func catalogFlag() cli.Flag {
	return listFlag("catalog", "read a catalog from `KEY=CATALOG` instead; KEY is NAMESPACE/NAME, or NAME in any namespace; repeatable")
}

// newQuestion returns a scenario whose paths are relative to a directory, with the catalogs of
// --catalog instead of its own.
func newQuestion(s *scenario.Scenario, dir string, given []string) (*question, error) {
	q := &question{Scenario: *s, given: make(map[int]bool), fixed: make(map[int]bool)}
	q.Catalogs = slices.Clone(s.Catalogs)
	for i := range q.Catalogs {
		q.Catalogs[i] = moved(q.Catalogs[i], func(path string) string {
			if q.fixed[i] = filepath.IsAbs(path); q.fixed[i] {
				return path
			}
			return filepath.Join(dir, path)
		})
	}
	for _, arg := range given {
		key, place, ok := strings.Cut(arg, "=")
		if !ok || key == "" || place == "" {
			return nil, fmt.Errorf("--catalog %s: must have the form NAMESPACE/NAME=CATALOG", arg)
		}
		if !q.replace(key, place) {
			keys := text.Each(q.Catalogs, q.keyOf)
			return nil, fmt.Errorf("--catalog %s: the question has no catalog %s%s; it has %s", arg, key, text.DidYouMean(key, slices.Values(keys)), cmp.Or(text.And(keys), "none"))
		}
	}
	return q, nil
}

// keyOf returns the key of a catalog.
func (q *question) keyOf(c scenario.Catalog) string {
	return cmp.Or(c.Namespace, q.Namespace, scenario.DefaultNamespace) + "/" + c.Name
}

// replace reads the catalogs of a key from another place, and reports whether there are any.
func (q *question) replace(key, place string) bool {
	found := false
	for i := range q.Catalogs {
		c := &q.Catalogs[i]
		if key != c.Name && key != q.keyOf(*c) {
			continue
		}
		found, q.given[i], q.fixed[i] = true, true, filepath.IsAbs(place)
		if c.Blobs, c.Path, c.Image = nil, place, ""; pull.IsImage(place) {
			c.Path, c.Image = "", place
		}
	}
	return found
}

// moved returns a catalog with another path: of a file, or of an image in a file.
func moved(c scenario.Catalog, to func(path string) string) scenario.Catalog {
	if c.Path != "" {
		c.Path = filepath.ToSlash(to(filepath.FromSlash(c.Path)))
	}
	transport, path, local := strings.Cut(c.Image, ":")
	if local && slices.Contains([]string{"oci", "oci-archive", "docker-archive"}, transport) {
		c.Image = transport + ":" + filepath.ToSlash(to(filepath.FromSlash(path)))
	}
	return c
}

// relativeTo returns the scenario with paths relative to a directory, unless they were absolute.
func (q *question) relativeTo(dir string) *scenario.Scenario {
	s := q.Scenario
	s.Catalogs = slices.Clone(q.Catalogs)
	for i := range s.Catalogs {
		if q.fixed[i] {
			continue
		}
		s.Catalogs[i] = moved(s.Catalogs[i], func(path string) string {
			from, err := filepath.Abs(dir)
			if rel, failed := filepath.Rel(from, absolute(path)); err == nil && failed == nil {
				return rel
			}
			return path
		})
	}
	return &s
}

// absolute returns a path that does not depend on the working directory, if that is known.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// loadQuestion reads the catalogs of a question. If lenient permits it, those that are missing,
// because there is no such file or the image must not be fetched, have neither content nor an
// error.
func (a *app) loadQuestion(ctx context.Context, cmd *cli.Command, q *question, lenient bool) (*scenario.Loaded, error) {
	loader := a.loader()
	loader.Options.Strict = cmd.Bool("strict")
	images := grantedImages{a.images, make(map[string]bool)}
	loader.Images = images
	s := q.relativeTo(".")
	unread := make(map[int]bool)
	for i := range s.Catalogs {
		c := &s.Catalogs[i]
		*c = moved(*c, absolute)
		images.named[c.Image] = q.given[i]
		if lenient && isMissing(q, i, images) {
			unread[i], c.Path, c.Image, c.Blobs = true, "", "", []json.RawMessage{}
		}
	}
	defer a.progress.Done()
	loaded, err := await(ctx, func() (*scenario.Loaded, error) { return loader.Load(ctx, s) })
	if err != nil {
		if ctx.Err() != nil {
			return nil, stopped(ctx, "the catalogs")
		}
		return nil, err
	}
	for i := range loaded.Request.Catalogs {
		c := &loaded.Request.Catalogs[i]
		if unread[i] {
			c.Content = nil
			continue
		}
		if place := cmp.Or(q.Catalogs[i].Path, q.Catalogs[i].Image); place != "" {
			if err := a.usableError(ctx, place, c.Content, c.Unavailable); err != nil {
				return nil, err
			}
		}
	}
	return loaded, nil
}

// isMissing reports whether a catalog that the command line does not name is not there to be read.
func isMissing(q *question, i int, images scenario.Images) bool {
	c := &q.Catalogs[i]
	switch {
	case q.given[i], c.Blobs != nil:
		return false
	case c.Image != "":
		return images.Allow(c.Image) != nil
	}
	_, err := os.Stat(c.Path)
	return os.IsNotExist(err)
}

// grantedImages allows fetching images that are named on the command line.
type grantedImages struct {
	*pull.Images
	named map[string]bool
}

// Allow implements scenario.Images.
func (g grantedImages) Allow(reference string) error {
	if g.named[reference] {
		return nil
	}
	return g.Images.Allow(reference)
}

// unreadPlace describes where a catalog would be read from.
func unreadPlace(q *question, key string, catalogs []resolver.Catalog) string {
	for i, c := range catalogs {
		if c.Key.String() == key && i < len(q.Catalogs) {
			return cmp.Or(q.Catalogs[i].Path, q.Catalogs[i].Image)
		}
	}
	return ""
}
