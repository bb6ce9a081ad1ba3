package audit

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/seed109e2655/resolute/resolver"
)

// ahead is how many units each worker may be ahead of what has been handed
// to the caller, so that a slow caller does not make findings pile up.
const ahead = 8

// part are the findings of one unit, or what ended the work on it.
type part struct {
	unit     int
	findings []*Bundle
	err      error
}

// run has workers audit the units and hands out the findings in the order of the
// units.
func (a *audit) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	todo, done := make(chan int), make(chan part)
	var workers sync.WaitGroup
	// Also if a function of the caller panics, no worker is left behind.
	defer workers.Wait()
	defer cancel()
	for range min(a.opts.Workers, len(a.units)) {
		workers.Go(func() { a.work(ctx, todo, done) })
	}
	ready := make(map[int][]*Bundle)
	for next, out := 0, 0; out < len(a.units); {
		offer := todo
		if next == len(a.units) || next >= out+ahead*a.opts.Workers {
			offer = nil
		}
		select {
		case <-ctx.Done():
			return a.stopped(ctx.Err())
		case offer <- next:
			next++
		case part := <-done:
			if part.err != nil {
				return a.stopped(part.err)
			}
			a.progress(len(part.findings))
			ready[part.unit] = part.findings
			for ; out < len(a.units) && ready[out] != nil; out++ {
				if err := a.hand(ready[out]); err != nil {
					return err
				}
				delete(ready, out)
			}
		}
	}
	return nil
}

// progress tells the caller how far it is.
func (a *audit) progress(more int) {
	a.done += more
	if a.opts.Progress != nil {
		a.opts.Progress(a.done, a.total)
	}
}

// hand counts the findings of a unit and gives them to the caller.
func (a *audit) hand(findings []*Bundle) error {
	for _, b := range findings {
		a.sum.add(b)
		if a.opts.Each == nil {
			continue
		}
		if err := a.opts.Each(b); err != nil {
			return err
		}
	}
	return nil
}

// work audits units until there are no more. A worker has one session for all of
// them.
func (a *audit) work(ctx context.Context, todo <-chan int, done chan<- part) {
	session, err := a.r.Session(ctx, a.base)
	for {
		var unit int
		select {
		case <-ctx.Done():
			return
		case unit = <-todo:
		}
		part := part{unit: unit, err: err}
		if err == nil {
			part.findings, part.err = a.unit(ctx, session, a.units[unit])
		}
		select {
		case <-ctx.Done():
			return
		case done <- part:
		}
	}
}

// unit audits the bundles of a package.
func (a *audit) unit(ctx context.Context, session *resolver.Session, u unit) ([]*Bundle, error) {
	p := &packageAudit{session: session, base: &a.base, unit: u, maxRounds: a.opts.MaxRounds, roads: newRoadMap()}
	findings := make([]*Bundle, 0, len(u.pkg.Bundles))
	for _, b := range u.pkg.Bundles {
		found, err := p.bundle(ctx, b)
		if err != nil {
			return nil, err
		}
		findings = append(findings, found)
	}
	return findings, nil
}

// stopped says how far the audit got when the context ended; other errors stay
// as they are.
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
