package resolver

import (
	"cmp"
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

// WithHooks adds hooks. If the option is given several times, all hooks are called in the order
// given.
func WithHooks(h trace.Hooks) Option {
	return option(func(s *settings.Settings) { s.Hooks = append(slices.Clip(s.Hooks), h) })
}

// WithLogger logs each resolution as described at [trace.Log]. Nil, the default, logs nothing.
func WithLogger(l *slog.Logger) Option {
	return option(func(s *settings.Settings) { s.Logger = l })
}

// WithMetrics records metrics as described at [trace.Measure]. Nil, the default, records
// nothing.
func WithMetrics(m cache.Metrics) Option {
	return option(func(s *settings.Settings) { s.Metrics = m })
}

// PartOf labels every resolution as part of a larger operation, such as an audit, in hooks, logs
// and metrics. The outermost operation takes precedence.
func PartOf(op trace.Operation) Option {
	return option(func(s *settings.Settings) { s.Operation = cmp.Or(s.Operation, op) })
}

// observe combines the configured hooks, logger and metrics.
func (c *config) observe() {
	var all []trace.Hooks
	if c.Logger != nil {
		all = append(all, trace.Log(c.Logger))
	}
	if c.Metrics != nil {
		all = append(all, trace.Measure(c.Metrics))
	}
	c.watch = joinHooks(append(all, c.Hooks...))
	c.logged = c.Logger != nil && c.Metrics == nil && !slices.ContainsFunc(c.Hooks, func(h trace.Hooks) bool { return h.Resolution != nil })
}

// joinHooks returns hooks that call each of list in order. A hook that none of them sets is nil.
func joinHooks(list []trace.Hooks) (all trace.Hooks) {
	for _, h := range list {
		all.Search, all.Solver = join2(all.Search, h.Search), join2(all.Solver, h.Solver)
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

// join2 returns a function that calls a and then b, either of which may be nil.
func join2(a, b func(context.Context, trace.Event)) func(context.Context, trace.Event) {
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

// span covers one resolution from its first to its last event.
type span struct {
	config *config
	start  time.Time
	ended  *trace.Ended // nil if no hook is set
}

// start emits Began and returns the context to resolve with.
func (c *config) start(ctx context.Context, op trace.Operation, req *Request) (context.Context, span) {
	o := span{config: c, start: time.Now()}
	if c.watch.Resolution == nil || c.logged && !c.Logger.Enabled(ctx, slog.LevelError) {
		return ctx, o // no observer, or only a disabled logger
	}
	o.ended = &trace.Ended{Began: trace.Began{Operation: op, Terms: c.Terms, Namespace: req.Namespace,
		Subscriptions: len(req.Subscriptions) + len(req.Extensions), Installed: len(req.Installed)}}
	if c.Operation != "" {
		o.ended.Operation, o.ended.Part = c.Operation, true
	}
	return c.watch.Resolution(ctx, trace.Event{Began: &o.ended.Began}), o
}

// done emits Ended. p is nil if the request is invalid.
func (o span) done(ctx context.Context, p *resolution, sol *Solution, err error) {
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

// unresolved sets the outcome and counts of a failed resolution.
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

// observer binds a hook to the context of the resolution; nil if the hook is.
func (p *resolution) observer(hook func(context.Context, trace.Event)) func(trace.Event) {
	if hook == nil {
		return nil
	}
	return func(e trace.Event) { hook(p.budget.Context(), e) }
}

// conflict explains why a part of the request is unsatisfiable, and emits Explain and Conflict.
// The error is a *Conflict, or the reason why the explanation stopped.
func (p *resolution) conflict(of part) error {
	if p.budget.Stopped() {
		return p.failed()
	}
	hook := p.config.watch.Resolution
	if hook == nil {
		_, err := p.explain(of)
		return err
	}
	before := p.budget.Context()
	defer p.budget.SetContext(before)
	p.budget.SetContext(hook(before, trace.Event{Explain: new(struct{})}))
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
	hook(p.budget.Context(), trace.Event{Conflict: &e})
	return err
}
