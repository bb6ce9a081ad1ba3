package view

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/pull"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// AuditReport gathers an audit as a report for other systems.
type AuditReport struct {
	report   report.Report
	catalogs []resolver.Catalog // for places; none of a merged audit
	paths    map[cache.Key]string
}

// The codes of an audit's findings.
const (
	codeNotInstallable  = "notInstallable"
	codeHeadUnreachable = "headUnreachable"
	codeIncomplete      = "incomplete"
)

// NewAuditReport returns a report of nothing by a version of the program.
func NewAuditReport(version string) *AuditReport {
	return &AuditReport{paths: make(map[cache.Key]string), report: report.Report{Command: "audit", Version: version, Cases: []report.Case{},
		Rules: map[string]string{
			codeNotInstallable:  "a bundle cannot be installed on an empty cluster",
			codeHeadUnreachable: "an installed version does not reach the head of its channel",
			codeIncomplete:      "not everything could be found out about a bundle",
		}}}
}

// Found notes which catalogs are audited, and the arguments that name them.
func (v *AuditReport) Found(catalogs []resolver.Catalog, args []string) {
	v.catalogs = catalogs
	for i, arg := range args {
		_, path, err := pull.Argument(arg)
		if err == nil && i < len(catalogs) {
			v.paths[catalogs[i].Key] = path
			v.report.Root, v.report.Title = path, path
		}
	}
}

// place is where a bundle stands.
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
		return pull.Place(v.paths[v.catalogs[i].Key], bundle.Pos().File), bundle.Pos().Line
	}
	return "", 0
}

// Bundle takes in a finding. A bundle that cannot be newly installed because it is
// deprecated is a warning; so is one that no channel lists. One that a newer version skips
// on purpose is no finding. The error is always nil.
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
		c.Outcome, c.Text = report.Skipped, "it cannot be newly installed on purpose: "+b.SkippedBy+" skips it"
	default:
		add(codeNotInstallable, report.Warning, "", fmt.Sprintf("%s cannot be installed on an empty cluster: %s", b.Bundle, audit.Reason(b.Conflict)),
			"cannot be installed on an empty cluster: "+audit.Cause(b.Conflict, b.Bundle))
	}
	if to := b.ReachesHead; to != nil && !to.Reaches {
		cause := "whoever runs one of them stays there"
		if to.StuckAt != b.Bundle {
			cause = "whoever runs one of them gets no further than " + to.StuckAt
		}
		who := b.Bundle
		if to.Unlisted {
			who += ", which no channel lists, and follows"
		} else {
			who += " in"
		}
		add(codeHeadUnreachable, report.Error, to.Channel, fmt.Sprintf("whoever runs %s channel %s gets no further than %s: %s",
			who, to.Channel, to.StuckAt, audit.Reason(to.Conflict)),
			cause+": "+audit.Cause(to.Conflict, to.StuckAt))
	}
	if b.Incomplete != "" {
		add(codeIncomplete, report.Warning, "", b.Bundle+": "+b.Incomplete, b.Incomplete)
	}
	v.report.Cases = append(v.report.Cases, c)
	return nil
}

// Report is the report of the whole audit.
func (v *AuditReport) Report(s *audit.Summary) *report.Report {
	v.report.Summary = fmt.Sprintf("%s: %d can be installed on an empty cluster, %d cannot, %d cannot on purpose because a newer version skips them; %d do not reach the head of their channel.",
		text.Count(s.Bundles, "bundle", "bundles"), s.Installable, s.Bundles-s.Installable-s.Skipped, s.Skipped, s.Stuck)
	return &v.report
}
