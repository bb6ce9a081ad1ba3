package view

import (
	"context"
	_ "embed" // the template
	"fmt"
	"html/template"
	"io"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/htmldoc"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/report"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/draw"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// captureSource is the template of the page.
//
//go:embed capture.html
var captureSource string

// namespaceView is a namespace on the page of a capture: its findings, its state and its answer.
type namespaceView struct {
	*findingGroup
	OLM, OLMTone         string
	Observed             string
	State                []stateLine
	Verdict, VerdictTone string
	Changes              string
	Conflicts            []conflictBrief
	Plans                []olm.PendingPlan
}

// conflictBrief is a conflict with its corrections.
type conflictBrief struct {
	Argument    *argument.Argument
	Figure      *htmldoc.Figure
	Corrections []resolver.Correction
}

// capturePage collects the namespaces of a capture.
type capturePage struct {
	*findingsPage
	Capture    *olm.Capture
	Missing    string
	Versions   string
	namespaces map[*findingGroup]*namespaceView
	figures    *htmldoc.Figures
	drawn      int
}

// WriteHTML writes a capture as an HTML page: a table of all namespaces, and the details of each.
// Pictures that are not drawn before ctx ends are replaced by a note.
func (v *Capture) WriteHTML(ctx context.Context, w io.Writer, c *olm.Capture) error {
	p := &capturePage{Capture: c, findingsPage: newFindingsPage("capture", "", toneYes), namespaces: make(map[*findingGroup]*namespaceView), figures: htmldoc.NewFigures(ctx)}
	p.Of = [2]string{"namespace", "namespaces"}
	if len(v.Missing) > 0 {
		p.Missing = sentence(WantedCatalogs(v.Missing)) + "."
	}
	for i := range c.Namespaces {
		ns := &c.Namespaces[i]
		view := v.namespace(p, "namespace "+ns.Namespace, ns.Namespace, ns.Scenario, ns.Observed, ns.Findings)
		view.State, view.Plans = stateOf(ns.Scenario), ns.Plans
	}
	if e := c.Extensions; e != nil {
		v.namespace(p, "extensions of OLM v1", "", e.Scenario, e.Observed, e.Findings).State = extensionsOf(e.Scenario)
	}
	p.judge()
	if len(c.Problems) > 0 {
		dumps := p.group("the dumps")
		p.namespaces[dumps] = &namespaceView{findingGroup: dumps}
		for i := range c.Problems {
			dumps.add(problemRow(&c.Problems[i]))
		}
	}
	p.finish()
	if p.Omitted == 0 && len(p.Groups) > MaxSections {
		p.Omitted, p.Groups = len(p.Groups)-MaxSections, p.Groups[:MaxSections]
	}
	return htmldoc.Write(context.WithoutCancel(ctx), w, captureSource+findingsParts, template.FuncMap{
		"place": placeOf, "plan": func(p olm.PendingPlan) string { return planText(&p) }, "sentence": sentence,
		"migration": func(m olm.Migration) []string { return migrationLines(&m) }, "can": func(m olm.Migration) bool { return canMigrate(&m) },
		"verdict": func(m olm.Migration) string { return verdicts[m.Verdict] },
		"commands": func(c resolver.Correction) (out []string) {
			for _, change := range c.Changes {
				out = append(out, change.Commands...)
			}
			return out
		},
	}, p)
}

// namespace adds a namespace, or the extensions of the cluster.
func (v *Capture) namespace(p *capturePage, title, name string, s *scenario.Scenario, observed olm.Observed, findings []olm.Finding) *namespaceView {
	g := p.group(title)
	ns := &namespaceView{findingGroup: g, OLM: observed.Status, Observed: observed.Message, OLMTone: string(report.Error)}
	p.namespaces[g] = ns
	switch observed.Status {
	case string(scenario.Resolved):
		ns.OLMTone = rowGood
	case "unknown":
		ns.OLMTone = ""
	}
	for _, f := range findings {
		g.add(findingRow{Kind: string(f.Severity), Like: f.Code, Text: f.Message, Code: f.Code, Where: f.Subject, Commands: f.Commands})
	}
	if missing := v.missing(s); len(missing) > 0 {
		ns.Verdict = "no answer: the content of " + List(missing) + " is unknown"
		return ns
	}
	answer := v.Answer(s)
	ns.Verdict, ns.VerdictTone = answer.Headline(), string(report.Error)
	switch {
	case answer.Status == scenario.Resolved:
		ns.VerdictTone, ns.Changes = rowGood, changesText(answer)
		if len(answer.Otherwise()) > 0 {
			ns.VerdictTone = string(report.Warning)
		}
	case answer.Conflict != nil:
		p.conflicts(ns, answer.Conflict)
	default:
		ns.Verdict = "no answer: " + answer.Error
	}
	for _, f := range notInstallable(name, s, answer) {
		g.add(findingRowOf(&f, f.Code))
	}
	return ns
}

// conflicts adds the conflicts of an answer; the first [maxConflicts] of the page are drawn.
func (p *capturePage) conflicts(ns *namespaceView, c *resolver.Conflict) {
	for _, one := range c.All() {
		a := one.Argument()
		brief := conflictBrief{Argument: a, Corrections: one.Corrections}
		if p.drawn++; p.drawn <= maxConflicts {
			brief.Figure = p.figures.New("The conflict as a graph", draw.Conflict(a))
		}
		ns.Conflicts = append(ns.Conflicts, brief)
	}
}

// judge sets the headline: in how many namespaces OLM is blocked.
func (p *capturePage) judge() {
	errors, warnings := 0, 0
	for _, ns := range p.namespaces {
		switch {
		case ns.counts[string(report.Error)] > 0 || ns.OLMTone == string(report.Error) || ns.VerdictTone == string(report.Error):
			errors++
		case ns.counts[string(report.Warning)] > 0:
			warnings++
		}
	}
	all := text.Count(len(p.Capture.Namespaces), "namespace", "namespaces")
	if p.Capture.Extensions != nil {
		all += " and the extensions of OLM v1"
	}
	switch {
	case errors > 0:
		p.Tone, p.Headline = toneNo, fmt.Sprintf("Errors in %d of %s", errors, all)
	case warnings > 0:
		p.Tone, p.Headline = toneBut, fmt.Sprintf("Warnings in %d of %s", warnings, all)
	default:
		p.Headline = "No problems in " + all
	}
	p.Versions = text.Count(len(p.Capture.Catalogs), "catalog", "catalogs") + versionsOf(p.Capture.Cluster)
}

// Namespaces returns the namespaces in the order of the page.
func (p *capturePage) Namespaces() []*namespaceView {
	out := make([]*namespaceView, len(p.Groups))
	for i, g := range p.Groups {
		out[i] = p.namespaces[g]
	}
	return out
}

// problemRow returns the row of a part of a dump that cannot be used.
func problemRow(p *graph.Problem) findingRow {
	return findingRowOf(&report.Finding{Code: string(p.Code), Severity: report.Severity(p.Severity), Text: p.Message, File: p.File, Line: p.Line}, string(p.Code))
}
