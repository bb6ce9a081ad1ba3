package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/examples/resolute/internal/answerview"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/upgrade"
)

// upgrading is the command upgrade.
type upgrading struct{ *app }

func (a upgrading) define() *cli.Command {
	return &cli.Command{
		Name: "upgrade", Usage: "the least change that upgrades some subscriptions", ArgsUsage: "SCENARIO SUB[=VERSION]...",
		Description: "Everything else stays where it is as far as it can; each companion comes with its reason.\n" +
			"Without a VERSION (or the name of a bundle), the best that one step leads to. Holds on what\n" +
			"is named do not count. What approving the whole namespace would change besides is listed\n" +
			"behind it. With -o json, the object of resolve with the keys companions and besides.",
		Flags:  answerFlags("text", "json", "html"),
		Action: a.upgrade,
	}
}

// upgradeAnswer is the answer as it is written as JSON.
type upgradeAnswer struct {
	*scenario.Answer
	Companions []upgrade.Companion `json:"companions"`
	Besides    []resolver.Step     `json:"besides,omitempty"`
}

// upgrade answers what it takes to upgrade some subscriptions.
func (a upgrading) upgrade(ctx context.Context, cmd *cli.Command) error {
	file := cmd.Args().First()
	var targets []upgrade.Target
	for _, arg := range cmd.Args().Tail() {
		name, version, _ := strings.Cut(arg, "=")
		targets = append(targets, upgrade.Target{Subscription: name, Version: version})
	}
	runner := a.runner(cmd)
	loaded, err := a.load(ctx, runner, file)
	if err != nil {
		return err
	}
	up, err := upgrade.Least(ctx, runner.Resolver, loaded.Request, targets)
	var target *upgrade.TargetError
	if errors.As(err, &target) {
		return fmt.Errorf("%s: %w", label(file), err)
	}
	answer := upgradeAnswer{Companions: []upgrade.Companion{}}
	if err != nil {
		answer.Answer = unsolved(ctx, runner, loaded.Request, err)
	} else {
		answer = upgradeAnswer{scenario.NewAnswer(up.Solution, nil), up.Companions, up.Besides}
	}
	a.complain(label(file), answer.Error)
	if cmd.String("output") == "html" {
		var page answerview.Page
		page.AddUpgraded(label(file), answer.Answer, up)
		err = page.Write(a.out)
	} else {
		err = a.show(cmd, answer, func(t *answerview.Text) { t.Upgraded(label(file), answer.Answer, up) })
	}
	if err != nil {
		return err
	}
	return finish(statusOf(answer.Status))
}
