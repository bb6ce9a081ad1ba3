package explain

import (
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// didYouMean suggests names that somebody may have meant, "" if there are none. It
// ends soon after the context.
func didYouMean(u *problem.Universe, want string, names iter.Seq[string]) string {
	return text.DidYouMean(want, text.Until(u.Budget.Context(), names))
}

// namesIn goes through names of what catalogs have.
func namesIn[T any](cats []problem.Catalog, things func(*cache.Catalog) iter.Seq[T], name func(T) string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, c := range cats {
			for t := range things(c.Content) {
				if !yield(name(t)) {
					return
				}
			}
		}
	}
}

// NearBundles suggests bundles that somebody may have meant who wrote a name that no
// bundle has.
func NearBundles(u *problem.Universe, of cache.BundleRef) string {
	catalog := &of.Catalog
	if catalog.IsZero() {
		catalog = nil
	}
	return didYouMean(u, of.Name, namesIn(usable(u, catalog), (*cache.Catalog).Bundles, func(b *graph.Bundle) string { return b.Name }))
}

// usable lists the catalogs that a subscription to one of them, or to any if the key
// is nil, looks at.
func usable(u *problem.Universe, key *cache.Key) []problem.Catalog {
	if key == nil {
		return u.Cats
	}
	return slices.DeleteFunc(slices.Clone(u.Cats), func(c problem.Catalog) bool { return c.Key != *key })
}
