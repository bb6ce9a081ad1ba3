package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) testCommand() *cli.Command {
	return &cli.Command{
		Name: "test", Usage: "each scenario against what it expects", ArgsUsage: "FILE|DIR...",
		Description: "A directory stands for every .yaml and .json file below it. A line each, and exit\n" +
			"status 1 if one differs. A scenario that expects nothing is not resolved.",
		Flags: append([]cli.Flag{
			outputFlag("text", "json"), timeoutFlag(),
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show every difference, and the argument of a conflict that was not expected"},
		}, limitFlags()...),
		Action: a.test,
	}
}

// verdict is the outcome of one scenario: ok, fail, none (nothing expected), or
// error (not readable).
type verdict struct {
	File        string       `json:"file"`
	Result      string       `json:"result"`
	Error       string       `json:"error,omitempty"`
	Differences []difference `json:"differences,omitempty"`

	answer *scenario.Answer
}

type difference struct {
	Path string `json:"path"`
	Want string `json:"want"`
	Got  string `json:"got,omitempty"`
	Note string `json:"note,omitempty"`
}

// The results of a scenario.
const (
	resultOK    = "ok"
	resultFail  = "fail"
	resultNone  = "none"
	resultError = "error"
)

// test holds scenarios against what they expect.
func (a *app) test(ctx context.Context, cmd *cli.Command) error {
	args, err := arguments(cmd)
	if err != nil {
		return err
	}
	files, err := scenarios(args)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no scenario (.yaml or .json) in %s", strings.Join(args, ", "))
	}
	ctx, cancel := withTimeout(ctx, cmd)
	defer cancel()
	runner, worst, counts := a.runner(cmd), exitOK, make(map[string]int)
	for _, file := range files {
		v := a.judge(ctx, runner, file)
		counts[v.Result]++
		worst = max(worst, v.status())
		if asJSON(cmd) {
			err = writeJSON(a.out, v)
		} else {
			err = a.printVerdict(v, cmd.Bool("verbose"))
		}
		if err != nil {
			return err
		}
	}
	if !asJSON(cmd) {
		fmt.Fprintf(a.out, "%s: %d ok, %d failed, %d without expectation, %d not readable\n", count(len(files), "scenario"),
			counts[resultOK], counts[resultFail], counts[resultNone], counts[resultError])
	}
	return finish(worst)
}

// judge tests one scenario.
func (a *app) judge(ctx context.Context, runner *scenario.Runner, file string) *verdict {
	v := &verdict{File: label(file)}
	s, err := a.read(ctx, file)
	var diffs []scenario.Difference
	if err == nil {
		v.answer, diffs, err = runner.Test(ctx, s)
		a.progress.done()
	}
	switch {
	case errors.Is(err, scenario.ErrNoExpectation):
		v.Result = resultNone
	case err != nil:
		v.Result, v.Error = resultError, err.Error()
	case len(diffs) == 0:
		v.Result = resultOK
	default:
		v.Result, v.Error = resultFail, v.answer.Error
		for _, d := range diffs {
			v.Differences = append(v.Differences, difference(d))
		}
	}
	return v
}

// status is the exit status for a verdict.
func (v *verdict) status() int {
	switch v.Result {
	case resultFail:
		if v.answer.Status == scenario.Incomplete {
			return exitIncomplete
		}
		return exitNo
	case resultError:
		return exitUnusable
	}
	return exitOK
}

// printVerdict writes the line of a scenario, and with verbose what else there is
// to say of it.
func (a *app) printVerdict(v *verdict, verbose bool) error {
	var b strings.Builder
	switch v.Result {
	case resultOK:
		b.WriteString(a.out.paint(green, "ok   ") + v.File + "\n")
	case resultNone:
		b.WriteString(a.out.paint(yellow, "none ") + v.File + ": expects nothing\n")
	case resultError:
		b.WriteString(a.out.paint(red, "FAIL ") + v.File + ": not readable\n" + indent(v.Error))
	default:
		b.WriteString(a.out.paint(red, "FAIL ") + v.File + ": " + scenario.Difference(v.Differences[0]).String())
		if n := len(v.Differences) - 1; n > 0 && !verbose {
			fmt.Fprintf(&b, "; and %s (-v shows them)", count(n, "difference"))
		}
		b.WriteByte('\n')
		if verbose {
			for _, d := range v.Differences[1:] {
				b.WriteString(indent(scenario.Difference(d).String()))
			}
			if c := v.answer.Conflict; c != nil {
				b.WriteString(indent(c.Text))
			}
		}
		b.WriteString(indent(v.Error))
	}
	_, err := a.out.Write([]byte(b.String()))
	return err
}

// indent puts the lines of a text below the line of a scenario.
func indent(text string) string {
	if text == "" {
		return ""
	}
	return "     " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n     ") + "\n"
}
