package catalogdiff

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// Options configures [Compare]. The zero value is the default.
type Options struct {
	// Key names the compared catalog; the zero Key means "default/catalog". Priority is its
	// priority among all catalogs.
	Key      cache.Key
	Priority int
	// Beside are additional catalogs, the same in both states: their bundles can satisfy
	// constraints, and dependents of the changed catalog are audited.
	Beside []resolver.Catalog
	// Namespace, Cluster and Policy apply to the simulated clusters, as in [audit.Options].
	Namespace string
	Cluster   resolver.Cluster
	Policy    resolver.Policy
	// Now is the time that rules of the policy see.
	Now time.Time
	// Resolver is used for all resolutions; nil means resolver.New().
	Resolver *resolver.Resolver
	// Workers is the number of packages audited in parallel; 0 means [runtime.GOMAXPROCS].
	Workers int
	// Progress, if not nil, is called with the number of audited bundles, from the goroutine that
	// called Compare.
	Progress func(done, total int)
}

// Compare compares two states of a catalog. A nil catalog is an empty one. The package
// documentation describes what is compared and what becomes a finding. The report is
// deterministic.
//
// The error is a [*resolver.RequestError] for invalid catalogs in Beside, or a
// [*resolver.IncompleteError] if the context ended, which takes effect within 50 ms.
func Compare(ctx context.Context, old, now *cache.Catalog, opts Options) (*Report, error) {
	c := newComparison(old, now, opts)
	err := c.analyze(ctx)
	if err != nil {
		return nil, incomplete(err)
	}
	r, err := c.report(ctx)
	return r, incomplete(err)
}

// Check checks one state of a catalog and returns findings like Compare: errors of its reader
// (newProblem), offered versions that cannot be installed (notInstallable), versions, offered or
// not, that do not reach the head of their channel (headUnreachable), and dependents that hold
// back their dependencies (dependentBroken). All are errors. Packages restricts it to packages of
// these names; none means all. The errors are those of Compare.
func Check(ctx context.Context, content *cache.Catalog, packages []string, opts Options) ([]Finding, error) {
	c := newComparison(nil, content, opts)
	c.whole, c.only = true, packages
	err := c.analyze(ctx)
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

// newComparison applies the defaults.
func newComparison(old, now *cache.Catalog, opts Options) *comparison {
	opts.Key = cmp.Or(opts.Key, cache.Key{Namespace: "default", Name: "catalog"})
	opts.Resolver = cmp.Or(opts.Resolver, resolver.New())
	return &comparison{opts: opts, old: newSide(old, &opts), now: newSide(now, &opts)}
}

// incomplete converts the error of a comparison whose context may have ended.
func incomplete(err error) error {
	var already *resolver.IncompleteError
	if (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) && !errors.As(err, &already) {
		return &resolver.IncompleteError{Limit: resolver.LimitContext, Err: err}
	}
	return err
}

// comparison is the state of one comparison. With exchanged states it finds improvements.
type comparison struct {
	opts     Options
	old, now *side
	deltas   map[string]*delta // changed packages
	changed  []string          // their names, in order
	reached  *reach
	affected []string // packages to audit, in order

	findings  []Finding
	reported  map[subject]bool // bundles with a finding that they, or the cause, cannot be installed
	backwards bool             // now is the old state
	whole     bool             // there is no old state: check the packages of these names, or all
	only      []string

	clashesLeftOut bool // there are more than maxPairs
}

// subject is a bundle of a package in the compared catalog or in Beside.
type subject struct{ catalog, pkg, bundle string }

// isAbout reports whether a package is checked.
func (c *comparison) isAbout(pkg string) bool {
	return len(c.only) == 0 || slices.Contains(c.only, pkg)
}

// analyze analyzes both states.
func (c *comparison) analyze(ctx context.Context) (err error) {
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

// report finds regressions, and with exchanged states improvements. The error is that of the
// context.
func (c *comparison) report(ctx context.Context) (*Report, error) {
	for _, s := range []*side{c.old, c.now} {
		if s.summary.Clashes == nil {
			s.summary.Clashes = []audit.Clash{} // the key is always present
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

// find finds regressions. The error is that of the context.
func (c *comparison) find(ctx context.Context) (_ []Finding, err error) {
	c.reported = make(map[subject]bool)
	for _, name := range c.changed {
		d := c.deltas[name]
		if d.losses, err = lossesOf(ctx, d.old, d.now); err != nil {
			return nil, err
		}
		if c.whole {
			continue // a new package has no losses
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
