package graph

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/internal/text"
)

// ZStream says how the releases of one minor version (its z-stream: 1.4.0,
// 1.4.1, …) fare in a channel: each should reach the newest of them.
type ZStream struct {
	// Package and Channel are names.
	Package string `json:"package"`
	Channel string `json:"channel"`
	// Minor is the minor version, for example "1.4".
	Minor string `json:"minor"`
	// Newest is the highest version that the channel offers of the minor, or
	// empty if it offers none.
	Newest string `json:"newest,omitempty"`
	// Releases is the number of versions of the minor that the channel lists.
	Releases int `json:"releases"`
	// Failing are those of the releases older than Newest that cannot reach it,
	// the newest first.
	Failing []ZRelease `json:"failing,omitempty"`
}

// ZRelease is a release that cannot reach the newest of its minor version.
type ZRelease struct {
	// Bundle is the name of the bundle, Version its version.
	Bundle  string `json:"bundle"`
	Version string `json:"version"`
	// Furthest is the version nearest to the head of the channel that can be
	// reached from it, or empty if nothing can be.
	Furthest string `json:"furthest,omitempty"`
	// Elsewhere is true if the newest can be reached with the help of other
	// channels of the graph.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// OK reports whether every release reaches the newest one. It does if none is
// offered: then all of them are skipped, and what skips them comes next.
func (z ZStream) OK() bool { return len(z.Failing) == 0 }

// String returns a sentence: whether the z-stream holds, and if not, which
// releases fail and what to do about it.
func (z ZStream) String() string {
	head := fmt.Sprintf("z-stream %s in channel %s of package %s: ", z.Minor, text.Name(z.Channel), text.Name(z.Package))
	switch {
	case z.Newest == "":
		return head + "none of " + text.Count(z.Releases, "release", "releases") + " is offered"
	case z.OK():
		return head + "every release reaches " + text.Name(z.Newest)
	}
	names := make([]string, len(z.Failing))
	for i, f := range z.Failing {
		names[i] = f.Bundle
	}
	return head + fmt.Sprintf("%s cannot reach %s; let it skip them, or hold them in its skipRange", few(names), text.Name(z.Newest))
}

// ZStreams checks for each minor version in each channel of the graph that
// every z-stream release reaches the newest one: that from each listed version
// a path inside the channel ends at the highest version of the same minor that
// the channel offers. Releases above that one (withdrawn ones, which are
// skipped) need not, and the path may lead over other minor versions.
// Prereleases are versions as all others, and so are several releases of one. Entries whose version is unknown
// belong to no z-stream.
//
// All z-streams are returned, those that are in order included (see
// [ZStream.OK]): by channel, the default channel first, then the higher minor
// version first.
func (u *Updates) ZStreams() []ZStream {
	var out []ZStream
	for i, c := range u.channels {
		if c.Quarantined() != nil {
			continue
		}
		for rest := u.releases(c); len(rest) > 0; {
			n := 1
			for n < len(rest) && sameMinor(&u.nodes[rest[0]], &u.nodes[rest[n]]) {
				n++
			}
			out = append(out, u.zstream(i, c, rest[:n]))
			rest = rest[n:]
		}
	}
	return out
}

// releases returns the versions that a channel lists, the highest first; of
// equal ones the one that the resolution prefers.
func (u *Updates) releases(c *Channel) []int {
	var out []int
	for i := range u.nodes {
		if n := &u.nodes[i]; n.known && c.Entry(n.name) != nil {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int {
		return u.nodes[b].newer(&u.nodes[a])
	})
	return out
}

// sameMinor reports whether two versions are of one minor version.
func sameMinor(a, b *node) bool {
	return a.version.Major == b.version.Major && a.version.Minor == b.version.Minor
}

// zstream checks one minor version; releases are its nodes.
func (u *Updates) zstream(channel int, c *Channel, releases []int) ZStream {
	first := &u.nodes[releases[0]].version
	z := ZStream{Package: u.pkg.Name, Channel: c.Name, Minor: fmt.Sprintf("%d.%d", first.Major, first.Minor), Releases: len(releases)}
	newest := slices.IndexFunc(releases, func(i int) bool {
		return c.Standing(c.Entry(u.nodes[i].name)).Kind == StandingOffered
	})
	if newest < 0 {
		return z
	}
	to, older := releases[newest], releases[newest+1:]
	z.Newest = u.nodes[to].name
	if len(older) == 0 {
		return z
	}
	inside := u.stepsTo(to, channel, older...)
	var across, furthest []int // looked for when there is one that fails
	for _, i := range older {
		if n := &u.nodes[i]; inside[i] == far {
			if furthest == nil {
				furthest, across = u.furthest(channel), u.stepsTo(to, anyChannel, older...)
			}
			f := ZRelease{Bundle: n.name, Version: n.text(), Elsewhere: across[i] != far}
			if furthest[i] >= 0 {
				f.Furthest = u.nodes[furthest[i]].name
			}
			z.Failing = append(z.Failing, f)
		}
	}
	return z
}
