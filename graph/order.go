package graph

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
)

// order finds the head of a channel and the chain below it (section 2 of the
// semantics), or the reason why it has no order.
func (b *builder) order(c *Channel) {
	if c.Quarantine != nil {
		return // malformed: what its order would be means nothing
	}
	if len(c.Entries) == 0 {
		b.quarantineChannel(c, codeChannelEmpty, c.Pos, fmt.Sprintf(
			"channel %q of package %q has no entries, so it has no head: add some, or remove the channel", c.Name, b.pkg.Name))
		return
	}
	if !b.distinct(c) {
		return // edges to a name that two entries have mean nothing
	}
	var room [usual]link
	links := b.links(c, room[:0])
	if b.done() {
		return // not all links are known
	}
	b.cycles(c, links)
	head := b.head(c, links)
	if c.Quarantined() != nil || head < 0 {
		return
	}
	c.chain = make([]*Entry, 0, len(c.Entries))
	for i := head; i >= 0; i = links[i].to { // ends: there is no cycle
		c.Entries[i].Position = len(c.chain)
		c.chain = append(c.chain, &c.Entries[i])
	}
	b.checkChain(c)
}

// distinct reports entries of the same name.
func (b *builder) distinct(c *Channel) bool {
	ok := true
	for n := 1; n < len(c.byName); n++ {
		e, before := &c.Entries[c.byName[n]], &c.Entries[c.byName[n-1]]
		if e.Name == before.Name {
			ok = false
			b.quarantineChannel(c, codeEntryDuplicate, c.Pos, fmt.Sprintf(
				"channel %q of package %q lists %q more than once: merge the entries", c.Name, b.pkg.Name, e.Name))
		}
	}
	return ok
}

// link is how an entry stands to others.
type link struct {
	to       int32 // the index of the entry that it replaces, or -1
	walk     int32 // that came by first, or -1
	replaced bool  // another one replaces or skips it
}

// links resolves the names in replaces and skips of all entries, behind those given.
// It also notes who skips whom.
func (b *builder) links(c *Channel, links []link) []link {
	const checkEvery = 4096 // names
	seen := 0
	links = append(links, make([]link, len(c.Entries))...)
	for i := range c.Entries {
		e := &c.Entries[i]
		links[i].to, links[i].walk = -1, -1
		if e.Replaces != "" {
			if to, ok := c.find(e.Replaces); ok {
				links[i].to = int32(to)
				links[to].replaced = links[to].replaced || to != i
			}
		}
		for _, name := range e.Skips() {
			if seen++; seen%checkEvery == 0 && b.done() {
				return links
			}
			to, ok := c.find(name)
			if !ok || to == i {
				continue
			}
			links[to].replaced = true
			if skipped := &c.Entries[to]; skipped.SkippedBy() == "" {
				skipped.skips = &skips{names: skipped.Skips(), versions: skipped.SkipRange(), by: e.Name}
			}
		}
	}
	return links
}

// cycles reports each cycle of replaces, wherever in the channel it is.
func (b *builder) cycles(c *Channel, links []link) {
	for start := range int32(len(links)) {
		i := start
		for i >= 0 && links[i].walk < 0 {
			links[i].walk = start
			i = links[i].to
		}
		if i < 0 || links[i].walk != start {
			continue
		}
		names := []string{c.Entries[i].Name}
		for j := links[i].to; j != i; j = links[j].to {
			names = append(names, c.Entries[j].Name)
		}
		what := fmt.Sprintf("entry %q replaces itself", names[0])
		if len(names) > 1 {
			what = fmt.Sprintf("the entries %s replace each other in a circle", quoteSome(names))
		}
		b.quarantineChannel(c, codeReplacesCycle, c.Pos, fmt.Sprintf(
			"channel %q of package %q has no order: %s; remove the replaces that points the wrong way", c.Name, b.pkg.Name, what))
	}
}

// head returns the index of the one entry that none replaces or skips, or -1.
func (b *builder) head(c *Channel, links []link) int32 {
	var one [1]string
	heads, at := one[:0], -1
	for i := range links {
		if !links[i].replaced {
			heads = append(heads, c.Entries[i].Name)
			at = i
		}
	}
	switch {
	case len(heads) == 1:
		return int32(at)
	case len(heads) > 1:
		b.quarantineChannel(c, codeSeveralHeads, b.misspelled(c, heads), fmt.Sprintf(
			"channel %q of package %q has %d heads, %s: let one entry replace or skip the others", c.Name, b.pkg.Name, len(heads), quoteSome(heads)))
	case c.Quarantine == nil: // else there is a cycle, which says it all
		b.quarantineChannel(c, codeNoHead, c.Pos, fmt.Sprintf(
			"channel %q of package %q has no head: each entry is replaced or skipped by another; let none replace or skip the newest", c.Name, b.pkg.Name))
	}
	return -1
}

// misspelled reports entries of a channel with several heads that replace a name which
// is not in it and much like that of a head of another chain. It returns where the first
// of them stands, since the heads follow from it; without any, where the channel does.
func (b *builder) misspelled(c *Channel, heads []string) Pos {
	at, ends := c.Pos, c.ends(heads)
	for i := range c.Entries {
		e := &c.Entries[i]
		if _, there := c.find(e.Replaces); e.Replaces == "" || there {
			continue
		}
		near := text.DidYouMean(e.Replaces, func(yield func(string) bool) {
			for _, head := range heads {
				if ends[head] != e.Name && !c.newer(head, e) && !yield(head) {
					return
				}
			}
		})
		if near == "" {
			continue
		}
		pos := c.Pos.at(c.declared.Entries[i].Line)
		if at == c.Pos {
			at = pos
		}
		b.refuse(c.Name, "", codeReplacesUnknown, pos, fmt.Sprintf(
			"entry %q of channel %q of package %q replaces %q, no such entry%s", e.Name, c.Name, b.pkg.Name, e.Replaces, near))
	}
	return at
}

// newer reports whether the bundle of a name is newer than that of an entry, which so does
// not replace it.
func (c *Channel) newer(name string, than *Entry) bool {
	e := c.Entry(name)
	return e.Bundle != nil && than.Bundle != nil && e.Bundle.Version != nil && than.Bundle.Version != nil && e.Bundle.Version.GT(*than.Bundle.Version)
}

// ends are the last entries of the chains from heads, by all that is on them.
func (c *Channel) ends(heads []string) map[string]string {
	end := make(map[string]string)
	for _, at := range heads {
		var passed []string
		for end[at] == "" {
			passed = append(passed, at)
			end[at] = at // where the chain leaves the channel, or closes a circle
			i, _ := c.find(at)
			if _, there := c.find(c.Entries[i].Replaces); there {
				at = c.Entries[i].Replaces
			}
		}
		for _, name := range passed {
			end[name] = end[at]
		}
	}
	return end
}

// checkChain warns of a chain that leaves the channel and of entries that are
// never chosen though nothing says so.
func (b *builder) checkChain(c *Channel) {
	if last := c.chain[len(c.chain)-1]; last.Replaces != "" {
		b.warn(c, codeChainLeaves, last.Name, c.Pos, fmt.Sprintf(
			"the last entry %q of channel %q of package %q replaces %q, which is not in the channel: clusters with that version can upgrade, but it is not on offer here",
			last.Name, c.Name, b.pkg.Name, last.Replaces))
	}
	b.strandedBehindSkipped(c)
	for i := range c.Entries {
		if e := &c.Entries[i]; e.Position < 0 && e.SkippedBy() == "" {
			b.warn(c, codeEntryStranded, e.Name, c.Pos, fmt.Sprintf(
				"entry %q of channel %q of package %q is neither on the chain from the head nor skipped, so it is never chosen: let an entry on the chain replace or skip it",
				e.Name, c.Name, b.pkg.Name))
		}
	}
}

// strandedBehindSkipped reports the entries that the chain reaches only through one that
// is skipped: opm ends the chain there, a resolution follows it.
func (b *builder) strandedBehindSkipped(c *Channel) {
	skipped := slices.IndexFunc(c.chain, func(e *Entry) bool { return e.SkippedBy() != "" })
	if skipped < 0 {
		return
	}
	for _, e := range c.chain[skipped+1:] {
		if e.SkippedBy() == "" {
			b.refuse(c.Name, e.Name, codeStrandedBehindSkipped, c.Pos.at(c.lineOf(e)), fmt.Sprintf(
				"channel %q of package %q leads to entry %q only through %q, which is skipped: let an entry above replace or skip it",
				c.Name, b.pkg.Name, e.Name, c.chain[skipped].Name))
		}
	}
}

// lineOf is the line of an entry of a channel, 0 if it is not known.
func (c *Channel) lineOf(e *Entry) int {
	i, _ := c.find(e.Name)
	return c.declared.Entries[i].Line
}
