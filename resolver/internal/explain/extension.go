package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// whyNoOffer says why catalogs have no candidate for an extension, empty if the package or
// its channels are not there.
func whyNoOffer(p *problem.View, o *problem.Offer) None {
	switch {
	case len(o.Best) == 0:
		return whyNone(o)
	case len(o.Best) > 1:
		names := make([]string, len(o.Best))
		for i, cat := range o.Best {
			names[i] = p.Cats[cat].Key.String()
		}
		slices.Sort(names)
		return None{"ambiguousCatalogs", names, fmt.Sprintf("catalogs %s of the same priority %d all have package %s: give one of them a higher priority, or let the extension select one",
			text.And(names), p.Cats[o.Best[0]].Priority, o.Package)}
	}
	if n := len(o.Top.Constraints); n > 0 && !o.Plan {
		needs := o.Top.Constraints[0].Constraint.String()
		if n > 1 {
			needs += fmt.Sprintf(" and %d more", n-1)
		}
		return None{"requires", []string{o.Top.Name}, fmt.Sprintf("%s is the best version and requires %s, and OLM v1 refuses a bundle that requires anything; narrow the version range, or have its dependencies planned (policy dependencies: Plan)",
			o.Top.Name, needs)}
	}
	if o.Pinned != nil {
		return whyPinned(o)
	}
	return None{"pin", []string{o.Pin}, fmt.Sprintf("%s is not the version that is chosen, which is %s", o.Pin, o.Top.Name)}
}

// whyNone says which rule leaves no candidate.
func whyNone(o *problem.Offer) (why None) {
	where := "package " + o.Package
	switch channels := o.Channels; len(channels) {
	case 0:
	case 1:
		where = fmt.Sprintf("channel %s of %s", channels[0], where)
	default:
		where = fmt.Sprintf("channels %s of %s", text.And(channels), where)
	}
	switch {
	case o.Packages == 0 && o.Narrowed:
		return None{"package", []string{o.Package}, fmt.Sprintf("no catalog that the extension selects has package %s", o.Package)}
	case o.Packages == 0 || o.FoundChannels == 0 && len(o.Channels) > 0:
		return None{}
	case o.Pinned != nil:
		return whyPinned(o)
	case o.Counts[problem.DropNoEdge] > 0:
		why = None{"edge", []string{o.Installed.Name}, fmt.Sprintf("no version in %s that is wanted follows the installed %s", where, o.Installed.Name)}
	case o.Counts[problem.DropDeprecated] > 0:
		why = None{"deprecated", []string{o.Package}, "every version in " + where + " is marked olm.deprecated"}
	case o.Counts[problem.DropVersion] > 0:
		why = None{"range", []string{o.Range}, fmt.Sprintf("no version in %s is inside %s", where, o.Range)}
	default:
		why = None{"empty", []string{o.Package}, where + " has no bundles that can be chosen"}
	}
	said := []string{why.Text}
	for _, b := range o.Broken {
		said = append(said, b.Name+" "+broken(b))
	}
	if more := o.Counts[problem.DropBroken] - len(o.Broken); more > 0 {
		said = append(said, fmt.Sprintf("%d more are broken", more))
	}
	why.Text = strings.Join(said, "; ")
	return why
}

// whyPinned says which rule drops the pinned bundle.
func whyPinned(o *problem.Offer) None {
	said := "is marked olm.deprecated"
	switch b := o.Pinned; o.PinnedBy {
	case problem.DropBroken:
		said = broken(b)
	case problem.DropVersion:
		said = fmt.Sprintf("has version %s, outside %s", b.Version, o.Range)
	case problem.DropNoEdge:
		said = "does not follow the installed " + o.Installed.Name
	}
	return None{"pin", []string{o.Pin}, o.Pin + " " + said}
}

// broken says of a bundle that it cannot be read.
func broken(b *graph.Bundle) string {
	return "is ignored, because it is broken: " + b.Quarantine.Message
}
