package oracle

import (
	"cmp"
	"slices"
)

// chain is a channel as section 2 reads it.
type chain struct {
	channel *Channel
	// broken marks a quarantined channel (section 10); all fields below are
	// then unset.
	broken  bool
	head    string
	order   []string // down the replaces chain from the head
	skipped map[string]bool
}

// readChannel finds the head and the order of a channel.
func readChannel(ch *Channel) chain {
	c := chain{channel: ch, skipped: map[string]bool{}}
	replaces := map[string]string{}
	superseded := map[string]bool{} // replaced or skipped by another entry
	for _, e := range ch.Entries {
		if _, twice := replaces[e.Name]; twice {
			return chain{channel: ch, broken: true}
		}
		replaces[e.Name] = e.Replaces
		if e.Replaces != e.Name {
			superseded[e.Replaces] = true
		}
		for _, s := range e.Skips {
			if s != e.Name {
				superseded[s] = true
				c.skipped[s] = true
			}
		}
	}
	heads := 0
	for _, e := range ch.Entries {
		if !superseded[e.Name] {
			heads++
			c.head = e.Name
		}
		if cyclic(replaces, e.Name) {
			return chain{channel: ch, broken: true}
		}
	}
	if heads != 1 {
		return chain{channel: ch, broken: true}
	}
	for name := c.head; ; {
		next, declared := replaces[name]
		if !declared {
			return c
		}
		c.order = append(c.order, name)
		name = next
	}
}

// cyclic reports whether the replaces chain below name has a cycle.
func cyclic(replaces map[string]string, name string) bool {
	for range len(replaces) + 1 {
		next, declared := replaces[name]
		if !declared {
			return false
		}
		name = next
	}
	return true
}

func (c *chain) entry(name string) *Entry {
	for i := range c.channel.Entries {
		if c.channel.Entries[i].Name == name {
			return &c.channel.Entries[i]
		}
	}
	return nil
}

// updates reports whether an entry is an upgrade from an installed bundle. An
// unknown version is in no range.
func updates(e *Entry, name string, v *Version) bool {
	return e.Replaces == name || v != nil && rangeOf(e.SkipRange).Holds(*v) || slices.Contains(e.Skips, name)
}

// quarantined reports whether a whole package is quarantined.
func quarantined(p *Package) bool { return p.Surplus != 0 }

// usable returns the bundle of this name, or nil if the package lacks it or is
// quarantined; an entry of that name is then virtual.
func usable(p *Package, name string) *Bundle {
	var found *Bundle
	for i := range p.Bundles {
		b := &p.Bundles[i]
		if b.Name != name {
			continue
		}
		if found != nil || b.Defect != Sound {
			return nil
		}
		found = b
	}
	return found
}

// channelsInOrder returns the channels, the default one first, then by name.
func channelsInOrder(p *Package) []chain {
	var list []chain
	times := map[string]int{}
	for _, c := range p.Channels {
		times[c.Name]++
	}
	for i := range p.Channels {
		c := readChannel(&p.Channels[i])
		if times[c.channel.Name] > 1 {
			c = chain{channel: c.channel, broken: true}
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b chain) int {
		x, y := a.channel.Name, b.channel.Name
		return cmp.Or(trueFirst(x == p.DefaultChannel, y == p.DefaultChannel), cmp.Compare(x, y))
	})
	return list
}

// channelsFor returns the channels named by a subscription, in its order, or
// all channels.
func channelsFor(p *Package, s *Subscription) []chain {
	all := channelsInOrder(p)
	if len(s.Channels) == 0 {
		return all
	}
	var list []chain
	for _, name := range s.Channels {
		for _, c := range all {
			if c.channel.Name == name {
				list = append(list, c)
			}
		}
	}
	return list
}
