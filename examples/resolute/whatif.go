package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/examples/resolute/internal/view"
)

func (a *app) whatIfCommand() *cli.Command {
	return &cli.Command{
		Usage: "the answer to a scenario, and what each of its what-ifs changes", ArgsUsage: "FILE...",
		Description: `The exit status is that of the worst answer. -o json prints an object for each scenario,
one a line, as resolve does, with the key whatif.`,
		Flags:  answerFlags("text", "json"),
		Action: a.whatIf,
	}
}

// whatIf answers scenarios with their what-ifs.
func (a *app) whatIf(ctx context.Context, cmd *cli.Command) error {
	runner := a.runner(cmd)
	worst := exitOK
	for i, file := range cmd.Args().Slice() {
		answer := a.answer(ctx, file, runner.RunWhatIf)
		worst = max(worst, statusOf(answer.Status))
		a.complain(label(file), answer.Error)
		for _, w := range answer.WhatIf {
			worst = max(worst, statusOf(w.Status))
			if w.Error != "" && answer.Error == "" { // else it is the same again
				a.complain(label(file), fmt.Sprintf("what if %s: %s", w.Name, w.Error))
			}
		}
		err := a.show(cmd, answer, nil, func(t *view.Text) {
			if i > 0 {
				t.Line("")
			}
			t.WhatIfs(label(file), answer)
		})
		if err != nil {
			return err
		}
	}
	return finish(worst)
}
