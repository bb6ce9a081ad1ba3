package view

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Verdict is the result of testing one scenario.
type Verdict struct {
	File        string                `json:"file"`
	Result      Result                `json:"result"`
	Error       string                `json:"error,omitempty"`
	Differences []scenario.Difference `json:"differences,omitempty"`
	// Answer is nil if the scenario was not answered.
	Answer *scenario.Answer `json:"-"`
}

// Result is the outcome of a test.
type Result string

// The results.
const (
	OK         Result = "ok"
	Failed     Result = "fail"
	Untested   Result = "none"    // no expectations
	Unreadable Result = "error"   // unreadable
	Stopped    Result = "stopped" // by a time limit or a budget
)

// resultView is the presentation of a result.
type resultView struct {
	result     Result
	counted    string
	mark       string
	colour     terminal.Colour
	outcome    report.Outcome
	code, rule string // empty unless the result is a finding
}

func resultViews() []resultView {
	return []resultView{
		{OK, "ok", "ok   ", terminal.Green, report.Passed, "", ""},
		{Failed, "failed", "FAIL ", terminal.Red, report.Failed, "scenarioFailed", "the answer to a scenario differs from its expectation"},
		{Untested, "without expectation", "none ", terminal.Yellow, report.Skipped, "", ""},
		{Unreadable, "not readable", "FAIL ", terminal.Red, report.Errored, "scenarioUnreadable", "a scenario cannot be read"},
		{Stopped, "stopped", "stop ", terminal.Yellow, report.Errored, "scenarioStopped", "a scenario was stopped by a time limit or a budget"},
	}
}

// view returns the presentation of the result.
func (v *Verdict) view() resultView {
	all := resultViews()
	return all[slices.IndexFunc(all, func(r resultView) bool { return r.result == v.Result })]
}

// NewTestReport returns an empty report.
func NewTestReport(version string) *report.Report {
	r := &report.Report{Command: "test", Version: version, Cases: []report.Case{}, Rules: make(map[string]string)}
	for _, of := range resultViews() {
		if of.code != "" {
			r.Rules[of.code] = of.rule
		}
	}
	return r
}

// AddTo adds the verdict to a report.
func (v *Verdict) AddTo(r *report.Report) {
	of := v.view()
	c := report.Case{Class: "scenario", Name: v.File, Outcome: of.outcome, Text: strings.Join(v.said(), "; "), File: v.File}
	r.Cases = append(r.Cases, c)
	if of.code != "" {
		r.Findings = append(r.Findings, report.Finding{Code: of.code, Severity: report.Error, Subject: []string{v.File}, Text: c.Text, File: v.File})
	}
}

// Counted summarizes test results in one line, omitting zero counts.
func Counted(counts map[Result]int) string {
	all, said := 0, ""
	for _, of := range resultViews() {
		n := counts[of.result]
		if all += n; n > 0 || of.result == OK {
			said += fmt.Sprintf(", %d %s", n, of.counted)
		}
	}
	return text.Count(all, "scenario", "scenarios") + ": " + said[len(", "):]
}

// TestPage collects tested scenarios for an HTML page, with a group for each result.
type TestPage struct{ page *findingsPage }

// NewTestPage returns an empty page.
func NewTestPage() *TestPage {
	return &TestPage{newFindingsPage("test", "", toneYes)}
}

// Add adds a tested scenario.
func (p *TestPage) Add(v *Verdict) {
	of := v.view()
	row := findingRow{Kind: string(report.Error), Like: v.File, Text: strings.Join(append([]string{v.File}, v.said()...), ": ")}
	switch of.outcome {
	case report.Passed:
		row.Kind, row.Like = rowGood, of.counted
	case report.Skipped:
		row.Kind, row.Like = string(report.Note), of.counted
	}
	if v.Result == Failed && v.Answer.Conflict != nil {
		row.Detail = v.Answer.Conflict.Text()
	}
	p.page.group(sentence(of.counted)).add(row)
}

// Write writes the page. Its headline counts the scenarios without the expected answer.
func (p *TestPage) Write(ctx context.Context, w io.Writer, counts map[Result]int) error {
	all := 0
	for _, n := range counts {
		all += n
	}
	p.page.Headline = "All " + text.Count(all, "scenario is", "scenarios are") + " answered as expected"
	if n := all - counts[OK] - counts[Untested]; n > 0 {
		p.page.Tone, p.page.Headline = toneNo, fmt.Sprintf("Not answered as expected: %d of %s", n, text.Count(all, "scenario", "scenarios"))
	} else if n := counts[Untested]; n > 0 {
		p.page.Tone, p.page.Headline = toneBut, fmt.Sprintf("Without expectation: %d of %s", n, text.Count(all, "scenario", "scenarios"))
	}
	p.page.Said = []string{Counted(counts) + "."}
	p.page.finish()
	return p.page.write(ctx, w)
}

// said returns the differences and the error of the verdict.
func (v *Verdict) said() []string {
	if v.Result == Untested {
		return []string{"no expectation"}
	}
	said := text.Each(v.Differences, scenario.Difference.String)
	if v.Error != "" {
		said = append(said, v.Error)
	}
	return said
}

// Tested writes the line of a tested scenario, with details if verbose.
func (t *Text) Tested(v *Verdict, verbose bool) {
	said, more := v.File, ""
	switch v.Result {
	case Untested:
		said += ": no expectation"
	case Unreadable:
		said += ": not readable"
	case Stopped:
		said += ": " + v.Error
	case Failed:
		said += ": " + v.Differences[0].String()
		if n := len(v.Differences) - 1; n > 0 && !verbose {
			more = fmt.Sprintf("; and %s (-v shows them)", text.Count(n, "difference", "differences"))
		}
	}
	of := v.view()
	t.Line("%s%s%s", t.Paint(of.colour, of.mark), said, more)
	if v.Result == Failed && verbose {
		for _, d := range v.Differences[1:] {
			t.below(d.String())
		}
		if c := v.Answer.Conflict; c != nil {
			t.below(c.Text())
		}
	}
	if v.Result != Stopped {
		t.below(v.Error)
	}
}

// below writes an indented block below the line of a scenario, if it is not empty.
func (t *Text) below(block string) {
	if block != "" {
		t.WriteString("     " + strings.ReplaceAll(text.Block(strings.TrimRight(block, "\n")), "\n", "\n     ") + "\n")
	}
}
