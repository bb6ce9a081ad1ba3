package upgradetest

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/testkit/declared"
	"github.com/seed109e2655/resolute/internal/testkit/shrink"
	"github.com/seed109e2655/resolute/resolver"
)

// shrinkAll shrinks the first findings of each property and writes them down.
func (c *check) shrinkAll(ctx context.Context, report *Report, groups []group) error {
	var chosen []int
	n := map[Property]int{}
	for i := range groups {
		p := groups[i].finding.Property
		if n[p]++; n[p] <= c.cfg.Shrink {
			chosen = append(chosen, i)
		}
	}
	smalls := make([]*Small, len(groups))
	err := shards.InOrder(ctx, len(chosen), c.cfg.Workers, func(context.Context) func(int) (*Small, error) {
		return func(i int) (*Small, error) { return c.small(ctx, &groups[chosen[i]]) }
	}, func(i int, small *Small) error {
		smalls[chosen[i]] = small
		return nil
	})
	for i := range groups {
		report.Findings[i].Small = smalls[i]
	}
	if err != nil {
		return err
	}
	return c.writeAll(report)
}

// small shrinks one of the failures of a group: of a bundle that is new, the one with
// the shortest path to where it shows.
func (c *check) small(ctx context.Context, g *group) (*Small, error) {
	best := g.failures[0]
	fresh := func(f *failure) bool { return slices.Contains(g.finding.Bundles, f.s.bundle) }
	for _, f := range g.failures[1:] {
		if fresh(f) && (!fresh(best) || f.rounds < best.rounds) {
			best = f
		}
	}
	m := &minimizer{a: &c.asker, s: best.s, code: best.code, cause: best.cause, at: best.at}
	f := m.minimize(ctx, c.cats)
	if m.err != nil || f == nil {
		return nil, m.err
	}
	s := scenarioOf(f.request)
	s.WhatIf = append(s.WhatIf, f.tries...)
	if f.expect != nil {
		s.Expect = declared.Prop("", f.expect).Value
	}
	return &Small{Bundles: contents(f.request.Catalogs), Want: f.want, Got: f.got, Scenario: s, verb: cmp.Or(f.verb, "resolve")}, nil
}

// The smaller cases that are tried for one cause have at most so many bundles, all
// together: a number, or so many times the bundles of the whole, whichever is more. A
// failure that needs most of the whole would else take a try of its size for each part.
const (
	maxTried  = 10_000
	maxWholes = 32
)

// fewBundles is how many bundles a case may have to be read at a glance. In larger
// ones, the cause may become another one of the same kind if that makes them smaller.
const fewBundles = 3

// manyBundles is up to how many bundles it is worth building the whole again for each
// simpler constraint.
const manyBundles = 1000

// minimizer makes a case smaller as long as the same property fails in the same way.
type minimizer struct {
	a    *asker
	s    *situation
	code string
	// cause and at are those of the failure, too
	cause, at string
	loose     bool // any cause will do
	left      int  // how many bundles smaller cases may have, all together
	err       error
}

func (m *minimizer) fails(ctx context.Context, cats []resolver.Catalog, s *situation) *failure {
	if m.err != nil || m.left <= 0 {
		return nil
	}
	m.left -= 1 + contents(cats)
	var f *failure
	if f, m.err = m.a.ask(ctx, cats, s); f == nil || f.code != m.code || f.at != m.at || f.cause != m.cause && !m.loose {
		return nil
	}
	return f
}

// minimize leaves out what it can: packages, then bundles, channels, entries and
// properties. It returns nil if the failure does not show in a catalog that is built of
// its declarations.
func (m *minimizer) minimize(ctx context.Context, cats []resolver.Catalog) *failure {
	m.left = maxTried
	cats = m.near(ctx, cats)
	most := max(maxTried, maxWholes*contents(cats))
	m.left = most
	all := &declarations{}
	for _, c := range cats {
		all.catalogs = append(all.catalogs, declared.Of(c))
	}
	if m.failsDeclared(ctx, all) == nil {
		return nil
	}
	if all.bundles() <= manyBundles {
		all = m.simpler(ctx, all) // first, while everything is there that parts of a compound are about
	}
	all = m.smaller(ctx, all)
	if all.bundles() > fewBundles && m.cause != "" {
		m.loose = true // one of several causes has to do
		m.left = most
		all = m.smaller(ctx, all)
	}
	return m.failsDeclared(ctx, all)
}

func (m *minimizer) failsDeclared(ctx context.Context, d *declarations) *failure {
	if m.err != nil {
		return nil
	}
	cats, err := declared.Offer(ctx, d.catalogs...)
	if err != nil {
		m.err = err
		return nil
	}
	m.left = max(m.left, 1)
	return m.fails(ctx, cats, m.s)
}

// near leaves out all packages at once but those that the situation's own could want,
// if the failure shows without them; of many bundles also those.
func (m *minimizer) near(ctx context.Context, cats []resolver.Catalog) []resolver.Catalog {
	req := m.a.requestOf(cats, m.s)
	req.Subscriptions = append(slices.Clone(req.Subscriptions), resolver.Subscription{Package: m.s.pkg})
	if small, less := relatedTo(&req).only(); less && m.fails(ctx, small, m.s) != nil {
		cats = small
	}
	small, less := keepPackages(cats, func(p packageOf) bool { return p == m.s.packageOf })
	if less && contents(cats) > manyBundles && m.fails(ctx, small, m.s) != nil {
		return small
	}
	return cats
}

// least makes as many of some edits as it can.
func (m *minimizer) least(ctx context.Context, d *declarations, of func(*edits) [][]func()) *declarations {
	return shrink.Least(d, (*declarations).clone, func(d *declarations) [][]func() { return of(d.edits()) },
		func(d *declarations) bool { return m.failsDeclared(ctx, d) != nil },
		func() bool { return m.err == nil && m.left > 0 })
}

// smaller leaves out whatever the failure shows without, until nothing more can
// be left out.
func (m *minimizer) smaller(ctx context.Context, d *declarations) *declarations {
	for again := true; again && m.err == nil && m.left > 0; {
		before := d.size()
		d = m.simpler(ctx, m.least(ctx, d, func(e *edits) [][]func() {
			return [][]func(){e.catalogs, e.packages, e.bundles, e.channels, e.entries, e.properties, e.edges, e.notes}
		}))
		again = d.size() < before
	}
	return d
}

// simpler puts simpler constraints in the place of compounds. That changes how the
// cause is put into words, which is kept from then on.
func (m *minimizer) simpler(ctx context.Context, d *declarations) *declarations {
	loose := m.loose
	m.loose = true
	d = m.least(ctx, d, func(e *edits) [][]func() { return [][]func(){e.simpler} })
	if f := m.failsDeclared(ctx, d); f != nil {
		m.cause = f.cause
	}
	m.loose = loose
	return d
}

func contents(cats []resolver.Catalog) int {
	n := 0
	for _, c := range readable(cats) {
		n += c.Content.Len()
	}
	return n
}
