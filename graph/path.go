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
	return append([]string{p.From}, text.Each(p.Steps, func(e Edge) string { return e.To })...)
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

// ShortestPath returns a path with the fewest steps from one bundle to
// another: of several, the one whose first step a resolution prefers, then
// its second, and so on. It goes through all channels of the graph; limit the
// graph to stay in one. The path from a bundle to itself has no steps.
//
// The error is a sentence that says why there is no path, and what to do about it.
func (u *Updates) ShortestPath(from, to string) (Path, error) {
	at, known := u.index(from)
	if !known {
		return Path{}, u.noPath(from, to, "nothing there is called %s; correct the name", text.Name(from))
	}
	end, known := u.index(to)
	if !known {
		return Path{}, u.noPath(from, to, "nothing there is called %s; correct the name", text.Name(to))
	}
	steps := u.stepsTo(end)
	if steps[at] == far {
		return Path{}, u.whyNoPath(at, end)
	}
	p := Path{From: from, Steps: make([]Edge, 0, steps[at])}
	for at != end {
		for a := range u.arcsFrom(at) { // the preferred one first
			if next := int(u.flows[a.flow].to); steps[next] == steps[at]-1 && !u.nodes[next].barred() {
				p.Steps = append(p.Steps, u.edge(at, u.between(at, next)))
				at = next
				break
			}
		}
	}
	return p, nil
}

// noPath is an error that says why no path leads from one bundle to another.
func (u *Updates) noPath(from, to, format string, args ...any) error {
	return fmt.Errorf("no upgrades lead from %s to %s in package %s: "+format,
		append([]any{text.Name(from), text.Name(to), text.Name(u.pkg.Name)}, args...)...)
}

// whyNoPath explains why no path leads from one node to another.
func (u *Updates) whyNoPath(start, end int) error {
	from, to := u.nodes[start].name, u.nodes[end].name
	if s := u.standing(&u.nodes[end]); !s.Offered {
		return u.noPath(from, to, "%s %s", text.Name(to), s)
	}
	steps := u.stepsFrom(start)
	for i := range u.nodes { // in the order of preference
		if i != start && steps[i] != far {
			return u.noPath(from, to, "they get as far as %s; let an entry above replace or skip one of the versions that are reached", text.Name(u.nodes[i].name))
		}
	}
	return u.noPath(from, to, "no entry that is offered replaces or skips %s, nor holds its version in its skipRange; let one do so", text.Name(from))
}
