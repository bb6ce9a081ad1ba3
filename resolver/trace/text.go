package trace

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
)

// Text renders the trace as lines of text: the numbered decisions, each with its rejected
// candidates, and between them the solver calls and the backtracking. It escapes control
// characters; each event is one line.
func (t *Trace) Text() string {
	var b strings.Builder
	_ = t.WriteText(&b) // a Builder takes everything
	return b.String()
}

// WriteText writes what [Trace.Text] returns.
func (t *Trace) WriteText(w io.Writer) error {
	p := &printer{to: w, terms: t.Terms}
	p.line(0, "%s and %s in namespace %s", lexicon.Count(t.Subscriptions, lexicon.Demand(t.Terms, false)), lexicon.Count(t.Installed, "installed "+lexicon.Bundle(t.Terms)), text.Inert(t.Namespace))
	for i := range t.Events {
		p.event(&t.Events[i])
	}
	p.answer(t)
	return p.err
}

// printer writes lines until a write fails.
type printer struct {
	to    io.Writer
	terms graph.Terms
	err   error
}

func (p *printer) line(depth int, format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.to, strings.Repeat("  ", depth)+format+"\n", args...)
	}
}

func (p *printer) event(e *Event) {
	switch {
	case e.Search != nil:
		p.line(0, "search started with a lookahead of %s", text.Count(e.Search.Look, "level", "levels"))
	case e.Decision != nil:
		p.decision(e.Decision)
	case e.Formula != nil:
		f := e.Formula
		p.line(0, "formula for the solver: %s, %s, %s%s", lexicon.Count(f.Bundles, lexicon.Bundle(p.terms)), text.Count(f.Variables, "variable", "variables"), text.Count(f.Clauses, "clause", "clauses"), f.Took)
	case e.Solve != nil:
		p.line(0, "solver: %s %s%s", question(e.Solve.Purpose, p.terms), answer(e.Solve), e.Solve.Took)
	case e.Back != nil:
		b := e.Back
		if b.Retaken {
			p.line(0, "back to decision %d, %s undone: it is taken again with the learned clause", b.Index+1, text.Count(b.Undone, "choice", "choices"))
			return
		}
		p.line(0, "back to decision %d, %s undone: %s is impossible with the choices before it", b.Index+1, text.Count(b.Undone, "choice", "choices"), refWords(b.Refused))
	case e.LeftOut != nil:
		if e.LeftOut.Installed != "" {
			p.line(0, "the installed %s is broken: %s", text.Inert(e.LeftOut.Installed), text.Inert(e.LeftOut.Headline))
			return
		}
		p.line(0, "%s %s is left out: %s", lexicon.Demand(p.terms, false), text.Inert(e.LeftOut.Subscription), text.Inert(e.LeftOut.Headline))
	case e.Explain != nil:
		p.line(0, "no solution; searching for the facts that explain it")
	case e.Conflict != nil:
		p.conflict(e.Conflict)
	default:
		p.line(0, "… %s not kept …", text.Count(e.Dropped, "event", "events"))
	}
}

func (p *printer) decision(d *Decision) {
	p.line(0, "%d. %s", d.Index+1, decisionWords(d, p.terms))
	for i := range d.Candidates {
		c := &d.Candidates[i]
		p.line(2, "%s: %s", refWords(c.Ref), verdict(c, p.terms))
		if i == listed(d)-1 {
			p.omitted(d)
		}
	}
	if listed(d) == 0 {
		p.omitted(d)
	}
	switch d.Result {
	case ResultSatisfied:
		by := ""
		if len(d.By) > 0 {
			by = " by " + text.And(text.Each(d.By, func(r Ref) string { return text.Inert(r.Bundle) }))
		}
		p.line(2, "satisfied already%s", by)
	case ResultDeadEnd:
		p.line(2, "dead end: no candidate is left")
	case "":
		p.line(2, "stopped here")
	}
}

// listed returns the number of rejected candidates at the front.
func listed(d *Decision) int {
	i := slices.IndexFunc(d.Candidates, func(c Candidate) bool { return c.Verdict == Chosen })
	if i < 0 {
		return len(d.Candidates)
	}
	return i
}

func (p *printer) omitted(d *Decision) {
	if len(d.Omitted) == 0 {
		return
	}
	sum := 0
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(d.Omitted)) {
		sum += d.Omitted[reason]
		parts = append(parts, fmt.Sprintf("%d %s", d.Omitted[reason], text.Inert(string(reason))))
	}
	p.line(2, "… and %d more not chosen (%s)", sum, strings.Join(parts, ", "))
}

func decisionWords(d *Decision, t graph.Terms) string {
	switch d.Kind {
	case DecisionInstalled:
		return text.Inert(d.Subject) + " is installed and stays"
	case DecisionSubscription:
		return lexicon.Demand(t, false) + " " + text.Inert(d.Subject)
	case DecisionForced:
		return text.Inert(d.Subject) + " is forced"
	}
	said := refWords(Ref{Bundle: d.Subject, Catalog: d.Catalog}) + " requires " + text.Inert(d.Constraint)
	if d.Part != "" {
		said += "; of that, " + text.Inert(d.Part)
	}
	return said
}

func refWords(b Ref) string {
	switch {
	case b.Bundle == "":
		return "what needs nothing"
	case b.Installed:
		return text.Inert(b.Bundle) + " (installed)"
	case b.Catalog.IsZero():
		return text.Inert(b.Bundle)
	default:
		return text.Inert(b.Bundle) + " (" + text.Inert(b.Catalog.String()) + ")"
	}
}

// verdicts are the words for the verdict on a candidate.
var verdicts = map[argument.Rejection]string{
	Chosen:                          "chosen",
	argument.RejectedByPackage:      "no, {by} is of package {subject} too",
	argument.RejectedByGVK:          "no, {by} provides {subject} too",
	argument.RejectedBySubscription: "no, {by} meets the same {demand}",
	argument.RejectedByProhibition:  "no, {by} prohibits {subject}",
	argument.RejectedByConstraint:   "no, its requirement cannot be met: {subject}",
	argument.RejectedForbidden:      "no, the request forbids it",
	argument.RejectedDeprecated:     "no, {deprecated}",
	argument.RejectedQuarantined:    "no, it is ignored, because the catalog is broken",
	argument.RejectedByDeadEnd:      "no, every choice after it failed, given the choices before",
	argument.RejectedBySolver:       "no, the solver found it impossible with the choices before",
}

// Reason returns why a candidate was rejected, as a clause without a full stop, in the given terms.
func (c *Candidate) Reason(t graph.Terms) string { return strings.TrimPrefix(verdict(c, t), "no, ") }

func verdict(c *Candidate, t graph.Terms) string {
	deprecated := "the property olm.deprecated excludes it"
	if !lexicon.OLM(t) {
		deprecated = "it " + lexicon.Deprecated(t)
	}
	said := cmp.Or(verdicts[c.Verdict], "no")
	if c.Verdict == argument.RejectedForbidden && c.Subject != "" {
		said = "no, the policy rule {subject} forbids it"
	}
	if c.Verdict == argument.RejectedByProhibition && c.By.Bundle == "" {
		said = "no, it prohibits {subject}, and that is chosen"
	}
	return strings.NewReplacer("{by}", text.Inert(cmp.Or(c.By.Bundle, "another "+lexicon.Bundle(t))), "{subject}", text.Inert(c.Subject),
		"{demand}", lexicon.Demand(t, false), "{deprecated}", deprecated).Replace(said)
}

// questions are the words for the purposes of solver calls.
var questions = map[Purpose]string{
	PurposeFeasible: "is there a solution at all?",
	PurposeLocate:   "are the first choices possible together?",
	PurposeAdmit:    "are these {demands} possible together?",
	PurposeExplain:  "can all facts hold together?",
	PurposeMinimize: "can they without this one?",
	PurposeFewest:   "is there an explanation with fewer {bundles}?",
}

func question(p Purpose, t graph.Terms) string {
	return strings.NewReplacer("{bundles}", text.Many(lexicon.Bundle(t)), "{demands}", text.Many(lexicon.Demand(t, false))).Replace(questions[p])
}

func answer(s *Solve) string {
	said := fmt.Sprintf("%d calls: %d satisfiable, %d not", s.Calls, s.Satisfiable, s.Unsatisfiable)
	switch {
	case s.Calls > 1 && s.Stopped > 0:
		return fmt.Sprintf("%s, %d stopped", said, s.Stopped)
	case s.Calls > 1:
		return said
	case s.Stopped > 0:
		return "stopped"
	}
	return text.Plural(s.Satisfiable, "satisfiable", "not satisfiable") + fmt.Sprintf(" (%s)", text.Count(s.Assumptions, "assumption", "assumptions"))
}

func (p *printer) conflict(c *Conflict) {
	if c.Error != "" {
		p.line(0, "explanation stopped: %s", text.Inert(c.Error))
		return
	}
	cut := ""
	if c.NotMinimal {
		cut = ", not made minimal"
	}
	p.line(0, "conflict of %s, out of %d%s%s: %s", text.Count(c.Facts, "fact", "facts"), c.Considered, cut, c.Took, text.Inert(c.Headline))
}

func (p *printer) answer(t *Trace) {
	switch {
	case t.Error != "":
		p.line(0, "answer: %s: %s", t.Outcome, text.Inert(t.Error))
	case len(t.Set) == 0:
		p.line(0, "answer: %s, nothing to install", t.Outcome)
	default:
		p.line(0, "answer: %s with %s: %s", t.Outcome, lexicon.Count(len(t.Set), lexicon.Bundle(t.Terms)), text.Inert(strings.Join(t.Set, ", ")))
	}
	s := t.Stats
	p.line(0, "work: %d of %s reached, %s%s", s.Reached, lexicon.Count(s.Bundles, lexicon.Bundle(t.Terms)), text.Count(s.Solves, "solver call", "solver calls"), t.Took)
}
