package audit

import (
	"cmp"
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// Reason returns the most informative fact of a conflict in one line.
func Reason(c *resolver.Conflict) string {
	f := decisive(c, "")
	return text.Inert(f.Text + newest(f))
}

// newest returns the newest available version for a range without a version.
func newest(f *argument.Fact) string {
	if len(f.Newest) == 0 {
		return ""
	}
	return "; the newest on offer is " + text.And(f.Newest)
}

// decisive returns the most informative fact about the conflict of a bundle: errors in the
// catalog before other obstacles, and requirements of the bundle itself before others.
func decisive(c *resolver.Conflict, bundle string) *argument.Fact {
	for _, kind := range []argument.FactKind{argument.FactQuarantined, argument.FactDeprecated, argument.FactNoCandidate,
		argument.FactConstraint, argument.FactGVK, argument.FactInstalled} {
		var found *argument.Fact
		for i := range c.Facts {
			if f := &c.Facts[i]; f.Kind == kind && (found == nil || found.Bundle != bundle) {
				found = f
			}
		}
		if found != nil {
			return found
		}
	}
	if n := len(c.Facts); n > 0 {
		return &c.Facts[n-1]
	}
	return &argument.Fact{}
}

// Cause is Reason for a bundle that cannot be installed, or is stuck, with "it" instead of its
// name. Bundles that differ only in name have the same cause.
func Cause(c *resolver.Conflict, bundle string) string {
	f := decisive(c, bundle)
	reason := f.Text
	switch why := rejection(c, cmp.Or(f.Bundle, bundle)); {
	case f.Kind == argument.FactQuarantined:
		return text.Inert(cmp.Or(f.Message, f.Text))
	case why == "":
	case f.Kind == argument.FactNoCandidate, f.Bundle == bundle:
		reason = "it " + why
	case f.Kind == argument.FactConstraint:
		reason = "the upgrade " + why
	}
	reason += newest(f)
	for i := range c.Facts {
		if in := &c.Facts[i]; in.Kind == argument.FactInstalled && in != f {
			reason += "; " + in.Text
		}
	}
	if f.Message != "" {
		reason += fmt.Sprintf(" (%q)", f.Message)
	}
	if !c.Minimal {
		reason += "; the search for the reason was stopped early, so it may be incomplete or not minimal"
	}
	return text.Inert(reason)
}

// rejection returns the reason of a conflict for rejecting a candidate, without its name; or
// empty.
func rejection(c *resolver.Conflict, bundle string) string {
	for i := range c.Facts {
		for _, r := range c.Facts[i].Candidates {
			if r.Bundle == bundle {
				return r.Text
			}
		}
	}
	return ""
}
