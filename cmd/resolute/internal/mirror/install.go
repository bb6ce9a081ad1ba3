package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
)

// check finds missing bundles and adds them.
func (m *maker) check(ctx context.Context) error {
	m.plan.Unresolved, m.plan.Stuck, m.grown = nil, nil, false
	for i := range m.views {
		if err := m.installable(ctx, i); err != nil {
			return err
		}
	}
	return m.paths(ctx)
}

// location is a bundle in a channel of one of the catalogs.
type location struct {
	catalog              int
	pkg, channel, bundle string
}

// installable checks that each selected candidate can be installed on an empty cluster, and
// adds missing bundles.
func (m *maker) installable(ctx context.Context, i int) error {
	var todo []location
	for p := range m.views[i].Content.Packages() {
		for _, ch := range p.Channels {
			for _, b := range ch.Candidates() {
				if !b.Barred && m.unmirrored[i][bundleKey{p.Name, b.Name}] == "" {
					todo = append(todo, location{i, p.Name, ch.Name, b.Name})
				}
			}
		}
	}
	for _, at := range todo {
		_, conflict, err := m.install(ctx, m.views, at)
		if err == nil && conflict != nil {
			err = m.complete(ctx, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// install installs a bundle on an empty cluster, or returns the conflict that keeps it
// from being installed.
func (m *maker) install(ctx context.Context, catalogs []resolver.Catalog, at location) (*resolver.Solution, *resolver.Conflict, error) {
	sol, err := m.r.Resolve(ctx, resolver.Request{Namespace: namespace, Catalogs: catalogs, Veto: m.veto, Subscriptions: []resolver.Subscription{{
		Name: at.pkg, Package: at.pkg, Channels: []string{at.channel}, Catalog: m.keys[at.catalog], StartingCSV: at.bundle,
	}}})
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		return nil, conflict, nil
	}
	return sol, nil, err
}

// withPackages returns a catalog with packages added, replacing those of the same names.
func withPackages(c *cache.Catalog, packages ...*graph.Package) *cache.Catalog {
	changed := make(map[string]bool, len(packages))
	for _, p := range packages {
		changed[p.Name] = true
	}
	for p := range c.Packages() {
		if !changed[p.Name] {
			packages = append(packages, p)
		}
	}
	return cache.NewCatalog(packages, nil)
}

// complete finds the smallest additions with which a bundle can be installed, and adds them.
func (m *maker) complete(ctx context.Context, at location) error {
	// The mirrored bundle, and all candidates of the whole catalogs.
	all := m.catalogs()
	mine := m.views[at.catalog].Content.Package(at.pkg)
	if mine == nil {
		m.unresolvedText(at, "its package is not mirrored")
		return nil
	}
	all[at.catalog].Content = withPackages(all[at.catalog].Content, mine.Clone())
	sol, conflict, err := m.install(ctx, all, at)
	if conflict != nil {
		m.unresolved(at, conflict)
	}
	if sol == nil {
		return err
	}
	least, err := m.smallestAddition(ctx, at, m.missing(sol))
	if err != nil {
		return err
	}
	if least == nil {
		m.unresolvedText(at, "its dependencies cannot be selected with version ranges; mirror the whole channels with full: true")
		return nil
	}
	added := false
	why := reasons(sol)
	for _, p := range least {
		because := why[p.bundle]
		if len(because) == 0 {
			because = []Reason{{Bundle: at.bundle, Constraint: "needs it to be installed"}}
		}
		added = m.needs[p.catalog].add(p.pkg, p.channel, p.bundle, because...) || added
	}
	if !added {
		m.unresolvedText(at, "its dependencies are selected, but cannot be installed with it")
		return nil
	}
	return m.grow(ctx)
}

func (m *maker) grow(ctx context.Context) error {
	m.grown = true
	return m.view(ctx)
}

// reasons maps each bundle of a solution to the bundles that need it.
func reasons(sol *resolver.Solution) map[string][]Reason {
	out := make(map[string][]Reason)
	for i := range sol.Steps {
		for _, r := range sol.Steps[i].Because {
			if r.Bundle != "" {
				out[sol.Steps[i].Bundle] = append(out[sol.Steps[i].Bundle], Reason{r.Bundle, r.Constraint})
			}
		}
	}
	return out
}

func (m *maker) unresolved(at location, conflict *resolver.Conflict) {
	m.plan.Unresolved = append(m.plan.Unresolved, Unresolved{Catalog: m.ref(at.catalog), Package: at.pkg, Channel: at.channel, Bundle: at.bundle,
		Conflict: conflict})
}

func (m *maker) unresolvedText(at location, message string) {
	m.unresolved(at, &resolver.Conflict{Minimal: true, Words: fmt.Sprintf("%s: %s", text.Name(at.bundle), message)})
}

// missing returns the bundles of a solution that are not selected.
func (m *maker) missing(sol *resolver.Solution) []location {
	var out []location
	for i := range sol.Steps {
		s := &sol.Steps[i]
		for k := range m.whole {
			if s.Catalog == m.keys[k] && s.Channel != "" && !m.needs[k].has(s.Package, s.Bundle) {
				out = append(out, location{k, s.Package, s.Channel, s.Bundle})
			}
		}
	}
	return out
}

// maxTries limits the sets of additions that are tried for one bundle.
const maxTries = 300

// smallestAddition finds the smallest set of additions after which a bundle can be installed. One
// is known; smaller ones are searched among the other bundles of the same packages, and of packages
// that provide the same APIs. After [maxTries], the known set is reduced until no bundle can be
// removed. It is nil if the known set cannot be selected.
func (m *maker) smallestAddition(ctx context.Context, at location, known []location) ([]location, error) {
	pool := m.pool(known)
	tries := 0
	for size := 1; size < len(known); size++ {
		found, err := m.trySets(ctx, at, pool, nil, size, &tries)
		if err != nil || found != nil {
			return found, err
		}
	}
	ok, err := m.suffices(ctx, at, known)
	if err != nil || !ok {
		return nil, err
	}
	for i := 0; i < len(known); {
		without := slices.Delete(slices.Clone(known), i, i+1)
		ok, err := m.suffices(ctx, at, without)
		switch {
		case err != nil:
			return nil, err
		case ok:
			known = without
		default:
			i++
		}
	}
	return known, nil
}

// trySets tries every set of a size with at most one bundle of each package.
func (m *maker) trySets(ctx context.Context, at location, pool []location, chosen []location, size int, tries *int) ([]location, error) {
	if size == 0 {
		*tries++
		ok, err := m.suffices(ctx, at, chosen)
		if err != nil || !ok {
			return nil, err
		}
		return slices.Clone(chosen), nil
	}
	for i, p := range pool {
		if *tries >= maxTries {
			return nil, nil
		}
		if slices.ContainsFunc(chosen, func(c location) bool { return c.pkg == p.pkg }) {
			continue
		}
		found, err := m.trySets(ctx, at, pool[i+1:], append(chosen, p), size-1, tries)
		if err != nil || found != nil {
			return found, err
		}
	}
	return nil, nil
}

// pool returns the alternatives to some bundles, the best first.
func (m *maker) pool(known []location) []location {
	var packages []location
	for _, k := range known {
		content := m.whole[k.catalog].Content
		packages = append(packages, location{catalog: k.catalog, pkg: k.pkg})
		for api := range content.Package(k.pkg).Bundle(k.bundle).Properties.GVKs() {
			for i := range m.whole {
				for _, id := range m.whole[i].Content.Providers(api) {
					packages = append(packages, location{catalog: i, pkg: m.whole[i].Content.Bundle(id).Package})
				}
			}
		}
	}
	slices.SortFunc(packages, func(a, b location) int { return cmp.Or(a.catalog-b.catalog, strings.Compare(a.pkg, b.pkg)) })
	var out []location
	for _, p := range slices.Compact(packages) {
		for _, b := range m.whole[p.catalog].Content.Package(p.pkg).Bundles {
			if len(b.Places) > 0 && !b.Barred && b.Quarantine == nil && m.skipped(p.catalog, b) == "" && !m.needs[p.catalog].has(p.pkg, b.Name) {
				out = append(out, location{p.catalog, p.pkg, b.Places[0].Channel.Name, b.Name})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b location) int {
		content := func(p location) int32 { return m.whole[p.catalog].Content.Package(p.pkg).Bundle(p.bundle).ID }
		return int(content(a)) - int(content(b))
	})
	return out
}

// suffices reports whether a bundle can be installed with some others added.
func (m *maker) suffices(ctx context.Context, at location, more []location) (bool, error) {
	changed := make(map[int]*needs)
	for _, p := range more {
		if changed[p.catalog] == nil {
			changed[p.catalog] = m.needs[p.catalog].clone()
		}
		changed[p.catalog].add(p.pkg, p.channel, p.bundle)
	}
	views := slices.Clone(m.views)
	for i, n := range changed { // in any order
		var touched Operator
		touched.Full = n.original.Full
		for _, p := range n.operator(ctx).Packages {
			if slices.ContainsFunc(more, func(q location) bool { return q.catalog == i && q.pkg == p.Name }) {
				touched.Packages = append(touched.Packages, p)
			}
		}
		sel, err := Select(ctx, m.whole[i].Content, touched)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err != nil {
			return false, nil // an addition that cannot be selected does not suffice
		}
		packages, err := filtered(ctx, m.whole[i].Content, sel)
		if err != nil {
			return false, err
		}
		views[i].Content = withPackages(views[i].Content, packages...)
	}
	sol, _, err := m.install(ctx, views, at)
	return sol != nil, err
}
