package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/corrections"
	"github.com/seed109e2655/resolute/resolver/impact"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) upgradeCommand() *cli.Command {
	return &cli.Command{
		Name: "upgrade", Usage: "the least change that upgrades some subscriptions", ArgsUsage: "SCENARIO SUB[=VERSION]...",
		Description: "Everything else stays where it is as far as it can; each companion comes with its reason.\n" +
			"Without a VERSION (or the name of a bundle), the best that one step leads to. Holds on what\n" +
			"is named do not count. What approving the whole namespace would change besides is listed\n" +
			"behind it. With -o json, the object of resolve with the keys companions and besides.",
		Flags: slices.Concat([]cli.Flag{
			outputFlag("text", "json"), timeoutFlag(), strictFlag(), noCorrectionsFlag(),
		}, limitFlags()),
		Action: a.upgrade,
	}
}

// upgradeAnswer is the answer as it is written as JSON.
type upgradeAnswer struct {
	*scenario.Answer
	Companions []companion     `json:"companions"`
	Besides    []resolver.Step `json:"besides,omitempty"`
}

type companion struct {
	Bundle  string            `json:"bundle"`
	Because []resolver.Reason `json:"because"`
}

// upgrade answers what it takes to upgrade some subscriptions.
func (a *app) upgrade(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() < 2 {
		return needs(cmd)
	}
	file := cmd.Args().First()
	var targets []impact.Target
	for _, arg := range cmd.Args().Tail() {
		name, version, _ := strings.Cut(arg, "=")
		targets = append(targets, impact.Target{Subscription: name, Version: version})
	}
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	runner := a.runner(cmd)
	loaded, err := a.load(ctx, runner, file)
	if err != nil {
		return err
	}
	up, err := impact.Upgrade(ctx, runner.Resolver, loaded.Request, targets)
	var target *impact.TargetError
	if errors.As(err, &target) {
		return fmt.Errorf("%s: %w", label(file), err)
	}
	answer := &upgradeAnswer{Companions: []companion{}}
	if err != nil {
		answer.Answer = a.refused(ctx, runner, loaded.Request, err)
	} else {
		answer.Answer = scenario.NewAnswer(up.Solution, nil)
		answer.fill(up)
	}
	a.complain(label(file), answer.Error)
	if asJSON(cmd) {
		err = writeJSON(a.out, answer)
	} else {
		err = a.printUpgrade(label(file), answer, up)
	}
	if err != nil {
		return err
	}
	return finish(statusOf(answer.Status))
}

// load reads a scenario and its catalogs.
func (a *app) load(ctx context.Context, runner *scenario.Runner, file string) (*scenario.Loaded, error) {
	s, err := a.read(ctx, file)
	if err != nil {
		return nil, err
	}
	defer a.progress.done()
	return runner.Loader.Load(ctx, s)
}

// refused is the answer for an error, with the corrections of a conflict.
func (a *app) refused(ctx context.Context, runner *scenario.Runner, req resolver.Request, err error) *scenario.Answer {
	var conflict *resolver.Conflict
	var refused *impact.RefusedError
	var opts corrections.Options
	if errors.As(err, &refused) {
		req, opts.Allow = refused.Request, refused.Allow
	}
	if errors.As(err, &conflict) && !runner.NoCorrections {
		_ = corrections.Find(ctx, runner.Resolver, req, conflict, opts) // what was found by then has to do
	}
	return scenario.NewAnswer(nil, err)
}

// fill adds what the answer of resolve does not have.
func (u *upgradeAnswer) fill(up *impact.Upgraded) {
	for _, c := range up.Companions {
		u.Companions = append(u.Companions, companion{Bundle: c.Bundle, Because: append([]resolver.Reason{}, c.Because...)})
	}
	u.Besides = up.Besides
}

// printUpgrade writes the answer for people.
func (a *app) printUpgrade(name string, answer *upgradeAnswer, up *impact.Upgraded) error {
	var changes []resolver.Step
	for _, s := range answer.Steps {
		if s.Action != resolver.Keep {
			changes = append(changes, s)
		}
	}
	shown := *answer.Answer
	shown.Steps = changes
	if err := a.printAnswer(name, &shown, false); err != nil || answer.Status != scenario.Resolved {
		return err
	}
	var b bytes.Buffer
	if len(changes) == 0 {
		b.WriteString("nothing to upgrade: one step leads to nothing better\n")
	}
	for _, c := range answer.Companions {
		fmt.Fprintf(&b, "along with it: %s\n", text.Inert(c.Bundle))
		for _, why := range c.Because {
			fmt.Fprintf(&b, "  %s\n", text.Inert(companionReason(why)))
		}
	}
	switch {
	case up.Whole != nil:
		b.WriteString("the namespace as a whole has no solution\n")
	case len(answer.Besides) > 0:
		b.WriteString("approving the whole namespace would change besides:\n")
		for _, s := range answer.Besides {
			fmt.Fprintf(&b, "  %s %s\n", s.Action, moved(s))
		}
	}
	_, err := b.WriteTo(a.out)
	return err
}

// companionReason says why a companion has to come along.
func companionReason(r resolver.Reason) string {
	switch {
	case r.Bundle == "":
		return "because " + r.Constraint
	case strings.HasPrefix(r.Constraint, r.Bundle):
		return "because " + r.Constraint
	}
	return "because " + r.Bundle + " requires " + r.Constraint
}
