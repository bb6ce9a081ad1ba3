package snapshot

import (
	"encoding/json"
	"time"

	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/saved"
	"github.com/seed109e2655/resolute/properties"
)

// decoder rebuilds a catalog from the tables of a body. Each step reads a
// table, and leaves when something is wrong with it, so that the next ones can
// rely on what is there.
type decoder struct {
	*reader
	mark   saved.Mark
	parser *constraints.Parser

	limits       [toTarget]uint32 // of the numbers that stand for each target
	names, texts []string         // names are distinct and sorted
	versions     []semver.Version
	ranges       []properties.Range
	requirements []graph.Requirement
	properties   []properties.Property
	columns      saved.Columns[properties.GVK]
	pool         []graph.Problem

	packageTable packageTable
	bundleTable  bundleTable
	channelTable channelTable
	entryTable   entryTable

	packages    []graph.Package
	bundles     []graph.Bundle
	channels    []graph.Channel
	entries     []graph.Entry
	packageList []*graph.Package

	compatibilities map[uint32]*properties.Compatibility // by the number of their text

	bundleProperties []uint32
	chainBundles     []int32 // rows of bundles on the chains, -1 for a virtual node
}

// decodeBody rebuilds a content. The origin is what it is a snapshot of.
func decodeBody(body []byte, parser *constraints.Parser) (c *cache.Content, origin string, err *CorruptError) {
	if parser == nil {
		parser = constraints.NewParser(constraints.ParserOptions{})
	}
	d := &decoder{reader: newReader(body), parser: parser}
	c = &cache.Content{}
	origin = d.text()
	c.Digest = d.text()
	c.Validator = d.text()
	if d.uint() != 0 {
		sec, nsec := int64(d.uint()), d.uint()
		if nsec >= uint64(time.Second) {
			d.fail("a time is none")
		}
		c.Modified = time.Unix(sec, int64(nsec)).UTC()
	}
	c.Catalog = d.catalog()
	if d.err == nil && len(d.rest) > 0 {
		d.fail("there is more behind its end")
	}
	if d.err != nil {
		return nil, "", d.err
	}
	return c, origin, nil
}

// catalog rebuilds the catalog.
func (d *decoder) catalog() *cache.Catalog {
	d.limits[toNumber], d.limits[toFlag] = maxCount, 2
	var problems []graph.Problem
	for _, step := range []func(){
		d.dictionaries, d.readVersions, d.readRanges, d.readProperties, d.readRequirements, d.readProblems,
		func() { problems = d.problemList(d.count()) },
		d.readPackages, d.readBundles, d.readChannels, d.readEntries, d.places,
	} {
		if step(); d.err != nil {
			return nil
		}
	}
	x := &d.columns
	x.Names, x.NameCount, x.Properties = d.bundleTable.name, len(d.names), d.bundleProperties
	x.Starts = slab[uint32](d.reader, len(d.bundles)+1)
	if !d.spend(int64(len(d.bundles)+len(d.bundleProperties)), 32) { // by the indexes
		return nil
	}
	for i, n := range d.bundleTable.properties {
		x.Starts[i+1] = x.Starts[i] + n
	}
	return cache.Restore(d.packageList, problems, *x)
}

// limit sets how many things of a target there are.
func (d *decoder) limit(to target, n int) {
	if n >= maxCount {
		d.fail("it claims to hold more than %d things of a kind", maxCount)
		return
	}
	d.limits[to] = uint32(n)
}

// table reads all columns of a table of n rows.
func (d *decoder) table(n int, fields []field) {
	for _, f := range fields {
		*f.column = d.column(n, d.limits[f.to])
	}
}

// dictionaries reads names and texts.
func (d *decoder) dictionaries() {
	d.names = d.reader.texts(d.count())
	for i := 1; i < len(d.names); i++ {
		if d.names[i-1] >= d.names[i] {
			d.fail("its names are not in order")
			return
		}
	}
	d.texts = d.reader.texts(d.count())
	d.limit(toName, len(d.names))
	d.limit(toText, len(d.texts))
	d.limit(toTextOrNone, len(d.texts)+1)
}

// readVersions reads the versions.
func (d *decoder) readVersions() {
	texts := d.reader.texts(d.count())
	n := d.count()
	majors, minors, patches := d.wide(n), d.wide(n), d.wide(n)
	pres, builds := d.column(n, maxCount), d.column(n, maxCount)
	preTotal, buildTotal := d.sum(pres), d.sum(builds)
	numeric, numbers, preText := d.column(preTotal, 2), d.wide(preTotal), d.column(preTotal, uint32(len(texts)))
	buildText := d.column(buildTotal, uint32(len(texts)))
	d.versions = slab[semver.Version](d.reader, n)
	pre, build := slab[semver.PRVersion](d.reader, preTotal), slab[string](d.reader, buildTotal)
	if d.err != nil {
		return
	}
	for i := range pre {
		pre[i] = semver.PRVersion{VersionStr: texts[preText[i]], VersionNum: numbers[i], IsNum: numeric[i] == 1}
	}
	for i := range build {
		build[i] = texts[buildText[i]]
	}
	for i := range d.versions {
		v := &d.versions[i]
		v.Major, v.Minor, v.Patch = majors[i], minors[i], patches[i]
		v.Pre, pre = take(pre, pres[i])
		v.Build, build = take(build, builds[i])
	}
	d.limit(toVersion, n)
}

// take cuts n items off a list. None are nil.
func take[T any](list []T, n uint32) (head, tail []T) {
	if n == 0 {
		return nil, list
	}
	return list[:n:n], list[n:]
}

// readRanges reads the version ranges.
func (d *decoder) readRanges() {
	texts := d.reader.texts(d.count())
	if !d.spend(int64(len(texts)), 128) { // until they are parsed
		return
	}
	d.ranges = properties.RestoreRanges(texts, d.mark)
	d.limit(toRange, len(texts))
	d.limit(toRangeOrNone, len(texts)+1)
}

// readProblems reads the distinct problems.
func (d *decoder) readProblems() {
	n := d.count()
	var t problemTable
	d.table(n, t.fields())
	d.pool = slab[graph.Problem](d.reader, n)
	if d.err != nil {
		return
	}
	for i := range d.pool {
		d.pool[i] = graph.Problem{
			Severity: graph.Severity(d.texts[t.severity[i]]), Code: graph.Code(d.texts[t.code[i]]), Catalog: d.texts[t.catalog[i]],
			Package: d.texts[t.pkg[i]], Channel: d.texts[t.channel[i]], Bundle: d.texts[t.bundle[i]],
			File: d.texts[t.file[i]], Line: int(t.line[i]), Message: d.texts[t.message[i]], Quarantined: graph.Scope(d.texts[t.quarantined[i]]),
		}
	}
	d.limit(toProblem, n)
	d.limit(toProblemOrNone, n+1)
}

// problemList reads n problems of the pool.
func (d *decoder) problemList(n int) []graph.Problem {
	column := d.column(n, d.limits[toProblem])
	list := slab[graph.Problem](d.reader, n)
	if d.err != nil || n == 0 {
		return nil
	}
	for i, p := range column {
		list[i] = d.pool[p]
	}
	return list
}

// problem returns the problem of a number of the target toProblemOrNone.
func (d *decoder) problem(n uint32) *graph.Problem {
	if n == 0 {
		return nil
	}
	return &d.pool[n-1]
}

// compatibility returns the value of a number of the target toTextOrNone.
func (d *decoder) compatibility(n uint32) *properties.Compatibility {
	if n == 0 {
		return nil
	}
	c := d.compatibilities[n]
	if c == nil && d.spend(int64(len(d.texts[n-1])), 16) { // by what is parsed
		if err := json.Unmarshal([]byte(d.texts[n-1]), &c); err != nil || c == nil {
			d.fail("what a bundle says of where it runs is not valid")
			return nil
		}
		if d.compatibilities == nil {
			d.compatibilities = map[uint32]*properties.Compatibility{}
		}
		d.compatibilities[n] = c
	}
	return c
}

// deprecated returns what a number of the target toTextOrNone says.
func (d *decoder) deprecated(n uint32) (bool, string) {
	if n == 0 {
		return false, ""
	}
	return true, d.texts[n-1]
}
