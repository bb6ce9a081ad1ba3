package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) resolveCommand() *cli.Command {
	return &cli.Command{
		Name: "resolve", Usage: "the answer to each scenario", ArgsUsage: "FILE...",
		Description: "With -o json, one object a scenario, one a line, in the order of the arguments. With\n" +
			"-o html, one page that needs nothing else, with a section for each. With -o svg, -o mermaid\n" +
			"and -o dot, the graph of one scenario: of its steps, or of its conflict. With -o dimacs, the\n" +
			"hard rules of one scenario as a formula for SAT solvers: whether it has a solution, not\n" +
			"which one is best; nothing is resolved. With\n" +
			"-o installplan, what OLM would be told to carry out the answer to one scenario.",
		Flags: slices.Concat([]cli.Flag{
			outputFlag("text", "json", "html", "svg", "mermaid", "dot", "dimacs", "installplan"), timeoutFlag(), strictFlag(), noCorrectionsFlag(),
		}, traceFlags(), installPlanFlags(), limitFlags()),
		Action: a.resolve,
	}
}

// resolve answers scenarios.
func (a *app) resolve(ctx context.Context, cmd *cli.Command) error {
	files, err := arguments(cmd)
	if err != nil {
		return err
	}
	form := cmd.String("output")
	if len(files) > 1 && (form == "svg" || form == "mermaid" || form == "dot" || form == "dimacs" || form == "installplan") {
		return fmt.Errorf("-o %s takes one FILE, and %d are given; see %s --help", form, len(files), cmd.FullName())
	}
	trace, err := traceOptions(cmd)
	if err != nil {
		return err
	}
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	runner := a.runner(cmd)
	runner.Trace = trace
	if form == "installplan" {
		return a.writeInstallPlan(ctx, cmd, runner, files[0])
	}
	if form == "dimacs" {
		return a.writeDIMACS(ctx, runner, files[0])
	}
	worst := exitOK
	var sections []section
	for i, file := range files {
		answer := a.answer(ctx, runner, file)
		worst = max(worst, statusOf(answer.Status))
		a.complain(label(file), answer.Error)
		switch form {
		case "json":
			err = writeJSON(a.out, answer)
		case "html":
			sections = append(sections, newSection(fmt.Sprintf("s%d", i), label(file), answer))
		case "text":
			err = a.printAnswer(label(file), answer, i > 0)
		default:
			_, err = io.WriteString(a.out, drawAnswer(form, answer))
		}
		if err != nil {
			return err
		}
	}
	if form == "html" {
		if err := a.writePage(sections); err != nil {
			return err
		}
	}
	return finish(worst)
}

// writePage writes answers as a page.
func (a *app) writePage(sections []section) error {
	page, err := renderPage(sections)
	if err == nil {
		_, err = a.out.Write(page)
	}
	return err
}

// drawAnswer draws the steps of an answer, or its conflicts, as SVG, Mermaid or DOT.
// There is no picture of a scenario that was not answered.
func drawAnswer(form string, answer *scenario.Answer) string {
	var picture interface {
		DOT() string
		Mermaid() string
		SVG() string
	}
	switch {
	case answer.Status == scenario.Resolved:
		picture = solutionOf(answer)
	case answer.Conflict != nil:
		picture = answer.Conflict.Argument()
	default:
		return ""
	}
	switch form {
	case "dot":
		return picture.DOT()
	case "svg":
		return picture.SVG()
	}
	return picture.Mermaid()
}

// solutionOf is the solution that an answer shows.
func solutionOf(answer *scenario.Answer) *resolver.Solution {
	return &resolver.Solution{Steps: answer.Steps, Unresolved: answer.Unresolved}
}

// runner answers the scenarios of one command; they share what is read.
func (a *app) runner(cmd *cli.Command) *scenario.Runner {
	loader := a.loader()
	loader.Options.Strict = cmd.Bool("strict")
	return &scenario.Runner{Resolver: a.resolver(cmd), Loader: loader, NoCorrections: cmd.Bool("no-corrections")}
}

// answer reads and answers one scenario.
func (a *app) answer(ctx context.Context, runner *scenario.Runner, file string) *scenario.Answer {
	s, err := a.read(ctx, file)
	if err != nil {
		return scenario.NewAnswer(nil, err)
	}
	defer a.progress.done()
	return answered(ctx, func() *scenario.Answer { return runner.Run(ctx, s) })
}

// answered is [await] for an answer.
func answered(ctx context.Context, work func() *scenario.Answer) *scenario.Answer {
	answer, err := await(ctx, func() (*scenario.Answer, error) { return work(), nil })
	if err != nil {
		return scenario.NewAnswer(nil, err)
	}
	return answer
}

// complain says on standard error what is wrong with a file.
func (a *app) complain(file, message string) {
	if message == "" {
		return
	}
	if !strings.HasPrefix(message, file+":") {
		message = file + ": " + message
	}
	a.say(message)
}

// say writes a message to standard error.
func (a *app) say(message string) {
	fmt.Fprintln(a.err, text.Block(strings.TrimRight("resolute: "+message, "\n")))
}

// label is what a scenario is called in the output.
func label(file string) string {
	if file == "-" {
		return stdinName
	}
	return file
}

// writeJSON writes one value as one line.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
