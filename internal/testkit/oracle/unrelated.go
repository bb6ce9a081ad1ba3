package oracle

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver"
)

// Unrelated reports whether a package of a catalog is irrelevant to a problem:
// no subscription names it, none of its bundles is installed, forced, changed,
// or named like an installed bundle, and none matches a part of another
// bundle's constraint. The answer is the same without it.
func (p *Problem) Unrelated(catalog, pkg int) (bool, error) {
	w, err := layOut(p, true)
	if err != nil {
		return false, err
	}
	c := w.catalog(p.Catalogs[catalog].Key)
	name := p.Catalogs[catalog].Packages[pkg].Name
	inside := func(v *variable) bool { return v.cat == c && v.pkg == name && v.installed < 0 }
	if slices.ContainsFunc(p.Subscriptions, func(s Subscription) bool { return s.Package == name }) {
		return false, nil
	}
	for _, v := range w.vars {
		if v.pkg == name && (v.installed >= 0 || w.isMeant(v)) {
			return false, nil
		}
		if v.installed >= 0 && p.Catalogs[catalog].Packages[pkg].Bundle(v.name) != nil {
			return false, nil // it affects the inferred package
		}
	}
	own := w.those(inside)
	for _, v := range w.vars {
		for _, f := range v.forms {
			if !inside(v) && f.touches(own) {
				return false, nil
			}
		}
	}
	return true, nil
}

// isMeant reports whether the request names a bundle.
func (w *world) isMeant(v *variable) bool {
	named := func(r Ref) bool { return r.Name == v.name }
	return slices.ContainsFunc(w.p.Force, named) ||
		slices.ContainsFunc(w.p.Forbid, func(f resolver.Forbidden) bool { return named(f.Bundle) }) ||
		slices.ContainsFunc(w.p.Added, func(a Added) bool { return named(a.Bundle) })
}

// touches reports whether one of the bundles matches some part of a formula.
func (f *form) touches(s set) bool {
	return f.shape == isAtom && f.match&s != 0 ||
		slices.ContainsFunc(f.of, func(k *form) bool { return k.touches(s) })
}
