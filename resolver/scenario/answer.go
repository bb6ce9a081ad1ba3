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

// Answer is the answer to a scenario. It is also the JSON format: the keys in this order, absent
// when empty.
type Answer struct {
	// Status is always present.
	Status Status `json:"status"`
	// Error describes an invalid scenario, or the reason for an incomplete resolution.
	Error string `json:"error,omitempty"`
	// Set holds the names of all bundles of the solution, sorted.
	Set []string `json:"set,omitempty"`
	// Steps are the bundles of the solution in installation order.
	Steps []resolver.Step `json:"steps,omitempty"`
	// Warnings report problems that do not prevent a solution.
	Warnings []resolver.Warning `json:"warnings,omitempty"`
	// Unresolved are the subscriptions that policy Partial excluded.
	Unresolved []resolver.Unresolved `json:"unresolved,omitempty"`
	// Blocked explains why operators were not upgraded to their best candidate.
	Blocked []whatif.Blocked `json:"blocked,omitempty"`
	// Conflict explains why there is no solution.
	Conflict *resolver.Conflict `json:"conflict,omitempty"`
	// WhatIf holds the answers to the what-ifs, if requested.
	WhatIf []WhatIfAnswer `json:"whatif,omitempty"`
	// Stats is always present.
	Stats Stats `json:"stats"`
	// Trace records the resolution of the base problem, if requested.
	Trace *trace.Trace `json:"trace,omitempty"`
}

// Status is the outcome of a resolution.
type Status string

// The statuses.
const (
	// Resolved: there is a solution.
	Resolved Status = "resolved"
	// Unsatisfiable: there is no solution; the conflict explains why.
	Unsatisfiable Status = "unsatisfiable"
	// Invalid: the scenario is invalid.
	Invalid Status = "invalid"
	// Incomplete: a time limit or a budget was exhausted first.
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
	// Diff is the difference from the solution of the base problem. It is nil without a solution.
	// If only the base has no solution, every bundle counts as installed.
	Diff *whatif.Diff `json:"diff,omitempty"`
}

// Stats measures the work for an answer.
type Stats struct {
	resolver.Stats
	// LoadMs and ResolveMs are milliseconds.
	LoadMs    float64 `json:"loadMs"`
	ResolveMs float64 `json:"resolveMs"`
}

// NewAnswer converts the result of [resolver.Resolver.Resolve] to an answer, with times of zero.
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

// Headline summarizes the answer in a few words. It begins with "resolved, but" if a subscription
// is not satisfied as demanded.
func (a *Answer) Headline() string {
	switch a.Status {
	case Resolved:
		broken := 0
		for _, u := range a.Unresolved {
			if u.Installed != "" {
				broken++
			}
		}
		headline := "resolved, " + a.but() + text.Count(len(a.Set), "bundle", "bundles")
		if broken > 0 {
			headline += ", " + text.Count(broken, "installed bundle", "installed bundles") + " broken"
		}
		if n := len(a.Unresolved) - broken; n > 0 {
			headline += ", " + text.Count(n, "subscription", "subscriptions") + " unresolved"
		}
		return headline
	case Unsatisfiable:
		if c := a.Conflict; c != nil && len(c.Further) > 0 {
			return "no solution, " + text.Count(len(c.All()), "conflict", "conflicts")
		}
		return "no solution"
	}
	return string(a.Status)
}

// Otherwise returns the first warning for each subscription that is not satisfied as demanded.
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

// but describes the subscriptions that are not satisfied as demanded; empty if all are.
func (a *Answer) but() string {
	other := a.Otherwise()
	if len(other) == 0 {
		return ""
	}
	w := other[0]
	name, bundle := text.Inert(w.Subscription), text.Inert(w.Bundle)
	switch {
	case len(other) > 1:
		return fmt.Sprintf("but %d subscriptions are not satisfied as demanded: ", len(other))
	case w.Kind == resolver.WarningOutsideRange:
		return fmt.Sprintf("but %s stays outside the version range of subscription %s: ", bundle, name)
	}
	return fmt.Sprintf("but subscription %s gets %s, because channel %s is broken: ", name, bundle, text.Inert(w.Channel))
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}
