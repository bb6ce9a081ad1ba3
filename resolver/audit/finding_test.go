package audit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/audit"
)

// runAll audits catalogs and returns all findings.
func runAll(t testing.TB, catalogs []resolver.Catalog, opts audit.Options) ([]*audit.Bundle, *audit.Summary) {
	t.Helper()
	var found []*audit.Bundle
	opts.Each = func(b *audit.Bundle) error {
		found = append(found, b)
		return nil
	}
	sum := testkit.Must(audit.Run(context.Background(), resolver.New(), catalogs, opts))(t)
	return found, sum
}

// findingText formats a finding in one line; of conflicts, the kinds of the facts after the
// subscription.
func findingText(b *audit.Bundle) string {
	var out strings.Builder
	out.WriteString(b.Bundle + ": ")
	if b.Installable {
		out.WriteString("yes")
	} else {
		out.WriteString("no" + kindsOf(b.Conflict))
	}
	if r := b.ReachesHead; r == nil {
		out.WriteString(", no upgrade path")
	} else if r.Reaches {
		fmt.Fprintf(&out, ", to the head of %s in %d", r.Channel, r.Rounds)
	} else {
		fmt.Fprintf(&out, ", in %s to %s in %d%s", r.Channel, r.StuckAt, r.Rounds, kindsOf(r.Conflict))
	}
	for _, more := range []struct{ what, text string }{
		{"deprecated", b.Deprecated}, {"quarantined", b.Quarantined}, {"orphans", strings.Join(b.Orphans, " ")}, {"incomplete", b.Incomplete},
	} {
		if more.text != "" {
			fmt.Fprintf(&out, "; %s: %s", more.what, more.text)
		}
	}
	return out.String()
}

func kindsOf(c *resolver.Conflict) string {
	if c == nil {
		return ""
	}
	var kinds []string
	for _, f := range c.Facts {
		if f.Kind != argument.FactSubscription {
			kinds = append(kinds, string(f.Kind))
		}
	}
	return " (" + strings.Join(kinds, " ") + ")"
}
