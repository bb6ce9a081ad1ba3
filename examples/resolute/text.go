package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// printAnswer writes an answer for people, after an empty line if it is not the
// first.
func (a *app) printAnswer(name string, answer *scenario.Answer, further bool) error {
	var b bytes.Buffer
	if further {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s: %s\n", text.Inert(name), a.headline(answer))
	printSteps(&b, answer.Steps)
	a.printWarnings(&b, "", answer.Warnings)
	a.printUnresolved(&b, answer.Unresolved)
	printConflict(&b, answer.Conflict)
	printTrace(&b, answer.Trace)
	_, err := b.WriteTo(a.out)
	return err
}

// headline is the answer in a few words.
func (a *app) headline(answer *scenario.Answer) string {
	colour := red
	if answer.Status == scenario.Resolved {
		colour = green
	}
	return a.out.paint(colour, headline(answer))
}

// headline is the answer in a few words, without colour.
func headline(answer *scenario.Answer) string {
	switch answer.Status {
	case scenario.Resolved:
		said := "resolved, " + text.Count(len(answer.Set), "bundle", "bundles")
		broken := 0
		for _, u := range answer.Unresolved {
			if u.Installed != "" {
				broken++
			}
		}
		if broken > 0 {
			said += ", " + text.Count(broken, "installed bundle", "installed bundles") + " broken"
		}
		if n := len(answer.Unresolved) - broken; n > 0 {
			said += ", " + text.Count(n, "subscription", "subscriptions") + " left out"
		}
		return said
	case scenario.Unsatisfiable:
		if n := countConflicts(answer.Conflict); n > 1 {
			return "no solution, " + text.Count(n, "conflict", "conflicts")
		}
		return "no solution"
	}
	return string(answer.Status)
}

// countConflicts counts the independent conflicts of an answer.
func countConflicts(c *resolver.Conflict) int {
	if c == nil {
		return 0
	}
	return 1 + len(c.Further)
}

// printSteps writes the table of the bundles, wave by wave.
func printSteps(b *bytes.Buffer, steps []resolver.Step) {
	if len(steps) == 0 {
		return
	}
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "WAVE\tACTION\tBUNDLE\tCATALOG\tCHANNEL\tBECAUSE")
	for _, s := range steps {
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\n", s.Wave, s.Action, moved(s), catalogOf(s), orDash(s.Channel), because(s.Because))
	}
	table.Flush() // a buffer takes everything
	for _, s := range steps {
		if len(s.PassedOver) > 0 {
			fmt.Fprintf(b, "passed over for %s: %s\n", text.Inert(s.Bundle), shortList(passedOver(s)))
		}
	}
}

// moved names the bundle of a step, behind what it replaces.
func moved(s resolver.Step) string {
	if len(s.Replaces) == 0 {
		return text.Inert(s.Bundle)
	}
	return replaced(s) + " -> " + text.Inert(s.Bundle)
}

// replaced names what a step replaces.
func replaced(s resolver.Step) string { return text.Inert(strings.Join(s.Replaces, ", ")) }

// catalogOf names where a bundle comes from.
func catalogOf(s resolver.Step) string {
	if s.Catalog.IsZero() {
		return "-"
	}
	return text.Inert(s.Catalog.String())
}

// passedOver names what a step passed over.
func passedOver(s resolver.Step) []string {
	names := make([]string, len(s.PassedOver))
	for i, b := range s.PassedOver {
		names[i] = text.Inert(b.Name)
	}
	return names
}

// shortList joins names; of many it shows some.
func shortList(names []string) string {
	if len(names) <= 10 {
		return text.Inert(strings.Join(names, ", "))
	}
	return text.Inert(text.Short(names, 10))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return text.Inert(s)
}

// because says in a few words why a bundle is there.
func because(reasons []resolver.Reason) string {
	if len(reasons) == 0 {
		return "-"
	}
	said := reasonText(reasons[0])
	if n := len(reasons) - 1; n > 0 {
		said += fmt.Sprintf(", and %d more", n)
	}
	return said
}

func reasonText(r resolver.Reason) string {
	switch {
	case r.Subscription != "":
		return "subscription " + text.Inert(r.Subscription)
	case r.Installed:
		return "installed, no owner"
	case r.Forced:
		return "asked for by name"
	}
	return "required by " + text.Inert(r.Bundle)
}

// printWarnings writes warnings, a line each.
func (a *app) printWarnings(b *bytes.Buffer, indent string, warnings []resolver.Warning) {
	for _, w := range warnings {
		fmt.Fprintf(b, "%s%s: %s: %s\n", indent, a.out.paint(yellow, "warning"), w.Kind, text.Inert(w.Message))
	}
}

// printUnresolved writes which installed bundles are broken, which subscriptions were
// left out, and why.
func (a *app) printUnresolved(b *bytes.Buffer, unresolved []resolver.Unresolved) {
	for _, u := range unresolved {
		if u.Installed != "" {
			fmt.Fprintf(b, "%s: the installed %s\n", a.out.paint(red, "broken"), text.Inert(u.Installed))
		} else {
			fmt.Fprintf(b, "%s: subscription %s\n", a.out.paint(red, "left out"), text.Inert(u.Subscription))
		}
		printConflict(b, u.Conflict)
	}
}

// printConflict writes the argument and what helps, of each independent conflict.
func printConflict(b *bytes.Buffer, c *resolver.Conflict) {
	if c == nil {
		return
	}
	printArgument(b, c)
	for _, further := range c.Further {
		b.WriteByte('\n')
		printArgument(b, further)
	}
	if c.MoreFurther {
		b.WriteString("\n  There are more conflicts, which are not told here.\n")
	}
}

// printArgument writes one conflict.
func printArgument(b *bytes.Buffer, c *resolver.Conflict) {
	for line := range strings.SplitSeq(text.Block(strings.TrimRight(c.Text(), "\n")), "\n") {
		b.WriteString(strings.TrimRight("  "+line, " ") + "\n")
	}
	if c.Tried > 0 {
		fmt.Fprintf(b, "\n  No small set of changes was found that would resolve it: %s of changes tried.\n", text.Count(c.Tried, "set", "sets"))
	}
	if len(c.Corrections) == 0 {
		return
	}
	b.WriteString("\n  Any of these would resolve it:\n")
	for i, k := range c.Corrections {
		fmt.Fprintf(b, "  %d. %s\n", i+1, text.Inert(k.Text))
		if k.Remaining > 0 {
			fmt.Fprintf(b, "     leaves %s\n", text.Count(k.Remaining, "other conflict", "other conflicts"))
		}
		if len(k.Result) > 0 {
			fmt.Fprintf(b, "     then: %s\n", shortList(k.Result))
		}
	}
}
