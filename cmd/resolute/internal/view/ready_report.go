package view

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/upgrade"
	"github.com/seed109e2655/resolute/internal/text"
)

// ReadyReport gathers what the next version means for clusters as a report for other systems.
type ReadyReport struct{ report report.Report }

// NewReadyReport returns a report of no clusters by a version of the program.
func NewReadyReport(version string) *ReadyReport {
	return &ReadyReport{report.Report{Command: "ready", Version: version, Cases: []report.Case{}, Rules: map[string]string{
		string(upgrade.UpdateBefore): "an operator has to be updated before the cluster moves",
		string(upgrade.UpdateAfter):  "an operator has to be updated after the cluster has moved",
		string(upgrade.NoWay):        "no upgrade is available for an operator",
		string(upgrade.Gone):         "the next version lacks an operator",
		codeNotInstallable:           "what has nothing installed cannot be installed today either, and does not block the cluster",
		string(upgrade.Invalid):      "a scenario cannot be used",
		string(upgrade.Incomplete):   "a cluster was not checked to the end",
	}}}
}

// Add takes in the report of a cluster. What has to be updated is a warning, and what stops
// the cluster an error. The error is always nil.
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

// operatorFinding is a warning of what the report of a cluster says of an operator.
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

// Report is the report of all clusters.
func (v *ReadyReport) Report(s *upgrade.Summary) *report.Report {
	v.report.Title = text.Count(s.Clusters, "cluster", "clusters")
	v.report.Summary = fmt.Sprintf("%d ready, %d with updates after, %d with updates before, %d blocked, %d invalid, %d not checked to the end.",
		s.Ready, s.After, s.Before, s.Blocked, s.Invalid, s.Incomplete)
	return &v.report
}
