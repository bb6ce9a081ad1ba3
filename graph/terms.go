package graph

import "cmp"

// Terms are the nouns of texts: problems, conflicts, corrections, warnings and traces. An empty
// noun means that of Operator Lifecycle Manager. If any is set, no text mentions that system or
// its commands.
type Terms struct {
	// Operator is what packages deliver; empty means "operator".
	Operator string
	// Bundle is one version of a package; empty means "bundle".
	Bundle string
	// Subscription is a request for a package, an extension included; empty means "subscription" or
	// "extension".
	Subscription string
}

// bundle returns the noun for a version of a package.
func (t Terms) bundle() string { return cmp.Or(t.Bundle, "bundle") }
