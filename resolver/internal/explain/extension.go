package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// whyNoneDeclared returns why an extension has no candidate. It is empty if the package or the
// channels do not exist.
func whyNoneDeclared(u *problem.Universe, s *problem.Demand) None {
	x := s.Extension
	switch {
	case len(x.Best) == 0:
		return whyNone(u, s)
	case len(x.Best) > 1:
		keys := make([]cache.Key, len(x.Best))
		for i, cat := range x.Best {
			keys[i] = u.Cats[cat].Key
		}
		slices.SortFunc(keys, func(a, b cache.Key) int { return strings.Compare(a.String(), b.String()) })
		names := text.Each(keys, cache.Key.String)
		return None{Cause: argument.CauseAmbiguousCatalogs, Names: names, Catalogs: keys, Text: fmt.Sprintf("catalogs %s of the same priority %d all have package %s: give one of them a higher priority, or let the %s select one",
			text.And(names), u.Cats[x.Best[0]].Priority, s.Package, noun(u, s))}
	}
	if n := len(x.Top.Constraints); n > 0 && !x.Plan {
		needs := constraints.Describe(x.Top.Constraints[0].Constraint, u.Terms.Operator)
		if n > 1 {
			needs += fmt.Sprintf(" and %d more", n-1)
		}
		refuser := "the policy"
		if lexicon.OLM(u.Terms) {
			refuser = "OLM v1"
		}
		return None{Cause: argument.CauseRequires, Names: []string{x.Top.Name}, Text: fmt.Sprintf("%s is the best version and requires %s, and %s refuses %s that requires anything; narrow the version range, or have its dependencies planned (policy dependencies: Plan)",
			x.Top.Name, needs, refuser, text.A(lexicon.Bundle(u.Terms)))}
	}
	if x.Pinned != nil {
		return whyPinned(u, s)
	}
	return None{Cause: argument.CausePin, Names: []string{s.Pin}, Text: fmt.Sprintf("%s is not the best version, which is %s", s.Pin, x.Top.Name)}
}

// whyNone returns the rule that drops the last candidates of an extension.
func whyNone(u *problem.Universe, s *problem.Demand) (why None) {
	x, where := s.Extension, "package "+s.Package
	switch channels := s.Channels; len(channels) {
	case 0:
	case 1:
		where = fmt.Sprintf("channel %s of %s", channels[0], where)
	default:
		where = fmt.Sprintf("channels %s of %s", text.And(channels), where)
	}
	switch {
	case x.Packages == 0 && x.Narrowed:
		return None{Cause: argument.CausePackage, Names: []string{s.Package}, Text: fmt.Sprintf("no catalog that the %s selects has package %s", noun(u, s), s.Package)}
	case x.Packages == 0 || x.FoundChannels == 0 && len(s.Channels) > 0:
		return None{}
	case x.Pinned != nil:
		return whyPinned(u, s)
	case x.Counts[problem.DropNoEdge] > 0:
		why = None{Cause: argument.CauseEdge, Names: []string{x.Installed.Name}, Text: fmt.Sprintf("no matching version in %s has an upgrade edge from the installed %s", where, x.Installed.Name)}
	case x.Counts[problem.DropDeprecated] > 0:
		why = None{Cause: argument.CauseDeprecated, Names: []string{s.Package}, Text: "every version in " + where + " " + lexicon.Deprecated(u.Terms)}
	case x.Counts[problem.DropVersion] > 0:
		why = None{Cause: argument.CauseRange, Names: []string{x.Range}, Text: fmt.Sprintf("no version in %s is inside %s", where, x.Range)}
	default:
		why = None{Cause: argument.CauseEmpty, Names: []string{s.Package}, Text: where + " has no candidates"}
	}
	said := []string{why.Text}
	for _, b := range x.Broken {
		said = append(said, b.Name+" "+broken(b))
	}
	if more := x.Counts[problem.DropBroken] - len(x.Broken); more > 0 {
		said = append(said, fmt.Sprintf("%d more are broken", more))
	}
	why.Text = strings.Join(said, "; ")
	return why
}

// whyPinned returns the rule that drops the pinned bundle.
func whyPinned(u *problem.Universe, s *problem.Demand) None {
	x := s.Extension
	said := lexicon.Deprecated(u.Terms)
	switch b := x.Pinned; x.PinnedBy {
	case problem.DropBroken:
		said = broken(b)
	case problem.DropVersion:
		said = fmt.Sprintf("has version %s, outside %s", b.Version, x.Range)
	case problem.DropNoEdge:
		said = "does not follow the installed " + x.Installed.Name
	}
	return None{Cause: argument.CausePin, Names: []string{s.Pin}, Text: s.Pin + " " + said}
}

// broken is the predicate for a quarantined bundle.
func broken(b *graph.Bundle) string {
	return "is ignored, because it is broken: " + b.Quarantine.Message
}
