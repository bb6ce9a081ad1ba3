// Package offer finds the candidates of an extension of OLM v1 (section 13 of the
// semantics): the versions in a range, the highest first, whatever the head of a channel
// is. OLM v1 takes the first of them or nothing.
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
	Channels []string // empty means all
	Range    string   // valid, see [ParseRange]
	// Catalogs are those to look in, by index into Of; Narrowed says that there are
	// others.
	Of       []problem.Catalog
	Catalogs []int32
	Narrowed bool
	// Installed is the installed bundle of the extension, and Version its version; empty
	// and nil where there is none, or it is not known.
	Installed string
	Version   *semver.Version
	// AnyVersion lets the installed bundle move to every version.
	AnyVersion bool
	// Plan lets a candidate require others; else there is only the best one, and it must
	// not require anything.
	Plan bool
	// Tick is called for each entry that is looked at.
	Tick func()
}

// Find finds the candidates, best first. If there is none it says why, in words that are
// empty if the package or its channels are not there.
func Find(q Query) (list []problem.Candidate, why string) {
	f := finder{Query: q}
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

	// packages, channels, bundles and inside count what was looked at, for words.
	packages, channels, bundles, inside int
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

// settle makes the offers of the best catalog those of the extension.
func (f *finder) settle(best offers) (list []problem.Candidate, why string) {
	if f.Plan {
		for _, o := range best.list {
			list = append(list, o.Candidate)
		}
		return list, ""
	}
	first := best.list[0].bundle
	if n := len(first.Constraints); n > 0 {
		needs := first.Constraints[0].Constraint.String()
		if n > 1 {
			needs += fmt.Sprintf(" and %d more", n-1)
		}
		return nil, fmt.Sprintf("%s is the best version and requires %s, and OLM v1 refuses a bundle that requires anything; narrow the version range, or have its dependencies planned (policy dependencies: Plan)",
			first.Name, needs)
	}
	return []problem.Candidate{best.list[0].Candidate}, ""
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
	var channels []*graph.Channel
	for _, ch := range pkg.Channels { // the default channel first
		if len(f.Channels) == 0 || slices.Contains(f.Channels, ch.Name) {
			channels = append(channels, ch)
		}
	}
	f.channels += len(channels)
	follows := f.successors(channels)
	seen := make(map[int32]bool)
	var out []offered
	for _, ch := range channels {
		if ch.Quarantined() != nil {
			continue
		}
		for i := range ch.Entries {
			f.Tick()
			b := ch.Entries[i].Bundle
			if b == nil || b.Quarantine != nil || seen[b.ID] {
				continue
			}
			seen[b.ID] = true
			f.bundles++
			own := b.Name == f.Installed
			if !f.allowed.Contains(*b.Version) {
				continue
			}
			f.inside++
			if f.Installed != "" && !own && !follows[b.Name] || b.Barred && !own {
				continue
			}
			c := problem.Candidate{Cat: cat, ID: b.ID, Channel: ch}
			if own {
				c = problem.Candidate{ID: -1}
			}
			out = append(out, offered{c, b})
		}
	}
	slices.SortStableFunc(out, func(x, y offered) int {
		return cmp.Or(
			problem.First(!x.bundle.Deprecated, !y.bundle.Deprecated),
			compareVersions(y.bundle, x.bundle),
			strings.Compare(x.bundle.Name, y.bundle.Name))
	})
	return out
}

// successors are the bundles that the installed one may move to: an entry of the
// wanted channels leads there by name or by version, whether others skip it or not.
func (f *finder) successors(channels []*graph.Channel) map[string]bool {
	if f.Installed == "" {
		return nil
	}
	out := make(map[string]bool)
	for _, ch := range channels {
		for i := range ch.Entries {
			f.Tick()
			e := &ch.Entries[i]
			byRange := f.Version != nil && !e.SkipRange.IsZero() && e.SkipRange.Contains(*f.Version)
			if f.AnyVersion || byRange || e.Replaces == f.Installed || slices.Contains(e.Skips, f.Installed) {
				out[e.Name] = true
			}
		}
	}
	return out
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
	switch {
	case f.packages == 0 && f.Narrowed:
		return fmt.Sprintf("no catalog that the extension selects has package %s", f.Package)
	case f.packages == 0 || f.channels == 0:
		return ""
	case f.bundles == 0:
		return where + " has no bundles that can be chosen"
	case f.inside == 0:
		return fmt.Sprintf("no version in %s is inside %s", where, f.Range)
	case f.Installed != "":
		return fmt.Sprintf("no version in %s that is wanted follows the installed %s", where, f.Installed)
	default:
		return "every version in " + where + " is marked olm.deprecated"
	}
}

// compareVersions orders bundles by version and release. Without a release,
// the build metadata of the version stands for one.
func compareVersions(a, b *graph.Bundle) int {
	release := func(x *graph.Bundle) properties.Release {
		if x.Release == "" {
			return properties.Release(strings.Join(x.Version.Build, "."))
		}
		return x.Release
	}
	return properties.CompareVersions(*a.Version, release(a), *b.Version, release(b))
}
