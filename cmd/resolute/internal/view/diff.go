package view

import (
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// DiffOptions configure the view of a comparison.
type DiffOptions struct {
	// Root is the path of the new catalog; Version is the version of the program.
	Root, Version string
	// Place maps the File of a finding to the path shown to users.
	Place func(file string) string
	// OnlyErrors excludes warnings from the exit status.
	OnlyErrors bool
}

// Diff is the view of a comparison. It is not safe for concurrent use.
type Diff struct {
	// Found is the comparison, with paths as shown to users.
	Found *catalogdiff.Report
	// Report has the same findings for other systems. A baseline applies to it; see
	// [Diff.Keep].
	Report *report.Report

	old, now *cache.Catalog
}

// NewDiff returns the view of a comparison of two states of a catalog.
func NewDiff(found *catalogdiff.Report, old, now *cache.Catalog, opts DiffOptions) *Diff {
	d := &Diff{Found: found, old: old, now: now}
	lines := newEntryLines()
	for _, list := range [][]catalogdiff.Finding{found.Worse, found.Better} {
		for i := range list {
			f := &list[i]
			if f.Catalog != "" || f.File == "" {
				f.File = "" // outside the new catalog
				continue
			}
			f.File = opts.Place(f.File)
			if ch := channelAt(now, f); ch != nil {
				f.Line = lines.find(f.File, f.Line, f.Bundle)
			}
		}
	}
	r := &report.Report{Command: "diff", Title: opts.Root, Version: opts.Version, Root: opts.Root, Rules: catalogdiff.Codes()}
	for i := range found.Worse {
		f := reportFinding(&found.Worse[i])
		f.From = i
		f.Ignored = opts.OnlyErrors && f.Severity != report.Error
		r.Findings = append(r.Findings, f)
	}
	for i := range found.Better {
		r.Better = append(r.Better, reportFinding(&found.Better[i]))
	}
	d.Report = r
	return d
}

// channelAt returns the channel whose blob a finding refers to, or nil.
func channelAt(now *cache.Catalog, f *catalogdiff.Finding) *graph.Channel {
	p := now.Package(f.Package)
	if p == nil || f.Bundle == "" {
		return nil
	}
	if ch := p.Channel(f.Channel); ch != nil && ch.Pos.Line > 0 && ch.Pos.Line == f.Line {
		return ch
	}
	return nil
}

// The indices of a package and of a problem among the subjects of a finding.
const (
	diffPackage = 1
	diffProblem = 4
)

// reportFinding converts a finding.
func reportFinding(f *catalogdiff.Finding) report.Finding {
	return report.Finding{Code: f.Code, Severity: report.Severity(f.Severity), File: f.File, Line: f.Line, Text: f.Text, Cause: f.Cause,
		Subject: []string{f.Catalog, f.Package, f.Channel, f.Bundle, string(f.Problem)}}
}

// Left returns the elements of list that remain in its report after applying a baseline.
func Left[T any](r *report.Report, list []T) (left []T) {
	for i := range r.Findings {
		left = append(left, list[r.Findings[i].From])
	}
	return left
}

// Keep removes known findings from the comparison and updates the summary.
func (d *Diff) Keep() {
	d.Found.Worse = Left(d.Report, d.Found.Worse)
	d.Report.Summary = d.summary()
}

// summary returns the outcome in one or more sentences.
func (d *Diff) summary() string {
	s := "No regressions."
	if n := len(d.Found.Worse); n > 0 {
		s = fmt.Sprintf("%s: %s.", text.Count(n, "regression", "regressions"), d.Report.Counted())
	}
	if n := len(d.Found.Better); n > 0 {
		s += fmt.Sprintf(" %s.", text.Count(n, "improvement", "improvements"))
	}
	if d.Report.Known > 0 {
		s += fmt.Sprintf(" %s known in the baseline.", text.Count(d.Report.Known, "finding is", "findings are"))
	}
	if len(d.Found.Changed) == 0 {
		return s + " No package changed."
	}
	return s + fmt.Sprintf(" %s changed; %s audited.", text.Count(len(d.Found.Changed), "package", "packages"), text.Count(len(d.Found.Audited), "package was", "packages were"))
}

// Write writes a comparison as "text", "json", "html", or in a report format. Verbose text
// lists every finding and change. On error nothing is written.
func (d *Diff) Write(ctx context.Context, to *terminal.Stream, form string, verbose bool) error {
	t := terminal.NewText(to)
	var err error
	switch form {
	case "json":
		err = JSON(t, d.Found)
	case "html":
		err = d.writeHTML(ctx, t)
	case "text":
		w := &textWriter{t, verbose}
		w.write(d)
	default:
		err = d.Report.Write(t, form)
	}
	if err != nil {
		return err
	}
	return t.Flush()
}
