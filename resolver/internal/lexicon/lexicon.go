// Package lexicon has the terms that arguments, explanations and traces share.
package lexicon

import "github.com/seed109e2655/resolute/internal/text"

// MaxText is the maximum number of bytes of catalog text that one sentence quotes. A constraint may
// have 64 KiB, and a conflict may cite it a thousand times.
const MaxText = 4000

// Demand returns the term for a demand: an extension or a subscription.
func Demand(extension bool) string {
	if extension {
		return "extension"
	}
	return "subscription"
}

// DependencyOf describes a bundle that was installed as a dependency of others.
func DependencyOf(dependents []string) string {
	if len(dependents) == 0 {
		return "a dependency"
	}
	return "a dependency of " + text.Short(dependents, 3)
}
