// Package view renders answers and findings as text, pages, pictures and reports. Names and
// messages are untrusted and escaped.
package view

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// JSON writes a value as one line. It streams large answers.
func JSON(w io.Writer, v any) error {
	enc := jsontext.NewEncoder(w, jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false))
	return json.MarshalEncode(enc, v)
}

// Text writes answers as text. It is not safe for concurrent use.
type Text struct {
	*terminal.Text
	// NoCluster omits actions on a cluster, for requests without one.
	NoCluster bool
}

// NewText returns a Text for a stream.
func NewText(to *terminal.Stream) *Text { return &Text{Text: terminal.NewText(to)} }

// Answer writes an answer.
func (t *Text) Answer(name string, answer *scenario.Answer) {
	t.answer(name, answer, newPlan(answer.Steps))
}

// answer writes an answer with a plan, whose steps the answer may lack.
func (t *Text) answer(name string, answer *scenario.Answer, p *plan) {
	t.Line("%s: %s", name, t.Verdict(answer))
	t.steps(answer.Steps)
	if p.Cluster() {
		t.Line("%s", p.Summary())
	}
	t.passed(answer.Steps)
	t.warnings("", answer.Warnings)
	t.unresolved(answer.Unresolved)
	t.blocked(answer.Blocked)
	t.Conflict(answer.Conflict)
	if answer.Trace == nil {
		return
	}
	t.Line("\nTRACE")
	for line := range strings.Lines(answer.Trace.Text()) {
		t.WriteString("  " + line)
	}
}

// headline colors a headline by status.
func (t *Text) headline(status scenario.Status, said string) terminal.Painted {
	return t.Good(status == scenario.Resolved, said)
}

// Verdict returns the colored headline of an answer.
func (t *Text) Verdict(answer *scenario.Answer) terminal.Painted {
	if answer.Status == scenario.Resolved && len(answer.Otherwise()) > 0 {
		return t.Paint(terminal.Yellow, answer.Headline())
	}
	return t.headline(answer.Status, answer.Headline())
}

// passed writes the better candidates that were rejected for each step.
func (t *Text) passed(steps []resolver.Step) {
	for _, s := range steps {
		if passed := passedOver(s); len(passed) > 0 {
			t.Line("%s is selected because these cannot be installed: %s", s.Bundle, List(passed))
		}
	}
}

// catalogText returns the key of a catalog, or an empty string if it is unknown.
func catalogText(k cache.Key) string {
	if k.IsZero() {
		return ""
	}
	return text.Inert(k.String())
}

// passedOver returns the rejected candidates of a step.
func passedOver(s resolver.Step) []string {
	var names []string
	for _, b := range s.PassedOver {
		if !slices.Contains(s.Replaces, b.Name) { // the replaced bundle was not a better candidate
			names = append(names, text.Inert(b.Name))
		}
	}
	return names
}

// List joins names, abbreviating long lists.
func List(names []string) string {
	if len(names) <= 10 {
		return text.Inert(strings.Join(names, ", "))
	}
	return text.Inert(text.Short(names, 10))
}

// because summarizes the reasons for a bundle. A bundle in packages is shown by its package.
func because(reasons []resolver.Reason, packages map[string]string) string {
	if len(reasons) == 0 {
		return "-"
	}
	said := reasonText(reasons[0], packages)
	if n := len(reasons) - 1; n > 0 {
		said += fmt.Sprintf(", and %d more", n)
	}
	return said
}

func reasonText(r resolver.Reason, packages map[string]string) string {
	switch {
	case r.Subscription != "":
		return "subscription " + text.Inert(r.Subscription)
	case r.Installed:
		return "installed, no owner"
	case r.Forced:
		return "requested by name"
	}
	if pkg := packages[r.Bundle]; versionOf(r.Bundle, pkg) != "" {
		return "required by " + text.Inert(pkg)
	}
	return "required by " + text.Inert(r.Bundle)
}

// warnings writes warnings, one per line.
func (t *Text) warnings(indent string, warnings []resolver.Warning) {
	for _, w := range warnings {
		t.Line("%s%s: %s: %s", indent, t.Paint(terminal.Yellow, "warning"), warningKind(w.Kind), w.Message)
	}
}

// warningKind returns the label of a warning: its code, or a more readable name.
func warningKind(kind resolver.WarningKind) string {
	if kind == resolver.WarningQuarantined {
		return "broken catalog"
	}
	return string(kind)
}

// unresolved writes broken installed bundles and dropped subscriptions, with reasons.
func (t *Text) unresolved(unresolved []resolver.Unresolved) {
	for _, u := range unresolved {
		if u.Installed != "" {
			t.Line("%s: the installed %s", t.Paint(terminal.Red, "broken"), u.Installed)
		} else {
			t.Line("%s: subscription %s", t.Paint(terminal.Red, "left out"), u.Subscription)
		}
		t.Conflict(u.Conflict)
	}
}

// Conflict writes the explanation and the corrections of each independent conflict. It writes
// nothing for nil.
func (t *Text) Conflict(c *resolver.Conflict) {
	if c == nil {
		return
	}
	for i, one := range c.All() {
		if i > 0 {
			t.Line("")
		}
		t.argument(one)
	}
	if c.MoreFurther {
		t.Line("\n  There may be more conflicts.")
	}
}

// argument writes one conflict.
func (t *Text) argument(c *resolver.Conflict) {
	for line := range strings.SplitSeq(text.Block(strings.TrimRight(c.Text(), "\n")), "\n") {
		t.Line("%s", strings.TrimRight("  "+line, " "))
	}
	if c.Tried > 0 {
		t.Line("\n  No correction found: tried %s of changes.", text.Count(c.Tried, "set", "sets"))
	}
	if len(c.Corrections) == 0 {
		return
	}
	t.Line("\n  Any of these would resolve it:")
	for i, k := range c.Corrections {
		t.Line("  %d. %s", i+1, k.Text)
		if k.Remaining > 0 {
			t.Line("     leaves %s", text.Count(k.Remaining, "other conflict", "other conflicts"))
		}
		if len(k.Result) > 0 {
			t.Line("     then: %s", List(k.Result))
		}
		for _, change := range k.Changes {
			if t.NoCluster && change.Who != resolver.RoleAuthor {
				continue
			}
			for _, line := range how(change) {
				t.Line("     %s", line)
			}
		}
	}
}

// how returns who can make a change of a correction, and the commands, as lines.
func how(c resolver.CorrectionChange) []string {
	switch {
	case c.Who == resolver.RoleAuthor:
		return []string{"only the author of " + text.Inert(c.Change.Subject()) + ", in a new release"}
	case len(c.Commands) == 0:
		return []string{"administrator: change the request; there is no kubectl command for this"}
	}
	lines := text.Each(c.Commands, text.Inert)
	for i := range lines {
		lines[i] = "administrator: " + lines[i]
	}
	return lines
}
