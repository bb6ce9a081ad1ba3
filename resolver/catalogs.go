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

// usableCatalogs are the catalogs that can be used, best first: by priority, then
// those of the resolved namespace, then by key (section 4).
func (p *translation) usableCatalogs() []problem.Catalog {
	var cats []problem.Catalog
	for _, c := range p.req.Catalogs {
		if c.Unavailable != nil {
			p.warnUnavailable(c)
			if p.req.Policy.Unavailable != UnavailableLastGood {
				continue
			}
		}
		if c.Content != nil {
			cats = append(cats, problem.Catalog{Key: c.Key, Priority: c.Priority, Content: c.Content})
		}
	}
	in := p.req.Namespace
	slices.SortFunc(cats, func(a, b problem.Catalog) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority),
			problem.First(a.Key.Namespace == in, b.Key.Namespace == in), a.Key.Compare(b.Key))
	})
	return cats
}
