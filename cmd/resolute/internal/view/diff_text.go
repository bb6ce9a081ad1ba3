package view

import (
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/catalogdiff"
)

// maxSimilar bounds the listed findings of one kind in a channel.
const maxSimilar = 3

// textWriter writes a comparison as text.
type textWriter struct {
	*terminal.Text
	verbose bool
}

// write writes the comparison.
func (b *textWriter) write(d *Diff) {
	if len(d.Found.Worse) > 0 {
		b.Line("worse:")
		b.findings(d.Found.Worse)
	}
	if len(d.Found.Better) > 0 {
		b.Line("better:")
		b.findings(d.Found.Better)
	}
	if len(d.Found.Changes) > 0 {
		if b.verbose {
			b.Line("changes:")
			for i := range d.Found.Changes {
				b.Line("  %s", changeLine(&d.Found.Changes[i]))
			}
		} else {
			b.Line("%s (-v lists them)", text.Count(len(d.Found.Changes), "change", "changes"))
		}
	}
	b.Line("%s", b.Good(len(d.Found.Worse) == 0, d.Report.Summary))
}

// findings writes findings, grouping similar ones.
func (b *textWriter) findings(list []catalogdiff.Finding) {
	type of struct{ code, severity, catalog, pkg string }
	for _, list := range alike(list, func(f *catalogdiff.Finding) of { return of{f.Code, string(f.Severity), f.Catalog, f.Package} }) {
		for i, f := range list {
			if i == maxSimilar && !b.verbose {
				b.Line("    … and %d more of %s in package %s (-v lists them)", len(list)-i, f.Code, f.Package)
				break
			}
			b.finding(f)
		}
	}
}

// finding writes one finding.
func (b *textWriter) finding(f *catalogdiff.Finding) {
	where := ""
	if f.File != "" {
		where = f.File + ": "
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d: ", f.File, f.Line)
		}
	}
	code := f.Code
	if f.Problem != "" {
		code += " " + string(f.Problem)
	}
	pkg := ""
	if f.Package != "" {
		pkg = f.Package + ": "
	}
	b.Line("  %s%s: %s: %s%s", where, b.Severity(string(f.Severity)), code, pkg, f.Text)
}

// changeLine returns a change as one line.
func changeLine(c *catalogdiff.Change) string {
	parts := []string{c.Package}
	for _, s := range []string{c.Channel, c.Bundle} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	line := strings.Join(parts, " ") + ": " + string(c.Kind)
	switch {
	case c.Was != "" && c.Is != "":
		line += fmt.Sprintf(": %s → %s", c.Was, c.Is)
	case c.Was != "":
		line += ": was " + c.Was
	case c.Is != "":
		line += ": " + c.Is
	}
	return text.Inert(line)
}
