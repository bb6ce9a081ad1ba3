package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/solutiondiff"
)

func (a *app) whatIfCommand() *cli.Command {
	return &cli.Command{
		Name: "whatif", Usage: "the answer to a scenario, and what each of its what-ifs changes", ArgsUsage: "FILE...",
		Description: "The exit status is that of the worst of all answers. With -o json, one object a\n" +
			"scenario, one a line, as resolve prints it, with the key whatif.",
		Flags: append([]cli.Flag{
			outputFlag("text", "json"), timeoutFlag(), strictFlag(), noCorrectionsFlag(),
		}, limitFlags()...),
		Action: a.whatIf,
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
			if w.Error != "" && answer.Error == "" { // else it is the same again
				a.complain(label(file), fmt.Sprintf("what if %s: %s", w.Name, w.Error))
			}
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
	return answered(ctx, func() *scenario.Answer { return runner.RunWhatIf(ctx, s) })
}

// printWhatIfs writes the base answer and what each what-if changes about it.
func (a *app) printWhatIfs(name string, answer *scenario.Answer, further bool) error {
	if err := a.printAnswer(name, answer, further); err != nil {
		return err
	}
	var b bytes.Buffer
	if len(answer.WhatIf) == 0 && answer.Error == "" {
		b.WriteString("\nthe scenario asks no what-ifs\n")
	}
	for _, w := range answer.WhatIf {
		changed := scenario.Answer{Status: w.Status, Set: w.Set, Unresolved: w.Unresolved}
		fmt.Fprintf(&b, "\nwhat if %s: %s\n", text.Inert(w.Name), a.headline(&changed))
		printConflict(&b, w.Conflict)
		printDiff(&b, w.Diff)
		a.printWarnings(&b, "  ", slices.DeleteFunc(slices.Clone(w.Warnings), func(x resolver.Warning) bool {
			return slices.Contains(answer.Warnings, x)
		}))
		a.printUnresolved(&b, slices.DeleteFunc(slices.Clone(w.Unresolved), func(x resolver.Unresolved) bool {
			return slices.ContainsFunc(answer.Unresolved, func(y resolver.Unresolved) bool {
				return x.Subscription == y.Subscription && x.Conflict.Text() == y.Conflict.Text()
			})
		}))
	}
	_, err := b.WriteTo(a.out)
	return err
}

// printDiff writes what changes, a line each.
func printDiff(b *bytes.Buffer, d *solutiondiff.Diff) {
	if d == nil {
		return
	}
	if len(d.Install)+len(d.Remove)+len(d.Upgrade) == 0 {
		b.WriteString("  nothing changes\n")
	}
	for _, name := range d.Install {
		fmt.Fprintf(b, "  + %s\n", text.Inert(name))
	}
	for _, name := range d.Remove {
		fmt.Fprintf(b, "  - %s\n", text.Inert(name))
	}
	for _, m := range d.Upgrade {
		fmt.Fprintf(b, "  ~ %s -> %s\n", text.Inert(m.From), text.Inert(m.To))
	}
	if len(d.Keep) > 0 {
		fmt.Fprintf(b, "  = %s\n", text.Inert(strings.Join(d.Keep, ", ")))
	}
}
