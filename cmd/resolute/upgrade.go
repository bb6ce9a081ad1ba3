package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

func (a *app) upgradeCommand() *cli.Command {
	return &cli.Command{
		Usage: "find the smallest change that upgrades subscriptions", ArgsUsage: "SCENARIO SUB[=VERSION]...",
		Description: `The answer upgrades the given subscriptions and changes as few other operators as possible.
Each operator that must change with them is listed with the reason.

VERSION is a version or the name of a bundle. Without it, the answer is the best version
that one upgrade reaches. If VERSION is several upgrades away, the answer is the upgrade
path, round by round. Holds on the given subscriptions are ignored. The last lines list what
else approving the whole namespace would change.

-o manifests prints the objects to apply for the first round, as resolve does.

-o json prints the object of resolve for the first round, with the keys companions, rounds
and besides, and the status "path" if there are several rounds.`,
		Flags:  scenarioFlags("text", "json", "html", "manifests"),
		Action: a.upgrade,
	}
}

// pathStatus is the status of an answer with several rounds.
const pathStatus scenario.Status = "path"

// upgradeAnswer is the JSON of the answer.
type upgradeAnswer struct {
	answerOf
	Companions []upgrade.Companion `json:"companions"`
	// Rounds are the changes of each round of the path, up to the last reachable one.
	Rounds  []upgradeRound  `json:"rounds"`
	Besides []resolver.Step `json:"besides,omitempty"`
}

type upgradeRound struct {
	Steps []resolver.Step `json:"steps"`
}

// addRound adds the changes of a solution, if any.
func (a *upgradeAnswer) addRound(sol *resolver.Solution) {
	steps := slices.DeleteFunc(slices.Clone(sol.Steps), func(s resolver.Step) bool { return s.Action == resolver.Keep })
	if len(steps) > 0 {
		a.Rounds = append(a.Rounds, upgradeRound{steps})
	}
}

// upgrade finds the smallest change that upgrades subscriptions.
func (a *app) upgrade(ctx context.Context, cmd *cli.Command) error {
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
	answer := upgradeAnswer{answerOf: answerOf{File: a.fileOf(file, false)}, Companions: []upgrade.Companion{}, Rounds: []upgradeRound{}}
	var refused *upgrade.RefusedError
	var far []*resolver.Solution
	switch {
	case errors.As(err, &refused):
		var conflict *resolver.Conflict
		if errors.As(err, &conflict) && !runner.NoCorrections {
			opts := whatif.FindOptions{Commands: olm.Commands, Allow: refused.Allow, Resolve: refused.Reach(runner.Resolver)}
			_ = whatif.FindCorrections(ctx, runner.Resolver, refused.Request, conflict, opts) // on error, keep the corrections found so far
		}
		answer.Answer, far = scenario.NewAnswer(nil, refused.Err), refused.Rounds
		for _, sol := range far {
			answer.addRound(sol)
		}
	case err != nil:
		answer.Answer = unsolved(ctx, runner, loaded.Request, err)
	default:
		answer.Answer, answer.Companions, answer.Besides = scenario.NewAnswer(up.Rounds[0].Solution, nil), up.Rounds[0].Companions, up.Besides
		answer.Blocked = up.Blocked
		for _, round := range up.Rounds {
			answer.addRound(round.Solution)
		}
		if len(up.Rounds) > 1 {
			answer.Status = pathStatus
		}
	}
	if cmd.String("output") == "manifests" {
		if up == nil || len(up.Rounds) == 0 {
			return a.noManifests(file, answer.Answer)
		}
		if n := len(up.Rounds); n > 1 {
			a.complain(label(file), fmt.Sprintf("these are the objects of the first of %d rounds; once they are installed, run the command again for the next", n))
		}
		return a.manifests(file, loaded.Request, up.Rounds[0].Solution)
	}
	a.complain(label(file), answer.Error)
	err = a.show(cmd, answer, func(w io.Writer) error {
		return view.NewPage(ctx).AddUpgraded(label(file), answer.Answer, up, far).Write(w)
	},
		func(t *view.Text) { t.Upgraded(label(file), answer.Answer, up, far) })
	if err != nil {
		return err
	}
	return exitError(statusOf(answer.Status))
}
