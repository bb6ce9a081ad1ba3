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
			"olm/community:etcd.v0.9.4.",
		Flags:  append([]cli.Flag{outputFlag("text", "json"), timeoutFlag()}, limitFlags()...),
		Action: a.explain,
	}
}

// explain answers why a bundle is in the result or not.
func (a *app) explain(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() != 2 {
		return fmt.Errorf("explain needs FILE and BUNDLE; see %s --help", cmd.FullName())
	}
	file, bundle := cmd.Args().Get(0), cmd.Args().Get(1)
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	s, err := a.read(ctx, file)
	if err != nil {
		return err
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
	return errors.Join(err, finish(exitNo))
}
