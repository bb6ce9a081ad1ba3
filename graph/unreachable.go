package graph

import (
	"fmt"

	"github.com/seed109e2655/resolute/internal/text"
)

// Unreachable is a version that no upgrade leads to.
type Unreachable struct {
	// Package, Bundle and Version are those of the version; Version is empty
	// where it is unknown.
	Package string `json:"package"`
	Bundle  string `json:"bundle"`
	Version string `json:"version,omitempty"`
	// Standing is why. StandingOffered means that the version can be newly
	// installed, but that no other version leads to it, though there are older
	// ones; any other kind, that nothing at all leads to it.
	Standing Standing `json:"standing"`
}

// Intended reports whether the catalog asks for it: the version is skipped or
// barred.
func (r Unreachable) Intended() bool {
	return r.Standing.Kind == StandingSkipped || r.Standing.Kind == StandingBarred
}

// String returns a sentence: what cannot be reached, and why.
func (r Unreachable) String() string {
	s := fmt.Sprintf("%s of package %s cannot be reached: ", text.Name(r.Bundle), text.Name(r.Package))
	if r.Standing.Kind == StandingOffered {
		return s + fmt.Sprintf("it is offered in channel %s, but replaces or skips none of the older versions, so only a new installation gets there", text.Name(r.Standing.Channel))
	}
	return s + "it " + r.Standing.String()
}

// Unreachable returns the versions that no upgrade leads to. Precisely, of the
// bundles that a channel of the graph lists, and where the graph has all
// channels of its package also of those that none lists:
//
//   - each that no channel of the graph offers (see [Updates.Standing]), for
//     neither an upgrade nor a new installation leads to it;
//   - each that is offered, but to which no edge leads from any other node of
//     the graph, though a channel of the graph lists an older version. The
//     oldest version has nothing below it from which it could be reached.
//
// Virtual nodes are no versions and are left out. Versions come as all bundles
// do.
func (u *Updates) Unreachable() []Unreachable {
	var oldest *node
	for i := range u.nodes {
		if n := &u.nodes[i]; n.listed && n.known && (oldest == nil || n.newer(oldest) < 0) {
			oldest = n
		}
	}
	var out []Unreachable
	for i := range u.nodes {
		n := &u.nodes[i]
		if n.bundle == nil || !n.listed && !u.all {
			continue
		}
		s := u.standing(i)
		if s.Kind == StandingOffered && (u.followed(i) || oldest == nil || oldest.newer(n) >= 0) {
			continue
		}
		out = append(out, Unreachable{Package: u.pkg.Name, Bundle: n.name, Version: n.text(), Standing: s})
	}
	return out
}

// followed reports whether an edge leads to a node from another one.
func (u *Updates) followed(i int) bool {
	n := &u.nodes[i]
	for k := n.first; k < n.first+n.count; k++ {
		f := &u.flows[k]
		if len(f.from) > 0 || len(f.spans) > 1 {
			return true
		}
		for _, s := range f.spans {
			if s.end-s.first > 1 || s.first != n.age {
				return true
			}
		}
	}
	return false
}
