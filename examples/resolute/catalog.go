package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/examples/resolute/internal/pull"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// loader returns a loader of catalogs that shows how far it is.
func (a *app) loader() *scenario.Loader {
	if a.shared != nil {
		return a.shared
	}
	l := &scenario.Loader{Images: a.images}
	l.Options.Progress = a.progress.Catalogs
	return l
}

// catalog reads one catalog for a command that cannot do without.
func (a *app) catalog(ctx context.Context, loader *scenario.Loader, key cache.Key, path string) (*cache.Catalog, error) {
	content, err := await(ctx, func() (*cache.Catalog, error) { return loader.Catalog(ctx, key, path) })
	a.progress.Done()
	if err = a.readable(ctx, path, content, err); err != nil {
		return nil, err
	}
	return content, nil
}

// readable says why a catalog cannot be used.
func (a *app) readable(ctx context.Context, path string, content *cache.Catalog, err error) error {
	var unreadable *fbc.UnreadableError
	switch {
	case err != nil && ctx.Err() != nil:
		return stopped(ctx, path)
	case (err != nil || content.Len() == 0) && isScenario(ctx, path):
		return a.notCatalog(path)
	case err == nil:
		return nil
	case errors.As(err, &unreadable) && len(unreadable.Problems) > 0:
		return fmt.Errorf("%s: %w; resolute validate lists its problems", path, err)
	case strings.Contains(err.Error(), path):
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// isScenario reports whether a file is a scenario.
func isScenario(ctx context.Context, path string) bool {
	s, err := scenario.ReadFile(ctx, path)
	return err == nil && len(s.Catalogs)+len(s.Installed)+len(s.Subscriptions)+len(s.Extensions) > 0
}

// notCatalog says what to do with a scenario where a catalog is wanted.
func (a *app) notCatalog(path string) error {
	return fmt.Errorf("%s: this is a scenario, not a catalog; to answer it: %s resolve %[1]s", path, a.name())
}

// catalogs reads catalogs under the keys that their arguments give them.
func (a *app) catalogs(ctx context.Context, args []string, strict bool) ([]resolver.Catalog, error) {
	loader, seen := a.loader(), make(map[cache.Key]string)
	loader.Options.Strict = strict
	var list []resolver.Catalog
	for _, arg := range args {
		key, path, err := pull.Argument(arg)
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
