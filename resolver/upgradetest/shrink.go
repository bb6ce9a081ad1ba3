package upgradetest

import (
	"context"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/declared"
	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// shrinkAll shrinks the first findings of each code and writes them.
func (c *check) shrinkAll(ctx context.Context, report *Report, cats []resolver.Catalog) error {
	var chosen []int
	n := map[string]int{}
	for i := range report.Findings {
		code := report.Findings[i].Code
		if n[code]++; n[code] <= c.cfg.Shrink {
			chosen = append(chosen, i)
		}
	}
	err := shards.InOrder(ctx, len(chosen), c.cfg.Around.Workers, func(ctx context.Context) func(int) (*Small, error) {
		return func(i int) (*Small, error) {
			m := &minimizer{cfg: c.cfg, f: report.Findings[chosen[i]].Finding}
			small := m.minimize(ctx, cats)
			return small, m.err
		}
	}, func(i int, small *Small) error {
		report.Findings[chosen[i]].Small = small
		return nil
	})
	if err != nil {
		return err
	}
	return c.writeAll(report)
}

// Limits of the total size, in bundles, of the smaller cases tried for one finding: a number or a
// multiple of the bundles of the whole, whichever is larger. Without them, a failure that needs
// most of the whole would take a try of its size for each part.
const (
	maxTried  = 10_000
	maxWholes = 32
)

// fewBundles is the size of a case that is easy to read. A larger one may change its reason to
// become smaller.
const fewBundles = 3

// manyBundles limits the size of catalogs that are rebuilt for each simpler constraint.
const manyBundles = 1000

// minimizer shrinks a case as long as it has the same finding.
type minimizer struct {
	cfg *Options
	f   catalogdiff.Finding
	// unlisted reports that the channel of the finding does not list its bundle.
	unlisted bool
	loose    bool          // accept any reason
	left     int           // budget of bundles for smaller cases, in total
	known    map[flaw]bool // the errors of the whole; nil until computed
	err      error
}

// found returns the finding in some catalogs; nil if they do not reproduce it.
func (m *minimizer) found(ctx context.Context, cats []resolver.Catalog) *catalogdiff.Finding {
	own := slices.IndexFunc(cats, func(c resolver.Catalog) bool { return c.Key == m.cfg.Around.Key && c.Content != nil })
	if m.err != nil || m.left <= 0 || own < 0 {
		return nil
	}
	m.left -= 1 + contents(cats)
	opts := m.cfg.Around
	opts.Priority, opts.Beside = cats[own].Priority, slices.Delete(slices.Clone(cats), own, own+1)
	opts.Workers, opts.Progress = 1, nil
	list, err := catalogdiff.Check(ctx, cats[own].Content, text.NonEmpty(m.f.Package), opts)
	if m.err = err; err != nil {
		return nil
	}
	for i := range list {
		if f := &list[i]; keyOf(f) == keyOf(&m.f) && m.sameReason(f) && isUnlisted(cats[own].Content, f) == m.unlisted {
			return f
		}
	}
	return nil
}

// sameReason reports whether a finding has the reason of the original or, in loose mode, a reason
// of the same kind: a broken catalog, or one without requirements, does not show that a
// requirement is not satisfied.
func (m *minimizer) sameReason(f *catalogdiff.Finding) bool {
	if !m.loose {
		return f.Why == m.f.Why
	}
	for _, kind := range []argument.FactKind{argument.FactQuarantined, argument.FactConstraint, argument.FactDeprecated} {
		if slices.Contains(f.Facts, kind) != slices.Contains(m.f.Facts, kind) {
			return false
		}
	}
	return true
}

// flaw is an error in a catalog, without its location.
type flaw struct {
	catalog              cache.Key
	code                 graph.Code
	pkg, channel, bundle string
}

// flawsOf returns the errors in catalogs.
func flawsOf(cats []resolver.Catalog) map[flaw]bool {
	flaws := make(map[flaw]bool)
	for _, c := range cats {
		if c.Content == nil {
			continue
		}
		for _, p := range c.Content.Problems() {
			if p.Severity == graph.SeverityError {
				flaws[flaw{c.Key, p.Code, p.Package, p.Channel, p.Bundle}] = true
			}
		}
	}
	return flaws
}

// isUnlisted reports whether a bundle is stuck in a channel that does not list it.
func isUnlisted(content *cache.Catalog, f *catalogdiff.Finding) bool {
	p := content.Package(f.Package)
	return p != nil && p.Channel(f.Channel) != nil && p.Channel(f.Channel).Entry(f.Bundle) == nil
}

// minimize removes packages, then bundles, channels, entries and properties. It returns nil if a
// catalog that is rebuilt from its declarations does not reproduce the finding.
func (m *minimizer) minimize(ctx context.Context, cats []resolver.Catalog) *Small {
	m.left = max(maxTried, maxWholes*contents(cats))
	m.unlisted = isUnlisted(cats[0].Content, &m.f)
	cats = m.near(ctx, cats)
	most := max(maxTried, maxWholes*contents(cats))
	m.left = most
	all := &declarations{}
	for _, c := range cats {
		all.Catalogs = append(all.Catalogs, declared.Of(c))
	}
	whole, f := m.foundDeclared(ctx, all)
	if f == nil {
		m.loose = true // broken parts have a different reason when rebuilt
		if whole, f = m.foundDeclared(ctx, all); f == nil {
			return nil
		}
	}
	m.known = flawsOf(whole)
	if all.bundles() <= manyBundles {
		all = m.simpler(ctx, all) // first, while the dependencies of all parts of compounds exist
	}
	all = m.smaller(ctx, all)
	if all.bundles() > fewBundles && m.f.Why != "" {
		m.loose = true // accept one of several reasons
		m.left = most
		all = m.smaller(ctx, all)
	}
	built, f := m.foundDeclared(ctx, all)
	if f == nil {
		return nil
	}
	small := &Small{Bundles: contents(built), Text: f.Text}
	m.err = m.write(ctx, small, built)
	return small
}

// foundDeclared builds catalogs, and returns the finding in them.
func (m *minimizer) foundDeclared(ctx context.Context, d *declarations) ([]resolver.Catalog, *catalogdiff.Finding) {
	if m.err != nil {
		return nil, nil
	}
	cats, err := declared.Offer(ctx, d.Catalogs...)
	if m.err = err; err != nil {
		return nil, nil
	}
	m.left = max(m.left, 1)
	if m.known != nil {
		for flaw := range flawsOf(cats) {
			if !m.known[flaw] {
				return cats, nil // a removal must not cause new errors
			}
		}
	}
	return cats, m.found(ctx, cats)
}

// near removes all packages at once that the package of the finding cannot need, if that
// reproduces the finding.
func (m *minimizer) near(ctx context.Context, cats []resolver.Catalog) []resolver.Catalog {
	needed, err := catalogdiff.Needed(ctx, cats, m.f.Package)
	if m.err = err; err != nil {
		return cats
	}
	out := slices.Clone(cats)
	for i := range out {
		if c := &out[i]; c.Content != nil {
			c.Content = cache.NewCatalog(slices.DeleteFunc(slices.Collect(c.Content.Packages()), func(p *graph.Package) bool { return !needed[p.Name] }), nil)
		}
	}
	if contents(out) < contents(cats) && m.found(ctx, out) != nil {
		return out
	}
	return cats
}

// least applies as many of some edits as possible.
func (m *minimizer) least(ctx context.Context, d *declarations, of func(*edits) [][]func()) *declarations {
	return declared.Minimize(d, declared.Clone, func(d *declarations) [][]func() { return of(d.edits()) },
		func(d *declarations) bool { _, f := m.foundDeclared(ctx, d); return f != nil },
		func() bool { return m.err == nil && m.left > 0 })
}

// smaller removes parts until nothing more can be removed.
func (m *minimizer) smaller(ctx context.Context, d *declarations) *declarations {
	for again := true; again && m.err == nil && m.left > 0; {
		before := d.size()
		d = m.simpler(ctx, m.least(ctx, d, func(e *edits) [][]func() {
			return [][]func(){e.catalogs, e.Packages, e.Bundles, e.Channels, e.Entries, e.properties, e.Edges, e.Notes}
		}))
		again = d.size() < before
	}
	return d
}

// simpler replaces compounds by simpler constraints. That changes the text of the reason, which
// is kept from then on.
func (m *minimizer) simpler(ctx context.Context, d *declarations) *declarations {
	loose := m.loose
	m.loose = true
	d = m.least(ctx, d, func(e *edits) [][]func() { return [][]func(){e.simpler} })
	if _, f := m.foundDeclared(ctx, d); f != nil {
		m.f.Why = f.Why
	}
	m.loose = loose
	return d
}

func contents(cats []resolver.Catalog) int {
	n := 0
	for _, c := range cats {
		if c.Content != nil {
			n += c.Content.Len()
		}
	}
	return n
}
