// Package lexicon has the terms that arguments, explanations and traces share.
package lexicon

import (
	"cmp"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
)

// MaxText is the maximum number of bytes of catalog text that one sentence quotes. A constraint may
// have 64 KiB, and a conflict may cite it a thousand times.
const MaxText = 4000

// Demand returns the noun for a demand: an extension or a subscription.
func Demand(t graph.Terms, extension bool) string {
	if t.Subscription == "" && extension {
		return "extension"
	}
	return cmp.Or(t.Subscription, "subscription")
}

// Operator returns the noun for what packages deliver.
func Operator(t graph.Terms) string { return cmp.Or(t.Operator, "operator") }

// Bundle returns the noun for a version of a package.
func Bundle(t graph.Terms) string { return cmp.Or(t.Bundle, "bundle") }

// Count counts things of a noun.
func Count(n int, noun string) string { return text.Count(n, noun, text.Many(noun)) }

// OLM reports whether texts may mention Operator Lifecycle Manager and its commands.
func OLM(t graph.Terms) bool { return t == graph.Terms{} }

// Start returns the noun for the first version that a demand installs.
func Start(t graph.Terms) string {
	if OLM(t) {
		return "startingCSV"
	}
	return "starting " + Bundle(t)
}

// Deprecated is the predicate for a bundle that its author has excluded.
func Deprecated(t graph.Terms) string {
	if OLM(t) {
		return "is marked olm.deprecated"
	}
	return "is marked deprecated"
}

// DependencyOf describes a bundle that was installed as a dependency of others.
func DependencyOf(dependents []string) string {
	if len(dependents) == 0 {
		return "a dependency"
	}
	return "a dependency of " + text.Short(dependents, 3)
}
