package whatif

import (
	"cmp"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/resolver"
)

// Diff is the difference between two solutions.
type Diff struct {
	// Install and Remove are the bundles of packages that only the second, or only the first
	// solution has, in ascending order.
	Install []string `json:"install,omitempty"`
	Remove  []string `json:"remove,omitempty"`
	// Upgrade are the packages with different bundles in both solutions, whichever is newer, by
	// package.
	Upgrade []Move `json:"upgrade,omitempty"`
	// Keep are the bundles that both have, in ascending order.
	Keep []string `json:"keep,omitempty"`
	// Reasons are the kept bundles that are there for other reasons, by name.
	Reasons []ReasonChange `json:"-"`
}

// Move is a package that goes from one bundle to another.
type Move struct {
	Package string `json:"-"`
	From    string `json:"from"`
	To      string `json:"to"`
}

// ReasonChange is a bundle that two solutions have for different reasons.
type ReasonChange struct {
	Bundle        string
	Before, After []resolver.Reason
}

// Empty reports whether the solutions have the same bundles for the same reasons.
func (d Diff) Empty() bool {
	return len(d.Install)+len(d.Remove)+len(d.Upgrade)+len(d.Reasons) == 0
}

// Compare returns the changes from the solution before to the solution after. A nil solution
// means an empty result set.
func Compare(before, after *resolver.Solution) Diff {
	old, now := byPackageName(before), byPackageName(after)
	var d Diff
	for pkg, b := range old {
		a, both := now[pkg]
		switch {
		case !both:
			d.Remove = append(d.Remove, b.Bundle)
		case !sameBundle(a, b):
			d.Upgrade = append(d.Upgrade, Move{Package: pkg, From: b.Bundle, To: a.Bundle})
		default:
			d.Keep = append(d.Keep, a.Bundle)
			if !slices.Equal(a.Because, b.Because) {
				d.Reasons = append(d.Reasons, ReasonChange{a.Bundle, b.Because, a.Because})
			}
		}
	}
	for pkg, a := range now {
		if _, both := old[pkg]; !both {
			d.Install = append(d.Install, a.Bundle)
		}
	}
	slices.Sort(d.Install)
	slices.Sort(d.Remove)
	slices.Sort(d.Keep)
	slices.SortFunc(d.Upgrade, func(a, b Move) int { return strings.Compare(a.Package, b.Package) })
	slices.SortFunc(d.Reasons, func(a, b ReasonChange) int { return cmp.Compare(a.Bundle, b.Bundle) })
	return d
}

// sameBundle reports whether two steps end with the same bundle. If both know the catalog, it must
// be the same as well.
func sameBundle(a, b *resolver.Step) bool {
	unknown := cache.Key{}
	return a.Bundle == b.Bundle && (a.Catalog == b.Catalog || a.Catalog == unknown || b.Catalog == unknown)
}

// byPackageName indexes the steps of a solution by package, each of which has one.
func byPackageName(s *resolver.Solution) map[string]*resolver.Step {
	out := make(map[string]*resolver.Step)
	if s != nil {
		for i := range s.Steps {
			out[s.Steps[i].Package] = &s.Steps[i]
		}
	}
	return out
}
