package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Error   *junitMessage `xml:"error,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// junit writes the report as JUnit XML: one suite with the cases of the report, or else a case
// for each finding. Findings that do not affect the exit status pass, with their text as
// output. A report without findings has one passing case. It returns write errors only.
func (r *Report) junit(w io.Writer) error {
	suite := junitSuite{Name: r.Command}
	if r.Title != "" {
		suite.Name = "resolute " + r.Command + " " + text.Inert(r.Title)
	}
	for _, c := range r.cases() {
		suite.add(c)
	}
	suite.Tests = len(suite.Cases)
	all := junitSuites{Name: "resolute", Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Suites: []junitSuite{suite}}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// cases returns the cases of the report, or one for each finding.
func (r *Report) cases() []Case {
	if r.Cases != nil {
		return r.Cases
	}
	out := make([]Case, 0, len(r.Findings))
	for i := range r.Findings {
		f := &r.Findings[i]
		file, line := r.place(f)
		c := Case{Class: f.Code, Name: f.Name(), Outcome: Failed, Text: f.Text, File: file, Line: line}
		if f.Ignored {
			c.Outcome = Passed
		}
		if c.Name == "" {
			c.Name = r.Command
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		out = append(out, Case{Class: r.Command, Name: "no findings", Outcome: Passed})
	}
	return out
}

// add adds a case.
func (s *junitSuite) add(c Case) {
	out := junitCase{Class: text.Inert(c.Class), Name: text.Inert(c.Name)}
	message := &junitMessage{Message: text.Inert(c.Text), Type: text.Inert(c.Class), Text: text.Inert(where(c.File, c.Line) + c.Text)}
	switch c.Outcome {
	case Failed:
		out.Failure = message
		s.Failures++
	case Errored:
		out.Error = message
		s.Errors++
	case Skipped:
		out.Skipped = &junitMessage{Message: text.Inert(c.Text)}
		s.Skipped++
	default:
		out.Out = text.Inert(c.Text)
	}
	s.Cases = append(s.Cases, out)
}

// where returns the prefix "file:line: " of a line.
func where(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line > 0:
		return fmt.Sprintf("%s:%d: ", file, line)
	}
	return strings.TrimSuffix(file, ":") + ": "
}
