package problem

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// Demand is a subscription or an extension with its candidates (section 2 of the semantics).
type Demand struct {
	Name        string
	Package     string
	Channels    []string   // each once; none means all
	Catalog     *cache.Key // nil means all
	StartingCSV string
	Range       *properties.Range // nil holds all versions
	Pin         string
	Hold        string // why the bundle that it owns stays where it is; empty if it may move
	Generated   bool   // it came with a dependency
	// Extension is set for an extension, nil for a subscription.
	Extension *Extension

	Index   int32  // in Demands.List
	Owned   NodeID // the installed bundle that it owns, or NoNode
	Cands   []Candidate
	Scanned []ScannedChannel // of a subscription, best first
	List    *Listed          // what is known of Cands; nil if the work ended before
	Pkgs    []int32          // the packages of Cands
	Group   int32            // its exclusive group in Demands.Groups, or NoGroup
	Shared  bool             // another demand has the same list
}

// NoGroup means that a demand needs no exclusive group.
const NoGroup int32 = -1

// Candidate is a bundle that a demand can be met by, and the channel that it comes from.
type Candidate struct {
	Cat, ID int32 // of a catalog's bundle; ID is -1 for the installed bundle
	Channel *graph.Channel
}

// ScannedChannel is a channel in which a demand looks for candidates.
type ScannedChannel struct {
	Cat     int32
	Channel *graph.Channel
}

// Listed is what all demands share that have the same candidates.
type Listed struct {
	nodes  []NodeID          // as far as they were reached
	places map[nodeKey]int32 // where each bundle is first among many candidates
}

// Demands are what a request asks for, in the order of their decisions: installed bundles
// that are kept, then the demands of the list, then forced bundles.
type Demands struct {
	Kept   []bool // by installed bundle: it has to stay
	Owned  []bool // by installed bundle: a demand that counts owns it
	List   []Demand
	Forced []cache.BundleRef

	Groups    [][]NodeID         // of each, at most one can be in the set
	groupOf   []int32            // by group: the demand that owns one of them
	exclusive map[NodeID][]int32 // by node: the groups that it is a member of
	removable []bool             // by installed bundle: it need not stay; nil mostly
}

// AllowRemoval lets an installed bundle be removed that would have to stay. There are so many
// of them.
func (d *Demands) AllowRemoval(inst int32, installed int) {
	if d.removable == nil {
		d.removable = make([]bool, installed)
	}
	d.removable[inst] = true
}

func (d *Demands) mayRemove(inst int) bool { return d.removable != nil && d.removable[inst] }

// Forces reports whether a bundle is forced.
func (d *Demands) Forces(u *Universe, n NodeID) bool {
	return slices.ContainsFunc(d.Forced, func(of cache.BundleRef) bool { return u.Means(of, n) })
}

// GroupsOf lists the exclusive groups that a node is a member of.
func (d *Demands) GroupsOf(n NodeID) []int32 {
	if d.exclusive == nil {
		return nil
	}
	return d.exclusive[n]
}

// HeldBack reports whether a hold keeps the installed bundle of a demand where it is.
func (d *Demand) HeldBack() bool { return d.Owned != NoNode && d.Hold != "" }

// Keeps reports whether the installed bundle is among the candidates already.
func (d *Demand) Keeps() bool {
	return slices.ContainsFunc(d.Cands, func(c Candidate) bool { return c.ID < 0 })
}

// IsOwn reports whether a bundle of a catalog is the one that the demand owns.
func (d *Demand) IsOwn(u *Universe, b *graph.Bundle) bool {
	if d.Owned == NoNode {
		return false
	}
	own := u.Nodes[d.Owned].Bundle
	return b.Name == own.Name && b.Package == own.Package
}

// Dropped is the step that drops a bundle from the candidates of a demand.
type Dropped uint8

// The steps.
const (
	dropNone       Dropped = iota
	DropNoEdge             // no update leads to it from what is installed
	DropNotStart           // it is not the startingCSV
	DropVersion            // its version is outside the range
	DropBroken             // of an extension: it cannot be read itself
	DropDeprecated         // of an extension: it is marked olm.deprecated
	dropEnd
)

// Drops finds out which of steps 3 to 5 drops an entry of a channel.
func (d *Demand) Drops(u *Universe, ch *graph.Channel, b *graph.Bundle) Dropped {
	if d.Owned != NoNode {
		if !u.Rules.AnyUpgrade && !u.Upgrades(ch.Entry(b.Name), d.Owned) {
			return DropNoEdge
		}
	} else if d.StartingCSV != "" && b.Name != d.StartingCSV {
		return DropNotStart
	}
	if d.Range != nil && !d.Range.Contains(*b.Version) {
		return DropVersion
	}
	return dropNone
}

// Candidate returns the i-th candidate.
func (d *Demand) Candidate(u *Universe, i int) (NodeID, bool) {
	if d.List == nil { // not listed, because the work had ended
		return NoNode, false
	}
	for len(d.List.nodes) <= i {
		if len(d.List.nodes) == len(d.Cands) || u.Budget.Stopped() {
			return NoNode, false
		}
		c := d.Cands[len(d.List.nodes)]
		if c.ID < 0 {
			d.List.nodes = append(d.List.nodes, d.Owned)
		} else {
			d.List.nodes = append(d.List.nodes, u.NodeOf(c.Cat, c.ID))
		}
	}
	return d.List.nodes[i], true
}

// Candidates returns all candidates.
func (d *Demand) Candidates(u *Universe) []NodeID {
	if len(d.Cands) > 0 {
		d.Candidate(u, len(d.Cands)-1)
	}
	if d.List == nil {
		return nil
	}
	return d.List.nodes
}

// Exclusive lists the candidates and the installed bundle that the demand owns, even if a pin
// removes that from the candidates.
func (d *Demand) Exclusive(u *Universe) []NodeID {
	members := slices.Clone(d.Candidates(u))
	if !slices.Contains(members, d.Owned) {
		members = append(members, d.Owned)
	}
	return members
}

// fewCandidates are scanned one by one.
const fewCandidates = 32

// Offers reports whether a node is a candidate, and from which channel; nil for the
// installed bundle.
func (d *Demand) Offers(u *Universe, n NodeID) (*graph.Channel, bool) {
	nd := &u.Nodes[n]
	if nd.Inst < 0 && d.List != nil && len(d.Cands) > fewCandidates {
		at, ok := d.placeOf(nodeKey{nd.Cat, nd.Bundle.ID})
		if !ok {
			return nil, false
		}
		return d.Cands[at].Channel, true
	}
	for _, c := range d.Cands {
		if c.ID < 0 && n == d.Owned || c.ID >= 0 && nd.Inst < 0 && c.Cat == nd.Cat && c.ID == nd.Bundle.ID {
			return c.Channel, true
		}
	}
	return nil, false
}

// placeOf finds a bundle of a catalog among the candidates.
func (d *Demand) placeOf(of nodeKey) (int32, bool) {
	if d.List.places == nil {
		d.List.places = make(map[nodeKey]int32, len(d.Cands))
		for i, c := range slices.Backward(d.Cands) {
			if c.ID >= 0 {
				d.List.places[nodeKey{c.Cat, c.ID}] = int32(i)
			}
		}
	}
	at, ok := d.List.places[of]
	return at, ok
}

// SoleChannel is the channel that the demand is narrowed to, empty if it
// names none or several.
func (d *Demand) SoleChannel() string {
	if len(d.Channels) == 1 {
		return d.Channels[0]
	}
	return ""
}
