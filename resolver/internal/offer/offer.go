// Package offer finds the candidates of an extension of OLM v1 (section 13 of the
// semantics): of the bundles that a catalog declares, those in a range, the highest
// version first. OLM v1 knows neither heads nor broken channels, and takes the first
// candidate or nothing.
package offer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Query is what an extension asks for.
type Query struct {
	Package  string
	Channels []string // empty means every bundle, also those in no channel
	Range    string   // valid, see [ParseRange]
	Pin      string   // the only bundle to take, if it is not empty
	// Catalogs are those to look in, by index into Of; Narrowed says that there are
	// others.
	Of       []problem.Catalog
	Catalogs []int32
	Narrowed bool
	// Installed is the bundle that the extension owns, nil if it owns none.
	Installed *Installed
	// AnyVersion lets the installed bundle move to every version.
	AnyVersion bool
	// Plan lets a candidate require others; else there is only the best one, and it must
	// not require anything.
	Plan bool
	// Tick is called for each entry and each bundle that is looked at.
	Tick func()
}

// Installed is the bundle that an extension owns.
type Installed struct {
	Name    string
	Package string          // empty if it is not known
	Version *semver.Version // nil if it is not known
	Release properties.Release
}

// Find finds the candidates, best first. If there is none it says why, in words that are
// empty if the package or its channels are not there.
func Find(q Query) (list []problem.Candidate, why string) {
	f := finder{Query: q, counts: make(map[drop]int)}
	f.allowed, _ = ParseRange(q.Range) // validated before
	var found []offers
	for _, cat := range q.Catalogs {
		if list := f.in(cat); len(list) > 0 {
			found = append(found, offers{cat, list})
		}
	}
	switch best := f.best(found); len(best) {
	case 0:
		return nil, f.whyNone()
	case 1:
		return f.settle(best[0])
	default:
		names := make([]string, len(best))
		for i, o := range best {
			names[i] = q.Of[o.cat].Key.String()
		}
		slices.Sort(names)
		return nil, fmt.Sprintf("catalogs %s of the same priority %d all have package %s: give one of them a higher priority, or let the extension select one",
			text.And(names), q.Of[best[0].cat].Priority, q.Package)
	}
}

// finder finds the candidates of one extension.
type finder struct {
	Query
	allowed *Range

	// What was looked at, for words: how many packages and channels there are, how many
	// bundles each rule drops, why bundles cannot be read, and what drops the pinned one.
	packages, channels int
	counts             map[drop]int
	broken             []string
	pinned             string
}

// offers are the candidates of one catalog, best first.
type offers struct {
	cat  int32
	list []offered
}

type offered struct {
	problem.Candidate
	bundle *graph.Bundle
}

// drop is the rule that drops a bundle from the candidates.
type drop uint8

const (
	dropNone       drop = iota
	dropBroken          // it cannot be read itself
	dropOutside         // its version is not in the range
	dropNoEdge          // the installed bundle may not move there
	dropDeprecated      // it is marked olm.deprecated
)

// settle makes the offers of the best catalog those of the extension.
func (f *finder) settle(best offers) (list []problem.Candidate, why string) {
	first := best.list[0].bundle
	switch n := len(first.Constraints); {
	case f.Plan:
	case n > 0:
		needs := first.Constraints[0].Constraint.String()
		if n > 1 {
			needs += fmt.Sprintf(" and %d more", n-1)
		}
		return nil, fmt.Sprintf("%s is the best version and requires %s, and OLM v1 refuses a bundle that requires anything; narrow the version range, or have its dependencies planned (policy dependencies: Plan)",
			first.Name, needs)
	default:
		best.list = best.list[:1]
	}
	for _, o := range best.list {
		if f.Pin == "" || o.bundle.Name == f.Pin {
			list = append(list, o.Candidate)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Sprintf("the pinned %s %s", f.Pin, cmp.Or(f.pinned, "is not the version that is chosen, which is "+first.Name))
	}
	return list, ""
}

// best keeps the catalogs that can have the best candidate: one that is not
// deprecated goes first, then the priority of the catalog.
func (f *finder) best(found []offers) []offers {
	rank := func(a, b offers) int {
		return cmp.Or(
			problem.First(!a.list[0].bundle.Deprecated, !b.list[0].bundle.Deprecated),
			cmp.Compare(f.Of[b.cat].Priority, f.Of[a.cat].Priority))
	}
	slices.SortStableFunc(found, rank)
	n := 0
	for n < len(found) && rank(found[0], found[n]) == 0 {
		n++
	}
	return found[:n]
}

// in lists the candidates of one catalog, best first.
func (f *finder) in(cat int32) []offered {
	pkg := f.Of[cat].Content.Package(f.Package)
	if pkg == nil {
		return nil
	}
	f.packages++
	listed, follows := f.entries(pkg)
	var out []offered
	for _, b := range pkg.Bundles {
		f.Tick()
		channel := listed[b.Name]
		if channel == nil && len(f.Channels) > 0 {
			continue
		}
		why := f.drops(b, follows)
		if f.counts[why]++; why != dropNone {
			f.note(b, why)
			continue
		}
		c := problem.Candidate{Cat: cat, ID: b.ID, Channel: channel}
		if f.keeps(b) {
			c = problem.Candidate{ID: -1}
		}
		out = append(out, offered{c, b})
	}
	slices.SortStableFunc(out, func(x, y offered) int {
		a, b := x.bundle, y.bundle
		return cmp.Or(
			problem.First(!a.Deprecated, !b.Deprecated),
			properties.CompareVersions(*b.Version, ReleaseOf(*b.Version, b.Release), *a.Version, ReleaseOf(*a.Version, a.Release)),
			strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), // as they are declared
			strings.Compare(a.Name, b.Name))
	})
	return out
}

// entries goes through the wanted channels. It finds the first that lists a bundle, the
// default channel before others, and the bundles that the installed one may move to: an
// entry leads there by name or by version, whatever else is said of it.
func (f *finder) entries(pkg *graph.Package) (listed map[string]*graph.Channel, follows map[string]bool) {
	listed, follows = make(map[string]*graph.Channel), make(map[string]bool)
	for _, ch := range pkg.Channels {
		if len(f.Channels) > 0 && !slices.Contains(f.Channels, ch.Name) {
			continue
		}
		f.channels++
		for i := range ch.Entries {
			f.Tick()
			e := &ch.Entries[i]
			if listed[e.Name] == nil {
				listed[e.Name] = ch
			}
			if in := f.Installed; in != nil && (e.Replaces == in.Name || slices.Contains(e.Skips, in.Name) ||
				in.Version != nil && !e.SkipRange.IsZero() && e.SkipRange.Contains(*in.Version)) {
				follows[e.Name] = true
			}
		}
	}
	return listed, follows
}

// drops is the first rule that drops a bundle.
func (f *finder) drops(b *graph.Bundle, follows map[string]bool) drop {
	_, versioned := b.Properties.Package()
	switch {
	case b.Quarantine != nil && !versioned: // it may be anywhere
		return dropBroken
	case !f.allowed.Contains(*b.Version):
		return dropOutside
	case f.Installed != nil && !f.AnyVersion && !follows[b.Name] && !f.same(b):
		return dropNoEdge
	case b.Quarantine != nil:
		return dropBroken
	case b.Barred && !f.keeps(b):
		return dropDeprecated
	}
	return dropNone
}

// same reports whether a bundle is the installed one: of the same package, version and
// release, whatever its name. Where the version is not known, the name has to do.
func (f *finder) same(b *graph.Bundle) bool {
	in := f.Installed
	switch {
	case in == nil || in.Package != "" && in.Package != b.Package:
		return false
	case in.Version == nil:
		return b.Name == in.Name
	}
	return properties.CompareVersions(*b.Version, ReleaseOf(*b.Version, b.Release), *in.Version, in.Release) == 0
}

// keeps reports whether taking a bundle keeps what is installed.
func (f *finder) keeps(b *graph.Bundle) bool { return f.same(b) && b.Name == f.Installed.Name }

// mostBroken is how many broken bundles a conflict quotes.
const mostBroken = 3

// note keeps what words need of a bundle that is dropped.
func (f *finder) note(b *graph.Bundle, why drop) {
	said := ""
	switch {
	case why == dropBroken:
		if said = "is ignored, because it is broken: " + b.Quarantine.Message; f.counts[why] <= mostBroken {
			f.broken = append(f.broken, b.Name+" "+said)
		}
	case b.Name != f.Pin:
	case why == dropOutside:
		said = fmt.Sprintf("has version %s, outside %s", b.Version, f.Range)
	case why == dropNoEdge:
		said = "does not follow the installed " + f.Installed.Name
	default:
		said = "is marked olm.deprecated"
	}
	if b.Name == f.Pin {
		f.pinned = cmp.Or(f.pinned, said)
	}
}

// whyNone says why there is no candidate, empty if the package or its channels are
// not there.
func (f *finder) whyNone() string {
	where := "package " + f.Package
	switch len(f.Channels) {
	case 0:
	case 1:
		where = fmt.Sprintf("channel %s of %s", f.Channels[0], where)
	default:
		where = fmt.Sprintf("channels %s of %s", text.And(f.Channels), where)
	}
	var why string
	switch {
	case f.packages == 0 && f.Narrowed:
		return fmt.Sprintf("no catalog that the extension selects has package %s", f.Package)
	case f.packages == 0 || f.channels == 0 && len(f.Channels) > 0:
		return ""
	case f.pinned != "":
		return fmt.Sprintf("the pinned %s %s", f.Pin, f.pinned)
	case f.counts[dropNoEdge] > 0:
		why = fmt.Sprintf("no version in %s that is wanted follows the installed %s", where, f.Installed.Name)
	case f.counts[dropDeprecated] > 0:
		why = "every version in " + where + " is marked olm.deprecated"
	case f.counts[dropOutside] > 0:
		why = fmt.Sprintf("no version in %s is inside %s", where, f.Range)
	default:
		why = where + " has no bundles that can be chosen"
	}
	if more := f.counts[dropBroken] - len(f.broken); more > 0 {
		f.broken = append(f.broken, fmt.Sprintf("%d more are broken", more))
	}
	return strings.Join(append([]string{why}, f.broken...), "; ")
}

// ReleaseOf is the release of a version: the one that is declared, else the build
// metadata where that is a valid release.
func ReleaseOf(v semver.Version, declared properties.Release) properties.Release {
	if declared != "" {
		return declared
	}
	release, err := properties.ParseRelease(strings.Join(v.Build, "."))
	if err != nil {
		return ""
	}
	return release
}
