package main

import (
	"context"
	"errors"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/examples/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/examples/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) explainCommand() *cli.Command {
	return &cli.Command{
		Usage: "why a bundle is in the result of a scenario, or why it is not", ArgsUsage: "FILE BUNDLE",
		Description: `To name a bundle of one catalog among several, write CATALOG:BUNDLE, for example
olm/community:etcd.v0.9.4. The exit status is 0 if there is an explanation, and 1 if the
scenario has no solution that the bundle could be in or out of.`,
		Flags: answerFlags(explainForms()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return a.explain(ctx, cmd, cmd.Args().Get(0), cmd.Args().Get(1))
		},
	}
}

// explainForms are the forms of an explanation.
func explainForms() []string { return []string{"text", "json", "html"} }

// explain answers why a bundle is in the result or not. That the scenario has no
// solution is an answer as well.
func (a *app) explain(ctx context.Context, cmd *cli.Command, file, bundle string) error {
	s, err := a.read(ctx, file)
	if err == nil {
		var why *scenario.Explanation
		why, err = a.runner(cmd).Explain(ctx, s, bundle)
		a.progress.Done()
		if err == nil {
			return a.show(cmd, why, func(w io.Writer) error { return new(view.Page).AddExplanation(label(file), why).Write(w) }, func(t *view.Text) {
				t.WriteString(why.Text())
				t.Verdicts(map[string]terminal.Colour{" is in the result": terminal.Green, " is not in the ": terminal.Yellow})
			})
		}
	}
	if conflict := new(resolver.Conflict); errors.As(err, &conflict) {
		return a.showAnswer(cmd, file, scenario.NewAnswer(nil, err))
	}
	return a.refused(file, err)
}
