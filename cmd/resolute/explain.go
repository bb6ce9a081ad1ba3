package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) explainCommand() *cli.Command {
	return &cli.Command{
		Usage: "explain why a bundle is selected in a scenario, or why not", ArgsUsage: "FILE BUNDLE|PACKAGE",
		Description: `For a PACKAGE, its newest version is explained.

To select a bundle of one catalog, write CATALOG:BUNDLE, for example
olm/community:etcd.v0.9.4. The exit status is 0 if there is an explanation, and 1 if the
scenario has no solution.`,
		Flags: scenarioFlags(explainFormats()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return a.explain(ctx, cmd, cmd.Args().Get(0), cmd.Args().Get(1))
		},
	}
}

// explainFormats returns the output formats of an explanation.
func explainFormats() []string { return []string{"text", "json", "html"} }

// explain explains why a bundle is selected or not. If the scenario has no solution, the
// conflict is the answer.
func (a *app) explain(ctx context.Context, cmd *cli.Command, file, bundle string) error {
	s, err := a.read(ctx, file)
	if err == nil {
		var why *scenario.Explanation
		var pkg string
		runner := a.runner(cmd)
		if bundle, pkg, err = a.bundleArgument(ctx, runner, s, file, bundle); err == nil {
			why, err = runner.Explain(ctx, s, bundle)
		}
		a.progress.Done()
		if err == nil {
			return a.show(cmd, explanationOf{a.fileOf(file, false), why}, func(w io.Writer) error { return view.NewPage(ctx).AddExplanation(label(file), why).Write(w) }, func(t *view.Text) {
				if pkg != "" {
					t.Line("The newest version of package %s is %s.", pkg, why.Bundle)
				}
				t.WriteString(why.Text())
				t.Verdicts(map[string]terminal.Colour{" is in the result": terminal.Green, " is not in the ": terminal.Yellow})
			})
		}
	}
	if conflict := new(resolver.Conflict); errors.As(err, &conflict) {
		return a.showAnswer(ctx, cmd, file, scenario.NewAnswer(nil, err))
	}
	return a.refused(cmd, file, err)
}

// bundleArgument finds the bundle that an argument names, and its package if the argument is a package.
// It leaves an invalid scenario to the caller.
func (a *app) bundleArgument(ctx context.Context, runner *scenario.Runner, s *scenario.Scenario, file, name string) (bundle, pkg string, err error) {
	loaded, err := await(ctx, func() (*scenario.Loaded, error) { return runner.Loader.Load(ctx, s) })
	if err != nil {
		return name, "", nil
	}
	if bundle, pkg, err = findBundle(ctx, loaded.Request, name); err != nil {
		return "", "", fmt.Errorf("%s: %w", label(file), err)
	}
	return bundle, pkg, nil
}
