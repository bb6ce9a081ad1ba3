package graph

import (
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
)

// DeadEnd is a version from which the head of a channel cannot be reached.
type DeadEnd struct {
	// Package, Channel and Bundle are names, Head is the head of the channel.
	Package, Channel, Bundle, Head string
	// Furthest is the version nearest to the head that can be reached, or
	// empty if none can.
	Furthest string
}

// String returns a sentence: what is stuck, why, and what to do about it.
func (d DeadEnd) String() string {
	s := fmt.Sprintf("%s in channel %s of package %s is a dead end: ", text.Name(d.Bundle), text.Name(d.Channel), text.Name(d.Package))
	if d.Furthest == "" {
		return s + fmt.Sprintf("nothing that is offered replaces or skips it, so the head %s is out of reach; let an entry on the chain do so", text.Name(d.Head))
	}
	return s + fmt.Sprintf("upgrades end at %s, so the head %s is out of reach; let an entry on the chain above replace or skip that", text.Name(d.Furthest), text.Name(d.Head))
}

// DeadEnds returns the versions from which the head of a channel cannot be
// reached: for each channel of the graph, every entry but the head, and every
// installed bundle that was given and that no channel lists, from which no
// path inside the channel ends at the head. Skipped, quarantined and virtual
// entries count, because a cluster may still run them. A quarantined channel has
// no head, and so no dead ends; its problem says it all.
//
// They come by channel (the default channel first), then as all bundles do.
//
// Each channel is searched by itself, so that many of them take long. The error is the
// cause of the end of ctx, which is looked at before each.
func (u *Updates) DeadEnds(ctx context.Context) ([]DeadEnd, error) {
	var out []DeadEnd
	for i, c := range u.channels {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if c.Head() != nil {
			out = append(out, u.deadEnds(i, c)...)
		}
	}
	return out, nil
}

// deadEnds returns the dead ends of a channel that has a head.
func (u *Updates) deadEnds(channel int, c *Channel) []DeadEnd {
	head := u.byName[c.Head().Name]
	steps := u.stepsTo(head, channel)
	var furthest []int // looked for when there is a dead end
	var out []DeadEnd
	for i := range u.nodes {
		n := &u.nodes[i]
		if i == head || steps[i] != far || c.Entry(n.name) == nil && (n.listed || !n.given) {
			continue
		}
		if furthest == nil {
			furthest = u.furthest(channel)
		}
		d := DeadEnd{Package: u.pkg.Name, Channel: c.Name, Bundle: n.name, Head: c.Head().Name}
		if furthest[i] >= 0 {
			d.Furthest = u.nodes[furthest[i]].name
		}
		out = append(out, d)
	}
	return out
}
