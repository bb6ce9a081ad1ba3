package cel

import (
	"slices"

	"github.com/seed109e2655/resolute/properties"
)

// Needs is a necessary condition for a bundle to match a rule, read off the
// rule's text: a bundle that does not fulfil it need not be tested. The
// condition is sound but not sharp: most of what fulfils it may still fail.
//
// A caller with indexes looks at Never first, then at ClusterOnly, then
// searches by Packages or else by Types, and goes through everything only for
// Anything. Where both Packages and Types are there, a match fulfils both.
// Lists are shared: do not modify them.
type Needs struct {
	// Anything is true if none of Never, Types and Packages narrows the
	// search: every bundle must be tested.
	Anything bool
	// Never is true if no bundle can match.
	Never bool
	// ClusterOnly is true if the result does not depend on the bundle: it is
	// the same for all, and one test settles it.
	ClusterOnly bool
	// Types lists property types, sorted, of which a match has at least one.
	// Nil means that types do not narrow the search.
	Types []string
	// Packages lists package names, sorted, of one of which a match is, by
	// the packageName of an "olm.package" property. Nil means that packages
	// do not narrow the search.
	Packages []string
}

// Maybe reports whether a bundle with these properties can match. False is a
// proof that it does not.
func (n Needs) Maybe(s properties.Set) bool {
	if n.Never || n.Types != nil && !slices.ContainsFunc(n.Types, s.HasType) {
		return false
	}
	if n.Packages == nil {
		return true
	}
	for p := range s.All() { // a bundle with several olm.package is broken, but may be asked about
		if v, ok := p.Value().(properties.Package); ok && slices.Contains(n.Packages, v.Name) {
			return true
		}
	}
	return false
}
