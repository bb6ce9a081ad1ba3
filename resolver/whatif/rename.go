package whatif

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// maxNames is the number of names tried for a missing one.
const maxNames = 3

// renames lists near misses of a name of a subscription that does not exist: of its catalog, else
// its package, else its channels.
func renames(req *resolver.Request, s *resolver.Subscription, extension bool) []resolver.UseName {
	var out []resolver.UseName
	use := func(of resolver.NameKind, from string, names []string) {
		for _, to := range text.Near(from, slices.Values(names), maxNames) {
			out = append(out, resolver.UseName{Subscription: s.Name, Extension: extension, Of: of, From: from, To: to})
		}
	}
	known := func(c resolver.Catalog) bool { return c.Key == s.Catalog }
	if !s.Catalog.IsZero() && !slices.ContainsFunc(req.Catalogs, known) {
		use(resolver.NameCatalog, s.Catalog.String(), text.Each(req.Catalogs, func(c resolver.Catalog) string { return c.Key.String() }))
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
		var packages []string
		for _, c := range req.Catalogs {
			if c.Content == nil || !s.Catalog.IsZero() && !known(c) {
				continue
			}
			for pkg := range c.Content.Packages() {
				packages = append(packages, pkg.Name)
			}
		}
		use(resolver.NamePackage, s.Package, packages)
		return out
	}
	for _, ch := range s.Channels {
		if !slices.Contains(channels, ch) {
			use(resolver.NameChannel, ch, channels)
		}
	}
	return out
}
