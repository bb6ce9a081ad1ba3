package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/impact"
)

func (a *app) needsCommand() *cli.Command {
	return &cli.Command{
		Name: "needs", Usage: "who needs whom", ArgsUsage: "SCENARIO [BUNDLE]",
		Description: "Of everything that is installed and wanted, or of one bundle. With --drop, what would\n" +
			"break and what would be left over without a subscription and the operator that it owns;\n" +
			"the exit status is 1 if something would break.",
		Flags: slices.Concat([]cli.Flag{
			outputFlag("text", "json"), timeoutFlag(), strictFlag(), noCorrectionsFlag(),
			&cli.StringFlag{Name: "drop", Usage: "what dropping the subscription `SUB` would do"},
		}, limitFlags()),
		Action: a.needs,
	}
}

// needsAnswer is the answer as it is written as JSON.
type needsAnswer struct {
	Bundles []needsBundle `json:"bundles"`
	Drop    *needsDrop    `json:"drop,omitempty"`
}

type needsBundle struct {
	Bundle        string   `json:"bundle"`
	Needs         []tie    `json:"needs,omitempty"`
	NeededBy      []tie    `json:"neededBy,omitempty"`
	Subscriptions []string `json:"subscriptions,omitempty"`
}

type tie struct {
	Bundle     string `json:"bundle"`
	Constraint string `json:"constraint"`
}

type needsDrop struct {
	Breaks  []string `json:"breaks"`
	Orphans []string `json:"orphans"`
}

// needs answers who needs whom.
func (a *app) needs(ctx context.Context, cmd *cli.Command) error {
	if n := cmd.Args().Len(); n < 1 || n > 2 {
		return needs(cmd)
	}
	file, bundle := cmd.Args().Get(0), cmd.Args().Get(1)
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	runner := a.runner(cmd)
	loaded, err := a.load(ctx, runner, file)
	if err != nil {
		return err
	}
	graph, err := impact.Needs(ctx, runner.Resolver, loaded.Request)
	if err != nil {
		answer := a.refused(ctx, runner, loaded.Request, err)
		a.complain(label(file), answer.Error)
		if asJSON(cmd) {
			err = writeJSON(a.out, answer)
		} else {
			err = a.printAnswer(label(file), answer, false)
		}
		if err != nil {
			return err
		}
		return finish(statusOf(answer.Status))
	}
	answer, err := newNeedsAnswer(graph, bundle)
	if err != nil {
		return fmt.Errorf("%s: %w", label(file), err)
	}
	if sub := cmd.String("drop"); sub != "" {
		dropped, err := graph.Drop(ctx, runner.Resolver, sub)
		if err != nil {
			return fmt.Errorf("%s: %w", label(file), err)
		}
		answer.Drop = &needsDrop{dropped.Breaks, dropped.Orphans}
	}
	return a.writeNeeds(cmd, label(file), answer)
}

func (a *app) writeNeeds(cmd *cli.Command, name string, answer *needsAnswer) error {
	var err error
	if asJSON(cmd) {
		err = writeJSON(a.out, answer)
	} else {
		err = a.printNeeds(name, answer, cmd.String("drop"))
	}
	if err == nil && answer.Drop != nil && len(answer.Drop.Breaks) > 0 {
		err = exit(exitNo)
	}
	return err
}

// newNeedsAnswer puts a graph into the shape of an answer: all of it, or one bundle.
func newNeedsAnswer(graph *impact.Graph, bundle string) (*needsAnswer, error) {
	out := &needsAnswer{Bundles: []needsBundle{}}
	for _, b := range graph.Bundles {
		if bundle != "" && b.Bundle != bundle {
			continue
		}
		n := needsBundle{Bundle: b.Bundle, Subscriptions: b.Subscriptions}
		for _, t := range b.Needs {
			n.Needs = append(n.Needs, tie(t))
		}
		for _, t := range b.NeededBy {
			n.NeededBy = append(n.NeededBy, tie(t))
		}
		out.Bundles = append(out.Bundles, n)
	}
	if len(out.Bundles) == 0 && bundle != "" {
		return nil, errors.New("there is no bundle " + bundle + " among what is installed and wanted" + text.DidYouMean(bundle, bundleNames(graph)))
	}
	return out, nil
}

func bundleNames(graph *impact.Graph) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, b := range graph.Bundles {
			if !yield(b.Bundle) {
				return
			}
		}
	}
}

// printNeeds writes the answer for people.
func (a *app) printNeeds(name string, answer *needsAnswer, drop string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s\n", text.Inert(name), text.Count(len(answer.Bundles), "bundle", "bundles"))
	for _, n := range answer.Bundles {
		b.WriteString(text.Inert(n.Bundle))
		if len(n.Subscriptions) > 0 {
			b.WriteString(", of subscription " + shortList(n.Subscriptions))
		}
		b.WriteByte('\n')
		for _, t := range n.Needs {
			fmt.Fprintf(&b, "  needs %s: %s\n", text.Inert(t.Bundle), text.Inert(t.Constraint))
		}
		for _, t := range n.NeededBy {
			fmt.Fprintf(&b, "  needed by %s: %s\n", text.Inert(t.Bundle), text.Inert(t.Constraint))
		}
	}
	if d := answer.Drop; d != nil {
		fmt.Fprintf(&b, "without subscription %s\n", text.Inert(drop))
		for _, broken := range d.Breaks {
			fmt.Fprintf(&b, "  %s breaks\n", text.Inert(broken))
		}
		for _, left := range d.Orphans {
			fmt.Fprintf(&b, "  %s is left over\n", text.Inert(left))
		}
		if len(d.Breaks)+len(d.Orphans) == 0 {
			b.WriteString("  nothing breaks, and nothing is left over\n")
		}
	}
	_, err := b.WriteTo(a.out)
	return err
}
