package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/view"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

func (a *app) testCommand() *cli.Command {
	return &cli.Command{
		Usage: "compare the answers to scenarios with their expectations", ArgsUsage: "FILE|DIR...",
		Description: `For a directory, every .yaml and .json file below it is read. The command prints a line for
each scenario and exits with status 1 if an answer differs from its expectation. A scenario
without expectations is not resolved. A scenario with errors has the status "invalid", which
can be expected as well.`,
		Flags: append([]cli.Flag{
			reportFlag("text", "json", "html"), timeoutFlag(),
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "show every difference and the explanation of an unexpected conflict"},
		}, limitFlags()...),
		Action: a.test,
	}
}

// test compares the answers to scenarios with their expectations.
func (a *app) test(ctx context.Context, cmd *cli.Command) error {
	files, err := a.scenarioFiles(ctx, cmd.Args().Slice())
	if err != nil {
		return err
	}
	runner, worst, counts := a.runner(cmd), exitOK, make(map[view.Result]int)
	form, r := cmd.String("output"), view.NewTestReport(buildVersion())
	page := view.NewTestPage()
	for _, file := range files {
		v := a.judge(ctx, runner, file)
		counts[v.Result]++
		worst = max(worst, testStatus(v.Result))
		if _, err := os.Stat(file); err != nil && file != "-" { // a mistyped argument
			a.complain(file, v.Error)
		}
		switch form {
		case "text", "json":
		case "html":
			page.Add(v)
			continue
		default:
			v.AddTo(r)
			continue
		}
		if err := a.show(cmd, v, nil, func(t *view.Text) { t.Tested(v, cmd.Bool("verbose")) }); err != nil {
			return err
		}
	}
	r.Summary = view.Counted(counts)
	switch form {
	case "json":
	case "html":
		err = page.Write(ctx, a.out, counts)
	case "text":
		t := terminal.NewText(a.out)
		t.Line("%s", t.Good(worst == exitOK, r.Summary))
		err = t.Flush()
	default:
		err = a.writeReport(r, form)
	}
	if err != nil {
		return err
	}
	return exitError(worst)
}

// testStatus returns the exit status for a result.
func testStatus(r view.Result) int {
	return map[view.Result]int{view.Failed: exitNo, view.Unreadable: exitUnusable, view.Stopped: exitIncomplete}[r]
}

// judge tests one scenario.
func (a *app) judge(ctx context.Context, runner *scenario.Runner, file string) *view.Verdict {
	v := &view.Verdict{File: label(file)}
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
		v.Answer, diffs = got.answer, got.diffs
		a.progress.Done()
	}
	if expect, answer := expectedInvalid(err); answer != nil {
		v.Answer = answer
		diffs, err = scenario.Compare(expect, answer)
	}
	switch {
	case errors.Is(err, scenario.ErrNoExpectation):
		v.Result = view.Untested
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		v.Result, v.Error = view.Stopped, err.Error()
	case err != nil:
		v.Result, v.Error = view.Unreadable, err.Error()
	case len(diffs) == 0:
		v.Result = view.OK
	case v.Answer.Status == scenario.Incomplete:
		v.Result, v.Error = view.Stopped, v.Answer.Error
	default:
		v.Result, v.Error, v.Differences = view.Failed, v.Answer.Error, diffs
	}
	return v
}

// expectedInvalid returns the answer to an invalid scenario and its expectations, if it expects
// to be invalid.
func expectedInvalid(err error) (json.RawMessage, *scenario.Answer) {
	var invalid *scenario.Error
	var expect struct{ Status scenario.Status }
	if !errors.As(err, &invalid) || json.Unmarshal(invalid.Expect, &expect) != nil || expect.Status != scenario.Invalid {
		return nil, nil
	}
	return invalid.Expect, scenario.NewAnswer(nil, err)
}
