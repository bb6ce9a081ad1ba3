package view

import (
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/graph"
)

// ProblemsReport returns a report of the problems of catalogs.
func ProblemsReport(found []graph.Problem, catalogs []string, version string) *report.Report {
	r := &report.Report{Command: "validate", Title: strings.Join(catalogs, " "), Version: version, Root: catalogs[0]}
	for i := range found {
		p := &found[i]
		r.Findings = append(r.Findings, report.Finding{Code: string(p.Code), Severity: report.Severity(p.Severity), File: p.File, Line: p.Line,
			Text: p.Message, From: i, Subject: []string{p.Catalog, p.Package, p.Channel, p.Bundle}})
	}
	return r
}
