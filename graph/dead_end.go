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

// DeadEnds returns the versions from which the head of the channel cannot be
// reached: every entry but the head from which no path inside the channel ends
// there. Skipped, quarantined and virtual entries count, because a cluster may
// still run them. A quarantined channel has no head, and so no dead ends; its
// problem says it all. They come as all bundles of [Updates] do.
//
// The error is the cause of the end of ctx.
func (c *Channel) DeadEnds(ctx context.Context) ([]DeadEnd, error) {
	if c.Head() == nil {
		return nil, nil
	}
	u, err := newUpdates(ctx, c.Package, []*Channel{c}, UpdateOptions{ListedOnly: true})
	if err != nil {
		return nil, err
	}
	head := u.byName[c.Head().Name]
	steps := u.stepsTo(head)
	var furthest []int // looked for when there is a dead end
	var out []DeadEnd
	for i := range u.nodes {
		n := &u.nodes[i]
		if i == head || steps[i] != far || c.Entry(n.name) == nil {
			continue
		}
		if furthest == nil {
			furthest = u.furthest(c)
		}
		d := DeadEnd{Package: u.pkg.Name, Channel: c.Name, Bundle: n.name, Head: c.Head().Name}
		if furthest[i] >= 0 {
			d.Furthest = u.nodes[furthest[i]].name
		}
		out = append(out, d)
	}
	return out, nil
}
