// Package lexicon has the words that arguments, explanations and traces share.
package lexicon

import "github.com/seed109e2655/resolute/internal/text"

// MaxText is how many bytes of what a catalog says one sentence repeats. A single
// constraint may have 64 KiB, and a conflict may cite it a thousand times.
const MaxText = 4000

// Demand is the word for a demand: an extension or a subscription.
func Demand(extension bool) string {
	if extension {
		return "extension"
	}
	return "subscription"
}

// DependencyOf says what came in for the sake of some bundles.
func DependencyOf(dependents []string) string {
	if len(dependents) == 0 {
		return "a dependency"
	}
	return "a dependency of " + text.Short(dependents, 3)
}
