package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/internal/text"
)

func (a *app) needsCommand() *cli.Command {
	return &cli.Command{
		Usage: "list the dependencies and dependents of bundles", ArgsUsage: "SCENARIO [BUNDLE]",
		Description: `The command lists the dependencies and dependents of each installed or requested bundle, or
only of BUNDLE. --drop lists the bundles that would break and the objects that would remain
after removing a subscription and its operator.

The exit status is 1 if a bundle would break.`,
		Flags: append(scenarioFlags("text", "json", "html"),
			stringFlag("drop", "show the effect of dropping the subscription `SUB`")),
		Action: a.needs,
	}
}

// needsAnswer is the JSON of the answer.
type needsAnswer struct {
	// File is the scenario, as named on the command line.
	File string `json:"file,omitempty"`
	// Bundles lists the installed and requested bundles, by name.
	Bundles []upgrade.Bundle `json:"bundles"`
	// Drop is the effect of dropping a subscription, if requested.
	Drop *upgrade.Dropped `json:"drop,omitempty"`
}

// needs lists the dependencies and dependents of bundles.
func (a *app) needs(ctx context.Context, cmd *cli.Command) error {
	file, drop := cmd.Args().First(), cmd.String("drop")
	runner := a.runner(cmd)
	loaded, err := a.load(ctx, runner, file)
	if err != nil {
		return err
	}
	graph, err := upgrade.Needs(ctx, runner.Resolver, loaded.Request)
	if err != nil {
		return a.showAnswer(ctx, cmd, file, unsolved(ctx, runner, loaded.Request, err))
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
	page := func(w io.Writer) error {
		return view.WriteNeeds(ctx, w, label(file), answer.Bundles, drop, answer.Drop)
	}
	err = a.show(cmd, answer, page, func(t *view.Text) {
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

// only returns the bundle with the given name.
func only(bundles []upgrade.Bundle, name string) ([]upgrade.Bundle, error) {
	names := make([]string, len(bundles))
	for i, b := range bundles {
		names[i] = b.Bundle
	}
	i := slices.Index(names, name)
	if i < 0 {
		return nil, fmt.Errorf("no installed or requested bundle has the name %s%s", name, text.DidYouMean(name, slices.Values(names)))
	}
	return bundles[i : i+1], nil
}
