package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/resolver"
)

// run has workers audit the units, and passes on the findings in the order of the
// units. A worker has one session for all of its units.
func (a *audit) run(ctx context.Context) error {
	var refused error // by the caller
	err := shards.InOrder(ctx, len(a.units), a.opts.Workers, func(ctx context.Context) func(int) ([]*Bundle, error) {
		session, err := a.r.Session(ctx, a.base)
		return func(i int) ([]*Bundle, error) {
			if err != nil {
				return nil, err
			}
			return a.unit(ctx, session, a.units[i])
		}
	}, func(_ int, findings []*Bundle) error {
		for _, b := range findings {
			if a.done++; a.opts.Progress != nil {
				a.opts.Progress(a.done, a.total)
			}
			a.sum.add(b)
			if a.opts.Each != nil && refused == nil {
				refused = a.opts.Each(b)
			}
		}
		return refused
	})
	if refused != nil || err == nil {
		return refused
	}
	return a.stopped(err)
}

func (a *audit) unit(ctx context.Context, session *resolver.Session, u unit) ([]*Bundle, error) {
	resting, err := u.resting(ctx, session)
	if err != nil {
		return nil, err
	}
	var findings []*Bundle
	for _, pkg := range u.packages {
		p := &packageAudit{r: a.r, session: session, base: &a.base, catalog: u.catalog, pkg: pkg, maxRounds: a.opts.MaxRounds, inOrder: a.ordered, resting: resting,
			paths: &paths{make(map[string]*round), make(map[*graph.Channel]map[*graph.Bundle]*resolver.Lead)}}
		for _, b := range pkg.Bundles {
			if findings = append(findings, p.bundle(ctx, b)); p.err != nil {
				return nil, p.err
			}
		}
	}
	return findings, nil
}

// resting finds bundles of a unit that can be installed, and after which nothing changes.
// A solution of the empty cluster with a bundle forced is valid for the subscription that
// starts with that bundle as well, whose one candidate it is: nothing else differs.
func (u *unit) resting(ctx context.Context, session *resolver.Session) (map[*graph.Bundle]bool, error) {
	var bundles []*graph.Bundle
	var refs []resolver.BundleRef
	for _, pkg := range u.packages {
		for _, b := range pkg.Bundles {
			if u.rests && len(b.Places) > 0 && !b.Barred && len(u.catalog.Content.Named(b.Name)) == 1 {
				bundles, refs = append(bundles, b), append(refs, resolver.BundleRef{Catalog: u.catalog.Key, Name: b.Name})
			}
		}
	}
	resting := make(map[*graph.Bundle]bool, len(bundles))
	if len(refs) == 0 {
		return resting, nil
	}
	found, _ := session.Together(ctx, refs) // what it did not get to is asked for by itself
	for i := range found {
		resting[bundles[i]] = found[i]
	}
	return resting, ctx.Err()
}

// stopped says how far the audit got when the context ended; other errors stay
// as they are.
func (a *audit) stopped(err error) error {
	var already *resolver.IncompleteError
	if errors.As(err, &already) && already.Limit == "context" {
		err = already.Err
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &stopped{done: a.done, total: a.total, incomplete: &resolver.IncompleteError{Limit: "context", Err: err,
		Progress: resolver.Progress{Decided: a.done, Pending: a.total - a.done}}}
}

// stopped is the [*IncompleteError] of an audit, in its own words.
type stopped struct {
	done, total int
	incomplete  *resolver.IncompleteError
}

// Error says how far the audit got.
func (e *stopped) Error() string {
	return fmt.Sprintf("audit stopped after %d of %d bundles: %v; run it again, or in shards", e.done, e.total, e.incomplete.Err)
}

// Unwrap returns the *IncompleteError.
func (e *stopped) Unwrap() error { return e.incomplete }
