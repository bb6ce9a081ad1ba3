package resolver

import "github.com/seed109e2655/resolute/cache"

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
