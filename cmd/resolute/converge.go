package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) convergeCommand() *cli.Command {
	return &cli.Command{
		Usage: "follow all upgrades of a scenario, round by round", ArgsUsage: "FILE|DIR",
		Description: `Each round is resolved and applied until nothing changes. For a directory, every .yaml and
.json file below it is read.

The exit status is 1 if the upgrades repeat forever or end in a conflict; for several
scenarios, the worst counts. -o json prints one object per line for each scenario, -o html
a single page; the other formats take one scenario.`,
		Flags:  scenarioFlags("text", "json", "html", "mermaid", "dot", "svg"),
		Action: a.converge,
	}
}

// converge follows the upgrade paths of scenarios.
func (a *app) converge(ctx context.Context, cmd *cli.Command) error {
	files, err := a.scenarioFiles(ctx, cmd.Args().Slice())
	if err != nil {
		return err
	}
	form := cmd.String("output")
	if len(files) > 1 && slices.Contains([]string{"mermaid", "dot", "svg"}, form) {
		return fmt.Errorf("-o %s takes one scenario, but %[3]s has %[2]d; see %[4]s --help", form, len(files), cmd.Args().First(), cmd.FullName())
	}
	worst, page, runner := exitOK, view.NewPage(ctx), a.runner(cmd)
	for i, file := range files {
		path := a.path(ctx, runner, file)
		a.complain(label(file), path.Error)
		status := statusOf(path.Status)
		if path.Loop {
			status = max(status, exitNo)
		}
		worst = max(worst, status)
		switch form {
		case "html":
			page.AddPath(label(file), path)
		case "json", "text":
			err = a.show(cmd, pathOf{a.fileOf(file, len(files) > 1), path}, nil, func(t *view.Text) {
				if i > 0 {
					t.Line("")
				}
				t.Path(label(file), path)
			})
		default:
			if len(path.Rounds) > 0 || path.Status == scenario.Resolved { // otherwise there is no picture
				err = a.draw(ctx, form, draw.Path(path))
			}
		}
		if err != nil {
			return err
		}
	}
	if form == "html" {
		if err := page.Write(a.out); err != nil {
			return err
		}
	}
	return exitError(worst)
}

// path reads a scenario and follows its upgrade path.
func (a *app) path(ctx context.Context, runner *scenario.Runner, file string) *scenario.Path {
	s, err := a.read(ctx, file)
	if err != nil {
		return scenario.NewPath(nil, err)
	}
	defer a.progress.Done()
	return runner.Converge(ctx, s, func(round int) {
		a.progress.Show(terminal.Work{What: "following the upgrade path", Detail: fmt.Sprintf("round %d", round)})
	})
}
