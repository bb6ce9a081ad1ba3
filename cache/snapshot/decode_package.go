package snapshot

import (
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// readPackages reads the packages.
func (d *decoder) readPackages() {
	n, t := d.count(), &d.packageTable
	d.table(n, t.fields())
	problems := d.problemList(d.sum(t.problems))
	bundles, channels := d.sum(t.bundles), d.sum(t.channels)
	d.packages, d.packageList = slab[graph.Package](d.reader, n), slab[*graph.Package](d.reader, n)
	d.bundles, d.channels = slab[graph.Bundle](d.reader, bundles), slab[graph.Channel](d.reader, channels)
	bundleList, channelList := slab[*graph.Bundle](d.reader, bundles), slab[*graph.Channel](d.reader, channels)
	if d.err != nil {
		return
	}
	pointers(d.bundles, bundleList)
	pointers(d.channels, channelList)
	for i := range d.packages {
		if i > 0 && t.name[i-1] >= t.name[i] {
			d.fail("its packages are not in order")
			return
		}
		p := &d.packages[i]
		d.packageList[i] = p
		p.Name, p.DefaultChannel = d.names[t.name[i]], d.names[t.defaultChannel[i]]
		p.Deprecated, p.Deprecation = d.deprecated(t.deprecated[i])
		p.Quarantine = d.problem(t.quarantine[i])
		p.Pos = graph.Pos{File: d.texts[t.file[i]], Line: int(t.line[i])}
		p.Problems, problems = take(problems, t.problems[i])
		p.Bundles, bundleList = bundleList[:t.bundles[i]:t.bundles[i]], bundleList[t.bundles[i]:]
		p.Channels, channelList = take(channelList, t.channels[i])
	}
}

// pointers fills a list with pointers to all items.
func pointers[T any](items []T, list []*T) {
	for i := range items {
		list[i] = &items[i]
	}
}

// readBundles reads the bundles of all packages.
func (d *decoder) readBundles() {
	t := &d.bundleTable
	d.table(len(d.bundles), t.fields())
	d.bundleProperties = d.column(d.sum(t.properties), d.limits[toProperty])
	column := d.column(d.sum(t.requirements), d.limits[toRequirement])
	list := slab[*properties.Property](d.reader, len(d.bundleProperties))
	requirements := slab[graph.Requirement](d.reader, len(column))
	if d.err != nil {
		return
	}
	for i, p := range d.bundleProperties {
		list[i] = &d.properties[p]
	}
	for i, r := range column {
		requirements[i] = d.requirements[r]
	}
	at := 0
	for i := range d.packages {
		p := &d.packages[i]
		for j, b := range p.Bundles {
			if name := t.name[at]; d.names[name] == "" || j > 0 && t.name[at-1] >= name {
				d.fail("the bundles of a package are not in order")
				return
			}
			b.ID, b.Package = -1, p.Name
			b.Name, b.Image = d.names[t.name[at]], d.texts[t.image[at]]
			b.Version, b.Release = d.versions[t.version[at]], properties.Release(d.texts[t.release[at]])
			b.Compatibility = d.compatibility(t.compatibility[at])
			b.Barred = t.barred[at] == 1
			b.Deprecated, b.Deprecation = d.deprecated(t.deprecated[at])
			b.Quarantine = d.problem(t.quarantine[at])
			b.Pos = graph.Pos{File: d.texts[t.file[at]], Line: int(t.line[at])}
			n := t.properties[at]
			b.Properties = properties.RestoreSet(list[:n:n], d.mark)
			list = list[n:]
			b.Constraints, requirements = take(requirements, t.requirements[at])
			at++
		}
	}
}

// readChannels reads the channels of all packages, without their entries.
func (d *decoder) readChannels() {
	t := &d.channelTable
	d.table(len(d.channels), t.fields())
	d.entries = slab[graph.Entry](d.reader, d.sum(t.entries))
	if d.err != nil {
		return
	}
	entries, at := d.entries, 0
	for i := range d.packages {
		p := &d.packages[i]
		for j, c := range p.Channels {
			c.Package, c.Name = p, d.names[t.name[at]]
			if !d.channelInOrder(i, j, at) {
				d.fail("the channels of a package are not in order")
				return
			}
			c.Deprecated, c.Deprecation = d.deprecated(t.deprecated[at])
			c.Quarantine = d.problem(t.quarantine[at])
			c.Pos = graph.Pos{File: d.texts[t.file[at]], Line: int(t.line[at])}
			n := t.entries[at]
			c.Entries, entries = entries[:n:n], entries[n:]
			at++
		}
	}
}

// channelInOrder tells whether channel j of package i stands where it should:
// the default channel first, then by name. at is its row.
func (d *decoder) channelInOrder(i, j, at int) bool {
	name, first := d.channelTable.name[at], d.packageTable.defaultChannel[i]
	switch {
	case d.names[name] == "":
		return false
	case j == 0:
		return true
	case name == first:
		return false
	}
	before := d.channelTable.name[at-1]
	return before == first && j == 1 || before < name
}
