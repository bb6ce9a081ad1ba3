// Package report holds what a command found in one model, and writes it for the
// systems that run such commands: SARIF 2.1.0 for code scanning, JUnit XML for test
// reports, workflow commands of GitHub, and Markdown for a comment on a pull
// request. A [Baseline] separates findings that are known from new ones.
//
// Nothing here knows what the findings are about. All text of foreign origin is
// made inert where a format gives it a meaning.
package report

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Severity is an error or a warning.
type Severity string

// The severities, worst first. A note is for information only.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Finding is one thing that was found.
type Finding struct {
	// Code says what kind of finding it is. It is stable.
	Code string
	// Severity is Error, Warning or Note.
	Severity Severity
	// Subject names what it is about, from the whole to its part: a catalog, package,
	// channel, bundle; empty names are omitted.
	Subject []string
	// Text is a sentence.
	Text string
	// Cause is what the sentence says without the last name of the subject, where several
	// findings may have it in common: Markdown shows those in one row.
	Cause string
	// File and Line are where it is; a line counts from 1, and 0 is unknown. Without
	// a file it is in [Report.Root].
	File string
	Line int
	// From is where it stands in the list that the report was made of.
	From int
	// Ignored says that the finding does not count for the exit status.
	Ignored bool
}

// Name is the subject as text.
func (f *Finding) Name() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(f.Subject), func(s string) bool { return s == "" }), " ")
}

// Outcome is how a [Case] came out.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
	Errored Outcome = "error"
)

// Case is one check, for reports that list passed checks too.
type Case struct {
	// Class and Name say what was checked.
	Class, Name string
	// Outcome is how it came out, Text why, where it did not pass.
	Outcome Outcome
	Text    string
	// File and Line are where it is, as in [Finding].
	File string
	Line int
}

// Report is what a command found.
type Report struct {
	// Command is what found it, such as "diff"; Title says in a few words what
	// was looked at.
	Command, Title string
	// Version is the version of the program.
	Version string
	// Summary says in a sentence or two how it came out.
	Summary string
	// Root is the file or directory that was looked at: the place of findings that
	// have none of their own.
	Root string
	// Rules say in a few words what each code means.
	Rules map[string]string
	// Findings are what was found.
	Findings []Finding
	// Better are findings that are good news.
	Better []Finding
	// Cases are the checks; nil means one for each finding.
	Cases []Case
	// Known says how many findings the baseline knows, which are not listed.
	Known int
}

// Counted counts the findings by severity, as in "1 error, 2 warnings".
func (r *Report) Counted() string {
	errs := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == Error {
			errs++
		}
	}
	return text.Count(errs, "error", "errors") + ", " + text.Count(len(r.Findings)-errs, "warning", "warnings")
}

// place is the file and the line of a finding, slashes forward.
func (r *Report) place(f *Finding) (file string, line int) {
	return filepath.ToSlash(cmp.Or(f.File, r.Root)), f.Line
}

// Forms are the forms of a report.
func Forms() []string { return []string{"markdown", "sarif", "junit", "github"} }

// Write writes the report in one of the forms "sarif", "junit", "github" and
// "markdown".
func (r *Report) Write(w io.Writer, form string) error {
	switch form {
	case "sarif":
		return r.sarif(w)
	case "junit":
		return r.junit(w)
	case "github":
		return r.github(w)
	case "markdown":
		return r.markdown(w)
	}
	return fmt.Errorf("a report has no form %q", form)
}
