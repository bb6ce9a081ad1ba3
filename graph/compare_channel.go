package graph

import (
	"context"
	"slices"
)

// channel compares an old channel with what became of it.
func (c *comparison) channel(ctx context.Context, i int, old *Channel) error {
	at, there := c.channels[old.Name]
	if !there {
		c.add(Change{Kind: ChangeChannelGone, Breaking: len(old.Entries) > 0, Channel: old.Name})
		return c.upgrades(ctx, i, old, anyChannel)
	}
	now := c.new.Channels[at]
	if now.Deprecated && !old.Deprecated {
		c.add(Change{Kind: ChangeDeprecated, Channel: old.Name, Message: now.Deprecation})
	}
	if q := now.Quarantined(); q != nil {
		if old.Quarantined() == nil {
			c.add(Change{Kind: ChangeChannelQuarantined, Breaking: true, Channel: old.Name, Message: q.Message})
		}
		return nil // without a head nothing leads anywhere: that says it all
	}
	c.heads(old, now)
	if err := c.upgrades(ctx, i, old, at); err != nil {
		return err
	}
	for j := range old.Entries {
		e := &old.Entries[j]
		if e.Bundle != nil && now.Entry(e.Name) == nil && c.new.Bundle(e.Name) != nil {
			c.add(Change{Kind: ChangeVersionLeft, Channel: old.Name, Bundle: e.Name})
		}
	}
	return nil
}

// heads compares the heads of a channel, which has one now.
func (c *comparison) heads(old, now *Channel) {
	head, before := now.Head(), old.Head()
	if before == nil {
		return
	}
	change := Change{Channel: old.Name, Old: before.Name, New: head.Name}
	if s := now.Standing(head); !s.Offered && old.Standing(before).Offered {
		change.Kind, change.Breaking, change.Message = ChangeHeadUnusable, true, s.String()
		c.add(change)
		return
	}
	if head.Name == before.Name {
		return
	}
	change.Kind = ChangeHeadMoved
	from, to := &c.before.nodes[c.before.byName[before.Name]], &c.after.nodes[c.after.byName[head.Name]]
	if from.known && to.known && to.newer(from) < 0 {
		change.Kind, change.Breaking = ChangeHeadBack, true
	}
	c.add(change)
}

// upgrades compares where the edges of an old channel led with where those of
// a new one, or of all, do.
func (c *comparison) upgrades(ctx context.Context, i int, old *Channel, at int) error {
	for from := range c.before.nodes {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := &c.before.nodes[from]
		before := successors(c.before, c.was[:0], from, i)
		c.was = before
		e := old.Entry(n.name)
		listed := e != nil && e.Bundle != nil
		if !listed && (len(before) == 0 || at == anyChannel && n.listed) {
			continue // it never went that way, or has channels of its own
		}
		start := c.after.byName[n.name]
		now := successors(c.after, c.is[:0], start, at)
		c.is = now
		change := Change{Channel: old.Name, Bundle: n.name}
		switch head := old.Head(); {
		case listed && len(now) == 0 && !c.isHead(n.name, at):
			change.Kind = ChangeNoSuccessor
			change.Breaking = len(before) > 0 || head != nil && head.Name == n.name
			c.addEdges(change, before, now, nil)
			continue
		case listed && len(now) > 1 && len(before) <= 1 && at != anyChannel:
			change.Kind = ChangeSeveralSuccessors
			c.addEdges(change, before, now, nil)
		}
		change.Breaking = e != nil || !n.listed
		if !c.allIn(before, now) {
			if lost := c.lost(before, start, at); len(lost) > 0 {
				change.Kind = ChangeEdgeLost
				c.addEdges(change, before, now, lost)
			}
		}
	}
	return nil
}

// addEdges adds a change of edges, with the first of what they led and lead to.
func (c *comparison) addEdges(change Change, before, now, lost []int) {
	change.Before, change.Now, change.Lost = namesOf(c.before, before), namesOf(c.after, now), namesOf(c.before, lost)
	change.Omitted = max(0, len(before)-MaxSuccessors) + max(0, len(now)-MaxSuccessors) + max(0, len(lost)-MaxSuccessors)
	c.add(change)
}

// allIn reports whether all old nodes are among new ones. Mostly they are, and then
// nothing has to be searched.
func (c *comparison) allIn(before, now []int) bool {
	if len(c.there) < len(c.after.nodes) {
		c.there = make([]int, len(c.after.nodes))
	}
	c.asked++
	for _, n := range now {
		c.there[n] = c.asked
	}
	return !slices.ContainsFunc(before, func(to int) bool { return c.there[c.after.byName[c.before.nodes[to].name]] != c.asked })
}

// lost returns what came before to which edges are lost without a replacement.
func (c *comparison) lost(before []int, start, at int) []int {
	steps := c.after.stepsFrom(start, at)
	var newest *node // that is still reached
	for i := range c.after.nodes {
		if n := &c.after.nodes[i]; i != start && steps[i] != far && n.known && (newest == nil || n.newer(newest) > 0) {
			newest = n
		}
	}
	var lost []int
	for _, to := range before {
		was := &c.before.nodes[to]
		kept := steps[c.after.byName[was.name]] != far
		if newer := newest != nil && was.known && newest.newer(was) > 0; !kept && !newer {
			lost = append(lost, to)
		}
	}
	return lost
}

// isHead reports whether a bundle is the head of a new channel, or of any.
func (c *comparison) isHead(name string, at int) bool {
	for i, ch := range c.new.Channels {
		if head := ch.Head(); (at == anyChannel || i == at) && head != nil && head.Name == name {
			return true
		}
	}
	return false
}

// successors appends the nodes to which edges of a channel lead, without
// barred ones.
func successors(u *Updates, out []int, from, channel int) []int {
	for a := range u.arcsFrom(from) {
		f := &u.flows[a.flow]
		if to := int(f.to); f.passes(channel) && !u.nodes[to].barred() && (len(out) == 0 || out[len(out)-1] != to) {
			out = append(out, to)
		}
	}
	return out
}

// namesOf returns the names of the first of some nodes.
func namesOf(u *Updates, nodes []int) []string {
	var out []string
	for _, i := range nodes[:min(len(nodes), MaxSuccessors)] {
		out = append(out, u.nodes[i].name)
	}
	return out
}
