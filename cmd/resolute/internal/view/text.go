// Package view shows what the commands answer and find: as text, as pages, as pictures and as
// reports for other systems. Names and messages come from anybody and are shown inert.
package view

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/seed109e2655/resolute/cmd/resolute/internal/terminal"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// JSON writes a value as one line, piece by piece: an answer may be large.
func JSON(w io.Writer, v any) error {
	var used any // the shape of a step that is written
	steps := json.MarshalToFunc(func(enc *jsontext.Encoder, s *resolver.Step) error {
		used = s.JSONShape(used)
		return json.MarshalEncode(enc, used, json.WithMarshalers(nil)) // which looks for them at each value
	})
	conflicts := json.MarshalToFunc(func(enc *jsontext.Encoder, c *resolver.Conflict) error {
		return json.MarshalEncode(enc, c.JSONShape(nil))
	})
	enc := jsontext.NewEncoder(w, jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false), json.WithMarshalers(json.JoinMarshalers(steps, conflicts)))
	return json.MarshalEncode(enc, v)
}

// Text writes answers for people. It is not safe for concurrent use.
type Text struct {
	*terminal.Text
	// NoCluster leaves out what an administrator would do on a cluster: there is none.
	NoCluster bool
}

// NewText returns a Text that writes to a stream.
func NewText(to *terminal.Stream) *Text { return &Text{Text: terminal.NewText(to)} }

// Answer writes an answer.
func (t *Text) Answer(name string, answer *scenario.Answer) {
	t.Line("%s: %s", name, t.Verdict(answer))
	t.steps(answer.Steps)
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

// headline colours a headline by how it came out.
func (t *Text) headline(status scenario.Status, said string) terminal.Painted {
	return t.Good(status == scenario.Resolved, said)
}

// Verdict is the headline of an answer, in its colour.
func (t *Text) Verdict(answer *scenario.Answer) terminal.Painted {
	if answer.Status == scenario.Resolved && len(answer.Otherwise()) > 0 {
		return t.Paint(terminal.Yellow, answer.Headline())
	}
	return t.headline(answer.Status, answer.Headline())
}

// passed says which better candidates the bundles of steps were preferred to.
func (t *Text) passed(steps []resolver.Step) {
	for _, s := range steps {
		if passed := passedOver(s); len(passed) > 0 {
			t.Line("%s is chosen, because these cannot be installed here: %s", s.Bundle, List(passed))
		}
	}
}

// catalogOf names where a bundle comes from; empty if that is not known.
func catalogOf(s resolver.Step) string {
	if s.Catalog.IsZero() {
		return ""
	}
	return text.Inert(s.Catalog.String())
}

// passedOver names what a step passed over.
func passedOver(s resolver.Step) []string {
	var names []string
	for _, b := range s.PassedOver {
		if !slices.Contains(s.Replaces, b.Name) { // what is installed was no worse place, but has to go
			names = append(names, text.Inert(b.Name))
		}
	}
	return names
}

// List joins names; of many it shows some.
func List(names []string) string {
	if len(names) <= 10 {
		return text.Inert(strings.Join(names, ", "))
	}
	return text.Inert(text.Short(names, 10))
}

// because says in a few words why a bundle is there. Bundles that have a package
// in the list are named by that, where their names say no more.
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
		return "asked for by name"
	}
	if pkg := packages[r.Bundle]; versionOf(r.Bundle, pkg) != "" {
		return "required by " + text.Inert(pkg)
	}
	return "required by " + text.Inert(r.Bundle)
}

// warnings writes warnings, a line each.
func (t *Text) warnings(indent string, warnings []resolver.Warning) {
	for _, w := range warnings {
		t.Line("%s%s: %s: %s", indent, t.Paint(terminal.Yellow, "warning"), warningKind(w.Kind), w.Message)
	}
}

// warningKind is the kind of a warning for people: its code, but for one that they would
// have to look up.
func warningKind(kind resolver.WarningKind) string {
	if kind == resolver.WarningQuarantined {
		return "broken catalog"
	}
	return string(kind)
}

// unresolved writes which installed bundles are broken, which subscriptions were left
// out, and why.
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

// Conflict writes the argument and what helps, of each independent conflict. It writes
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
		t.Line("\n  There may be more conflicts, which are not shown here.")
	}
}

// argument writes one conflict.
func (t *Text) argument(c *resolver.Conflict) {
	for line := range strings.SplitSeq(text.Block(strings.TrimRight(c.Text(), "\n")), "\n") {
		t.Line("%s", strings.TrimRight("  "+line, " "))
	}
	if c.Tried > 0 {
		t.Line("\n  No small set of changes was found that would resolve it: %s of changes tried.", text.Count(c.Tried, "set", "sets"))
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
			if t.NoCluster && change.Who != "author" {
				continue
			}
			for _, line := range how(change) {
				t.Line("     %s", line)
			}
		}
	}
}

// how says who can make a change of a correction, and by which commands, in lines.
func how(c resolver.Change) []string {
	switch {
	case c.Who == "author":
		return []string{"only the author of " + text.Inert(c.Subject) + ", in a new release"}
	case len(c.Commands) == 0:
		return []string{"administrator: in the request, no command does it on a cluster"}
	}
	lines := text.Each(c.Commands, text.Inert)
	for i := range lines {
		lines[i] = "administrator: " + lines[i]
	}
	return lines
}
