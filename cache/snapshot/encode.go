package snapshot

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// encoder collects the tables of a catalog. Names are numbered as they come,
// and get their rank when they are written.
type encoder struct {
	names, texts, ranges   dictionary[string]
	ranks                  []uint32 // of the names, by provisional number
	versions, versionTexts dictionary[string]
	versionList            []semver.Version
	pool                   dictionary[graph.Problem]
	problemTable           problemTable
	properties             propertyEncoder
	requirements           requirementEncoder

	catalogProblems, packageProblems     []uint32
	packages                             packageTable
	bundles                              bundleTable
	channels                             channelTable
	entries                              entryTable
	bundleProperties, bundleRequirements []uint32
	skips                                []uint32

	err error // an *UnfitError
}

// dictionary numbers distinct values in the order in which they come.
type dictionary[K comparable] struct {
	numbers map[K]uint32
	list    []K
}

// number returns the number of a value.
func (d *dictionary[K]) number(k K) uint32 {
	n, ok := d.numbers[k]
	if !ok {
		if d.numbers == nil {
			d.numbers = map[K]uint32{}
		}
		n = uint32(len(d.list))
		d.numbers[k] = n
		d.list = append(d.list, k)
	}
	return n
}

// unfit notes why the catalog cannot be saved.
func (e *encoder) unfit(format string, args ...any) {
	if e.err == nil {
		e.err = &UnfitError{Reason: fmt.Sprintf(format, args...)}
	}
}

// body returns the body of a snapshot.
func body(c *cache.Content, origin string) ([]byte, error) {
	e := &encoder{}
	e.catalog(c.Catalog)
	if e.err != nil {
		return nil, e.err
	}
	w := &writer{}
	w.text(origin)
	w.text(cmp.Or(c.Digest, cache.Digest(c.Catalog)))
	w.text(c.Validator)
	if c.Modified.IsZero() {
		w.uint(0)
	} else {
		w.uint(1)
		w.uint(uint64(c.Modified.Unix()))
		w.uint(uint64(c.Modified.Nanosecond()))
	}
	e.write(w)
	return w.buf, nil
}

// catalog collects a catalog.
func (e *encoder) catalog(c *cache.Catalog) {
	for _, p := range c.Problems() {
		e.catalogProblems = append(e.catalogProblems, e.pool.number(p))
	}
	for p := range c.Packages() {
		e.pkg(p)
	}
	e.properties.finish()
}

// pkg collects a package.
func (e *encoder) pkg(p *graph.Package) {
	t := &e.packages
	t.name = append(t.name, e.names.number(p.Name))
	t.defaultChannel = append(t.defaultChannel, e.names.number(p.DefaultChannel))
	t.deprecated = append(t.deprecated, e.deprecated(p.Deprecated, p.Deprecation))
	t.quarantine = append(t.quarantine, e.problem(p.Quarantine))
	e.pos(&t.file, &t.line, p.Pos)
	t.channels = append(t.channels, e.count(len(p.Channels)))
	t.bundles = append(t.bundles, e.count(len(p.Bundles)))
	t.problems = append(t.problems, e.count(len(p.Problems)))
	for _, problem := range p.Problems {
		e.packageProblems = append(e.packageProblems, e.pool.number(problem))
	}
	for _, b := range p.Bundles {
		if b == nil || b.Package != p.Name {
			e.unfit("package %q holds a bundle of another", p.Name)
			return
		}
		e.bundle(b)
	}
	for _, c := range p.Channels {
		if c == nil || c.Package != p {
			e.unfit("package %q holds a channel of another", p.Name)
			return
		}
		e.channel(c)
	}
	e.checkPlaces(p)
}

// checkPlaces tells of places that do not follow from the channels: they are
// not saved.
func (e *encoder) checkPlaces(p *graph.Package) {
	next := make(map[*graph.Bundle]int, len(p.Bundles))
	for _, c := range p.Channels {
		for position, b := range c.Candidates() {
			n := next[b]
			if n >= len(b.Places) || b.Places[n] != (graph.Place{Channel: c, Position: position}) {
				e.unfit("the places of bundle %q do not follow from the channels of package %q", b.Name, p.Name)
				return
			}
			next[b]++
		}
	}
	for _, b := range p.Bundles {
		if next[b] != len(b.Places) {
			e.unfit("bundle %q has a place outside of the channels of package %q", b.Name, p.Name)
		}
	}
}

// bundle collects a bundle.
func (e *encoder) bundle(b *graph.Bundle) {
	t := &e.bundles
	t.name = append(t.name, e.names.number(b.Name))
	t.version = append(t.version, e.version(b.Version))
	t.release = append(t.release, e.texts.number(string(b.Release)))
	t.compatibility = append(t.compatibility, e.compatibility(b.Compatibility))
	t.image = append(t.image, e.texts.number(b.Image))
	t.barred = append(t.barred, flag(b.Barred))
	t.deprecated = append(t.deprecated, e.deprecated(b.Deprecated, b.Deprecation))
	t.quarantine = append(t.quarantine, e.problem(b.Quarantine))
	e.pos(&t.file, &t.line, b.Pos)
	t.properties = append(t.properties, e.count(b.Properties.Len()))
	for p := range b.Properties.All() {
		e.bundleProperties = append(e.bundleProperties, e.property(p))
	}
	t.requirements = append(t.requirements, e.count(len(b.Constraints)))
	for _, r := range b.Constraints {
		e.bundleRequirements = append(e.bundleRequirements, e.requirement(r))
	}
}

// channel collects a channel.
func (e *encoder) channel(c *graph.Channel) {
	t := &e.channels
	t.name = append(t.name, e.names.number(c.Name))
	t.deprecated = append(t.deprecated, e.deprecated(c.Deprecated, c.Deprecation))
	t.quarantine = append(t.quarantine, e.problem(c.Quarantine))
	e.pos(&t.file, &t.line, c.Pos)
	t.entries = append(t.entries, e.count(len(c.Entries)))
	order := make([]uint32, len(c.Entries))
	for i := range c.Entries {
		order[i] = uint32(i)
		e.entry(c, &c.Entries[i])
	}
	slices.SortFunc(order, func(i, j uint32) int {
		return cmp.Or(cmp.Compare(c.Entries[i].Name, c.Entries[j].Name), cmp.Compare(i, j))
	})
	e.entries.byName = append(e.entries.byName, order...)
}

// entry collects an entry.
func (e *encoder) entry(c *graph.Channel, entry *graph.Entry) {
	t := &e.entries
	t.name = append(t.name, e.names.number(entry.Name))
	t.replaces = append(t.replaces, e.names.number(entry.Replaces))
	t.skippedBy = append(t.skippedBy, e.names.number(entry.SkippedBy))
	in := uint32(0)
	if !entry.SkipRange.IsZero() {
		in = e.ranges.number(entry.SkipRange.String()) + 1
	}
	t.skipRange = append(t.skipRange, in)
	t.bundle = append(t.bundle, e.entryBundle(c, entry))
	t.position = append(t.position, e.count(entry.Position+1))
	skips := 0
	if entry.Skips != nil {
		skips = len(entry.Skips) + 1
	}
	t.skips = append(t.skips, e.count(skips))
	for _, name := range entry.Skips {
		e.skips = append(e.skips, e.names.number(name))
	}
}

// entryBundle returns 1 more than the number of the bundle of an entry, or 0
// if it is a virtual node.
func (e *encoder) entryBundle(c *graph.Channel, entry *graph.Entry) uint32 {
	if entry.Bundle == nil {
		return 0
	}
	n, ok := slices.BinarySearchFunc(c.Package.Bundles, entry.Bundle.Name, func(b *graph.Bundle, name string) int {
		return strings.Compare(b.Name, name)
	})
	if !ok || c.Package.Bundles[n] != entry.Bundle {
		e.unfit("channel %q of package %q lists a bundle of another package", c.Name, c.Package.Name)
	}
	return e.count(n + 1)
}

// version returns the number of a version.
func (e *encoder) version(v semver.Version) uint32 {
	n := e.versions.number(v.String())
	if int(n) == len(e.versionList) {
		e.versionList = append(e.versionList, v)
	}
	return n
}

// compatibility returns 1 more than the number of the JSON of what a bundle says
// of where it runs, or 0 for nothing.
func (e *encoder) compatibility(c *properties.Compatibility) uint32 {
	if c == nil {
		return 0
	}
	text, err := json.Marshal(c)
	if err != nil {
		e.unfit("what a bundle says of where it runs cannot be written: %v", err)
	}
	return e.texts.number(string(text)) + 1
}

// problem returns 1 more than the number of a problem, or 0 if there is none.
func (e *encoder) problem(p *graph.Problem) uint32 {
	if p == nil {
		return 0
	}
	return e.pool.number(*p) + 1
}

// deprecated returns 1 more than the number of a message, or 0 if nothing is
// deprecated.
func (e *encoder) deprecated(flag bool, message string) uint32 {
	if !flag {
		return 0
	}
	return e.texts.number(message) + 1
}

// pos appends a place to two columns.
func (e *encoder) pos(file, line *[]uint32, p graph.Pos) {
	*file = append(*file, e.texts.number(p.File))
	*line = append(*line, e.count(p.Line))
}

// count returns a number that a column can hold.
func (e *encoder) count(n int) uint32 {
	if n < 0 || n > maxCount || n > math.MaxInt32 {
		e.unfit("it holds the number %d where only 0 to %d fit", n, maxCount)
		return 0
	}
	return uint32(n)
}

// flag returns 0 or 1.
func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// property returns the provisional number of a property.
func (e *encoder) property(p *properties.Property) uint32 {
	if p == nil {
		e.unfit("a property is missing")
		return 0
	}
	return e.properties.number(e, p)
}
