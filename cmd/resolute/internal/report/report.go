// Package report is a model of findings, with writers for CI systems: SARIF 2.1.0 for code
// scanning, JUnit XML for test reports, GitHub workflow commands, and Markdown for pull request
// comments. A [Baseline] separates known from new findings.
//
// The model does not depend on the domain of the findings. Untrusted text is escaped for each
// format.
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

// Severity is the severity of a finding.
type Severity string

// The severities, worst first. A Note is informational.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Finding is a single result of a check.
type Finding struct {
	// Code is the stable kind of the finding.
	Code string
	// Severity is Error, Warning or Note.
	Severity Severity
	// Subject names the affected object from the general to the specific: catalog, package,
	// channel, bundle. Empty parts are omitted.
	Subject []string
	// Text is a sentence.
	Text string
	// Cause is the text without the last part of the subject. Markdown groups findings with the
	// same cause.
	Cause string
	// File and Line locate the finding. Lines count from 1; 0 is unknown. Without File, the
	// location is [Report.Root].
	File string
	Line int
	// From is the index in the source list of the report.
	From int
	// Ignored findings do not affect the exit status.
	Ignored bool
}

// Name returns the subject as text.
func (f *Finding) Name() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(f.Subject), func(s string) bool { return s == "" }), " ")
}

// Outcome is the result of a [Case].
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
	Errored Outcome = "error"
)

// Case is a check, for formats that list passed checks.
type Case struct {
	// Class and Name identify the check.
	Class, Name string
	// Outcome is the result; Text is the reason unless it passed.
	Outcome Outcome
	Text    string
	// File and Line locate the case, as in [Finding].
	File string
	Line int
}

// Report contains the findings of a command.
type Report struct {
	// Command is the name of the command, such as "diff"; Title names its input.
	Command, Title string
	// Version is the version of the program.
	Version string
	// Summary is the outcome in one or two sentences.
	Summary string
	// Root is the checked file or directory, used for findings without a location.
	Root string
	// Rules describe each code in a few words.
	Rules map[string]string
	// Findings are the problems.
	Findings []Finding
	// Better are the improvements.
	Better []Finding
	// Cases are the checks; nil means one for each finding.
	Cases []Case
	// Known is the number of findings suppressed by the baseline.
	Known int
}

// Counted returns the number of findings by severity, such as "1 error, 2 warnings".
func (r *Report) Counted() string {
	errs := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == Error {
			errs++
		}
	}
	return text.Count(errs, "error", "errors") + ", " + text.Count(len(r.Findings)-errs, "warning", "warnings")
}

// place returns the file, with forward slashes, and the line of a finding.
func (r *Report) place(f *Finding) (file string, line int) {
	return filepath.ToSlash(cmp.Or(f.File, r.Root)), f.Line
}

// Formats returns the report formats.
func Formats() []string { return []string{"markdown", "sarif", "junit", "github"} }

// Write writes the report in the format "sarif", "junit", "github" or "markdown".
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
	return fmt.Errorf("unknown report format %q", form)
}
