package main

import (
	"strings"

	"github.com/seed109e2655/resolute/examples/resolute/internal/report"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

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
