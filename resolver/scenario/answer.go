package scenario

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// Answer is the answer to a scenario in the shape in which it is written as
// JSON: the keys in this order, absent when empty.
type Answer struct {
	// Status is always there.
	Status Status `json:"status"`
	// Error says in words what is wrong with an invalid scenario, or what
	// stopped an incomplete resolution.
	Error string `json:"error,omitempty"`
	// Set holds the names of all bundles of the result set, sorted.
	Set []string `json:"set,omitempty"`
	// Steps are the bundles of the result set in the order of the work.
	Steps []resolver.Step `json:"steps,omitempty"`
	// Warnings are what did not stop the resolution and should be known.
	Warnings []resolver.Warning `json:"warnings,omitempty"`
	// Unresolved are the subscriptions that policy Partial left out.
	Unresolved []resolver.Unresolved `json:"unresolved,omitempty"`
	// Blocked says of operators that stay or move, but not to their best candidate, why.
	Blocked []whatif.Blocked `json:"blocked,omitempty"`
	// Conflict says why there is no solution.
	Conflict *resolver.Conflict `json:"conflict,omitempty"`
	// WhatIf holds the answers to the scenario's changed problems, where they
	// were asked for.
	WhatIf []WhatIfAnswer `json:"whatif,omitempty"`
	// Stats is always there.
	Stats Stats `json:"stats"`
	// Trace records how the base problem was resolved, if that was asked for.
	Trace *trace.Trace `json:"trace,omitempty"`
}

// Status says how a resolution ended.
type Status string

// The ways in which a resolution ends.
const (
	// Resolved: there is a result set.
	Resolved Status = "resolved"
	// Unsatisfiable: there is no result set; the conflict says why.
	Unsatisfiable Status = "unsatisfiable"
	// Invalid: the scenario is not a well-formed problem.
	Invalid Status = "invalid"
	// Incomplete: a time limit or a budget ran out first.
	Incomplete Status = "incomplete"
)

// WhatIfAnswer is the answer to one changed problem.
type WhatIfAnswer struct {
	Name   string          `json:"name"`
	Status Status          `json:"status"`
	Error  string          `json:"error,omitempty"`
	Set    []string        `json:"set,omitempty"`
	Steps  []resolver.Step `json:"steps,omitempty"`
	// Warnings and Unresolved are those of the changed problem.
	Warnings   []resolver.Warning    `json:"warnings,omitempty"`
	Unresolved []resolver.Unresolved `json:"unresolved,omitempty"`
	Conflict   *resolver.Conflict    `json:"conflict,omitempty"`
	// Diff says how the result differs from that of the base problem; it is nil
	// without a result. Where the base has none, all of it is installed.
	Diff *whatif.Diff `json:"diff,omitempty"`
}

// Stats counts the work of one answer.
type Stats struct {
	resolver.Stats
	// LoadMs and ResolveMs are milliseconds.
	LoadMs    float64 `json:"loadMs"`
	ResolveMs float64 `json:"resolveMs"`
}

// NewAnswer puts what [resolver.Resolver.Resolve] returned into the shape of an
// answer. The times are left at zero.
func NewAnswer(sol *resolver.Solution, err error) *Answer {
	a := new(Answer)
	var conflict *resolver.Conflict
	var incomplete *resolver.IncompleteError
	switch {
	case err == nil:
		a.Status = Resolved
		a.Set, a.Steps, a.Warnings, a.Unresolved, a.Stats.Stats = sol.Set(), sol.Steps, sol.Warnings, sol.Unresolved, sol.Stats
	case errors.As(err, &conflict):
		a.Status = Unsatisfiable
		a.Conflict = conflict
		a.Stats.Stats = conflict.Stats
	case errors.As(err, &incomplete):
		a.Status = Incomplete
		a.Error = err.Error()
		a.Stats.Stats = incomplete.Progress.Stats
	case isStopped(err):
		a.Status = Incomplete
		a.Error = err.Error()
	default:
		a.Status = Invalid
		a.Error = err.Error()
	}
	return a
}

// Headline is the answer in a few words, for people. Where a subscription gets something
// else than it asks for it begins with "resolved, but".
func (a *Answer) Headline() string {
	switch a.Status {
	case Resolved:
		broken := 0
		for _, u := range a.Unresolved {
			if u.Installed != "" {
				broken++
			}
		}
		said := "resolved, " + a.but() + text.Count(len(a.Set), "bundle", "bundles")
		if broken > 0 {
			said += ", " + text.Count(broken, "installed bundle", "installed bundles") + " broken"
		}
		if n := len(a.Unresolved) - broken; n > 0 {
			said += ", " + text.Count(n, "subscription", "subscriptions") + " left out"
		}
		return said
	case Unsatisfiable:
		if c := a.Conflict; c != nil && len(c.Further) > 0 {
			return "no solution, " + text.Count(len(c.All()), "conflict", "conflicts")
		}
		return "no solution"
	}
	return string(a.Status)
}

// Otherwise are the warnings that a subscription gets something else than it asks for, the
// first of each subscription.
func (a *Answer) Otherwise() []resolver.Warning {
	var out []resolver.Warning
	for _, w := range a.Warnings {
		same := func(o resolver.Warning) bool { return o.Subscription == w.Subscription }
		if w.Otherwise() && !slices.ContainsFunc(out, same) {
			out = append(out, w)
		}
	}
	return out
}

// but says what is not as it was asked for, empty if all is.
func (a *Answer) but() string {
	other := a.Otherwise()
	if len(other) == 0 {
		return ""
	}
	w := other[0]
	name, bundle := text.Inert(w.Subscription), text.Inert(w.Bundle)
	switch {
	case len(other) > 1:
		return fmt.Sprintf("but %d subscriptions do not get what they ask for: ", len(other))
	case w.Kind == resolver.WarningOutsideRange:
		return fmt.Sprintf("but %s stays outside the version range of subscription %s: ", bundle, name)
	}
	return fmt.Sprintf("but subscription %s gets %s, because channel %s is broken: ", name, bundle, text.Inert(w.Channel))
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}
