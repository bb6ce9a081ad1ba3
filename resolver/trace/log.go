package trace

import (
	"context"
	"log/slog"
	"time"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
)

// Log returns hooks that log each resolution: at level debug if it succeeds or is part of a
// larger operation (an audit, an upgrade path, a search for corrections), at level info for a
// conflict, a dropped subscription or an invalid request, and at level warn if it was stopped.
// Control characters in names are escaped.
func Log(l *slog.Logger) Hooks {
	return Hooks{Resolution: func(ctx context.Context, e Event) context.Context {
		switch {
		case e.Ended != nil:
			logEnded(ctx, l, e.Ended)
		case e.LeftOut != nil:
			logLeftOut(ctx, l, e.LeftOut)
		}
		return nil
	}}
}

// logEnded logs a finished resolution.
func logEnded(ctx context.Context, l *slog.Logger, e *Ended) {
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
	if e.Part && e.Outcome != OutcomeFailed {
		level = slog.LevelDebug
	}
	if !l.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("operation", string(e.Operation)),
		slog.String("outcome", string(e.Outcome)),
		slog.String("namespace", text.Inert(e.Namespace)),
		slog.Int("subscriptions", e.Subscriptions),
		slog.Int("installed", e.Installed),
		slog.Int("reached", e.Stats.Reached),
		slog.Int("solves", e.Stats.Solves),
		slog.Duration("took", time.Duration(e.Took)),
	}
	switch {
	case e.Solution != nil:
		attrs = append(attrs, slog.Int("set", e.Bundles), slog.Int("warnings", e.Warnings), slog.Int("leftOut", e.LeftOut))
	case e.Outcome == OutcomeUnsatisfiable:
		attrs = append(attrs, slog.Int("facts", e.Facts), slog.String("conflict", text.Inert(e.Err.Error())))
	case e.Err != nil:
		attrs = append(attrs, slog.String("error", text.Inert(e.Err.Error())))
	}
	l.LogAttrs(ctx, level, message, attrs...)
}

// logLeftOut logs a dropped subscription or a broken installed bundle.
func logLeftOut(ctx context.Context, l *slog.Logger, e *LeftOut) {
	level := slog.LevelInfo
	if e.Part {
		level = slog.LevelDebug
	}
	message, subject := lexicon.Demand(e.Terms, false)+" left out", slog.String("subscription", text.Inert(e.Subscription))
	if e.Installed != "" {
		message, subject = "installed "+lexicon.Bundle(e.Terms)+" is broken", slog.String("bundle", text.Inert(e.Installed))
	}
	l.LogAttrs(ctx, level, message, subject, slog.Int("facts", e.Facts), slog.String("conflict", text.Inert(e.Headline)))
}
