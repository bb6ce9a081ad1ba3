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
func didYouMean(p *problem.View, want string, names iter.Seq[string]) string {
	return text.DidYouMean(want, text.Until(p.Context(), names))
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
func NearBundles(p *problem.View, of cache.BundleRef) string {
	catalog := &of.Catalog
	if catalog.IsZero() {
		catalog = nil
	}
	return didYouMean(p, of.Name, namesIn(usable(p, catalog), (*cache.Catalog).Bundles, func(b *graph.Bundle) string { return b.Name }))
}

// usable lists the catalogs that a subscription to one of them, or to any if the key
// is nil, looks at.
func usable(p *problem.View, key *cache.Key) []problem.Catalog {
	if key == nil {
		return p.Cats
	}
	return slices.DeleteFunc(slices.Clone(p.Cats), func(c problem.Catalog) bool { return c.Key != *key })
}
