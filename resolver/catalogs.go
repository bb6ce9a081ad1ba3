package resolver

import (
	"cmp"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Catalogs makes the catalogs of a [Request] from one view of a [cache.Cache]: all
// of them, with their priorities, in the order of the snapshot. One that cannot
// be read comes with its error and with its last good content if there is one;
// what is done about it is up to [Policy.Unavailable] (section 8 of the
// semantics). The contents are shared, not copied. A nil snapshot has no catalogs.
func Catalogs(s *cache.Snapshot) []Catalog {
	if s == nil {
		return nil
	}
	list := s.Catalogs()
	out := make([]Catalog, len(list))
	for i, c := range list {
		out[i] = Catalog{Key: c.Key, Priority: c.Priority, Content: c.Content, Unavailable: c.Unavailable}
	}
	return out
}

// orderCatalogs keeps the catalogs that can be used, best first: by priority,
// then those of the resolved namespace, then by key (section 4).
func (p *resolution) orderCatalogs() {
	for _, c := range p.req.Catalogs {
		if c.Unavailable != nil {
			p.warnUnavailable(c)
			if p.req.Policy.Unavailable != UnavailableLastGood {
				continue
			}
		}
		if c.Content != nil {
			p.cats = append(p.cats, c)
		}
	}
	slices.SortFunc(p.cats, func(a, b Catalog) int { return compareCatalogs(p.req.Namespace, a, b) })
}

// compareCatalogs orders catalogs by rules 3 and 4 of section 4.
func compareCatalogs(namespace string, a, b Catalog) int {
	if c := cmp.Compare(b.Priority, a.Priority); c != 0 {
		return c
	}
	if c := problem.First(a.Key.Namespace == namespace, b.Key.Namespace == namespace); c != 0 {
		return c
	}
	return a.Key.Compare(b.Key)
}
