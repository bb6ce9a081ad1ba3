package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/outlook"
	"github.com/seed109e2655/resolute/internal/shards"
	"github.com/seed109e2655/resolute/resolver"
)

// run audits the units with workers, and passes on the findings in the order of the units. Each
// worker has one session for all of its units, unless a limit is near: then the result would
// depend on the work cached by earlier units of the worker.
func (a *audit) run(ctx context.Context) error {
	var refused error // error of the caller
	err := shards.InOrder(ctx, len(a.units), a.opts.Workers, func(ctx context.Context) func(int) ([]*Bundle, error) {
		var s session
		err := s.renew(ctx, a)
		return func(i int) ([]*Bundle, error) {
			if !a.outlook.Ample {
				err = s.renew(ctx, a)
			}
			if err != nil {
				return nil, err
			}
			return a.unit(ctx, &s, a.units[i])
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

// session is a session of a worker.
type session struct {
	*resolver.Session
	outlook outlook.Session
}

// renew replaces the session.
func (s *session) renew(ctx context.Context, a *audit) (err error) {
	s.Session, err = a.r.Session(outlook.Into(ctx, &s.outlook), a.base)
	return err
}

func (a *audit) unit(ctx context.Context, session *session, u unit) ([]*Bundle, error) {
	p := &packageAudit{r: a.r, session: session, base: &a.base, catalog: u.catalog, pkg: u.pkg, maxRounds: a.opts.MaxRounds,
		paths: &paths{make(map[string]*round), make(map[*graph.Channel]map[*graph.Bundle]*outlook.Path)}}
	var findings []*Bundle
	for _, b := range u.pkg.Bundles {
		findings = append(findings, p.bundle(ctx, b))
		if err := cmp.Or(p.err, ctx.Err()); err != nil {
			return nil, err
		}
	}
	return findings, nil
}

// stopped adds the progress of the audit to the error of an ended context; other errors are
// unchanged.
func (a *audit) stopped(err error) error {
	var already *resolver.IncompleteError
	if errors.As(err, &already) && already.Limit == resolver.LimitContext {
		err = already.Err
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &stopped{done: a.done, total: a.total, incomplete: &resolver.IncompleteError{Limit: resolver.LimitContext, Err: err,
		Progress: resolver.Progress{Decided: a.done, Pending: a.total - a.done}}}
}

// stopped is the [*IncompleteError] of an audit with its progress.
type stopped struct {
	done, total int
	incomplete  *resolver.IncompleteError
}

func (e *stopped) Error() string {
	return fmt.Sprintf("audit stopped after %d of %d bundles: %v; run it again, or in shards", e.done, e.total, e.incomplete.Err)
}

// Unwrap returns the *IncompleteError.
func (e *stopped) Unwrap() error { return e.incomplete }
