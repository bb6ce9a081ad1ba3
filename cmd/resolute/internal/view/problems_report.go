package view

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
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

// WriteProblems writes a report of the problems of catalogs as an HTML page, with a group for each
// package. Unusable is the number of catalogs that cannot be read completely.
func WriteProblems(ctx context.Context, w io.Writer, r *report.Report, catalogs, unusable int) error {
	headline, tone := "No problems", toneYes
	if n := len(r.Findings); n > 0 {
		headline, tone = text.Count(n, "problem", "problems"), toneNo
	}
	if catalogs == 1 {
		headline += " in " + text.Inert(r.Title)
	} else {
		headline += " in " + text.Count(catalogs, "catalog", "catalogs")
	}
	p := newFindingsPage("validate", headline, tone)
	if unusable > 0 {
		p.Tone = toneNo
		p.Said = []string{text.Count(unusable, "catalog", "catalogs") + " cannot be used; see the messages on standard error."}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		name := cmp.Or(f.Subject[1], wholeCatalog)
		if catalogs > 1 {
			name += " in " + f.Subject[0]
		}
		p.group(name).add(findingRowOf(f, f.Code))
	}
	p.finish()
	return p.write(ctx, w)
}
