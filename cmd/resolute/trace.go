package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// traceFlags are --trace and its options.
func traceFlags() []cli.Flag {
	return []cli.Flag{
		boolFlag("trace", "show how the answer was found: decisions, candidates and solver calls"),
		boolFlag("trace-times", "with --trace, include durations"),
		&cli.IntFlag{Name: "trace-events", Value: trace.DefaultEvents, Usage: "with --trace, keep `N` events; a negative number keeps all"},
		&cli.IntFlag{Name: "trace-candidates", Value: trace.DefaultCandidates, Usage: "with --trace, list `N` rejected candidates of a decision; a negative number lists all"},
	}
}

// traceOptions reads traceFlags. It returns nil without --trace.
func traceOptions(cmd *cli.Command) (*trace.Options, error) {
	if !cmd.Bool("trace") {
		for _, name := range []string{"trace-times", "trace-events", "trace-candidates"} {
			if cmd.IsSet(name) {
				return nil, fmt.Errorf("--%s requires --trace; see %s --help", name, cmd.FullName())
			}
		}
		return nil, nil
	}
	if form := cmd.String("output"); form != "text" && form != "json" {
		return nil, fmt.Errorf("--trace requires -o text or json, not %s; see %s --help", form, cmd.FullName())
	}
	return &trace.Options{
		Durations:  cmd.Bool("trace-times"),
		Events:     cmd.Int("trace-events"),
		Candidates: cmd.Int("trace-candidates"),
	}, nil
}

// logFlag is --log.
func logFlag() cli.Flag {
	return &cli.StringFlag{
		Name: "log", Usage: "log to standard error at `LEVEL` debug (each resolution), info (those without a solution), warn or error",
		Validator: func(level string) error {
			var l slog.Level
			if err := l.UnmarshalText([]byte(level)); err != nil {
				return errors.New("must be debug, info, warn or error")
			}
			return nil
		},
	}
}

// logger returns the logger for --log, or nil.
func (a *app) logger(cmd *cli.Command) *slog.Logger {
	var level slog.Level
	if !cmd.IsSet("log") || level.UnmarshalText([]byte(cmd.String("log"))) != nil {
		return nil
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
}

// writeDIMACS writes the formula of one scenario.
func (a *app) writeDIMACS(ctx context.Context, cmd *cli.Command, runner *scenario.Runner, file string) error {
	s, err := a.read(ctx, file)
	if err == nil {
		defer a.progress.Done()
		err = runner.WriteDIMACS(ctx, a.out, s)
	}
	if err == nil {
		return nil
	}
	a.progress.Done()
	return a.refused(cmd, file, err)
}
