package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) explainCommand() *cli.Command {
	return &cli.Command{
		Name: "explain", Usage: "why a bundle is in the result of a scenario, or why it is not", ArgsUsage: "FILE BUNDLE",
		Description: "A bundle of one catalog among several is named CATALOG:BUNDLE, for example\n" +
			"olm/community:etcd.v0.9.4. The exit status is 0 if there is an explanation, and 1\n" +
			"if the scenario has no solution that the bundle could be in or out of.",
		Flags: append([]cli.Flag{
			outputFlag("text", "json"), timeoutFlag(), strictFlag(), noCorrectionsFlag(),
		}, limitFlags()...),
		Action: a.explain,
	}
}

// explain answers why a bundle is in the result or not.
func (a *app) explain(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() != 2 {
		return needs(cmd)
	}
	file, bundle := cmd.Args().Get(0), cmd.Args().Get(1)
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	s, err := a.read(ctx, file)
	if err != nil {
		return a.unexplained(cmd, file, err)
	}
	why, err := a.runner(cmd).Explain(ctx, s, bundle)
	a.progress.done()
	if err != nil {
		return a.unexplained(cmd, file, err)
	}
	if asJSON(cmd) {
		return writeJSON(a.out, why)
	}
	_, err = io.WriteString(a.out, why.Text())
	return err
}

// unexplained reports why there is no explanation: the scenario has no solution,
// which is an answer, or something is wrong.
func (a *app) unexplained(cmd *cli.Command, file string, err error) error {
	answer := scenario.NewAnswer(nil, err)
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		a.complain(label(file), answer.Error)
		return finish(statusOf(answer.Status))
	}
	if asJSON(cmd) {
		err = writeJSON(a.out, answer)
	} else {
		err = a.printAnswer(label(file), answer, false)
	}
	if err != nil {
		return err
	}
	return finish(exitNo)
}

// needs says what arguments a command needs.
func needs(cmd *cli.Command) error {
	return fmt.Errorf("%s needs %s; see %s --help", cmd.Name, cmd.ArgsUsage, cmd.FullName())
}
