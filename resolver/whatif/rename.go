package whatif

import (
	"iter"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// maxNames is how many names are tried in the place of one that there is not.
const maxNames = 3

// renames lists the names that a subscription may mean by one that nothing has: of its
// catalog, else its package, else its channels.
func renames(req *resolver.Request, s *resolver.Subscription) []resolver.Change {
	var out []resolver.Change
	use := func(of, from string, names iter.Seq[string]) {
		for _, to := range text.Near(from, names, maxNames) {
			out = append(out, UseName(s.Name, of, from, to))
		}
	}
	in := func(c *resolver.Catalog) bool { return c.Content != nil && (s.Catalog.IsZero() || c.Key == s.Catalog) }
	known := func(c resolver.Catalog) bool { return c.Key == s.Catalog }
	if !s.Catalog.IsZero() && !slices.ContainsFunc(req.Catalogs, known) {
		use("catalog", s.Catalog.String(), func(yield func(string) bool) {
			for i := range req.Catalogs {
				if !yield(req.Catalogs[i].Key.String()) {
					return
				}
			}
		})
		return out
	}
	found := false
	var channels []string
	for _, pkg := range req.Packages(s.Catalog, s.Package) {
		found = true
		for _, ch := range pkg.Channels {
			channels = append(channels, ch.Name)
		}
	}
	if !found {
		use("package", s.Package, func(yield func(string) bool) {
			for i := range req.Catalogs {
				if !in(&req.Catalogs[i]) {
					continue
				}
				for pkg := range req.Catalogs[i].Content.Packages() {
					if !yield(pkg.Name) {
						return
					}
				}
			}
		})
		return out
	}
	for _, ch := range s.Channels {
		if !slices.Contains(channels, ch) {
			use("channel", ch, slices.Values(channels))
		}
	}
	return out
}
