package view

import (
	"github.com/seed109e2655/resolute/examples/resolute/internal/report"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/olm"
)

// CaptureReport is a report of what stands out in a cluster by a version of the program: what of
// the dumps could not be used, then what was found in each namespace.
func CaptureReport(c *olm.Capture, version string) *report.Report {
	r := &report.Report{Command: "capture", Version: version, Title: text.Count(len(c.Namespaces), "namespace", "namespaces")}
	for _, p := range c.Problems {
		r.Findings = append(r.Findings, report.Finding{Code: string(p.Code), Severity: report.Severity(p.Severity), Text: p.Message, File: p.File, Line: p.Line})
	}
	add := func(namespace string, list []olm.Finding) {
		for _, f := range list {
			r.Findings = append(r.Findings, report.Finding{Code: f.Code, Severity: report.Severity(f.Severity), Text: f.Message, Subject: []string{namespace, f.Subject}})
		}
	}
	for _, ns := range c.Namespaces {
		add(ns.Namespace, ns.Findings)
	}
	if c.Extensions != nil {
		add("", c.Extensions.Findings)
	}
	r.Summary = text.Count(len(r.Findings), "finding", "findings") + " in " + r.Title + "."
	return r
}
