package explain

import (
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// didYouMean suggests similar names, "" if there are none. It stops when the context ends.
func didYouMean(u *problem.Universe, want string, names iter.Seq[string]) string {
	return text.DidYouMean(want, text.Until(u.Budget.Context(), names))
}

// namesIn yields the names of items of catalogs.
func namesIn[T any](cats []problem.Catalog, items func(*cache.Catalog) iter.Seq[T], name func(T) string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range cats {
			for t := range items(c.Content) {
				if !yield(name(t)) {
					return
				}
			}
		}
	}
}

// NearBundles suggests bundles with a name similar to one that no bundle has.
func NearBundles(u *problem.Universe, of cache.BundleRef) string {
	catalog := &of.Catalog
	if catalog.IsZero() {
		catalog = nil
	}
	return didYouMean(u, of.Name, namesIn(usable(u, catalog), (*cache.Catalog).Bundles, func(b *graph.Bundle) string { return b.Name }))
}

// usable lists the catalogs with a key; all catalogs if the key is nil.
func usable(u *problem.Universe, key *cache.Key) []problem.Catalog {
	if key == nil {
		return u.Cats
	}
	return slices.DeleteFunc(slices.Clone(u.Cats), func(c problem.Catalog) bool { return c.Key != *key })
}
