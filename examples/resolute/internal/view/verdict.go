package view

import (
	"strings"

	"github.com/seed109e2655/resolute/examples/resolute/internal/report"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Verdict is the outcome of the test of one scenario.
type Verdict struct {
	File        string                `json:"file"`
	Result      Result                `json:"result"`
	Error       string                `json:"error,omitempty"`
	Differences []scenario.Difference `json:"differences,omitempty"`
	// Answer is nil if the scenario was not answered.
	Answer *scenario.Answer `json:"-"`
}

// Result says how a test of a scenario came out.
type Result string

// The results.
const (
	OK         Result = "ok"
	Failed     Result = "fail"
	Untested   Result = "none"    // it expects nothing
	Unreadable Result = "error"   // it cannot be read
	Stopped    Result = "stopped" // by a time limit or a budget
)

// The codes of what a test of scenarios finds.
const (
	codeScenarioFailed     = "scenarioFailed"
	codeScenarioUnreadable = "scenarioUnreadable"
	codeScenarioStopped    = "scenarioStopped"
)

// NewTestReport is a report of no scenarios by a version of the program.
func NewTestReport(version string) *report.Report {
	return &report.Report{Command: "test", Version: version, Cases: []report.Case{}, Rules: map[string]string{
		codeScenarioFailed:     "a scenario is answered differently than it expects",
		codeScenarioUnreadable: "a scenario cannot be read",
		codeScenarioStopped:    "a scenario was stopped by a time limit or a budget",
	}}
}

// AddTo adds the verdict to a report.
func (v *Verdict) AddTo(r *report.Report) {
	c, code := report.Case{Class: "scenario", Name: v.File, Outcome: report.Passed, File: v.File}, codeScenarioFailed
	switch v.Result {
	case Untested:
		c.Outcome, c.Text = report.Skipped, "it expects nothing"
	case Unreadable:
		code, c.Outcome, c.Text = codeScenarioUnreadable, report.Errored, v.Error
	case Stopped:
		code, c.Outcome, c.Text = codeScenarioStopped, report.Errored, v.Error
	case Failed:
		c.Outcome = report.Failed
		var parts []string
		for _, d := range v.Differences {
			parts = append(parts, d.String())
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
