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
	fmt.Fprintf(&b, "%s: %s\n", name, a.headline(answer))
	printSteps(&b, answer.Steps)
	for _, w := range answer.Warnings {
		fmt.Fprintf(&b, "%s: %s: %s\n", a.out.paint(yellow, "warning"), w.Kind, w.Message)
	}
	for _, u := range answer.Unresolved {
		fmt.Fprintf(&b, "%s: subscription %s\n", a.out.paint(red, "left out"), u.Subscription)
		printConflict(&b, u.Conflict)
	}
	printConflict(&b, answer.Conflict)
	_, err := b.WriteTo(a.out)
	return err
}

// headline is the answer in a few words.
func (a *app) headline(answer *scenario.Answer) string {
	switch answer.Status {
	case scenario.Resolved:
		text := "resolved, " + count(len(answer.Set), "bundle")
		if n := len(answer.Unresolved); n > 0 {
			text += ", " + count(n, "subscription") + " left out"
		}
		return a.out.paint(green, text)
	case scenario.Unsatisfiable:
		return a.out.paint(red, "no solution")
	}
	return a.out.paint(red, string(answer.Status))
}

// printSteps writes the table of the bundles, wave by wave.
func printSteps(b *bytes.Buffer, steps []scenario.Step) {
	if len(steps) == 0 {
		return
	}
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "WAVE\tACTION\tBUNDLE\tCATALOG\tCHANNEL\tBECAUSE")
	for _, s := range steps {
		bundle := s.Bundle
		if s.Replaces != "" {
			bundle = strings.Join(append([]string{s.Replaces}, s.AlsoReplaces...), ", ") + " -> " + s.Bundle
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\n", s.Wave, s.Action, bundle, orDash(s.Catalog), orDash(s.Channel), because(s.Because))
	}
	table.Flush() // a buffer takes everything
	for _, s := range steps {
		if len(s.PassedOver) > 0 {
			fmt.Fprintf(b, "passed over for %s: %s\n", s.Bundle, shortList(s.PassedOver))
		}
	}
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
		return "subscription " + r.Subscription
	case r.Installed:
		return "installed, no owner"
	case r.Forced:
		return "asked for by name"
	}
	return "required by " + r.Bundle
}

// printConflict writes the argument and what helps.
func printConflict(b *bytes.Buffer, c *scenario.Conflict) {
	if c == nil {
		return
	}
	for line := range strings.SplitSeq(strings.TrimRight(c.Text, "\n"), "\n") {
		b.WriteString(strings.TrimRight("  "+line, " ") + "\n")
	}
	if len(c.Corrections) == 0 {
		return
	}
	b.WriteString("\n  Any of these would resolve it:\n")
	for i, k := range c.Corrections {
		fmt.Fprintf(b, "  %d. %s\n", i+1, k.Text)
		if len(k.Result) > 0 {
			fmt.Fprintf(b, "     then: %s\n", shortList(k.Result))
		}
	}
}

// shortList joins names; of many it shows the first.
func shortList(names []string) string {
	const most = 10
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// count returns "1 bundle", "2 bundles".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
