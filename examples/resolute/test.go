package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/examples/resolute/internal/report"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) testCommand() *cli.Command {
	return &cli.Command{
		Name: "test", Usage: "each scenario against what it expects", ArgsUsage: "FILE|DIR...",
		Description: "A directory stands for every .yaml and .json file below it. A line each, and exit\n" +
			"status 1 if one differs. A scenario that expects nothing is not resolved.",
		Flags: append([]cli.Flag{
			outputFlag("text", "json", "markdown", "sarif", "junit"), timeoutFlag(),
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show every difference, and the argument of a conflict that was not expected"},
		}, limitFlags()...),
		Action: a.test,
	}
}

// verdict is the outcome of one scenario.
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
	resultNone  = "none"    // nothing is expected
	resultError = "error"   // not readable
	resultStop  = "stopped" // by a time limit or a budget
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
	form, r := cmd.String("output"), newTestReport()
	for _, file := range files {
		v := a.judge(ctx, runner, file)
		counts[v.Result]++
		worst = max(worst, v.status())
		switch form {
		case "json":
			err = writeJSON(a.out, v)
		case "text":
			err = a.printVerdict(v, cmd.Bool("verbose"))
		default:
			addVerdict(r, v)
		}
		if err != nil {
			return err
		}
	}
	r.Summary = summary(len(files), counts)
	switch form {
	case "json":
	case "text":
		fmt.Fprintln(a.out, r.Summary)
	default:
		var b bytes.Buffer
		if err := r.Write(&b, form); err != nil {
			return err
		}
		if _, err := b.WriteTo(a.out); err != nil {
			return err
		}
	}
	return finish(worst)
}

// summary counts the results in one line; what did not happen is left out.
func summary(scenarios int, counts map[string]int) string {
	said := fmt.Sprintf("%s: %d ok", text.Count(scenarios, "scenario", "scenarios"), counts[resultOK])
	for _, r := range []struct{ result, words string }{
		{resultFail, "failed"}, {resultNone, "without expectation"}, {resultError, "not readable"}, {resultStop, "stopped"},
	} {
		if n := counts[r.result]; n > 0 {
			said += fmt.Sprintf(", %d %s", n, r.words)
		}
	}
	return said
}

// judge tests one scenario.
func (a *app) judge(ctx context.Context, runner *scenario.Runner, file string) *verdict {
	v := &verdict{File: label(file)}
	s, err := a.read(ctx, file)
	var diffs []scenario.Difference
	if err == nil {
		type tested struct {
			answer *scenario.Answer
			diffs  []scenario.Difference
		}
		var got tested
		got, err = await(ctx, func() (tested, error) {
			answer, diffs, err := runner.Test(ctx, s)
			return tested{answer, diffs}, err
		})
		v.answer, diffs = got.answer, got.diffs
		a.progress.done()
	}
	switch {
	case errors.Is(err, scenario.ErrNoExpectation):
		v.Result = resultNone
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		v.Result, v.Error = resultStop, err.Error()
	case err != nil:
		v.Result, v.Error = resultError, err.Error()
	case len(diffs) == 0:
		v.Result = resultOK
	case v.answer.Status == scenario.Incomplete:
		v.Result, v.Error = resultStop, v.answer.Error
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
		return exitNo
	case resultError:
		return exitUnusable
	case resultStop:
		return exitIncomplete
	}
	return exitOK
}

// printVerdict writes the line of a scenario, and with verbose what else there is
// to say of it.
func (a *app) printVerdict(v *verdict, verbose bool) error {
	var b strings.Builder
	switch v.Result {
	case resultOK:
		b.WriteString(a.out.paint(green, "ok   ") + text.Inert(v.File) + "\n")
	case resultNone:
		b.WriteString(a.out.paint(yellow, "none ") + text.Inert(v.File) + ": expects nothing\n")
	case resultError:
		b.WriteString(a.out.paint(red, "FAIL ") + text.Inert(v.File) + ": not readable\n" + indent(v.Error))
	case resultStop:
		b.WriteString(a.out.paint(yellow, "stop ") + text.Inert(v.File+": "+v.Error) + "\n")
	default:
		b.WriteString(a.out.paint(red, "FAIL ") + text.Inert(v.File+": "+scenario.Difference(v.Differences[0]).String()))
		if n := len(v.Differences) - 1; n > 0 && !verbose {
			fmt.Fprintf(&b, "; and %s (-v shows them)", text.Count(n, "difference", "differences"))
		}
		b.WriteByte('\n')
		if verbose {
			for _, d := range v.Differences[1:] {
				b.WriteString(indent(scenario.Difference(d).String()))
			}
			if c := v.answer.Conflict; c != nil {
				b.WriteString(indent(c.Text()))
			}
		}
		b.WriteString(indent(v.Error))
	}
	_, err := a.out.Write([]byte(b.String()))
	return err
}

// indent puts the lines of a block below the line of a scenario.
func indent(block string) string {
	if block == "" {
		return ""
	}
	return "     " + strings.ReplaceAll(text.Block(strings.TrimRight(block, "\n")), "\n", "\n     ") + "\n"
}

// The codes of what a test of scenarios finds.
const (
	codeScenarioFailed     = "scenarioFailed"
	codeScenarioUnreadable = "scenarioUnreadable"
	codeScenarioStopped    = "scenarioStopped"
)

// newTestReport is the report of scenarios that are tested.
func newTestReport() *report.Report {
	return &report.Report{Command: "test", Version: buildVersion(), Cases: []report.Case{}, Rules: map[string]string{
		codeScenarioFailed:     "a scenario is answered differently than it expects",
		codeScenarioUnreadable: "a scenario cannot be read",
		codeScenarioStopped:    "a scenario was stopped by a time limit or a budget",
	}}
}

// addVerdict adds the verdict on a scenario.
func addVerdict(r *report.Report, v *verdict) {
	c, code := report.Case{Class: "scenario", Name: v.File, Outcome: report.Passed, File: v.File}, codeScenarioFailed
	switch v.Result {
	case resultNone:
		c.Outcome, c.Text = report.Skipped, "it expects nothing"
	case resultError:
		code, c.Outcome, c.Text = codeScenarioUnreadable, report.Errored, v.Error
	case resultStop:
		code, c.Outcome, c.Text = codeScenarioStopped, report.Errored, v.Error
	case resultFail:
		c.Outcome = report.Failed
		var parts []string
		for _, d := range v.Differences {
			parts = append(parts, scenario.Difference(d).String())
		}
		if v.Error != "" {
			parts = append(parts, v.Error)
		}
		c.Text = strings.Join(parts, "; ")
	}
	r.Cases = append(r.Cases, c)
	if c.Outcome == report.Failed || c.Outcome == report.Errored {
		r.Findings = append(r.Findings, report.Finding{Code: code, Severity: report.Error, Subject: []string{v.File}, Text: c.Text, File: v.File})
	}
}
