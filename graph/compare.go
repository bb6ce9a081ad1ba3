package graph

import (
	"context"
	"iter"
	"slices"
	"strings"
)

// Compare says what changed for those who run a package when its old state is
// exchanged for a new one, both by sections 2 and 3 of the semantics:
//
//   - every bundle that an old channel lists should still have a successor in
//     that channel, or be its head; and where it had one successor or none, it
//     should not have several;
//   - no edge should be lost without a replacement: where the old channel led
//     from A to B, the new one should still lead, in any number of steps, from
//     A to B or to something newer than B. The edges of a bundle that has no
//     successor any more are not listed besides;
//   - packages, channels, heads and versions that are gone, new or moved; and
//     what is newly deprecated, barred or quarantined.
//
// Bundles and edges of a channel that is gone are looked for in all channels.
// A bundle that the new state lacks counts as installed with the version that
// it had. Barred bundles are never upgraded to, and so are no successors.
//
// A nil package is one that is not there. Changes of the package come first,
// then those of each of its channels, the old ones before those that are new,
// then those of its versions; the order is always the same.
//
// It takes a search for each bundle that has lost edges, in each channel. The error is
// the cause of the end of ctx, which is looked at before each bundle.
func Compare(ctx context.Context, old, now *Package) ([]Change, error) {
	switch {
	case old == nil && now == nil:
		return nil, nil
	case old == nil:
		return []Change{{Kind: ChangePackageAdded, Package: now.Name}}, nil
	case now == nil:
		return []Change{{Kind: ChangePackageGone, Breaking: len(old.Bundles) > 0, Package: old.Name}}, nil
	}
	c := &comparison{old: old, new: now}
	c.packages()
	if now.Quarantine != nil {
		return c.changes, nil // nothing of it works: that says it all
	}
	var err error
	if c.before, err = newUpdates(ctx, old, old.Channels, nil, false); err != nil {
		return nil, err
	}
	if c.after, err = newUpdates(ctx, now, now.Channels, c.before.extras(), false); err != nil {
		return nil, err
	}
	c.channels = make(map[string]int, len(now.Channels))
	for i, ch := range slices.Backward(now.Channels) {
		c.channels[ch.Name] = i
	}
	for i, ch := range old.Channels {
		if err := c.channel(ctx, i, ch); err != nil {
			return nil, err
		}
	}
	for _, ch := range now.Channels {
		if old.Channel(ch.Name) == nil {
			c.add(Change{Kind: ChangeChannelAdded, Channel: ch.Name})
		}
	}
	c.versions()
	return c.changes, nil
}

// CompareCatalogs compares two catalogs, given as their packages: each package
// with the one of the same name, by name. Of several packages of one name in a
// catalog the first counts, and nil ones are ignored. The error is that of Compare.
func CompareCatalogs(ctx context.Context, old, now iter.Seq[*Package]) ([]Change, error) {
	before, after := byName(old), byName(now)
	var out []Change
	for len(before) > 0 || len(after) > 0 {
		var a, b *Package
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].Name < after[0].Name:
			a, before = before[0], before[1:]
		case len(before) == 0 || after[0].Name < before[0].Name:
			b, after = after[0], after[1:]
		default:
			a, before = before[0], before[1:]
			b, after = after[0], after[1:]
		}
		changes, err := Compare(ctx, a, b)
		if err != nil {
			return nil, err
		}
		out = append(out, changes...)
	}
	return out, nil
}

// byName sorts packages by name, one of each.
func byName(packages iter.Seq[*Package]) []*Package {
	var out []*Package
	if packages != nil {
		for p := range packages {
			if p != nil {
				out = append(out, p)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *Package) int { return strings.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b *Package) bool { return a.Name == b.Name })
}

// comparison is a comparison in the making.
type comparison struct {
	old, new      *Package
	before, after *Updates
	channels      map[string]int // where the new state has each channel
	changes       []Change

	// Memory to use again: the successors of a bundle in both states, and by node of
	// the new state the last question of allIn in which it was there.
	was, is, there []int
	asked          int
}

// add adds a change.
func (c *comparison) add(ch Change) {
	ch.Package = c.old.Name
	c.changes = append(c.changes, ch)
}

// packages compares what is of the packages as such.
func (c *comparison) packages() {
	if q := c.new.Quarantine; q != nil && c.old.Quarantine == nil {
		c.add(Change{Kind: ChangePackageQuarantined, Breaking: true, Message: q.Message})
	}
	if c.old.DefaultChannel != c.new.DefaultChannel {
		c.add(Change{Kind: ChangeDefaultChannel, Old: c.old.DefaultChannel, New: c.new.DefaultChannel})
	}
	if c.new.Deprecated && !c.old.Deprecated {
		c.add(Change{Kind: ChangeDeprecated, Message: c.new.Deprecation})
	}
}

// versions compares the bundles.
func (c *comparison) versions() {
	for _, b := range c.old.Bundles {
		now := c.new.Bundle(b.Name)
		switch {
		case now == nil:
			c.add(Change{Kind: ChangeVersionGone, Bundle: b.Name})
			continue
		case now.Quarantine != nil && b.Quarantine == nil:
			c.add(Change{Kind: ChangeQuarantined, Breaking: len(b.Places) > 0, Bundle: b.Name, Message: now.Quarantine.Message})
		case now.Quarantine == nil && b.Quarantine == nil && now.VersionText() != b.VersionText():
			c.add(Change{Kind: ChangeVersionOther, Bundle: b.Name, Old: b.VersionText(), New: now.VersionText()})
		}
		if now.Barred && !b.Barred {
			c.add(Change{Kind: ChangeBarred, Bundle: b.Name})
		}
		if now.Deprecated && !b.Deprecated {
			c.add(Change{Kind: ChangeDeprecated, Bundle: b.Name, Message: now.Deprecation})
		}
	}
	for _, b := range c.new.Bundles {
		if c.old.Bundle(b.Name) == nil {
			c.add(Change{Kind: ChangeVersionAdded, Bundle: b.Name})
		}
	}
}

// extras returns all nodes of the graph as bundles that may be installed.
func (u *Updates) extras() []extra {
	out := make([]extra, len(u.nodes))
	for i := range u.nodes {
		out[i] = extra{u.nodes[i].name, u.nodes[i].version, u.nodes[i].release, u.nodes[i].known}
	}
	return out
}
