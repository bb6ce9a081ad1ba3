package graph

import (
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// Path is a way from one bundle to another, step by step.
type Path struct {
	// From is the bundle where it starts.
	From string `json:"from"`
	// Steps lead on from there, each from where the one before ends; none if
	// the path ends where it starts.
	Steps []Edge `json:"steps"`
}

// To returns the bundle where the path ends.
func (p Path) To() string {
	if len(p.Steps) == 0 {
		return p.From
	}
	return p.Steps[len(p.Steps)-1].To
}

// Bundles returns the bundles on the path, both ends included.
func (p Path) Bundles() []string {
	out := make([]string, 0, len(p.Steps)+1)
	out = append(out, p.From)
	for _, e := range p.Steps {
		out = append(out, e.To)
	}
	return out
}

// Channels returns, for each step, a channel that has it, such that the
// channel changes as seldom along the path as it can.
func (p Path) Channels() []string {
	out := make([]string, 0, len(p.Steps))
	for len(out) < len(p.Steps) {
		// What goes furthest without a change is never worse than another.
		best, length := "", 0
		for _, o := range p.Steps[len(out)].Offers {
			n := 1
			for len(out)+n < len(p.Steps) && p.Steps[len(out)+n].offer(o.Channel) != nil {
				n++
			}
			if n > length {
				best, length = o.Channel, n
			}
		}
		if length == 0 {
			length = 1 // a step without offers: not one of ours
		}
		for range length {
			out = append(out, best)
		}
	}
	return out
}

// offer returns the edge as a channel has it, or nil.
func (e *Edge) offer(channel string) *Offer {
	for i := range e.Offers {
		if e.Offers[i].Channel == channel {
			return &e.Offers[i]
		}
	}
	return nil
}

// String returns a sentence: how many steps there are, which, by what field of
// the catalog, and in which channel.
func (p Path) String() string {
	if len(p.Steps) == 0 {
		return text.Name(p.From) + " needs no upgrade to become itself"
	}
	channels := p.Channels()
	one := true
	for _, c := range channels {
		one = one && c == channels[0]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s reaches %s in %s", text.Name(p.From), text.Name(p.To()), text.Count(len(p.Steps), "step", "steps"))
	if one {
		fmt.Fprintf(&b, " in channel %s", text.Name(channels[0]))
	}
	fmt.Fprintf(&b, ": %s", text.Name(p.From))
	for i, e := range p.Steps {
		var why string
		if o := e.offer(channels[i]); o != nil {
			why = joinReasons(o.Reasons)
		}
		if !one {
			why += " in " + text.Name(channels[i])
		}
		fmt.Fprintf(&b, " → %s (%s)", text.Name(e.To), why)
	}
	return b.String()
}

// NoPathReason is why there is no path. It is stable.
type NoPathReason string

const (
	// NoPathUnknown: the graph lacks a bundle of the name at one of the ends.
	NoPathUnknown NoPathReason = "unknown"
	// NoPathNotOffered: no channel of the graph offers the bundle where the
	// path was to end, see [Standing].
	NoPathNotOffered NoPathReason = "notOffered"
	// NoPathDeadEnd: nothing leads on from where the path was to start.
	NoPathDeadEnd NoPathReason = "deadEnd"
	// NoPathApart: some versions can be reached, but not that one.
	NoPathApart NoPathReason = "apart"
)

// NoPathError reports that no upgrades lead from one bundle to another.
type NoPathError struct {
	// Package, From and To are the names asked for.
	Package, From, To string
	// Reason is why.
	Reason NoPathReason
	// Unknown is the one of From and To that the graph lacks, or empty.
	Unknown string
	// Standing is what keeps To from being offered, for NoPathNotOffered.
	Standing Standing
	// Furthest is the bundle that a resolution prefers of those that can be
	// reached from From, or empty.
	Furthest string
}

// Error returns a sentence: what was wanted, what stands in the way, and what
// to do about it.
func (e *NoPathError) Error() string {
	head := fmt.Sprintf("no upgrades lead from %s to %s in package %s: ", text.Name(e.From), text.Name(e.To), text.Name(e.Package))
	switch e.Reason {
	case NoPathUnknown:
		return head + fmt.Sprintf("nothing there is called %s; correct the name", text.Name(e.Unknown))
	case NoPathNotOffered:
		return head + fmt.Sprintf("%s %s", text.Name(e.To), e.Standing)
	case NoPathDeadEnd:
		return head + fmt.Sprintf("no entry that is offered replaces or skips %[1]s, nor holds its version in its skipRange; let one do so", text.Name(e.From))
	}
	return head + fmt.Sprintf("they get as far as %s; let an entry above replace or skip one of the versions that are reached", text.Name(e.Furthest))
}

// ShortestPath returns a path with the fewest steps from one bundle to
// another: of several, the one whose first step a resolution prefers, then
// its second, and so on. It goes through all channels of the graph; limit the
// graph to stay in one. The path from a bundle to itself has no steps.
//
// The error is a [*NoPathError].
func (u *Updates) ShortestPath(from, to string) (Path, error) {
	start, ok := u.byName[from]
	if !ok {
		return Path{}, &NoPathError{Package: u.pkg.Name, From: from, To: to, Reason: NoPathUnknown, Unknown: from}
	}
	end, ok := u.byName[to]
	if !ok {
		return Path{}, &NoPathError{Package: u.pkg.Name, From: from, To: to, Reason: NoPathUnknown, Unknown: to}
	}
	way := u.shortest(detour{at: start}, end)
	if way == nil {
		return Path{}, u.noPath(start, end)
	}
	return u.path(way), nil
}

// noPath explains why no path leads from one node to another.
func (u *Updates) noPath(start, end int) error {
	e := &NoPathError{Package: u.pkg.Name, From: u.nodes[start].name, To: u.nodes[end].name, Reason: NoPathApart}
	steps := u.stepsFrom(start, anyChannel)
	for i := range u.nodes { // in the order of preference
		if i != start && steps[i] != far {
			e.Furthest = u.nodes[i].name
			break
		}
	}
	switch standing := u.standing(end); {
	case standing.Kind != StandingOffered:
		e.Reason, e.Standing = NoPathNotOffered, standing
	case e.Furthest == "":
		e.Reason = NoPathDeadEnd
	}
	return e
}

// path makes a path of the nodes along it.
func (u *Updates) path(way []int) Path {
	p := Path{From: u.nodes[way[0]].name, Steps: make([]Edge, 0, len(way)-1)}
	for i := 1; i < len(way); i++ {
		p.Steps = append(p.Steps, u.edge(way[i-1], u.between(way[i-1], way[i])))
	}
	return p
}
