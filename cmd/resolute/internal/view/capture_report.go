package view

import (
	"fmt"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Report returns the findings of a capture: unusable parts of the dumps, the findings of each
// namespace, and requested packages that cannot be installed.
func (v *Capture) Report(c *olm.Capture, version string) *report.Report {
	r := &report.Report{Command: "capture", Version: version, Title: text.Count(len(c.Namespaces), "namespace", "namespaces")}
	for _, p := range c.Problems {
		r.Findings = append(r.Findings, report.Finding{Code: string(p.Code), Severity: report.Severity(p.Severity), Text: p.Message, File: p.File, Line: p.Line})
	}
	add := func(namespace string, list []olm.Finding, s *scenario.Scenario) {
		for _, f := range list {
			r.Findings = append(r.Findings, report.Finding{Code: f.Code, Severity: report.Severity(f.Severity), Text: f.Message, Subject: []string{namespace, f.Subject}})
		}
		if len(v.missing(s)) == 0 {
			r.Findings = append(r.Findings, notInstallable(namespace, s, v.Answer(s))...)
		}
	}
	for _, ns := range c.Namespaces {
		add(ns.Namespace, ns.Findings, ns.Scenario)
	}
	if c.Extensions != nil {
		add("", c.Extensions.Findings, c.Extensions.Scenario)
	}
	r.Summary = text.Count(len(r.Findings), "finding", "findings") + " in " + r.Title + "."
	return r
}

// notInstallable returns warnings for subscriptions and extensions without an installed bundle
// that the answer drops or whose conflict involves them.
func notInstallable(namespace string, s *scenario.Scenario, answer *scenario.Answer) []report.Finding {
	reasons := make(map[string]*resolver.Conflict)
	for _, u := range answer.Unresolved {
		reasons[u.Subscription] = u.Conflict
	}
	if answer.Conflict != nil {
		for _, c := range answer.Conflict.All() {
			for i := range c.Facts {
				if f := &c.Facts[i]; f.Kind == argument.FactSubscription && reasons[f.Subscription] == nil {
					reasons[f.Subscription] = c
				}
			}
		}
	}
	var out []report.Finding
	add := func(kind, name, pkg, installed string) {
		if why := reasons[name]; why != nil && installed == "" {
			out = append(out, report.Finding{Code: codeNotInstallable, Severity: report.Warning, Subject: []string{namespace, name},
				Text: fmt.Sprintf("package %s of %s %s cannot be installed: %s", text.Name(pkg), kind, text.Name(name), why.Error())})
		}
	}
	for i := range s.Subscriptions {
		add("subscription", s.Subscriptions[i].Name, s.Subscriptions[i].Package, s.Subscriptions[i].InstalledCSV)
	}
	for i := range s.Extensions {
		add("extension", s.Extensions[i].Name, s.Extensions[i].Package, s.Extensions[i].InstalledCSV)
	}
	return out
}
