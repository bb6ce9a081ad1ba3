package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/examples/resolute/internal/pull"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// loader returns a loader of catalogs that shows how far it is.
func (a *app) loader() *scenario.Loader {
	l := &scenario.Loader{Images: a.images}
	l.Options.Progress = a.progress.show
	return l
}

// stopped says that reading a catalog was cut short. It ends the command with the
// exit status for that.
func (a *app) stopped(catalog string, err error) error {
	a.complain(catalog, fmt.Sprintf("stopped while it was read: %v", err))
	return exit(exitIncomplete)
}

// catalog reads one catalog for a command that cannot do without.
func (a *app) catalog(ctx context.Context, loader *scenario.Loader, key cache.Key, path string) (*cache.Catalog, error) {
	content, err := await(ctx, func() (*cache.Catalog, error) { return loader.Catalog(ctx, key, path) })
	a.progress.done()
	var unreadable *fbc.UnreadableError
	switch {
	case err == nil:
		return content, nil
	case ctx.Err() != nil:
		return nil, a.stopped(path, ctx.Err())
	case errors.As(err, &unreadable) && len(unreadable.Problems) > 0:
		return nil, fmt.Errorf("%s: %w; resolute validate lists its problems", path, err)
	case strings.Contains(err.Error(), path):
		return nil, err
	}
	return nil, fmt.Errorf("%s: %w", path, err)
}

// catalogs reads catalogs under the keys that their arguments give them.
func (a *app) catalogs(ctx context.Context, args []string, strict bool) ([]resolver.Catalog, error) {
	loader, seen := a.loader(), make(map[cache.Key]string)
	loader.Options.Strict = strict
	var list []resolver.Catalog
	for _, arg := range args {
		key, path, err := catalogArgument(arg)
		if err != nil {
			return nil, err
		}
		if other, twice := seen[key]; twice {
			return nil, fmt.Errorf("%s and %s would both be catalog %s; name one of them, as in NAME=%s", other, arg, key, path)
		}
		seen[key] = arg
		content, err := a.catalog(ctx, loader, key, path)
		if err != nil {
			return nil, err
		}
		list = append(list, resolver.Catalog{Key: key, Content: content})
	}
	return list, nil
}

// catalogArgument reads "PATH", "NAME=PATH" or "NAMESPACE/NAME=PATH", where an
// image may stand for the path. Without a name, the catalog is called as its file,
// directory or repository is.
func catalogArgument(arg string) (cache.Key, string, error) {
	if isImage(arg) {
		return cache.Key{Namespace: scenario.DefaultNamespace, Name: pull.Name(arg)}, arg, nil
	}
	name, path, named := strings.Cut(arg, "=")
	if _, err := os.Stat(arg); err == nil || !named {
		path = arg
		if abs, err := filepath.Abs(arg); err == nil {
			path = abs
		}
		return cache.Key{Namespace: scenario.DefaultNamespace, Name: withoutExtensions(filepath.Base(path))}, arg, nil
	}
	if !strings.Contains(name, "/") {
		name = scenario.DefaultNamespace + "/" + name
	}
	key, err := cache.ParseKey(name)
	if err != nil {
		return key, path, fmt.Errorf("%s: %w", arg, err)
	}
	return key, path, nil
}

// withoutExtensions cuts the extensions of a file-based catalog off a name.
func withoutExtensions(name string) string {
	for {
		ext := filepath.Ext(name)
		if ext == name || !slices.Contains([]string{".gz", ".jsonl", ".json", ".yaml", ".yml"}, ext) {
			return name
		}
		name = strings.TrimSuffix(name, ext)
	}
}

// isImage reports whether an argument that stands where a catalog may stand means
// a container image.
func isImage(arg string) bool { return new(pull.Images).IsReference(arg) }
