package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/text"
)

func (a *app) needsCommand() *cli.Command {
	return &cli.Command{
		Usage: "who needs whom", ArgsUsage: "SCENARIO [BUNDLE]",
		Description: `The command lists what each installed or wanted bundle needs, and what needs it; with
BUNDLE, only that one. --drop says what would break and what would be left over without a
subscription and its operator.

The exit status is 1 if something would break.`,
		Flags: append(answerFlags("text", "json"),
			wordFlag("drop", "say what dropping the subscription `SUB` would do")),
		Action: a.needs,
	}
}

// needsAnswer is the answer as it is written as JSON.
type needsAnswer struct {
	// File is the scenario, as named on the command line.
	File string `json:"file,omitempty"`
	// Bundles are installed or wanted, by name.
	Bundles []upgrade.Bundle `json:"bundles"`
	// Drop says what dropping a subscription would do, if that was asked.
	Drop *upgrade.Dropped `json:"drop,omitempty"`
}

// needs answers who needs whom.
func (a *app) needs(ctx context.Context, cmd *cli.Command) error {
	file, drop := cmd.Args().First(), cmd.String("drop")
	runner := a.runner(cmd)
	loaded, err := a.load(ctx, runner, file)
	if err != nil {
		return err
	}
	graph, err := upgrade.Needs(ctx, runner.Resolver, loaded.Request)
	if err != nil {
		return a.showAnswer(cmd, file, unsolved(ctx, runner, loaded.Request, err))
	}
	answer := needsAnswer{File: a.fileOf(file, false), Bundles: graph.Bundles}
	if bundle := cmd.Args().Get(1); bundle != "" {
		if answer.Bundles, err = only(graph.Bundles, bundle); err != nil {
			return fmt.Errorf("%s: %w", label(file), err)
		}
	}
	if drop != "" {
		if answer.Drop, err = graph.Drop(ctx, runner.Resolver, drop); err != nil {
			return fmt.Errorf("%s: --drop: %w", label(file), err)
		}
	}
	err = a.show(cmd, answer, nil, func(t *view.Text) {
		t.Needs(label(file), answer.Bundles)
		if answer.Drop != nil {
			t.Dropped(drop, answer.Drop)
		}
	})
	if err == nil && answer.Drop != nil && len(answer.Drop.Breaks) > 0 {
		err = exit(exitNo)
	}
	return err
}

// only picks one bundle.
func only(bundles []upgrade.Bundle, name string) ([]upgrade.Bundle, error) {
	names := make([]string, len(bundles))
	for i, b := range bundles {
		names[i] = b.Bundle
	}
	i := slices.Index(names, name)
	if i < 0 {
		return nil, fmt.Errorf("there is no bundle %s among what is installed and wanted%s", name, text.DidYouMean(name, slices.Values(names)))
	}
	return bundles[i : i+1], nil
}
