package resolver

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/seed109e2655/resolute/internal/text"
)

// Text renders the trace for people, in lines: the decisions with their numbers,
// below each the candidates that it looked at, and between them what the solver
// said and how far the search went back. It is inert: one line for each thing,
// without control characters.
func (t *Trace) Text() string {
	var b strings.Builder
	_ = t.WriteText(&b) // a Builder takes everything
	return b.String()
}

// WriteText writes what [Trace.Text] returns.
func (t *Trace) WriteText(w io.Writer) error {
	p := &tracePrinter{to: w}
	p.line(0, "%s and %s in namespace %s", text.Count(t.Subscriptions, "subscription", "subscriptions"), text.Count(t.Installed, "installed bundle", "installed bundles"), clean(t.Namespace))
	for i := range t.Events {
		p.event(&t.Events[i])
	}
	p.answer(t)
	return p.err
}

// tracePrinter writes lines until one cannot be written.
type tracePrinter struct {
	to  io.Writer
	err error
}

func (p *tracePrinter) line(depth int, format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.to, strings.Repeat("  ", depth)+format+"\n", args...)
	}
}

func (p *tracePrinter) event(e *TraceEvent) {
	switch {
	case e.Search != nil:
		p.line(0, "search from the start, looking %s of requirements ahead", text.Count(e.Search.Look, "level", "levels"))
	case e.Decision != nil:
		p.decision(e.Decision)
	case e.Formula != nil:
		f := e.Formula
		p.line(0, "formula for the solver: %s, %s, %s%s", text.Count(f.Bundles, "bundle", "bundles"), text.Count(f.Variables, "variable", "variables"), text.Count(f.Clauses, "clause", "clauses"), f.Took)
	case e.Solve != nil:
		p.line(0, "solver: %s %s%s", e.Solve.question(), e.Solve.answer(), e.Solve.Took)
	case e.Back != nil:
		b := e.Back
		p.line(0, "back to decision %d, %s undone: %s cannot be, together with what was chosen before it", b.Index+1, text.Count(b.Undone, "choice", "choices"), b.Refused.words())
	case e.LeftOut != nil:
		if e.LeftOut.Installed != "" {
			p.line(0, "the installed %s is broken: %s", clean(e.LeftOut.Installed), clean(e.LeftOut.Headline))
			return
		}
		p.line(0, "subscription %s is left out: %s", clean(e.LeftOut.Subscription), clean(e.LeftOut.Headline))
	case e.Explain != nil:
		p.line(0, "no solution; looking for the facts that explain it")
	case e.Conflict != nil:
		p.conflict(e.Conflict)
	default:
		p.line(0, "… %s not kept …", text.Count(e.Dropped, "event", "events"))
	}
}

func (p *tracePrinter) decision(d *TraceDecision) {
	p.line(0, "%d. %s", d.Index+1, d.words())
	for i := range d.Candidates {
		c := &d.Candidates[i]
		p.line(2, "%s: %s", c.words(), c.verdict())
		if i == d.listed()-1 {
			p.omitted(d)
		}
	}
	if d.listed() == 0 {
		p.omitted(d)
	}
	switch d.Result {
	case DecisionSatisfied:
		p.line(2, "satisfied already%s", byWords(d.By))
	case DecisionDeadEnd:
		p.line(2, "dead end: no candidate is left")
	case "":
		p.line(2, "stopped here")
	}
}

// listed is the number of candidates at the front that were not chosen.
func (d *TraceDecision) listed() int {
	i := slices.IndexFunc(d.Candidates, func(c TraceCandidate) bool { return c.Verdict == TraceChosen })
	if i < 0 {
		return len(d.Candidates)
	}
	return i
}

// omitted counts the candidates that are not listed.
func (p *tracePrinter) omitted(d *TraceDecision) {
	if len(d.Omitted) == 0 {
		return
	}
	sum := 0
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(d.Omitted)) {
		sum += d.Omitted[reason]
		parts = append(parts, fmt.Sprintf("%d %s", d.Omitted[reason], clean(string(reason))))
	}
	p.line(2, "… and %d more passed over (%s)", sum, strings.Join(parts, ", "))
}

// words says what a decision is about.
func (d *TraceDecision) words() string {
	switch d.Kind {
	case DecisionInstalled:
		return clean(d.Subject) + " is installed and stays"
	case DecisionSubscription:
		return "subscription " + clean(d.Subject)
	case DecisionForced:
		return clean(d.Subject) + " is forced"
	}
	text := TraceBundle{Bundle: d.Subject, Catalog: d.Catalog}.words() + " requires " + clean(d.Constraint)
	if d.Part != "" {
		text += "; of that, " + clean(d.Part)
	}
	return text
}

// words names a bundle and where it is from.
func (b TraceBundle) words() string {
	switch {
	case b.Bundle == "":
		return "what needs nothing"
	case b.Installed:
		return clean(b.Bundle) + " (installed)"
	case b.Catalog == "":
		return clean(b.Bundle)
	default:
		return clean(b.Bundle) + " (" + clean(b.Catalog) + ")"
	}
}

// verdict says what became of a candidate.
func (c *TraceCandidate) verdict() string {
	subject := clean(c.Subject)
	by := "another bundle"
	if c.By != nil {
		by = clean(c.By.Bundle)
	}
	switch c.Verdict {
	case TraceChosen:
		return "chosen"
	case RejectedByPackage:
		return fmt.Sprintf("no, %s is of package %s too", by, subject)
	case RejectedByGVK:
		return fmt.Sprintf("no, %s provides %s too", by, subject)
	case RejectedBySubscription:
		return fmt.Sprintf("no, %s meets the same subscription", by)
	case RejectedByProhibition:
		if c.By == nil {
			return fmt.Sprintf("no, it prohibits %s, and that is chosen", subject)
		}
		return fmt.Sprintf("no, %s prohibits %s", by, subject)
	case RejectedByConstraint:
		return fmt.Sprintf("no, it requires what cannot be had: %s", subject)
	case RejectedForbidden:
		return "no, the request forbids it"
	case RejectedDeprecated:
		return "no, the property olm.deprecated bars it"
	case RejectedQuarantined:
		return "no, it is set aside because the catalog is broken there"
	case RejectedByDeadEnd:
		return "no, all ways on from it ended, together with what was chosen before"
	case RejectedBySolver:
		return "no, says the solver, together with what was chosen before"
	default:
		return "no"
	}
}

// byWords names the bundles that satisfy a decision.
func byWords(by []TraceBundle) string {
	if len(by) == 0 {
		return ""
	}
	words := make([]string, len(by))
	for i, b := range by {
		words[i] = clean(b.Bundle)
	}
	return " by " + enumerate(words)
}

// question is what the solver is asked.
func (s *TraceSolve) question() string {
	switch s.Purpose {
	case SolveFeasible:
		return "is there a solution at all?"
	case SolveLocate:
		return "are the first choices possible together?"
	case SolveAdmit:
		return "are these subscriptions possible together?"
	case SolveExplain:
		return "can all facts hold together?"
	case SolveMinimize:
		return "can they without this one?"
	default:
		return "is there an explanation with fewer bundles?"
	}
}

func (s *TraceSolve) answer() string {
	switch {
	case s.Calls > 1:
		text := fmt.Sprintf("%d calls: %d satisfiable, %d not", s.Calls, s.Satisfiable, s.Unsatisfiable)
		if s.Stopped > 0 {
			text += fmt.Sprintf(", %d stopped", s.Stopped)
		}
		return text
	case s.Stopped > 0:
		return "stopped"
	case s.Satisfiable > 0:
		return fmt.Sprintf("satisfiable (%s)", text.Count(s.Assumptions, "assumption", "assumptions"))
	default:
		return fmt.Sprintf("not satisfiable (%s)", text.Count(s.Assumptions, "assumption", "assumptions"))
	}
}

func (p *tracePrinter) conflict(c *TraceConflict) {
	if c.Error != "" {
		p.line(0, "explanation stopped: %s", clean(c.Error))
		return
	}
	p.line(0, "conflict of %s, out of %d%s: %s", text.Count(c.Facts, "fact", "facts"), c.Considered, c.Took, clean(c.Headline))
}

// answer writes how it ended.
func (p *tracePrinter) answer(t *Trace) {
	switch {
	case t.Error != "":
		p.line(0, "answer: %s: %s", t.Outcome, clean(t.Error))
	case len(t.Set) == 0:
		p.line(0, "answer: %s, nothing to install", t.Outcome)
	default:
		p.line(0, "answer: %s with %s: %s", t.Outcome, text.Count(len(t.Set), "bundle", "bundles"), clean(strings.Join(t.Set, ", ")))
	}
	s := t.Stats
	p.line(0, "work: %d of %s reached, %s%s", s.Reached, text.Count(s.Bundles, "bundle", "bundles"), text.Count(s.Solves, "solver call", "solver calls"), t.Took)
}

// String returns ", in 1.2ms" to be put behind what took that long, nothing if it was not
// recorded.
func (d TraceDuration) String() string {
	if d == 0 {
		return ""
	}
	return ", in " + time.Duration(d).Round(time.Microsecond).String()
}

// MarshalJSON writes milliseconds.
func (d TraceDuration) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(d) / float64(time.Millisecond))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (d *TraceDuration) UnmarshalJSON(data []byte) error {
	var ms float64
	if err := json.Unmarshal(data, &ms); err != nil {
		return err
	}
	*d = TraceDuration(ms * float64(time.Millisecond))
	return nil
}
