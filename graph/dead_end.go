package graph

import (
	"context"
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
)

// DeadEndReason is why a version is a dead end. It is stable.
type DeadEndReason string

const (
	// DeadEndNoEdge: no edge leads on from the version in the channel.
	DeadEndNoEdge DeadEndReason = "noEdge"
	// DeadEndStuck: edges lead on from it, but not as far as the head.
	DeadEndStuck DeadEndReason = "stuck"
	// DeadEndHead: the head cannot be chosen at all, so that no version of the
	// channel reaches it; see the other versions for how far they get.
	DeadEndHead DeadEndReason = "head"
)

// DeadEnd is a version from which the head of a channel cannot be reached.
type DeadEnd struct {
	// Package, Channel and Bundle are names.
	Package string `json:"package"`
	Channel string `json:"channel"`
	Bundle  string `json:"bundle"`
	// Version is the version of the bundle, or empty where it is unknown.
	Version string `json:"version,omitempty"`
	// Head is the head of the channel.
	Head string `json:"head"`
	// Reason is why the head cannot be reached.
	Reason DeadEndReason `json:"reason"`
	// HeadStanding is what keeps the head from being chosen, for DeadEndHead.
	HeadStanding Standing `json:"headStanding,omitzero"`
	// Furthest is the version nearest to the head that can be reached, or
	// empty if none can.
	Furthest string `json:"furthest,omitempty"`
	// Elsewhere is true if the head can be reached with the help of other
	// channels of the graph.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// String returns a sentence: what is stuck, why, and what to do about it.
func (d DeadEnd) String() string {
	s := fmt.Sprintf("%s in channel %s of package %s is a dead end: ", text.Name(d.Bundle), text.Name(d.Channel), text.Name(d.Package))
	switch d.Reason {
	case DeadEndHead:
		s += fmt.Sprintf("the head %s %s", text.Name(d.Head), d.HeadStanding)
		if d.Furthest != "" {
			s += fmt.Sprintf(", and upgrades end at %s", text.Name(d.Furthest))
		}
	case DeadEndNoEdge:
		s += fmt.Sprintf("nothing that is offered replaces or skips it, so the head %s is out of reach; let an entry on the chain do so", text.Name(d.Head))
	default:
		s += fmt.Sprintf("upgrades end at %s, so the head %s is out of reach; let an entry on the chain above replace or skip that", text.Name(d.Furthest), text.Name(d.Head))
	}
	if d.Elsewhere {
		s += "; by way of other channels it can be reached"
	}
	return s
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
	head := c.Head()
	to := u.byName[head.Name]
	inside := u.stepsTo(to, channel)
	standing := c.Standing(head)
	var furthest, across []int // looked for when there is a dead end
	var out []DeadEnd
	for i := range u.nodes {
		n := &u.nodes[i]
		if i == to || inside[i] != far || c.Entry(n.name) == nil && (n.listed || !n.given) {
			continue
		}
		if furthest == nil {
			furthest, across = u.furthest(channel), inside
			if len(u.channels) > 1 {
				across = u.stepsTo(to, anyChannel)
			}
		}
		d := DeadEnd{
			Package: u.pkg.Name, Channel: c.Name, Bundle: n.name, Version: n.text(), Head: head.Name,
			Reason: DeadEndStuck, Elsewhere: across[i] != far,
		}
		if furthest[i] >= 0 {
			d.Furthest = u.nodes[furthest[i]].name
		}
		switch {
		case standing.Kind != StandingOffered:
			d.Reason, d.HeadStanding = DeadEndHead, standing
		case d.Furthest == "":
			d.Reason = DeadEndNoEdge
		}
		out = append(out, d)
	}
	return out
}
