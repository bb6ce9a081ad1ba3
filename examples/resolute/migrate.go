package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/olm"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// printMigration writes whether subscriptions could be extensions, a line each.
func printMigration(b *bytes.Buffer, list []olm.Migration) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\nas extensions of OLM v1\n")
	words := map[olm.MigrationVerdict]string{
		olm.MigrateAsIs:     "could be one as it is",
		olm.MigrateWithPlan: "could be one if its dependencies are planned",
		olm.MigrateNot:      "cannot be one",
	}
	for _, m := range list {
		fmt.Fprintf(b, "  %s/%s (%s) %s\n", text.Inert(m.Namespace), text.Inert(m.Subscription), text.Inert(m.Package), words[m.Verdict])
		for _, r := range m.Reasons {
			fmt.Fprintf(b, "    %s: %s\n", r.Code, text.Inert(r.Text))
		}
	}
}

// printExtensions writes the summary of what OLM v1 manages.
func (a *app) printExtensions(ctx context.Context, b *bytes.Buffer, runner *scenario.Runner, captured *olm.Capture, into string) {
	e := captured.Extensions
	if e == nil {
		return
	}
	b.WriteString("\nextensions of OLM v1\n")
	for _, x := range e.Scenario.Extensions {
		if x.InstalledCSV == "" {
			fmt.Fprintf(b, "  wanted     %s, by extension %s\n", text.Inert(x.Package), text.Inert(x.Name))
		} else {
			fmt.Fprintf(b, "  installed  %s, of extension %s\n", text.Inert(x.InstalledCSV), text.Inert(x.Name))
		}
	}
	printObserved(b, e.Observed)
	a.printOwn(ctx, b, runner, e.Scenario, into)
	a.printFindings(b, e.Findings)
}
