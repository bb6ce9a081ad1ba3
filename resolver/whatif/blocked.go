package whatif

import (
	"context"
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// Blocked is a bundle that a subscription or an extension would rather have than what it keeps or moves to.
type Blocked struct {
	// Subscription is the name of the subscription, or of the extension if Extension is true.
	Subscription string `json:"subscription"`
	Extension    bool   `json:"extension,omitempty"`
	// Installed is the bundle that it owns before the solution is carried out.
	Installed string `json:"installed"`
	// Bundle is its best candidate.
	Bundle string `json:"bundle"`
	// Text says in a line what is in its way.
	Text string `json:"text"`
	// Conflict is what choosing it would break; nil if it could be chosen, were it not for
	// what comes first.
	Conflict *resolver.Conflict `json:"conflict,omitempty"`
}

// maxBlocked bounds the subscriptions that FindBlocked explains.
const maxBlocked = 5

// FindBlocked explains why operators do not reach the best candidate of their subscription or
// extension: those that stay, and those that move to a worse one. It explains the first five.
// Those on hold, and those of a request that prefers to change little, are where they are to be;
// what policy "Partial" leaves out has a conflict of its own. The error is a
// [*resolver.IncompleteError], with what was found by then.
func FindBlocked(ctx context.Context, r *resolver.Resolver, req resolver.Request, sol *resolver.Solution) ([]Blocked, error) {
	if req.Policy.Goal == "MinimalChange" {
		return nil, nil
	}
	var out []Blocked
	owned := req.Owned()
	var session *resolver.Session
	for i := range sol.Steps {
		step := &sol.Steps[i]
		k := slices.IndexFunc(step.PassedOver, func(b resolver.BundleRef) bool { return !slices.Contains(step.Replaces, b.Name) })
		why := slices.IndexFunc(step.Because, func(r resolver.Reason) bool { return owned[r.Subscription] != "" })
		if step.Action == resolver.Install || step.Hold != "" || k < 0 || why < 0 || len(out) >= maxBlocked {
			continue
		}
		name := step.Because[why].Subscription
		b := Blocked{Subscription: name, Extension: len(req.Extensions) > 0, Installed: owned[name], Bundle: step.PassedOver[k].Name}
		if session == nil {
			var err error
			if session, err = r.Session(ctx, req); err != nil {
				return out, err
			}
		}
		e, err := session.WhyNot(ctx, step.PassedOver[k])
		var incomplete *resolver.IncompleteError
		switch {
		case errors.As(err, &incomplete):
			return out, err
		case err != nil || e.In:
			continue
		case e.Conflict != nil:
			if b.Conflict = about(e.Conflict); b.Conflict == nil {
				continue // broken with or without the bundle
			}
			b.Text = inTheWay(b.Conflict)
		case e.Better.Name != "":
			b.Text = e.Better.Name + " is there instead, " + e.Rule
		default:
			b.Text = e.Rule
		}
		out = append(out, b)
	}
	return out, nil
}

// about is the one of several conflicts that is about the bundle which the question supposes; nil
// if none is.
func about(c *resolver.Conflict) *resolver.Conflict {
	all := c.All()
	i := slices.IndexFunc(all, func(c *resolver.Conflict) bool {
		return slices.ContainsFunc(c.Facts, func(f argument.Fact) bool { return f.Kind == argument.FactSupposed || f.Kind == argument.FactForced })
	})
	if i < 0 {
		return nil
	}
	one := *all[i]
	one.Further = nil
	return &one
}

// inTheWay is the fact of a conflict that says most of why a bundle cannot be: what it
// requires, or what it clashes with.
func inTheWay(c *resolver.Conflict) string {
	for _, kind := range []argument.FactKind{argument.FactConstraint, argument.FactGVK, argument.FactPackage, argument.FactForbidden} {
		if i := slices.IndexFunc(c.Facts, func(f argument.Fact) bool { return f.Kind == kind }); i >= 0 {
			return c.Facts[i].Text
		}
	}
	return c.Headline()
}
