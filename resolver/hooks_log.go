package resolver

import (
	"context"
	"log/slog"

	"github.com/seed109e2655/resolute/internal/text"
)

// log writes one record for a resolution. What the caller asked for and did not
// get is worth a look; the resolutions that a larger operation is made of, and
// those that succeed, are for debugging.
func (c *config) log(ctx context.Context, e *ResolveEnded) {
	level, message := slog.LevelDebug, "resolved"
	switch e.Outcome {
	case OutcomeUnsatisfiable:
		level, message = slog.LevelInfo, "no solution"
	case OutcomeInvalid:
		level, message = slog.LevelInfo, "request is invalid"
	case OutcomeIncomplete:
		level, message = slog.LevelWarn, "resolution stopped"
	case OutcomeFailed:
		level, message = slog.LevelError, "resolution failed"
	}
	if c.operation != "" && e.Outcome != OutcomeFailed {
		level = slog.LevelDebug
	}
	if !c.logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("operation", string(e.Operation)),
		slog.String("outcome", string(e.Outcome)),
		slog.String("namespace", text.Inert(e.Request.Namespace)),
		slog.Int("subscriptions", len(e.Request.Subscriptions)),
		slog.Int("installed", len(e.Request.Installed)),
		slog.Int("reached", e.Stats.Reached),
		slog.Int("solves", e.Stats.Solves),
		slog.Duration("took", e.Took),
	}
	if e.Solution != nil {
		attrs = append(attrs, slog.Int("set", len(e.Solution.Steps)), slog.Int("warnings", len(e.Solution.Warnings)),
			slog.Int("leftOut", len(e.Solution.Unresolved)))
	}
	if conflict := conflictOf(e.Err); conflict != nil {
		attrs = append(attrs, slog.Int("facts", len(conflict.Facts)), slog.String("conflict", text.Inert(conflict.Headline())))
	} else if e.Err != nil {
		attrs = append(attrs, slog.String("error", text.Inert(e.Err.Error())))
	}
	c.logger.LogAttrs(ctx, level, message, attrs...)
}

// logLeftOut writes one record for a subscription that policy Partial leaves out,
// or for an installed bundle that it finds broken.
func (c *config) logLeftOut(ctx context.Context, u Unresolved) {
	level := slog.LevelInfo
	if c.operation != "" {
		level = slog.LevelDebug
	}
	if c.logger.Enabled(ctx, level) {
		message, subject := "subscription left out", slog.String("subscription", text.Inert(u.Subscription))
		if u.Installed != "" {
			message, subject = "installed bundle is broken", slog.String("bundle", text.Inert(u.Installed))
		}
		c.logger.LogAttrs(ctx, level, message, subject,
			slog.Int("facts", len(u.Conflict.Facts)), slog.String("conflict", text.Inert(u.Conflict.Headline())))
	}
}
