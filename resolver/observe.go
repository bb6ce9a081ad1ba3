package resolver

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver/internal/search"
	"github.com/seed109e2655/resolute/resolver/internal/settings"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// WithHooks makes a resolver call hooks. Given several times, all are called, in
// the order in which they were given.
func WithHooks(h trace.Hooks) Option {
	return func(s *settings.Settings) { s.Hooks = append(slices.Clip(s.Hooks), h) }
}

// WithLogger makes the resolver log each resolution, as [trace.Log] says. Nil, the
// default, logs nothing.
func WithLogger(l *slog.Logger) Option { return func(s *settings.Settings) { s.Logger = l } }

// WithMetrics makes a resolver measure its work, as [trace.Measure] says. Nil, the
// default, measures nothing.
func WithMetrics(m cache.Metrics) Option { return func(s *settings.Settings) { s.Metrics = m } }

// PartOf makes hooks, logs and metrics count every resolution as a part of a larger operation: an
// audit, say. What is part of an operation already stays so.
func PartOf(op trace.Operation) Option { return settings.PartOf(op) }

// observe collects the hooks to be called.
func (c *config) observe() {
	var all []trace.Hooks
	if c.Logger != nil {
		all = append(all, trace.Log(c.Logger))
	}
	if c.Metrics != nil {
		all = append(all, trace.Measure(c.Metrics))
	}
	c.watch = allOf(append(all, c.Hooks...))
	c.logged = c.Logger != nil && c.Metrics == nil && !slices.ContainsFunc(c.Hooks, func(h trace.Hooks) bool { return h.Resolution != nil })
}

// allOf makes hooks that call some in their order; those that none of them has are nil.
func allOf(list []trace.Hooks) (all trace.Hooks) {
	for _, h := range list {
		all.Search, all.Solver = both(all.Search, h.Search), both(all.Solver, h.Solver)
		if h.Resolution != nil {
			before := all.Resolution
			all.Resolution = func(ctx context.Context, e trace.Event) context.Context {
				if before != nil {
					ctx = before(ctx, e)
				}
				if next := h.Resolution(ctx, e); next != nil && (e.Began != nil || e.Explain != nil) {
					ctx = next
				}
				return ctx
			}
		}
	}
	return all
}

// both calls two hooks, either of which may be nil.
func both(a, b func(context.Context, trace.Event)) func(context.Context, trace.Event) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(ctx context.Context, e trace.Event) {
		a(ctx, e)
		b(ctx, e)
	}
}

// occasion is one resolution from its start to its end, as hooks see it.
type occasion struct {
	config *config
	start  time.Time
	ended  *trace.Ended // with how it began; nil where nobody hears of it
}

// start calls the hooks at the beginning of a resolution, and returns the context it
// goes on with.
func (c *config) start(ctx context.Context, op trace.Operation, req *Request) (context.Context, occasion) {
	o := occasion{config: c, start: time.Now()}
	if c.watch.Resolution == nil || c.logged && !c.Logger.Enabled(ctx, slog.LevelError) {
		return ctx, o // nobody hears of it; a logger that is off does not
	}
	o.ended = &trace.Ended{Began: trace.Began{Operation: op, Namespace: req.Namespace,
		Subscriptions: len(req.Subscriptions) + len(req.Extensions), Installed: len(req.Installed)}}
	if c.Operation != "" {
		o.ended.Operation, o.ended.Part = c.Operation, true
	}
	return c.watch.Resolution(ctx, trace.Event{Began: &o.ended.Began}), o
}

// done calls the hooks at the end of a resolution. The problem is nil where it did not
// even come to be one.
func (o occasion) done(ctx context.Context, p *resolution, sol *Solution, err error) {
	e := o.ended
	if e == nil {
		return
	}
	e.Err, e.Took = err, trace.Duration(time.Since(o.start))
	if p != nil {
		e.Stats = p.stats()
	}
	if sol != nil {
		e.Solution, e.Stats = sol, sol.Stats
		e.Bundles, e.Warnings, e.LeftOut = len(sol.Steps), len(sol.Warnings), len(sol.Unresolved)
	}
	if e.Outcome = trace.OutcomeResolved; err != nil {
		unresolved(e, err)
	}
	o.config.watch.Resolution(ctx, trace.Event{Ended: e})
}

// unresolved fills in what an error says about the end of a resolution.
func unresolved(e *trace.Ended, err error) {
	var conflict *Conflict
	var invalid *RequestError
	var incomplete *IncompleteError
	switch {
	case errors.As(err, &conflict):
		e.Outcome, e.Facts, e.Stats = trace.OutcomeUnsatisfiable, len(conflict.Facts), conflict.Stats
	case errors.As(err, &incomplete):
		e.Outcome, e.Stats = trace.OutcomeIncomplete, incomplete.Progress.Stats
	case errors.As(err, &invalid):
		e.Outcome = trace.OutcomeInvalid
	default:
		e.Outcome = trace.OutcomeFailed
	}
}

// observer calls a hook during the work, nil if there is none.
func (p *resolution) observer(hook func(context.Context, trace.Event)) func(trace.Event) {
	if hook == nil {
		return nil
	}
	return func(e trace.Event) { hook(p.budget.Context(), e) }
}

// conflict returns what stopped the work, or else explains why a part of the request has no
// solution. The hooks are called around that, and it has a context of its own.
func (p *resolution) conflict(of part) error {
	if p.budget.Stopped() {
		return p.failed()
	}
	hear := p.config.watch.Resolution
	if hear == nil {
		_, err := p.explain(of)
		return err
	}
	before := p.budget.Context()
	defer p.budget.SetContext(before)
	p.budget.SetContext(hear(before, trace.Event{Explain: new(struct{})}))
	start := time.Now()
	considered, err := p.explain(of)
	e := trace.Conflict{Considered: considered, Took: trace.Duration(time.Since(start))}
	var conflict *Conflict
	switch {
	case errors.As(err, &conflict):
		e.Facts, e.Headline, e.NotMinimal = len(conflict.Facts), conflict.Headline(), !conflict.Minimal
	case errors.Is(err, search.ErrDisagree):
		e.Error = "the facts considered can hold together"
	case err != nil:
		e.Error = err.Error()
	}
	hear(p.budget.Context(), trace.Event{Conflict: &e})
	return err
}
