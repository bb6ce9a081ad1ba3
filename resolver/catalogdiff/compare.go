package catalogdiff

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
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
	c := newComparison(old, now, opts)
	err := c.look(ctx)
	if err != nil {
		return nil, incomplete(err)
	}
	r, err := c.report(ctx)
	return r, incomplete(err)
}

// Check says what is wrong with one state of a catalog, in the findings of [Compare]: errors
// that its reader found (newProblem), versions that are offered and cannot be installed
// (notInstallable), versions, offered or not, that do not get to the head of their channel
// (headUnreachable), and dependents that hold back what they depend on (dependentBroken). All
// are errors. Packages narrows it to packages of these names; without any it is about all.
// The error is one of those of Compare.
func Check(ctx context.Context, content *cache.Catalog, packages []string, opts Options) ([]Finding, error) {
	c := newComparison(nil, content, opts)
	c.whole, c.only = true, packages
	err := c.look(ctx)
	if err != nil {
		return nil, incomplete(err)
	}
	found, err := c.find(ctx)
	codes := []string{"newProblem", "notInstallable", "headUnreachable", "dependentBroken"}
	found = slices.DeleteFunc(found, func(f Finding) bool {
		doubt := f.Code == "newProblem" && f.Severity == graph.SeverityWarning
		return doubt || f.Catalog != "" || !slices.Contains(codes, f.Code) || !c.isAbout(f.Package)
	})
	for i := range found {
		found[i].Severity = graph.SeverityError
	}
	slices.SortFunc(found, compareFindings)
	return found, incomplete(err)
}

// newComparison puts the defaults in.
func newComparison(old, now *cache.Catalog, opts Options) *comparison {
	opts.Key = cmp.Or(opts.Key, cache.Key{Namespace: "default", Name: "catalog"})
	opts.Resolver = cmp.Or(opts.Resolver, resolver.New())
	return &comparison{opts: opts, old: newSide(old, &opts), now: newSide(now, &opts)}
}

// incomplete is the error of a comparison whose context may have ended.
func incomplete(err error) error {
	var already *resolver.IncompleteError
	if (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) && !errors.As(err, &already) {
		return &resolver.IncompleteError{Limit: resolver.LimitContext, Err: err}
	}
	return err
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
	whole     bool             // there is no old state: what is wrong is looked for, in packages of these names, if there are any
	only      []string

	clashesLeftOut bool // there are more than mostPairs
}

// subject is a bundle of a package in the compared catalog or beside it.
type subject struct{ catalog, pkg, bundle string }

// isAbout reports whether a package is looked at.
func (c *comparison) isAbout(pkg string) bool {
	return len(c.only) == 0 || slices.Contains(c.only, pkg)
}

// look finds out about both states what there is to know.
func (c *comparison) look(ctx context.Context) (err error) {
	if err := c.compare(ctx); err != nil {
		return err
	}
	if c.reached, err = follow(ctx, append(slices.Clone(c.old.all[:1]), c.now.all...)); err != nil {
		return err
	}
	if c.affected = c.changed; !c.whole {
		c.affected = c.reached.dependents(c.changed)
	}
	done, sides := 0, []*side{c.old, c.now}
	total := c.old.count(c.affected) + c.now.count(c.affected)
	for _, s := range sides {
		if err := s.audit(ctx, c, done, total); err != nil {
			return err
		}
		done += s.count(c.affected)
	}
	for _, s := range sides {
		if err := s.together(ctx, c); err != nil {
			return err
		}
	}
	if err := c.now.explainNew(ctx, c, c.old); err != nil {
		return err
	}
	return c.old.explainNew(ctx, c, c.now)
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
		r.Changes = append(r.Changes, c.deltas[name].changes...)
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
		if c.whole {
			continue // nothing can have been lost
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
	if !c.whole {
		c.clashes(ctx)
	}
	c.problems()
	slices.SortFunc(c.findings, compareFindings)
	return c.findings, ctx.Err()
}
