package audit

import (
	"cmp"
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// Reason states in one line the fact that says most about a conflict.
func Reason(c *resolver.Conflict) string {
	f := decisive(c, "")
	return text.Inert(f.Text + newest(f))
}

// newest says of a range that no version is inside what the newest on offer is.
func newest(f *argument.Fact) string {
	if len(f.Newest) == 0 {
		return ""
	}
	return "; the newest on offer is " + text.And(f.Newest)
}

// decisive is the fact that says most about the conflict of a bundle: what is
// wrong with the catalog before what stands in the way. Among requirements, those
// of the bundle itself come first.
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

// Cause is Reason as said of a bundle that cannot be installed, or that is stuck: "it"
// stands for the bundle. Bundles that differ in nothing but their names get the same.
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
		reason += "; this may not be all of the reason, nor be needed for it, for the search for it was stopped early"
	}
	return text.Inert(reason)
}

// rejection is what a conflict says against a candidate, behind its name, or empty.
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
