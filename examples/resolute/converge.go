package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) convergeCommand() *cli.Command {
	return &cli.Command{
		Name: "converge", Usage: "the whole upgrade road of a scenario, round by round", ArgsUsage: "FILE",
		Description: "Each round is resolved and carried out, until nothing changes any more. A road\n" +
			"that comes back to where it was is reported as a loop, with exit status 1.",
		Flags:  append([]cli.Flag{outputFlag("text", "json", "mermaid", "svg"), timeoutFlag()}, limitFlags()...),
		Action: a.converge,
	}
}

// converge follows the road of a scenario.
func (a *app) converge(ctx context.Context, cmd *cli.Command) error {
	files, err := arguments(cmd)
	if err != nil {
		return err
	}
	if len(files) > 1 {
		return fmt.Errorf("converge needs one FILE; see %s --help", cmd.FullName())
	}
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	s, err := a.read(ctx, files[0])
	if err != nil {
		return err
	}
	road := a.runner(cmd).Converge(ctx, s, nil)
	a.progress.done()
	a.complain(label(files[0]), road.Error)
	switch cmd.String("output") {
	case "json":
		err = writeJSON(a.out, road)
	case "mermaid":
		_, err = io.WriteString(a.out, roadMermaid(road))
	case "svg":
		_, err = io.WriteString(a.out, roadSVG(road))
	default:
		err = a.printRoad(label(files[0]), road)
	}
	if err != nil {
		return err
	}
	status := statusOf(road.Status)
	if road.Loop {
		status = max(status, exitNo)
	}
	return finish(status)
}

// printRoad writes what each round does, then the table of which package is at
// which bundle after which round.
func (a *app) printRoad(name string, road *scenario.Road) error {
	var b bytes.Buffer
	rounds := 0
	for i, r := range road.Rounds {
		if r.Conflict != nil {
			fmt.Fprintf(&b, "round %d: %s\n", i+1, a.headline(r))
			printConflict(&b, r.Conflict)
			continue
		}
		rounds++
		fmt.Fprintf(&b, "round %d:\n", i+1)
		for _, s := range r.Steps {
			switch {
			case s.Replaces != "":
				fmt.Fprintf(&b, "  %s %s -> %s\n", s.Action, s.Replaces, s.Bundle)
			case s.Action != "keep":
				fmt.Fprintf(&b, "  %s %s\n", s.Action, s.Bundle)
			}
		}
		for _, w := range r.Warnings {
			fmt.Fprintf(&b, "  %s: %s: %s\n", a.out.paint(yellow, "warning"), w.Kind, w.Message)
		}
	}
	printRoadTable(&b, road)
	switch {
	case road.Status != scenario.Resolved:
		fmt.Fprintf(&b, "%s: stopped after %s\n", name, count(rounds, "round"))
	case road.Loop:
		fmt.Fprintf(&b, "%s: %s\n", name, a.out.paint(red, "the road is a loop of "+count(rounds, "round")))
	case rounds == 0:
		fmt.Fprintf(&b, "%s: %s\n", name, a.out.paint(green, "nothing changes"))
	default:
		fmt.Fprintf(&b, "%s: %s\n", name, a.out.paint(green, "settled after "+count(rounds, "round")))
	}
	_, err := b.WriteTo(a.out)
	return err
}

// printRoadTable writes a row for each package and a column for each round.
func printRoadTable(b *bytes.Buffer, road *scenario.Road) {
	if len(road.Rounds) < 2 {
		return
	}
	rows := roadRows(road)
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	head := []string{"PACKAGE"}
	for i := range road.Rounds {
		head = append(head, fmt.Sprintf("ROUND %d", i+1))
	}
	fmt.Fprintln(table, strings.Join(head, "\t"))
	for _, row := range rows {
		cells := []string{row.name}
		for i, c := range row.cells {
			switch {
			case c == "":
				cells = append(cells, "-")
			case i > 0 && row.cells[i-1] == c:
				cells = append(cells, "=")
			default:
				cells = append(cells, c)
			}
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	table.Flush() // a buffer takes everything
}

// roadRow is a package with its bundle after each round, empty before it comes.
type roadRow struct {
	name  string
	cells []string
}

// roadRows lists the packages of a road in the order in which they appear.
func roadRows(road *scenario.Road) []roadRow {
	var rows []roadRow
	at := make(map[string]int)
	for i, r := range road.Rounds {
		for _, s := range r.Steps {
			k, ok := at[s.Package]
			if !ok {
				k = len(rows)
				at[s.Package] = k
				rows = append(rows, roadRow{s.Package, make([]string, len(road.Rounds))})
			}
			rows[k].cells[i] = s.Bundle
		}
	}
	return rows
}
