package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) whatIfCommand() *cli.Command {
	return &cli.Command{
		Name: "whatif", Usage: "the answer to a scenario, and what each of its what-ifs changes", ArgsUsage: "FILE...",
		Description: "The exit status is that of the worst of all answers.",
		Flags:       append([]cli.Flag{outputFlag("text", "json"), timeoutFlag()}, limitFlags()...),
		Action:      a.whatIf,
	}
}

// whatIf answers scenarios with their what-ifs.
func (a *app) whatIf(ctx context.Context, cmd *cli.Command) error {
	files, err := arguments(cmd)
	if err != nil {
		return err
	}
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	runner := a.runner(cmd)
	worst := exitOK
	for i, file := range files {
		answer := a.answerWhatIfs(ctx, runner, file)
		worst = max(worst, statusOf(answer.Status))
		a.complain(label(file), answer.Error)
		for _, w := range answer.WhatIf {
			worst = max(worst, statusOf(w.Status))
		}
		if asJSON(cmd) {
			err = writeJSON(a.out, answer)
		} else {
			err = a.printWhatIfs(label(file), answer, i > 0)
		}
		if err != nil {
			return err
		}
	}
	return finish(worst)
}

func (a *app) answerWhatIfs(ctx context.Context, runner *scenario.Runner, file string) *scenario.Answer {
	s, err := a.read(ctx, file)
	if err != nil {
		return scenario.NewAnswer(nil, err)
	}
	defer a.progress.done()
	return runner.RunWhatIf(ctx, s)
}

// printWhatIfs writes the base answer and what each what-if changes about it.
func (a *app) printWhatIfs(name string, answer *scenario.Answer, further bool) error {
	if err := a.printAnswer(name, answer, further); err != nil {
		return err
	}
	var b bytes.Buffer
	for _, w := range answer.WhatIf {
		changed := scenario.Answer{Status: w.Status, Set: w.Set}
		fmt.Fprintf(&b, "\nwhat if %s: %s\n", w.Name, a.headline(&changed))
		if w.Error != "" {
			fmt.Fprintf(&b, "  %s\n", w.Error)
		}
		printConflict(&b, w.Conflict)
		printDiff(&b, w.Diff)
	}
	_, err := b.WriteTo(a.out)
	return err
}

// printDiff writes what changes, a line each.
func printDiff(b *bytes.Buffer, d *scenario.Diff) {
	if d == nil {
		return
	}
	if len(d.Install)+len(d.Remove)+len(d.Upgrade) == 0 {
		b.WriteString("  nothing changes\n")
	}
	for _, name := range d.Install {
		fmt.Fprintf(b, "  + %s\n", name)
	}
	for _, name := range d.Remove {
		fmt.Fprintf(b, "  - %s\n", name)
	}
	for _, m := range d.Upgrade {
		fmt.Fprintf(b, "  ~ %s -> %s\n", m.From, m.To)
	}
	if len(d.Keep) > 0 {
		fmt.Fprintf(b, "  = %s\n", strings.Join(d.Keep, ", "))
	}
}
