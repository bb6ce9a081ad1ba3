package graph

import "github.com/seed109e2655/resolute/internal/saved"

// RestoreChannel fills in what a channel knows besides its exported fields:
// the chain, from the positions of its entries, and byName, the numbers of the
// entries in the order of their names, the earlier of two first. It returns
// false where the positions are not those of a chain, each number from 0 on
// once. chain is empty and has the length of the chain, one for each entry on
// it. Both slices become the channel's own. It serves package cache/snapshot.
func RestoreChannel(c *Channel, byName []int32, chain []*Entry, _ saved.Mark) bool {
	for i := range c.Entries {
		e := &c.Entries[i]
		switch {
		case e.Position < 0:
			continue
		case e.Position >= len(chain) || chain[e.Position] != nil:
			return false
		}
		chain[e.Position] = e
	}
	c.byName = byName
	if len(chain) > 0 {
		c.chain = chain
	}
	return true
}
