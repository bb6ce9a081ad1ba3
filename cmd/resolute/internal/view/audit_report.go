package view

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// CatalogNames are the functions of package pull that name catalogs and their files. This package
// does not import it, because it includes HTTP, which the page in a browser does without.
type CatalogNames struct {
	Argument func(arg string) (path string, err error)
	Place    func(catalog, file string) string
}

// AuditReport collects an audit as a report for other systems.
type AuditReport struct {
	report   report.Report
	catalogs []resolver.Catalog // for locations; empty for a merged audit
	paths    map[cache.Key]string
	names    CatalogNames
}

// The codes of audit findings.
const (
	codeNotInstallable  = "notInstallable"
	codeHeadUnreachable = "headUnreachable"
	codeIncomplete      = "incomplete"
)

// NewAuditReport returns an empty report.
func NewAuditReport(version string, names CatalogNames) *AuditReport {
	return &AuditReport{names: names, paths: make(map[cache.Key]string), report: report.Report{Command: "audit", Version: version, Cases: []report.Case{},
		Rules: map[string]string{
			codeNotInstallable:  "a bundle cannot be installed on an empty cluster",
			codeHeadUnreachable: "an installed version does not reach the head of its channel",
			codeIncomplete:      "the check of a bundle is incomplete",
		}}}
}

// Found sets the audited catalogs and their arguments.
func (v *AuditReport) Found(catalogs []resolver.Catalog, args []string) {
	v.catalogs = catalogs
	for i, arg := range args {
		path, err := v.names.Argument(arg)
		if err == nil && i < len(catalogs) {
			v.paths[catalogs[i].Key] = path
			v.report.Root, v.report.Title = path, path
		}
	}
}

// place returns the location of a bundle.
func (v *AuditReport) place(b *audit.Bundle) (file string, line int) {
	i := slices.IndexFunc(v.catalogs, func(c resolver.Catalog) bool { return c.Key.String() == b.Catalog })
	if i < 0 {
		return "", 0
	}
	pkg := v.catalogs[i].Content.Package(b.Package)
	if pkg == nil {
		return "", 0
	}
	if bundle := pkg.Bundle(b.Bundle); bundle != nil && bundle.Pos().File != "" {
		return v.names.Place(v.paths[v.catalogs[i].Key], bundle.Pos().File), bundle.Pos().Line
	}
	return "", 0
}

// Bundle adds the result for a bundle. A bundle that is not installable because it is
// deprecated, or that no channel lists, is a warning. A bundle skipped by a newer version is
// not a finding. The error is always nil.
func (v *AuditReport) Bundle(b *audit.Bundle) error {
	file, line := v.place(b)
	c := report.Case{Class: b.Package, Name: b.Bundle, Outcome: report.Passed, File: file, Line: line}
	add := func(code string, severity report.Severity, channel, text, cause string) {
		v.report.Findings = append(v.report.Findings, report.Finding{Code: code, Severity: severity,
			Subject: []string{b.Catalog, b.Package, channel, b.Bundle}, Text: text, Cause: cause, File: file, Line: line})
		if c.Outcome != report.Failed {
			c.Outcome, c.Text = report.Failed, text
		} else {
			c.Text += "; " + text
		}
	}
	switch {
	case b.Installable || b.Conflict == nil:
	case b.SkippedBy != "":
		c.Outcome, c.Text = report.Skipped, "not offered for new installs because "+b.SkippedBy+" skips it"
	default:
		add(codeNotInstallable, report.Warning, "", fmt.Sprintf("%s cannot be installed on an empty cluster: %s", b.Bundle, audit.Reason(b.Conflict)),
			"cannot be installed on an empty cluster: "+audit.Cause(b.Conflict, b.Bundle))
	}
	if to := b.ReachesHead; to != nil && !to.Reaches {
		cause := "clusters on one of them cannot be upgraded"
		if to.StuckAt != b.Bundle {
			cause = "clusters on one of them cannot be upgraded beyond " + to.StuckAt
		}
		who := b.Bundle
		if to.Unlisted {
			who += ", which no channel lists, following"
		} else {
			who += " in"
		}
		add(codeHeadUnreachable, report.Error, to.Channel, fmt.Sprintf("clusters on %s channel %s cannot be upgraded beyond %s: %s",
			who, to.Channel, to.StuckAt, audit.Reason(to.Conflict)),
			cause+": "+audit.Cause(to.Conflict, to.StuckAt))
	}
	if b.Incomplete != "" {
		add(codeIncomplete, report.Warning, "", b.Bundle+": "+b.Incomplete, b.Incomplete)
	}
	v.report.Cases = append(v.report.Cases, c)
	return nil
}

// Report returns the report of the complete audit.
func (v *AuditReport) Report(s *audit.Summary) *report.Report {
	v.report.Summary = fmt.Sprintf("%s: %d can be installed on an empty cluster, %d cannot, %d are not offered because a newer version skips them; %d do not reach the head of their channel.",
		text.Count(s.Bundles, "bundle", "bundles"), s.Installable, s.Bundles-s.Installable-s.Skipped, s.Skipped, s.Stuck)
	return &v.report
}
