package main

import (
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/resolver/scenario"
)

// scenarioFlags are the flags of commands that answer scenarios from files.
func scenarioFlags(forms ...string) []cli.Flag { return append(answerFlags(forms...), nowFlag()) }

// nowFlag gives rules of a policy their time.
func nowFlag() cli.Flag {
	return stringFlag("now", "`TIME` that policy rules see as now, such as 2026-08-22 or 2026-08-22T12:00:00Z; the clock is never used (default: the scenario's now)")
}

// setNow takes the time from --now.
func (a *app) setNow(cmd *cli.Command) error {
	a.now = cmd.String("now")
	if a.now == "" {
		return nil
	}
	if _, err := scenario.ParseTime(a.now); err != nil {
		return fmt.Errorf("--now: %w", err)
	}
	return nil
}
