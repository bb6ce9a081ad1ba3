package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cache/fbc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// loader returns a catalog loader that reports progress.
func (a *app) loader() *scenario.Loader {
	if a.adHocLoader != nil {
		return a.adHocLoader
	}
	l := &scenario.Loader{Images: a.images}
	l.Options.Progress, l.Options.Metadata = a.progress.Catalogs, a.metadata
	return l
}

// catalog reads a catalog that the command requires.
func (a *app) catalog(ctx context.Context, loader *scenario.Loader, key cache.Key, path string) (*cache.Catalog, error) {
	content, err := await(ctx, func() (*cache.Catalog, error) { return loader.Catalog(ctx, key, path) })
	a.progress.Done()
	if err = a.usableError(ctx, path, content, err); err != nil {
		return nil, err
	}
	return content, nil
}

// usableError returns an error if a catalog is unusable.
func (a *app) usableError(ctx context.Context, path string, content *cache.Catalog, err error) error {
	var unreadable *fbc.UnreadableError
	switch {
	case err != nil && ctx.Err() != nil:
		return stopped(ctx, path)
	case (err != nil || content.Len() == 0) && isScenario(ctx, path):
		return a.notCatalog(path)
	case err == nil && !hasPackages(content):
		return noPackages(path, content.Problems())
	case err == nil:
		return nil
	case errors.As(err, &unreadable) && unreadable.Err == nil:
		return emptyCatalog(path, unreadable)
	case errors.As(err, &unreadable) && len(unreadable.Problems) > 0:
		return fmt.Errorf("%s: %w; resolute validate lists its problems", path, err)
	case strings.Contains(err.Error(), path):
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// hasPackages reports whether a catalog has a package.
func hasPackages(content *cache.Catalog) bool {
	for range content.Packages() {
		return true
	}
	return false
}

// noPackages returns the error for a catalog without packages.
func noPackages(path string, problems []graph.Problem) error {
	return withoutContent("packages", path, problems)
}

// withoutContent returns the error for a catalog without content of a kind. It quotes the first error of
// the catalog, or else its first warning.
func withoutContent(what, path string, problems []graph.Problem) error {
	why := ""
	if len(problems) > 0 {
		first := problems[max(0, slices.IndexFunc(problems, func(p graph.Problem) bool { return p.Severity == graph.SeverityError }))]
		first.Catalog, first.File = "", pull.Place(path, first.File)
		why = fmt.Sprintf("; it has %s, the first is: %s; resolute validate lists its problems", text.Count(len(problems), "problem", "problems"), first.Error())
	}
	return fmt.Errorf("no %s in %s%s", what, path, why)
}

// emptyCatalog returns the error for a catalog without a readable blob.
func emptyCatalog(path string, e *fbc.UnreadableError) error {
	if len(e.Problems) == 0 {
		return fmt.Errorf("no packages in %s: the catalog is empty or has no catalog file (.yaml, .yml, .json, .jsonl)", path)
	}
	return noPackages(path, e.Problems)
}

// isScenario reports whether a regular file is a scenario. Pipes cannot be read twice.
func isScenario(ctx context.Context, path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	s, err := scenario.ReadFile(ctx, path)
	return err == nil && len(s.Catalogs)+len(s.Installed)+len(s.Subscriptions)+len(s.Extensions) > 0
}

// notCatalog returns the error for a scenario in place of a catalog.
func (a *app) notCatalog(path string) error {
	return fmt.Errorf("%s: this is a scenario, not a catalog; to resolve it, run: %s resolve %[1]s", path, a.name())
}

// catalogs reads the catalogs named by arguments under their keys.
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
			return nil, fmt.Errorf("%s and %s both have the key %s; rename one with NAME=%s", other, arg, key, path)
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
