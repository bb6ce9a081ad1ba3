package catalogdiff

import (
	"context"
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// Options are the options of [Compare]; the zero value is the default.
type Options struct {
	// Key names the catalog whose states are compared; the zero Key stands for
	// "default/catalog". Priority is its priority among those beside it.
	Key      cache.Key
	Priority int
	// Beside are further catalogs, the same in both states: what their bundles
	// provide counts, and what depends on the changed catalog is audited.
	Beside []resolver.Catalog
	// Namespace, Cluster and Policy are those of the clusters that are imagined, as
	// in [audit.Options].
	Namespace string
	Cluster   resolver.Cluster
	Policy    resolver.Policy
	// Resolver answers the questions; nil stands for resolver.New().
	Resolver *resolver.Resolver
	// Workers is how many packages are audited at once; 0 stands for
	// [runtime.GOMAXPROCS].
	Workers int
	// Progress, if it is set, is called with how many of the bundles have been
	// audited, from the goroutine that called Compare.
	Progress func(done, total int)
}

// Compare compares two states of a catalog. A nil catalog is an empty one. See the
// package for what is compared and what becomes a finding. The same catalogs and
// options give the same report.
//
// The error is a [*resolver.RequestError] if the catalogs beside it cannot be used,
// or a [*resolver.IncompleteError] if the context ended, which takes effect within
// 50 ms.
func Compare(ctx context.Context, old, now *cache.Catalog, opts Options) (*Report, error) {
	if opts.Key.IsZero() {
		opts.Key = cache.Key{Namespace: "default", Name: "catalog"}
	}
	if opts.Resolver == nil {
		opts.Resolver = resolver.New()
	}
	c := &comparison{opts: opts, old: newSide(old, &opts), now: newSide(now, &opts)}
	r, err := c.run(ctx)
	var incomplete *resolver.IncompleteError
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if ended && !errors.As(err, &incomplete) {
		err = &resolver.IncompleteError{Limit: "context", Err: err}
	}
	return r, err
}

// comparison is one comparison on its way. Turned round, it finds what got better.
type comparison struct {
	opts     Options
	old, now *side
	deltas   map[string]*delta // the packages that differ
	changed  []string          // their names, in order
	reached  *reach
	affected []string // packages to audit, in order

	findings  []Finding
	reported  map[subject]bool // bundles that are reported as uninstallable, or what makes them so
	backwards bool             // now is the old state

	clashesLeftOut bool // there are more than mostPairs
}

// subject is a bundle of a package in the compared catalog or beside it.
type subject struct{ catalog, pkg, bundle string }

func (c *comparison) run(ctx context.Context) (_ *Report, err error) {
	if err := c.compare(ctx); err != nil {
		return nil, err
	}
	if c.reached, err = c.follow(ctx); err != nil {
		return nil, err
	}
	c.affected = c.reached.dependents(c.changed)
	done, sides := 0, []*side{c.old, c.now}
	total := c.old.count(c.affected) + c.now.count(c.affected)
	for _, s := range sides {
		if err := s.audit(ctx, c, done, total); err != nil {
			return nil, err
		}
		done += s.count(c.affected)
	}
	for _, s := range sides {
		if err := s.together(ctx, c); err != nil {
			return nil, err
		}
	}
	if err := c.now.explainNew(ctx, c, c.old); err != nil {
		return nil, err
	}
	if err := c.old.explainNew(ctx, c, c.now); err != nil {
		return nil, err
	}
	return c.report(ctx)
}

// report finds what got worse, and with both states exchanged what got better.
// The error is that of the context.
func (c *comparison) report(ctx context.Context) (*Report, error) {
	for _, s := range []*side{c.old, c.now} {
		if s.summary.Clashes == nil {
			s.summary.Clashes = []audit.Clash{} // the key is always there
		}
	}
	r := &Report{Old: c.old.summary, New: c.now.summary, Changed: c.changed, Audited: c.affected}
	for _, name := range c.changed {
		r.Changes = append(r.Changes, c.deltas[name].changes()...)
	}
	back := &comparison{opts: c.opts, old: c.now, now: c.old, changed: c.changed, reached: c.reached, affected: c.affected,
		deltas: make(map[string]*delta, len(c.deltas)), backwards: true}
	for name, d := range c.deltas {
		back.deltas[name] = d.turned()
	}
	var err error
	if r.Worse, err = c.find(ctx); err != nil {
		return nil, err
	}
	if r.Better, err = back.find(ctx); err != nil {
		return nil, err
	}
	r.ClashesLeftOut = c.clashesLeftOut || back.clashesLeftOut
	return r, nil
}

// find finds what got worse. The error is that of the context.
func (c *comparison) find(ctx context.Context) (_ []Finding, err error) {
	c.reported = make(map[subject]bool)
	for _, name := range c.changed {
		d := c.deltas[name]
		if d.losses, err = lossesOf(ctx, d.old, d.now); err != nil {
			return nil, err
		}
		c.declared(ctx, d)
		if err := c.dropped(ctx, d); err != nil {
			return nil, err
		}
	}
	c.audited()
	if err := (&paths{c, make(map[stop]*stuck)}).search(ctx); err != nil {
		return nil, err
	}
	c.heldBack()
	c.clashes(ctx)
	c.problems()
	slices.SortFunc(c.findings, compareFindings)
	return c.findings, ctx.Err()
}
