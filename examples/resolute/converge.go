package main

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/examples/resolute/internal/answerview"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// converging is the command converge.
type converging struct{ *app }

func (a converging) define() *cli.Command {
	return &cli.Command{
		Name: "converge", Usage: "where all upgrades of a scenario lead, round by round", ArgsUsage: "FILE",
		Description: "Each round is resolved and carried out, until nothing changes any more. The exit status is\n" +
			"1 if the upgrades repeat forever or end in a conflict.",
		Flags:  answerFlags("text", "json", "html", "mermaid", "dot", "svg"),
		Action: a.converge,
	}
}

// converge follows the path of a scenario.
func (a converging) converge(ctx context.Context, cmd *cli.Command) error {
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
func (a converging) path(ctx context.Context, cmd *cli.Command, file string) *scenario.Path {
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
func (a converging) writePath(cmd *cli.Command, name string, path *scenario.Path) error {
	switch form := cmd.String("output"); {
	case form == "html":
		var page answerview.Page
		page.AddPath(name, path)
		return page.Write(a.out)
	case form == "json" || form == "text":
		return a.show(cmd, path, func(t *answerview.Text) { t.Path(name, path) })
	case len(path.Rounds) == 0 && path.Status != scenario.Resolved:
		return nil
	default:
		return a.draw(form, path)
	}
}
