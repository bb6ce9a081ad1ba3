package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/seed109e2655/resolute/resolver/scenario"
)

// printAnswer writes an answer for people, after an empty line if it is not the
// first.
func (a *app) printAnswer(name string, answer *scenario.Answer, further bool) error {
	var b bytes.Buffer
	if further {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s: %s\n", plain(name), a.headline(answer))
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
		text := "resolved, " + count(len(answer.Set), "bundle")
		broken := 0
		for _, u := range answer.Unresolved {
			if u.Installed != "" {
				broken++
			}
		}
		if broken > 0 {
			text += ", " + count(broken, "installed bundle") + " broken"
		}
		if n := len(answer.Unresolved) - broken; n > 0 {
			text += ", " + count(n, "subscription") + " left out"
		}
		return text
	case scenario.Unsatisfiable:
		if n := countConflicts(answer.Conflict); n > 1 {
			return "no solution, " + count(n, "conflict")
		}
		return "no solution"
	}
	return string(answer.Status)
}

// countConflicts counts the independent conflicts of an answer.
func countConflicts(c *scenario.Conflict) int {
	if c == nil {
		return 0
	}
	return 1 + len(c.Further)
}

// printSteps writes the table of the bundles, wave by wave.
func printSteps(b *bytes.Buffer, steps []scenario.Step) {
	if len(steps) == 0 {
		return
	}
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "WAVE\tACTION\tBUNDLE\tCATALOG\tCHANNEL\tBECAUSE")
	for _, s := range steps {
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\n", s.Wave, s.Action, moved(s), orDash(s.Catalog), orDash(s.Channel), because(s.Because))
	}
	table.Flush() // a buffer takes everything
	for _, s := range steps {
		if len(s.PassedOver) > 0 {
			fmt.Fprintf(b, "passed over for %s: %s\n", plain(s.Bundle), shortList(s.PassedOver))
		}
	}
}

// moved names the bundle of a step, behind what it replaces.
func moved(s scenario.Step) string {
	if s.Replaces == "" {
		return plain(s.Bundle)
	}
	return replaced(s) + " -> " + plain(s.Bundle)
}

// replaced names what a step replaces.
func replaced(s scenario.Step) string {
	if s.Replaces == "" {
		return ""
	}
	return strings.Join(plainAll(append([]string{s.Replaces}, s.AlsoReplaces...)), ", ")
}

// because says in a few words why a bundle is there.
func because(reasons []scenario.Reason) string {
	if len(reasons) == 0 {
		return "-"
	}
	text := reasonText(reasons[0])
	if n := len(reasons) - 1; n > 0 {
		text += fmt.Sprintf(", and %d more", n)
	}
	return text
}

func reasonText(r scenario.Reason) string {
	switch {
	case r.Subscription != "":
		return "subscription " + plain(r.Subscription)
	case r.Installed:
		return "installed, no owner"
	case r.Forced:
		return "asked for by name"
	}
	return "required by " + plain(r.Bundle)
}

// printWarnings writes warnings, a line each.
func (a *app) printWarnings(b *bytes.Buffer, indent string, warnings []scenario.Warning) {
	for _, w := range warnings {
		fmt.Fprintf(b, "%s%s: %s: %s\n", indent, a.out.paint(yellow, "warning"), w.Kind, plain(w.Message))
	}
}

// printUnresolved writes which installed bundles are broken, which subscriptions were
// left out, and why.
func (a *app) printUnresolved(b *bytes.Buffer, unresolved []scenario.Unresolved) {
	for _, u := range unresolved {
		if u.Installed != "" {
			fmt.Fprintf(b, "%s: the installed %s\n", a.out.paint(red, "broken"), plain(u.Installed))
		} else {
			fmt.Fprintf(b, "%s: subscription %s\n", a.out.paint(red, "left out"), plain(u.Subscription))
		}
		printConflict(b, u.Conflict)
	}
}

// printConflict writes the argument and what helps, of each independent conflict.
func printConflict(b *bytes.Buffer, c *scenario.Conflict) {
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
func printArgument(b *bytes.Buffer, c *scenario.Conflict) {
	for line := range strings.SplitSeq(strings.TrimRight(c.Text, "\n"), "\n") {
		b.WriteString(strings.TrimRight("  "+plain(line), " ") + "\n")
	}
	if c.Tried > 0 {
		fmt.Fprintf(b, "\n  No small set of changes was found that would resolve it: %s of changes tried.\n", count(c.Tried, "set"))
	}
	if len(c.Corrections) == 0 {
		return
	}
	b.WriteString("\n  Any of these would resolve it:\n")
	for i, k := range c.Corrections {
		fmt.Fprintf(b, "  %d. %s\n", i+1, plain(k.Text))
		if k.Remaining > 0 {
			fmt.Fprintf(b, "     leaves %s\n", count(k.Remaining, "other conflict"))
		}
		if len(k.Result) > 0 {
			fmt.Fprintf(b, "     then: %s\n", shortList(k.Result))
		}
	}
}
