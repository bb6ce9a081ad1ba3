package problem

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Extension is the part of a demand that is specific to extensions of OLM v1 (section 13 of the
// semantics): its fields, and what the catalogs offer for it. OLM v1 ignores channel heads and
// broken channels: the candidates are the declared bundles in a range, highest version first, and
// it installs the first one or nothing.
type Extension struct {
	Range  string // as it is written
	Within *Range
	// In are the selected catalogs, by index. Narrowed reports whether there are others.
	In       []int32
	Narrowed bool
	// Installed is the bundle that the extension owns, nil if it owns none.
	Installed *Installed
	// AnyVersion lets the installed bundle move to any version.
	AnyVersion bool
	// Plan lets candidates have requirements. Otherwise there is only the best candidate, and it
	// must have none.
	Plan bool

	// The following fields are results of the scan of the catalogs.

	Best []int32       // the catalogs that tie for the best candidate; with several, OLM v1 fails
	Top  *graph.Bundle // the best candidate, if exactly one catalog has it

	Packages, FoundChannels int              // number found in all catalogs
	Counts                  [dropEnd]int     // how many bundles each rule drops
	Broken                  []*graph.Bundle  // quarantined bundles, at most maxBroken
	Pinned                  *graph.Bundle    // the pinned bundle, if it is dropped
	PinnedBy                Dropped          // the rule that drops Pinned
	channels                []*graph.Channel // selected channels of the current catalog
	next                    map[string]bool  // upgrade targets of the installed bundle in them, by name
}

// Installed is the bundle that an extension owns.
type Installed struct {
	Name    string
	Package string          // empty if unknown
	Version *semver.Version // nil if unknown
	Release properties.Release
}

// maxBroken is the maximum number of broken bundles that an extension lists.
const maxBroken = 3

// offered are the candidates of one catalog, best first.
type offered struct {
	cat     int32
	list    []Candidate
	bundles []*graph.Bundle
}

// listDeclared lists the candidates of an extension.
func (l *lister) listDeclared(s *Demand) {
	x := s.Extension
	var found []offered
	for _, cat := range x.In {
		if of := l.offeredIn(s, cat); len(of.list) > 0 {
			found = append(found, of)
		}
	}
	// A candidate that is not deprecated comes first, then the priority of the catalog decides.
	rank := func(a, b offered) int {
		return cmp.Or(First(!a.bundles[0].Deprecated, !b.bundles[0].Deprecated), cmp.Compare(l.u.Cats[b.cat].Priority, l.u.Cats[a.cat].Priority))
	}
	slices.SortStableFunc(found, rank)
	for _, of := range found {
		if rank(found[0], of) == 0 {
			x.Best = append(x.Best, of.cat)
		}
	}
	if len(x.Best) == 1 {
		s.settle(found[0])
	}
	l.count(len(s.Cands))
}

// settle sets the candidates of the best catalog.
func (d *Demand) settle(best offered) {
	x := d.Extension
	x.Top = best.bundles[0]
	if !x.Plan {
		if len(x.Top.Constraints) > 0 {
			return
		}
		best.list = best.list[:1]
	}
	for i, c := range best.list {
		if d.Pin == "" || best.bundles[i].Name == d.Pin {
			d.Cands = append(d.Cands, c)
		}
	}
}

// offeredIn lists the candidates of one catalog.
func (l *lister) offeredIn(s *Demand, cat int32) offered {
	out := offered{cat: cat}
	pkg := l.u.Cats[cat].Content.Package(s.Package)
	if pkg == nil {
		return out
	}
	x := s.Extension
	x.Packages++
	x.follow(s.Channels, pkg, l.u.Budget)
	if !x.Plan && !l.u.KeepExcluded { // OLM v1 tries only the best one
		out.bundles = l.best(s, pkg)
	}
	if len(out.bundles) == 0 {
		out.bundles = l.all(s, pkg)
	}
	for _, b := range out.bundles {
		c := Candidate{Cat: cat, ID: b.ID, Channel: x.channelOf(b)}
		if x.keeps(b) {
			c = Candidate{ID: -1}
		}
		out.list = append(out.list, c)
	}
	return out
}

// all lists the bundles that no rule drops, best first, and records the dropped ones.
func (l *lister) all(s *Demand, pkg *graph.Package) []*graph.Bundle {
	var out []*graph.Bundle
	for _, b := range pkg.Bundles {
		if l.u.Budget.Step(); !s.wants(b) {
			continue
		}
		if why := s.Extension.drops(b); why != dropNone {
			s.note(b, why)
			continue
		}
		out = append(out, b)
	}
	slices.SortStableFunc(out, compareOffered)
	return out
}

// best returns the first bundle of all. It scans backwards, because later bundles of a package are
// usually better.
func (l *lister) best(s *Demand, pkg *graph.Package) []*graph.Bundle {
	var best []*graph.Bundle
	for _, b := range slices.Backward(pkg.Bundles) {
		if l.u.Budget.Step(); s.wants(b) && s.Extension.follows(b) && (best == nil || compareOffered(b, best[0]) <= 0) && s.Extension.drops(b) == dropNone {
			best = []*graph.Bundle{b}
		}
	}
	return best
}

// compareOffered orders bundles that no rule drops, best first.
func compareOffered(a, b *graph.Bundle) int {
	return cmp.Or(First(!a.Deprecated, !b.Deprecated), compareDeclared(a, b))
}

// compareDeclared orders bundles of a package: highest version and release first, then in declared
// order.
func compareDeclared(a, b *graph.Bundle) int {
	return cmp.Or(
		properties.CompareVersions(*b.Version, ReleaseOf(*b.Version, b.Release), *a.Version, ReleaseOf(*a.Version, a.Release)),
		cmp.Compare(a.Order, b.Order),
		strings.Compare(a.Name, b.Name))
}

// follow finds the selected channels of a package, and the upgrade targets of the installed bundle
// in them: an entry has an edge by name or by version range even if another entry skips it.
func (x *Extension) follow(channels []string, pkg *graph.Package, budget *Budget) {
	x.channels, x.next = pkg.Channels, nil
	if len(channels) > 0 {
		x.channels = slices.DeleteFunc(slices.Clone(x.channels), func(ch *graph.Channel) bool { return !slices.Contains(channels, ch.Name) })
	}
	x.FoundChannels += len(x.channels)
	in := x.Installed
	if in == nil {
		return
	}
	x.next = make(map[string]bool)
	for _, ch := range x.channels {
		for i := range ch.Entries {
			budget.Step()
			e := &ch.Entries[i]
			if e.Replaces == in.Name || slices.Contains(e.Skips(), in.Name) ||
				in.Version != nil && !e.SkipRange().IsZero() && e.SkipRange().Contains(*in.Version) {
				x.next[e.Name] = true
			}
		}
	}
}

// DropsDeclared returns the rule that drops a bundle from the candidates of an extension, if the
// selected channels list it.
func (d *Demand) DropsDeclared(u *Universe, pkg *graph.Package, b *graph.Bundle) Dropped {
	x := *d.Extension
	x.follow(d.Channels, pkg, u.Budget)
	if len(d.Channels) > 0 && x.channelOf(b) == nil {
		return dropNone
	}
	return x.drops(b)
}

// channelOf returns the first selected channel that lists a bundle, the default channel before
// others, or nil.
func (x *Extension) channelOf(b *graph.Bundle) *graph.Channel {
	for _, ch := range x.channels {
		if ch.Entry(b.Name) != nil {
			return ch
		}
	}
	return nil
}

// drops returns the first rule that drops a bundle.
func (x *Extension) drops(b *graph.Bundle) Dropped {
	_, versioned := b.Properties.Package()
	switch {
	case b.Quarantine != nil && !versioned: // its version is unknown
		return DropBroken
	case !x.Within.Contains(*b.Version):
		return DropVersion
	case !x.follows(b):
		return DropNoEdge
	case b.Quarantine != nil:
		return DropBroken
	case b.Barred && !x.keeps(b):
		return DropDeprecated
	}
	return dropNone
}

// wants reports whether a selected channel lists a bundle.
func (d *Demand) wants(b *graph.Bundle) bool {
	return len(d.Channels) == 0 || d.Extension.channelOf(b) != nil
}

// follows reports whether the installed bundle is a bundle or may move to it. It is true if none
// is installed.
func (x *Extension) follows(b *graph.Bundle) bool {
	return x.Installed == nil || x.AnyVersion || x.next[b.Name] || x.same(b)
}

// same reports whether a bundle is the installed one: it has the same package, version and release,
// whatever its name. If the version is unknown, the names are compared.
func (x *Extension) same(b *graph.Bundle) bool {
	in := x.Installed
	switch {
	case in == nil || in.Package != "" && in.Package != b.Package:
		return false
	case in.Version == nil:
		return b.Name == in.Name
	}
	return properties.CompareVersions(*b.Version, ReleaseOf(*b.Version, b.Release), *in.Version, in.Release) == 0
}

// keeps reports whether selecting a bundle keeps the installed one.
func (x *Extension) keeps(b *graph.Bundle) bool { return x.same(b) && b.Name == x.Installed.Name }

// note records a dropped bundle.
func (d *Demand) note(b *graph.Bundle, why Dropped) {
	x := d.Extension
	if x.Counts[why]++; why == DropBroken && len(x.Broken) < maxBroken {
		x.Broken = append(x.Broken, b)
	}
	if d.Pin != "" && b.Name == d.Pin && x.Pinned == nil {
		x.Pinned, x.PinnedBy = b, why
	}
}

// ReleaseOf returns the release of a version: the declared one, else the build metadata if that is
// a valid release.
func ReleaseOf(v semver.Version, declared properties.Release) properties.Release {
	if declared != "" || len(v.Build) == 0 {
		return declared
	}
	release, err := properties.ParseRelease(strings.Join(v.Build, "."))
	if err != nil {
		return ""
	}
	return release
}
