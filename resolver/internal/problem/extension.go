package problem

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Extension is what an extension of OLM v1 asks for (section 13 of the semantics).
type Extension struct {
	Package  string
	Channels []string // empty means every bundle, also those in no channel
	Range    string   // as it is written
	Within   *Range
	Pin      string // the only bundle to take, if it is not empty
	// In are the catalogs to look in, by index; Narrowed says that there are others.
	In       []int32
	Narrowed bool
	// Installed is the bundle that the extension owns, nil if it owns none.
	Installed *Installed
	// AnyVersion lets the installed bundle move to every version.
	AnyVersion bool
	// Plan lets a candidate require others; else there is only the best one, and it must
	// not require anything.
	Plan bool
}

// Installed is the bundle that an extension owns.
type Installed struct {
	Name    string
	Package string          // empty if it is not known
	Version *semver.Version // nil if it is not known
	Release properties.Release
}

// Offer is what catalogs have for an extension: of the bundles that they declare, those
// in a range, the highest version first. OLM v1 knows neither heads nor broken channels,
// and takes the first candidate or nothing. What is beside the candidates says why there
// are none.
type Offer struct {
	Extension
	List []Candidate // best first

	Best []int32       // the catalogs that have the best candidate; OLM v1 chooses between none of them
	Top  *graph.Bundle // the best candidate, if one catalog has it

	Packages, FoundChannels int              // that were found of what it asks for
	Counts                  [dropEnd]int     // how many bundles each rule drops
	Broken                  []*graph.Bundle  // the first of those that cannot be read
	Pinned                  *graph.Bundle    // the pinned one, if it is dropped
	PinnedBy                Dropped          // by this rule
	channels                []*graph.Channel // the wanted ones of a catalog
	next                    map[string]bool  // what the installed bundle may move to in them
}

// MostBroken bounds the broken bundles that an offer remembers.
const MostBroken = 3

// offered are the candidates of one catalog, best first.
type offered struct {
	cat     int32
	list    []Candidate
	bundles []*graph.Bundle
}

// Offer finds the candidates of an extension.
func (p *Problem) Offer(x Extension) *Offer {
	o := &Offer{Extension: x}
	if p.Stopped() {
		return o
	}
	var found []offered
	for _, cat := range x.In {
		if of := p.offeredIn(o, cat); len(of.list) > 0 {
			found = append(found, of)
		}
	}
	// One that is not deprecated goes first, then the priority of the catalog.
	rank := func(a, b offered) int {
		return cmp.Or(First(!a.bundles[0].Deprecated, !b.bundles[0].Deprecated), cmp.Compare(p.Cats[b.cat].Priority, p.Cats[a.cat].Priority))
	}
	slices.SortStableFunc(found, rank)
	for _, of := range found {
		if rank(found[0], of) == 0 {
			o.Best = append(o.Best, of.cat)
		}
	}
	if len(o.Best) == 1 {
		o.settle(found[0])
	}
	p.List(len(o.List))
	return o
}

// settle takes the candidates of the best catalog.
func (o *Offer) settle(best offered) {
	o.Top = best.bundles[0]
	if !o.Plan {
		if len(o.Top.Constraints) > 0 {
			return
		}
		best.list = best.list[:1]
	}
	for i, c := range best.list {
		if o.Pin == "" || best.bundles[i].Name == o.Pin {
			o.List = append(o.List, c)
		}
	}
}

// offeredIn lists the candidates of one catalog.
func (p *Problem) offeredIn(o *Offer, cat int32) offered {
	out := offered{cat: cat}
	pkg := p.Cats[cat].Content.Package(o.Package)
	if pkg == nil {
		return out
	}
	o.Packages++
	p.follow(o, pkg)
	if !o.Plan && !p.Explaining { // OLM v1 tries no second one
		out.bundles = p.best(o, pkg)
	}
	if len(out.bundles) == 0 {
		out.bundles = p.all(o, pkg)
	}
	for _, b := range out.bundles {
		c := Candidate{Cat: cat, ID: b.ID, Channel: o.channelOf(b)}
		if o.keeps(b) {
			c = Candidate{ID: -1}
		}
		out.list = append(out.list, c)
	}
	return out
}

// all lists what nothing drops, best first, and notes what is dropped.
func (p *Problem) all(o *Offer, pkg *graph.Package) []*graph.Bundle {
	var out []*graph.Bundle
	for _, b := range pkg.Bundles {
		if p.Tick(); !o.wants(b) {
			continue
		}
		if why := o.drops(b); why != dropNone {
			o.note(b, why)
			continue
		}
		out = append(out, b)
	}
	slices.SortStableFunc(out, compareOffered)
	return out
}

// best is the first of all, found without a look at most of the others: the
// later ones of a package are mostly better.
func (p *Problem) best(o *Offer, pkg *graph.Package) []*graph.Bundle {
	var best []*graph.Bundle
	for _, b := range slices.Backward(pkg.Bundles) {
		if p.Tick(); o.wants(b) && o.follows(b) && (best == nil || compareOffered(b, best[0]) <= 0) && o.drops(b) == dropNone {
			best = []*graph.Bundle{b}
		}
	}
	return best
}

// compareOffered orders what nothing drops, the better one first.
func compareOffered(a, b *graph.Bundle) int {
	return cmp.Or(
		First(!a.Deprecated, !b.Deprecated),
		properties.CompareVersions(*b.Version, ReleaseOf(*b.Version, b.Release), *a.Version, ReleaseOf(*a.Version, a.Release)),
		strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), // as they are declared
		strings.Compare(a.Name, b.Name))
}

// follow finds the wanted channels, and the bundles that the installed one may move to
// there: an entry leads to its bundle by name or by version, whatever else is said of it.
func (p *Problem) follow(o *Offer, pkg *graph.Package) {
	o.channels, o.next = pkg.Channels, nil
	if len(o.Channels) > 0 {
		o.channels = slices.DeleteFunc(slices.Clone(o.channels), func(ch *graph.Channel) bool { return !slices.Contains(o.Channels, ch.Name) })
	}
	o.FoundChannels += len(o.channels)
	in := o.Installed
	if in == nil {
		return
	}
	o.next = make(map[string]bool)
	for _, ch := range o.channels {
		for i := range ch.Entries {
			p.Tick()
			e := &ch.Entries[i]
			if e.Replaces == in.Name || slices.Contains(e.Skips, in.Name) ||
				in.Version != nil && !e.SkipRange.IsZero() && e.SkipRange.Contains(*in.Version) {
				o.next[e.Name] = true
			}
		}
	}
}

// channelOf is the first of the wanted channels that lists a bundle, the default channel
// before others, or nil.
func (o *Offer) channelOf(b *graph.Bundle) *graph.Channel {
	for _, ch := range o.channels {
		if ch.Entry(b.Name) != nil {
			return ch
		}
	}
	return nil
}

// drops is the first rule that drops a bundle.
func (o *Offer) drops(b *graph.Bundle) Dropped {
	_, versioned := b.Properties.Package()
	switch {
	case b.Quarantine != nil && !versioned: // it may be anywhere
		return DropBroken
	case !o.Within.Contains(*b.Version):
		return DropVersion
	case !o.follows(b):
		return DropNoEdge
	case b.Quarantine != nil:
		return DropBroken
	case b.Barred && !o.keeps(b):
		return DropDeprecated
	}
	return dropNone
}

// wants reports whether a bundle is in the wanted channels.
func (o *Offer) wants(b *graph.Bundle) bool {
	return len(o.Channels) == 0 || o.channelOf(b) != nil
}

// follows reports whether the installed bundle, if there is one, may move to a bundle or is that.
func (o *Offer) follows(b *graph.Bundle) bool {
	return o.Installed == nil || o.AnyVersion || o.next[b.Name] || o.same(b)
}

// same reports whether a bundle is the installed one: of the same package, version and
// release, whatever its name. Where the version is not known, the name has to do.
func (o *Offer) same(b *graph.Bundle) bool {
	in := o.Installed
	switch {
	case in == nil || in.Package != "" && in.Package != b.Package:
		return false
	case in.Version == nil:
		return b.Name == in.Name
	}
	return properties.CompareVersions(*b.Version, ReleaseOf(*b.Version, b.Release), *in.Version, in.Release) == 0
}

// keeps reports whether taking a bundle keeps what is installed.
func (o *Offer) keeps(b *graph.Bundle) bool { return o.same(b) && b.Name == o.Installed.Name }

// note keeps what is to be said of a bundle that is dropped.
func (o *Offer) note(b *graph.Bundle, why Dropped) {
	if o.Counts[why]++; why == DropBroken && len(o.Broken) < MostBroken {
		o.Broken = append(o.Broken, b)
	}
	if o.Pin != "" && b.Name == o.Pin && o.Pinned == nil {
		o.Pinned, o.PinnedBy = b, why
	}
}

// ReleaseOf is the release of a version: the one that is declared, else the build
// metadata where that is a valid release.
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
