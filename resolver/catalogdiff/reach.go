package catalogdiff

import (
	"context"
	"maps"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
)

// reach is the dependency graph of packages in both states: a package depends on another one if a
// bundle of the other one, in any version, can satisfy a constraint of one of its bundles.
type reach struct {
	needs map[string][]string        // dependencies, in order of first mention
	by    map[string]map[string]bool // dependents of a package
	rules map[string]bool            // packages with CEL rules, which any package may satisfy
}

// Needed returns a package and the packages that it may need, directly or indirectly: those with
// a bundle that can satisfy a constraint in any version. If a constraint is a CEL rule, which can
// be about anything, it returns all. The error is that of the context.
func Needed(ctx context.Context, catalogs []resolver.Catalog, pkg string) (map[string]bool, error) {
	r, err := follow(ctx, catalogs)
	if err != nil {
		return nil, err
	}
	needed, all := map[string]bool{pkg: true}, r.rules[pkg]
	for _, name := range r.nearest(pkg, func(string) bool { return true }) {
		needed[name], all = true, all || r.rules[name]
	}
	for _, c := range catalogs {
		if all && c.Content != nil {
			for p := range c.Content.Packages() {
				needed[p.Name] = true
			}
		}
	}
	return needed, nil
}

// follow builds the dependency graph. The error is that of the context.
func follow(ctx context.Context, of []resolver.Catalog) (*reach, error) {
	r := &reach{needs: make(map[string][]string), by: make(map[string]map[string]bool), rules: make(map[string]bool)}
	var catalogs []*cache.Catalog
	for _, c := range of {
		if c.Content != nil {
			catalogs = append(catalogs, c.Content)
		}
	}
	seen := make(map[string]map[string]bool) // the constraints of a package
	for _, cat := range catalogs {
		for p := range cat.Packages() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, b := range p.Bundles {
				if len(b.Constraints) == 0 {
					continue
				}
				if seen[p.Name] == nil {
					seen[p.Name] = make(map[string]bool)
				}
				r.bundle(b, seen[p.Name], catalogs)
			}
		}
	}
	return r, nil
}

func (r *reach) bundle(b *graph.Bundle, seen map[string]bool, catalogs []*cache.Catalog) {
	for _, q := range b.Constraints {
		constraints.Walk(q.Constraint, func(c constraints.Constraint) bool {
			if seen[c.Key()] {
				return false
			}
			seen[c.Key()] = true
			switch c := c.(type) {
			case *constraints.CEL:
				r.rules[b.Package] = true
			case *constraints.Package:
				r.add(b.Package, c.Name)
			case *constraints.GVK:
				for _, cat := range catalogs {
					r.addAll(b.Package, cat, cat.Providers(c.GVK))
				}
			case *constraints.Label:
				for _, cat := range catalogs {
					r.addAll(b.Package, cat, cat.Labelled(c.Label))
				}
			}
			return true
		})
	}
}

func (r *reach) addAll(from string, cat *cache.Catalog, ids []int32) {
	last := ""
	for _, id := range ids {
		if to := cat.Bundle(id).Package; to != last {
			r.add(from, to)
			last = to
		}
	}
}

func (r *reach) add(from, to string) {
	if from == to || r.by[to][from] {
		return
	}
	if r.by[to] == nil {
		r.by[to] = make(map[string]bool)
	}
	r.by[to][from] = true
	r.needs[from] = append(r.needs[from], to)
}

// dependents returns some packages and their direct and indirect dependents, sorted.
func (r *reach) dependents(of []string) []string {
	in := make(map[string]bool)
	var todo []string
	take := func(name string) {
		if !in[name] {
			in[name] = true
			todo = append(todo, name)
		}
	}
	for _, name := range of {
		take(name)
	}
	if len(of) > 0 {
		for name := range r.rules {
			take(name)
		}
	}
	for len(todo) > 0 {
		last := len(todo) - 1
		name := todo[last]
		todo = todo[:last]
		for other := range r.by[name] {
			take(other)
		}
	}
	return slices.Sorted(maps.Keys(in))
}

// nearest returns the matching packages that a package depends on, those with the shortest path
// first.
func (r *reach) nearest(from string, is func(string) bool) []string {
	seen := map[string]bool{from: true}
	var out []string
	for todo := []string{from}; len(todo) > 0; todo = todo[1:] {
		if todo[0] != from && is(todo[0]) {
			out = append(out, todo[0])
		}
		for _, name := range r.needs[todo[0]] {
			if !seen[name] {
				seen[name] = true
				todo = append(todo, name)
			}
		}
	}
	return out
}
