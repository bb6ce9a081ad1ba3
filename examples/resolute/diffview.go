package main

import (
	"bytes"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/examples/resolute/internal/report"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// diffView is a comparison as it is shown.
type diffView struct {
	found    *catalogdiff.Report
	old, now *cache.Catalog
	report   *report.Report
}

// newDiffView makes a report of a comparison. The files are those of root.
func newDiffView(found *catalogdiff.Report, old, now *cache.Catalog, root string, cmd *cli.Command) *diffView {
	d := &diffView{found: found, old: old, now: now}
	for _, list := range [][]catalogdiff.Finding{found.Worse, found.Better} {
		for i := range list {
			if f := &list[i]; f.Catalog != "" || f.File == "" {
				f.File = "" // of another catalog, or nowhere
			} else if !isAdded(f.File, cmd.StringSlice("add")) {
				f.File = named(root, graph.Problem{File: f.File}).File
			}
		}
	}
	r := &report.Report{Command: "diff", Title: root, Version: buildVersion(), Root: root, Rules: make(map[string]string)}
	for _, code := range catalogdiff.Codes() {
		r.Rules[string(code)] = code.Summary()
	}
	least := cmd.String("worse-than")
	for i := range found.Worse {
		f := reportFinding(&found.Worse[i])
		f.Ignored = least == string(report.Error) && f.Severity != report.Error
		r.Findings = append(r.Findings, f)
	}
	for i := range found.Better {
		r.Better = append(r.Better, reportFinding(&found.Better[i]))
	}
	d.report = r
	return d
}

// isAdded reports whether a file is a bundle directory of --add.
func isAdded(file string, args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		dir, _ := cutChannels(arg)
		return bundleFile(dir) == file
	})
}

// buildVersion is the version of the module, or empty if the build recorded none.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}

// reportFinding makes a finding of a report.
func reportFinding(f *catalogdiff.Finding) report.Finding {
	return report.Finding{Code: string(f.Code), Severity: report.Severity(f.Severity), File: f.File, Line: f.Line, Text: f.Text,
		Subject: []string{f.Catalog, f.Package, f.Channel, f.Bundle, string(f.Problem)}}
}

// keep takes what the baseline knows off the comparison as well, and sums up what is
// left.
func (d *diffView) keep() {
	left := make(map[string]int)
	key := func(f *report.Finding) string {
		return strings.Join(append([]string{f.Code, f.Text, f.File}, f.Subject...), "\x00")
	}
	for i := range d.report.Findings {
		left[key(&d.report.Findings[i])]++
	}
	var worse []catalogdiff.Finding
	for i := range d.found.Worse {
		f := reportFinding(&d.found.Worse[i])
		if k := key(&f); left[k] > 0 {
			left[k]--
			worse = append(worse, d.found.Worse[i])
		}
	}
	d.found.Worse = worse
	d.report.Summary = d.summary()
}

// summary says in two sentences how it came out.
func (d *diffView) summary() string {
	errs := 0
	for _, f := range d.found.Worse {
		if f.Severity == graph.SeverityError {
			errs++
		}
	}
	s := "Nothing got worse."
	if n := len(d.found.Worse); n > 0 {
		s = fmt.Sprintf("%s worse: %s, %s.", text.Count(n, "thing got", "things got"), text.Count(errs, "error", "errors"), text.Count(n-errs, "warning", "warnings"))
	}
	if n := len(d.found.Better); n > 0 {
		s += fmt.Sprintf(" %s better.", text.Count(n, "thing got", "things got"))
	}
	if d.report.Known > 0 {
		s += fmt.Sprintf(" %s known from the baseline.", text.Count(d.report.Known, "finding is", "findings are"))
	}
	if len(d.found.Changed) == 0 {
		return s + " No package changed."
	}
	return s + fmt.Sprintf(" %s changed; %s audited.", text.Count(len(d.found.Changed), "package", "packages"), text.Count(len(d.found.Audited), "package was", "packages were"))
}

// writeDiff writes a comparison in one of its forms.
func (a *app) writeDiff(w io.Writer, d *diffView, form string, verbose bool) error {
	var b bytes.Buffer
	var err error
	switch form {
	case "json":
		err = writeJSON(&b, d.found)
	case "html":
		err = d.writeHTML(&b)
	case "text":
		a.diffText(&b, d, verbose)
	default:
		err = writeReport(&b, d.report, form)
	}
	if err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}

// writeReport writes a report in one of the forms of systems that run programs.
func writeReport(b *bytes.Buffer, r *report.Report, form string) error {
	switch form {
	case "sarif":
		return r.WriteSARIF(b)
	case "junit":
		return r.WriteJUnit(b)
	case "github":
		return r.WriteGitHub(b)
	case "markdown":
		return r.WriteMarkdown(b)
	}
	return fmt.Errorf("there is no output %q", form)
}

// shownAlike is how many findings of one kind in one channel the text lists.
const shownAlike = 3

// diffText writes a comparison for people.
func (a *app) diffText(b *bytes.Buffer, d *diffView, verbose bool) {
	if len(d.found.Worse) > 0 {
		fmt.Fprintln(b, "worse:")
		a.diffFindings(b, d.found.Worse, verbose)
	}
	if len(d.found.Better) > 0 {
		fmt.Fprintln(b, "better:")
		a.diffFindings(b, d.found.Better, verbose)
	}
	if len(d.found.Changes) > 0 {
		if verbose {
			fmt.Fprintln(b, "changes:")
			for i := range d.found.Changes {
				fmt.Fprintln(b, "  "+changeLine(&d.found.Changes[i]))
			}
		} else {
			fmt.Fprintf(b, "%s (-v lists them)\n", count(len(d.found.Changes), "change"))
		}
	}
	fmt.Fprintln(b, d.report.Summary)
}

// diffFindings writes findings, those alike together.
func (a *app) diffFindings(b *bytes.Buffer, list []catalogdiff.Finding, verbose bool) {
	alike := func(i, j int) bool {
		x, y := &list[i], &list[j]
		return x.Code == y.Code && x.Severity == y.Severity && x.Catalog == y.Catalog && x.Package == y.Package
	}
	told := make([]bool, len(list))
	for i := range list {
		if told[i] {
			continue
		}
		n, more := 0, 0
		for j := i; j < len(list); j++ {
			if told[j] || !alike(i, j) {
				continue
			}
			told[j] = true
			if n++; n <= shownAlike || verbose {
				a.diffFinding(b, &list[j])
			} else {
				more++
			}
		}
		if more > 0 {
			fmt.Fprintf(b, "    … and %d more of %s in package %s (-v lists them)\n", more, list[i].Code, plain(list[i].Package))
		}
	}
}

// diffFinding writes one finding.
func (a *app) diffFinding(b *bytes.Buffer, f *catalogdiff.Finding) {
	where := ""
	if f.File != "" {
		where = plain(f.File) + ": "
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d: ", plain(f.File), f.Line)
		}
	}
	colour := yellow
	if f.Severity == graph.SeverityError {
		colour = red
	}
	code := string(f.Code)
	if f.Problem != "" {
		code += " " + string(f.Problem)
	}
	pkg := ""
	if f.Package != "" {
		pkg = plain(f.Package) + ": "
	}
	fmt.Fprintf(b, "  %s%s: %s: %s%s\n", where, a.out.paint(colour, string(f.Severity)), code, pkg, plain(f.Text))
}

// changeLine says a change in one line.
func changeLine(c *catalogdiff.Change) string {
	parts := []string{plain(c.Package)}
	for _, s := range []string{c.Channel, c.Bundle} {
		if s != "" {
			parts = append(parts, plain(s))
		}
	}
	line := strings.Join(parts, " ") + ": " + string(c.Kind)
	switch {
	case c.Was != "" && c.Is != "":
		line += fmt.Sprintf(": %s → %s", plain(c.Was), plain(c.Is))
	case c.Was != "":
		line += ": was " + plain(c.Was)
	case c.Is != "":
		line += ": " + plain(c.Is)
	}
	return line
}
