package audit

import (
	"slices"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
)

// rest finds the packages at rest: whatever of them is installed on an empty cluster, with
// all that comes with it, stays as it is. Neither they nor what they lead to offer anything to
// upgrade to, and so each subscription has one candidate in the next round, what it
// owns: the answer is the same set again.
//
// Nor are there orphans, as far as constraints are plain: each bundle of the set was chosen for a
// constraint of another one, and is what that still needs. For one that names a package
// or an API nothing else of the set can do. Of several alternatives the best placed counts
// both times, and had one that is in the set been better placed, it would have been
// chosen. The order of what is in a catalog and of what is installed is the same if all
// come from default channels.
type rest struct {
	cats   []resolver.Catalog
	index  map[string]int32 // by the name of a package
	needed [][]int32        // by index: packages that may need it
	moves  []bool
	todo   []int32 // which move, and those that need them are still to be told
}

// atRest returns those packages.
func (a *audit) atRest() map[string]bool {
	r := &rest{cats: a.cats, index: make(map[string]int32)}
	for _, c := range a.cats {
		for pkg := range c.Content.Packages() {
			r.look(pkg, a.opts.Policy.Compounds == "PerBundle")
		}
	}
	for len(r.todo) > 0 {
		i := r.todo[len(r.todo)-1]
		r.todo = r.todo[:len(r.todo)-1]
		for _, by := range r.needed[i] {
			r.move(by)
		}
	}
	rest := make(map[string]bool)
	for name, i := range r.index {
		if !r.moves[i] {
			rest[name] = true
		}
	}
	return rest
}

func (r *rest) of(name string) int32 {
	i, known := r.index[name]
	if !known {
		i = int32(len(r.moves))
		r.index[name], r.moves, r.needed = i, append(r.moves, false), append(r.needed, nil)
	}
	return i
}

func (r *rest) move(i int32) {
	if !r.moves[i] {
		r.moves[i] = true
		r.todo = append(r.todo, i)
	}
}

// look notes what the bundles of a package need that can be chosen.
func (r *rest) look(pkg *graph.Package, perBundle bool) {
	i := r.of(pkg.Name)
	for _, b := range pkg.Bundles {
		if len(b.Places) == 0 {
			continue
		}
		others := false
		for _, other := range b.Places[0].Channel.Candidates() {
			others = others || other != b
		}
		if others || !b.Places[0].Channel.Default() {
			r.move(i)
		}
		for _, c := range b.Constraints {
			if r.moves[i] || !r.plain(i, c.Constraint, perBundle) {
				r.move(i)
				break
			}
		}
	}
}

// plain reports whether a constraint of a package names packages and APIs only, all of
// them or one or none, and notes which.
func (r *rest) plain(i int32, c constraints.Constraint, perBundle bool) bool {
	var kids []constraints.Constraint
	switch c := c.(type) {
	case *constraints.Package:
		k := r.of(c.Name)
		r.needed[k] = append(r.needed[k], i)
		return true
	case *constraints.GVK:
		for _, cat := range r.cats {
			for _, id := range cat.Content.Providers(c.GVK) {
				k := r.of(cat.Content.Bundle(id).Package)
				r.needed[k] = append(r.needed[k], i)
			}
		}
		return true
	case *constraints.All:
		kids = c.Constraints
		return !perBundle && every(kids, func(k constraints.Constraint) bool { return r.plain(i, k, false) })
	case *constraints.Any:
		kids = c.Constraints
	case *constraints.Not:
		kids = c.Constraints
	default:
		return false
	}
	return !perBundle && !slices.ContainsFunc(kids, func(k constraints.Constraint) bool { return !leaf(k) || !r.plain(i, k, false) })
}

func leaf(c constraints.Constraint) bool {
	switch c.(type) {
	case *constraints.Package, *constraints.GVK:
		return true
	}
	return false
}
