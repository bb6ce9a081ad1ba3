package view

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/text"
)

// ReadyReport collects readiness reports for other systems.
type ReadyReport struct{ report report.Report }

// NewReadyReport returns an empty report.
func NewReadyReport(version string) *ReadyReport {
	return &ReadyReport{report.Report{Command: "ready", Version: version, Cases: []report.Case{}, Rules: map[string]string{
		string(upgrade.UpdateBefore): "an operator must be updated before the cluster",
		string(upgrade.UpdateAfter):  "an operator must be updated after the cluster",
		string(upgrade.NoWay):        "an operator has no upgrade path",
		string(upgrade.Gone):         "the next version lacks an operator",
		codeNotInstallable:           "a subscription without an installed bundle cannot be installed today either; it does not block the cluster",
		string(upgrade.Invalid):      "a scenario is invalid",
		string(upgrade.Incomplete):   "the check of a cluster is incomplete",
	}}}
}

// Add adds the report of a cluster. A required update is a warning, a blocked cluster an error.
// The error is always nil.
func (v *ReadyReport) Add(r *upgrade.Report) error {
	if r.Error != "" {
		v.add(report.Finding{Code: string(r.Status), Severity: report.Error, Subject: []string{r.Name()}, Text: r.Error, File: r.File}, report.Errored)
	}
	for i := range r.Operators {
		o := &r.Operators[i]
		f := operatorFinding(r, o)
		if o.Verdict == upgrade.NoWay || o.Verdict == upgrade.Gone {
			f.Severity = report.Error
		}
		if len(o.Path) > 0 {
			f.Text += "; to do: " + strings.Join(text.Each(o.Path, func(s upgrade.Step) string { return s.When + ": " + s.String() }), ", then ")
		}
		outcome := report.Failed
		if o.Verdict == upgrade.Fine {
			outcome = report.Passed
		}
		v.add(f, outcome)
	}
	for i := range r.NotInstallable {
		f := operatorFinding(r, &r.NotInstallable[i])
		f.Code = codeNotInstallable
		v.add(f, report.Skipped)
	}
	return nil
}

// operatorFinding returns a warning for an operator of a cluster.
func operatorFinding(r *upgrade.Report, o *upgrade.Operator) report.Finding {
	words := fmt.Sprintf("%s: %s", o.Title(), o.Words())
	if len(o.Reasons) > 0 {
		words += ": " + strings.Join(text.Each(o.Reasons, func(r upgrade.Reason) string { return r.Text }), "; ")
	}
	return report.Finding{Code: string(o.Verdict), Severity: report.Warning, Subject: []string{r.Name(), o.Namespace, o.Package, cmp.Or(o.Subscription, o.Extension), o.Bundle}, Text: words, File: r.File}
}

// add adds a case, and a finding unless it passed.
func (v *ReadyReport) add(f report.Finding, outcome report.Outcome) {
	v.report.Cases = append(v.report.Cases, report.Case{Class: f.Code, Name: f.Name(), Outcome: outcome, Text: f.Text, File: f.File})
	if outcome != report.Passed {
		v.report.Findings = append(v.report.Findings, f)
	}
}

// Report returns the report of all clusters.
func (v *ReadyReport) Report(s *upgrade.Summary) *report.Report {
	v.report.Title = text.Count(s.Clusters, "cluster", "clusters")
	v.report.Summary = fmt.Sprintf("%d ready, %d with updates after, %d with updates before, %d blocked, %d invalid, %d incomplete.",
		s.Ready, s.After, s.Before, s.Blocked, s.Invalid, s.Incomplete)
	return &v.report
}
