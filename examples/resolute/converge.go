package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) convergeCommand() *cli.Command {
	return &cli.Command{
		Name: "converge", Usage: "the whole upgrade road of a scenario, round by round", ArgsUsage: "FILE",
		Description: "Each round is resolved and carried out, until nothing changes any more. A road\n" +
			"that comes back to where it was, or that ends in a conflict, has exit status 1.",
		Flags: append([]cli.Flag{
			outputFlag("text", "json", "mermaid", "svg"), timeoutFlag(), strictFlag(), noCorrectionsFlag(),
		}, limitFlags()...),
		Action: a.converge,
	}
}

// converge follows the road of a scenario.
func (a *app) converge(ctx context.Context, cmd *cli.Command) error {
	if cmd.Args().Len() != 1 {
		return needs(cmd)
	}
	file := cmd.Args().First()
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	road := a.road(ctx, cmd, file)
	a.complain(label(file), road.Error)
	if err := a.writeRoad(cmd.String("output"), label(file), road); err != nil {
		return err
	}
	status := statusOf(road.Status)
	if road.Loop {
		status = max(status, exitNo)
	}
	return finish(status)
}

// road reads a scenario and follows its road.
func (a *app) road(ctx context.Context, cmd *cli.Command, file string) *scenario.Road {
	s, err := a.read(ctx, file)
	if err != nil {
		return scenario.NewRoad(nil, err)
	}
	defer a.progress.done()
	return a.runner(cmd).Converge(ctx, s, func(round int) {
		a.progress.say("following the upgrade road: round %d", round)
	})
}

// writeRoad writes a road in one of its forms. There is no picture of a road that
// cannot be begun.
func (a *app) writeRoad(form, name string, road *scenario.Road) error {
	var err error
	switch none := len(road.Rounds) == 0 && road.Status != scenario.Resolved; {
	case form == "json":
		err = writeJSON(a.out, road)
	case form == "text":
		err = a.printRoad(name, road)
	case none:
	case form == "mermaid":
		_, err = io.WriteString(a.out, road.Mermaid())
	default:
		_, err = io.WriteString(a.out, road.SVG())
	}
	return err
}

// printRoad writes how the road ends, what each round does, and the table of which
// package is at which bundle after which round.
func (a *app) printRoad(name string, road *scenario.Road) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s\n", text.Inert(name), a.roadHeadline(road))
	for i, r := range road.Rounds {
		if r.Conflict != nil {
			fmt.Fprintf(&b, "round %d: %s\n", i+1, a.headline(r))
			printConflict(&b, r.Conflict)
			continue
		}
		fmt.Fprintf(&b, "round %d:\n", i+1)
		for _, s := range r.Steps {
			if s.Action != "keep" {
				fmt.Fprintf(&b, "  %s %s\n", s.Action, moved(s))
			}
		}
		a.printWarnings(&b, "  ", added(road, i, r.Warnings))
	}
	printRoadTable(&b, road)
	a.printWarnings(&b, "", added(road, len(road.Rounds), road.Warnings))
	a.printUnresolved(&b, road.Unresolved)
	_, err := b.WriteTo(a.out)
	return err
}

// added are the warnings that the round before did not have.
func added(road *scenario.Road, round int, warnings []resolver.Warning) []resolver.Warning {
	if round == 0 {
		return warnings
	}
	return slices.DeleteFunc(slices.Clone(warnings), func(w resolver.Warning) bool {
		return slices.Contains(road.Rounds[round-1].Warnings, w)
	})
}

// roadHeadline is the end of the road in a few words.
func (a *app) roadHeadline(road *scenario.Road) string {
	rounds := road.Done()
	switch {
	case road.Status == scenario.Unsatisfiable:
		return a.out.paint(red, fmt.Sprintf("no solution in round %d", len(rounds)+1))
	case road.Status != scenario.Resolved && len(rounds) > 0:
		return a.out.paint(red, fmt.Sprintf("%s after %s", road.Status, text.Count(len(rounds), "round", "rounds")))
	case road.Status != scenario.Resolved:
		return a.out.paint(red, string(road.Status))
	case road.Loop:
		return a.out.paint(red, "a loop: "+road.End())
	case len(rounds) == 0:
		return a.out.paint(green, "nothing changes")
	default:
		return a.out.paint(green, "settled after "+text.Count(len(rounds), "round", "rounds"))
	}
}
