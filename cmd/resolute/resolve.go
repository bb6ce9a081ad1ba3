package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

func (a *app) resolveCommand() *cli.Command {
	return &cli.Command{
		Usage: "resolve scenarios", ArgsUsage: "[FILE|DIR...]",
		Description: `For a directory, every .yaml and .json file below it is read.

-o json prints one object per line for each scenario, in the order of the arguments, with
its file. -o html prints a self-contained page with a section for each.

The other formats take one scenario. svg, mermaid and dot draw its steps or its conflict.
installplan prints the objects with which OLM would apply the answer. manifests prints the
objects to keep in a repository and to apply, in order: Namespace, OperatorGroup and a
Subscription for each operator, dependencies included, or ClusterExtensions; without a
solution it prints none, and explains that on standard error. dimacs prints the
hard constraints as a formula for SAT solvers; it has a model if and only if the scenario
has a solution, but does not rank solutions. drat prints the proof that this formula has no
model. certificate prints the proof of the answer, which verify checks.

--locked LOCK answers FILE, or without one the question of the lock, with what lock has
locked, also if something better is available now. If that is not valid any more, nothing is
printed but the reason, and the exit status is 1.`,
		Flags: slices.Concat([]cli.Flag{stringFlag("locked", "use the answer of `LOCK`, and refuse if it is not valid any more")},
			scenarioFlags(resolveFormats()...), traceFlags(), installPlanFlags()),
		Action: a.resolve,
	}
}

// resolveFormats returns the output formats of an answer.
func resolveFormats() []string {
	return []string{"text", "json", "html", "svg", "mermaid", "dot", "dimacs", "drat", "certificate", "installplan", "manifests"}
}

// resolve answers scenarios.
func (a *app) resolve(ctx context.Context, cmd *cli.Command) error {
	if cmd.String("output") != "installplan" {
		if err := requireFlag(cmd, "-o installplan", "beside", "plan"); err != nil {
			return err
		}
	}
	switch {
	case cmd.IsSet("locked"):
		return a.resolveLocked(ctx, cmd)
	case cmd.Args().Len() == 0:
		return fmt.Errorf("%s needs FILE|DIR..., or --locked LOCK; see %s --help", cmd.Name, cmd.FullName())
	}
	files, err := a.scenarioFiles(ctx, cmd.Args().Slice())
	if err != nil {
		return err
	}
	return a.answerAll(ctx, cmd, files)
}

// scenarioFiles returns the files that arguments name: for a directory, its scenarios.
func (a *app) scenarioFiles(ctx context.Context, args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		below := []string{arg} // an unreadable argument is answered as invalid
		if info, err := os.Stat(arg); err == nil && info.IsDir() {
			if below, err = a.scenarios(ctx, below); err != nil {
				return nil, err
			}
		}
		files = append(files, below...)
	}
	return files, nil
}

// answerAll answers the scenarios of files.
func (a *app) answerAll(ctx context.Context, cmd *cli.Command, files []string) error {
	form := cmd.String("output")
	if len(files) > 1 && slices.Contains([]string{"svg", "mermaid", "dot", "dimacs", "drat", "certificate", "installplan", "manifests"}, form) {
		return fmt.Errorf("-o %s takes one FILE, but %d are given; see %s --help", form, len(files), cmd.FullName())
	}
	trace, err := traceOptions(cmd)
	if err != nil {
		return err
	}
	runner := a.runner(cmd)
	runner.Trace = trace
	switch form {
	case "installplan":
		return a.writeInstallPlan(ctx, cmd, runner, files[0])
	case "manifests":
		return a.writeManifests(ctx, cmd, runner, files[0])
	case "dimacs":
		return a.writeDIMACS(ctx, cmd, runner, files[0])
	case "drat", "certificate":
		return a.writeProof(ctx, cmd, runner, files[0])
	}
	worst, page := exitOK, view.NewPage(ctx)
	for i, file := range files {
		answer := a.answer(ctx, file, runner.Run)
		worst = max(worst, statusOf(answer.Status))
		a.complain(label(file), answer.Error)
		switch form {
		case "json", "text":
			err = a.show(cmd, answerOf{a.fileOf(file, len(files) > 1), answer}, nil, func(t *view.Text) {
				if i > 0 {
					t.Line("")
				}
				t.Answer(label(file), answer)
			})
		case "html":
			page.Add(label(file), answer)
		default:
			err = a.draw(ctx, form, view.NewPicture(answer))
		}
		if err != nil {
			return err
		}
	}
	if form == "html" {
		if err := page.Write(a.out); err != nil {
			return err
		}
	}
	return exitError(worst)
}

// draw writes a picture in one format, complete or not at all; nothing for nil.
func (a *app) draw(ctx context.Context, form string, p view.Picture) error {
	if p == nil {
		return nil
	}
	write := p.WriteMermaid
	switch form {
	case "dot":
		write = p.WriteDOT
	case "svg":
		write = p.WriteSVG
	}
	var b bytes.Buffer
	if err := write(ctx, &b); err != nil {
		return fmt.Errorf("drawing stopped: %w", err)
	}
	_, err := b.WriteTo(a.out)
	return err
}

// runner returns the scenario runner of a command. Its scenarios share loaded catalogs.
func (a *app) runner(cmd *cli.Command) *scenario.Runner {
	loader := a.loader()
	loader.Options.Strict = cmd.Bool("strict")
	runner := &scenario.Runner{Resolver: a.resolver(cmd), Loader: loader, NoCorrections: cmd.Bool("no-corrections")}
	runner.Corrections.Commands = olm.Commands
	if a.adHoc != nil { // dropping a requested package would not answer the command
		runner.Corrections.Allow = func(c resolver.Change) bool { return c.Kind() != resolver.ChangeDropSubscription }
	}
	return runner
}

// answer reads and answers one scenario.
func (a *app) answer(ctx context.Context, file string, run func(context.Context, *scenario.Scenario) *scenario.Answer) *scenario.Answer {
	s, err := a.read(ctx, file)
	if err == nil {
		defer a.progress.Done()
		var answer *scenario.Answer
		if answer, err = await(ctx, func() (*scenario.Answer, error) { return run(ctx, s), nil }); err == nil {
			a.withoutCluster(answer)
			return answer
		}
	}
	return scenario.NewAnswer(nil, err)
}

// load reads a scenario and its catalogs.
func (a *app) load(ctx context.Context, runner *scenario.Runner, file string) (*scenario.Loaded, error) {
	s, err := a.read(ctx, file)
	if err != nil {
		return nil, err
	}
	defer a.progress.Done()
	return runner.Loader.Load(ctx, s)
}

// unsolved returns the answer for an error, with the corrections of a conflict.
func unsolved(ctx context.Context, runner *scenario.Runner, req resolver.Request, err error) *scenario.Answer {
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) && !runner.NoCorrections {
		_ = whatif.FindCorrections(ctx, runner.Resolver, req, conflict, runner.Corrections) // on error, keep the corrections found so far
	}
	return scenario.NewAnswer(nil, err)
}
