package main

import (
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/examples/resolute/internal/report"
	"github.com/seed109e2655/resolute/graph"
)

// problemReport makes a report of the problems of catalogs.
func problemReport(found []graph.Problem, catalogs []string, clean int) *report.Report {
	r := &report.Report{Command: "validate", Title: strings.Join(catalogs, " "), Version: buildVersion(), Root: catalogs[0],
		Summary: count(len(found), "problem") + " in " + count(len(catalogs), "catalog") + "."}
	if len(found) == 0 {
		r.Summary = "No problems in " + count(clean, "catalog") + "."
	}
	for i := range found {
		p := &found[i]
		r.Findings = append(r.Findings, report.Finding{Code: string(p.Code), Severity: report.Severity(p.Severity), File: p.File, Line: p.Line,
			Text: p.Message, Subject: []string{p.Catalog, p.Package, p.Channel, p.Bundle}})
	}
	return r
}

// newProblems takes the problems that the baseline knows off the report and off the
// list, which has them in the same order.
func (a *app) newProblems(cmd *cli.Command, r *report.Report, found []graph.Problem) ([]graph.Problem, error) {
	all := r.Findings
	if err := a.baseline(cmd, r); err != nil {
		return nil, err
	}
	if len(r.Findings) == len(all) {
		return found, nil
	}
	left, next := []graph.Problem{}, 0
	for i := range all {
		if next < len(r.Findings) && all[i].Is(&r.Findings[next]) {
			left = append(left, found[i])
			next++
		}
	}
	return left, nil
}
