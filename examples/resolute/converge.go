package main

import (
	"context"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/examples/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) convergeCommand() *cli.Command {
	return &cli.Command{
		Usage: "where all upgrades of a scenario lead, round by round", ArgsUsage: "FILE",
		Description: `Each round is resolved and carried out, until nothing changes any more. The exit status is
1 if the upgrades repeat forever or end in a conflict.`,
		Flags:  answerFlags("text", "json", "html", "mermaid", "dot", "svg"),
		Action: a.converge,
	}
}

// converge follows the path of a scenario.
func (a *app) converge(ctx context.Context, cmd *cli.Command) error {
	file := cmd.Args().First()
	path := a.path(ctx, cmd, file)
	a.complain(label(file), path.Error)
	if err := a.writePath(cmd, label(file), path); err != nil {
		return err
	}
	status := statusOf(path.Status)
	if path.Loop {
		status = max(status, exitNo)
	}
	return finish(status)
}

// path reads a scenario and follows its path.
func (a *app) path(ctx context.Context, cmd *cli.Command, file string) *scenario.Path {
	s, err := a.read(ctx, file)
	if err != nil {
		return scenario.NewPath(nil, err)
	}
	defer a.progress.Done()
	return a.runner(cmd).Converge(ctx, s, func(round int) {
		a.progress.Say("following the upgrade path: round %d", round)
	})
}

// writePath writes a path in one of its forms. There is no picture of a path that
// cannot be begun.
func (a *app) writePath(cmd *cli.Command, name string, path *scenario.Path) error {
	switch form := cmd.String("output"); {
	case slices.Contains([]string{"text", "json", "html"}, form):
		return a.show(cmd, path, func(w io.Writer) error { return new(view.Page).AddPath(name, path).Write(w) }, func(t *view.Text) { t.Path(name, path) })
	case len(path.Rounds) == 0 && path.Status != scenario.Resolved:
		return nil
	default:
		return a.draw(form, path)
	}
}
