package snapshot

import "github.com/seed109e2655/resolute/graph"

// readEntries reads the entries of all channels, and brings them into order.
func (d *decoder) readEntries() {
	t := &d.entryTable
	n := len(d.entries)
	d.table(n, t.fields())
	skips := d.readSkips()
	byName, onChain := slab[int32](d.reader, n), slab[*graph.Entry](d.reader, n)
	d.chainBundles = slab[int32](d.reader, n)
	if d.err != nil {
		return
	}
	row, bundle, link := 0, 0, 0
	for i := range d.packages {
		p := &d.packages[i]
		for _, c := range p.Channels {
			for j := range c.Entries {
				e := &c.Entries[j]
				if !d.entry(p, e, row+j, bundle) {
					d.fail("an entry of a channel stands for another bundle")
					return
				}
				if n := t.skips[row+j]; n > 0 {
					e.Skips, skips = skips[:n-1:n-1], skips[n-1:]
				}
			}
			end := row + len(c.Entries)
			length := d.chain(row, end, bundle, d.chainBundles[link:])
			if !d.orderByName(byName[row:end:end], row, end) ||
				!graph.RestoreChannel(c, byName[row:end:end], onChain[link:link+length:link+length], d.mark) || !linked(c) {
				d.fail("the entries of a channel are not in order")
				return
			}
			row, link = end, link+length
		}
		bundle += len(p.Bundles)
	}
}

// chain notes the rows of the bundles on the chain of the channel whose
// entries are the rows from a number to another, -1 for a virtual node, and
// returns the length of the chain. The bundles of its package begin at row
// first of theirs.
func (d *decoder) chain(from, to, first int, rows []int32) (length int) {
	t := &d.entryTable
	for row := from; row < to; row++ {
		position := int(t.position[row]) - 1
		if position < 0 {
			continue
		}
		length++
		if position < to-from { // else it is no chain
			rows[position] = int32(first) + int32(t.bundle[row]) - 1
			if t.bundle[row] == 0 {
				rows[position] = -1
			}
		}
	}
	return length
}

// readSkips reads what the entries skip.
func (d *decoder) readSkips() []string {
	total := uint64(0)
	for _, n := range d.entryTable.skips {
		if n > 0 {
			total += uint64(n - 1)
		}
	}
	if total > maxCount {
		d.fail("it claims to hold more than %d things of a kind", maxCount)
		return nil
	}
	column := d.column(int(total), d.limits[toName])
	skips := slab[string](d.reader, len(column))
	if d.err != nil {
		return nil
	}
	for i, name := range column {
		skips[i] = d.names[name]
	}
	return skips
}

// entry fills in the entry of a row. The bundles of its package begin at row
// bundleAt of theirs.
func (d *decoder) entry(p *graph.Package, e *graph.Entry, row, bundleAt int) bool {
	t := &d.entryTable
	e.Name, e.Replaces, e.SkippedBy = d.names[t.name[row]], d.names[t.replaces[row]], d.names[t.skippedBy[row]]
	if r := t.skipRange[row]; r > 0 {
		e.SkipRange = d.ranges[r-1]
	}
	e.Position = int(t.position[row]) - 1
	n := int(t.bundle[row])
	if n == 0 {
		return true
	}
	if n > len(p.Bundles) || d.bundleTable.name[bundleAt+n-1] != t.name[row] {
		return false
	}
	e.Bundle = p.Bundles[n-1]
	return true
}

// orderByName takes over the order by name of the entries of a channel, which
// are the rows from a number to another. Only entries off the chain may have
// equal names.
func (d *decoder) orderByName(into []int32, from, to int) bool {
	t := &d.entryTable
	for i, n := range t.byName[from:to] {
		if int(n) >= to-from {
			return false
		}
		into[i] = int32(n)
		if i == 0 {
			continue
		}
		before := int(into[i-1])
		x, y := from+before, from+int(n)
		switch {
		case t.name[x] > t.name[y]:
			return false
		case t.name[x] == t.name[y] && (before >= int(n) || t.position[x] > 0 || t.position[y] > 0):
			return false
		}
	}
	return true
}

// linked tells whether each entry on the chain replaces the next.
func linked(c *graph.Channel) bool {
	chain := c.Chain()
	for i := 1; i < len(chain); i++ {
		if chain[i-1].Replaces != chain[i].Name {
			return false
		}
	}
	return true
}

// places gives the bundles their places, which follow from the channels.
func (d *decoder) places() {
	counts := slab[uint32](d.reader, len(d.bundles))
	if d.err != nil {
		return
	}
	total := 0
	d.eachCandidate(func(row int32, _ *graph.Channel, _ int) {
		counts[row]++
		total++
	})
	all := slab[graph.Place](d.reader, total)
	if d.err != nil {
		return
	}
	for i, n := range counts {
		if n > 0 {
			d.bundles[i].Places, all = all[:0:n], all[n:]
		}
	}
	d.eachCandidate(func(row int32, c *graph.Channel, position int) {
		b := &d.bundles[row]
		b.Places = append(b.Places, graph.Place{Channel: c, Position: position})
	})
}

// eachCandidate calls fn for each candidate of each channel, nearest to the
// head first, with the row of its bundle.
func (d *decoder) eachCandidate(fn func(row int32, c *graph.Channel, position int)) {
	rows := d.chainBundles
	for i := range d.channels {
		c := &d.channels[i]
		for position, e := range c.Chain() {
			if e.Candidate() {
				fn(rows[position], c, position)
			}
		}
		rows = rows[len(c.Chain()):]
	}
}
