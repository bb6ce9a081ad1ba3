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
	Range       *properties.Range // nil contains all versions
	Pin         string
	Hold        string     // why the owned bundle must not move; empty if it may
	Generated   bool       // it was generated for a dependency
	Extension   *Extension // nil for a subscription

	Index   int32  // in Demands.List
	Owned   NodeID // the owned installed bundle, or NoNode
	Cands   []Candidate
	Scanned []ScannedChannel // of a subscription, best first
	List    *Listed          // nodes of Cands; nil if the budget was exhausted before
	Pkgs    []int32          // the packages of Cands
	Group   int32            // its exclusive group in Demands.Groups, or NoGroup
	Shared  bool             // another demand has the same list
}

// NoGroup means that a demand has no exclusive group.
const NoGroup int32 = -1

// Candidate is a bundle that can satisfy a demand, and the channel that it comes from.
type Candidate struct {
	Cat, ID int32 // of a catalog's bundle; ID is -1 for the installed bundle
	Channel *graph.Channel
}

// ScannedChannel is a channel that a demand scans for candidates.
type ScannedChannel struct {
	Cat     int32
	Channel *graph.Channel
}

// Listed is shared by all demands with the same candidates.
type Listed struct {
	nodes  []NodeID          // of the candidates reached so far
	places map[nodeKey]int32 // index of the first candidate of each bundle; nil for few candidates
}

// Demands are the demands of a request in decision order: installed bundles that must be kept, then
// the demands of the list, then forced bundles.
type Demands struct {
	Kept   []bool // by installed bundle: it must stay
	Owned  []bool // by installed bundle: an active demand owns it
	List   []Demand
	Forced []cache.BundleRef

	Groups    [][]NodeID         // exclusive groups: at most one member is in the set
	groupOf   []int32            // by group: the demand that owns a member
	exclusive map[NodeID][]int32 // by node: the groups that it is a member of
	removable []bool             // by installed bundle: it may be removed; usually nil
}

// AllowRemoval lets the installed bundle inst be removed although it would have to stay. installed
// is the number of installed bundles.
func (d *Demands) AllowRemoval(inst int32, installed int) {
	if d.removable == nil {
		d.removable = make([]bool, installed)
	}
	d.removable[inst] = true
}

func (d *Demands) mayRemove(inst int) bool { return d.removable != nil && d.removable[inst] }

// Forces reports whether the request forces a bundle.
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

// HeldBack reports whether a hold keeps the owned bundle of a demand from moving.
func (d *Demand) HeldBack() bool { return d.Owned != NoNode && d.Hold != "" }

// Keeps reports whether the installed bundle is among the candidates.
func (d *Demand) Keeps() bool {
	return slices.ContainsFunc(d.Cands, func(c Candidate) bool { return c.ID < 0 })
}

// IsOwn reports whether a bundle of a catalog is the owned bundle.
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
	DropNoEdge             // no upgrade edge from the installed bundle
	DropNotStart           // not the startingCSV
	DropVersion            // version outside the range
	DropBroken             // extensions only: quarantined
	DropDeprecated         // extensions only: marked olm.deprecated
	dropEnd
)

// Drops returns which of steps 3 to 5 drops an entry of a channel.
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
	if d.List == nil { // the budget was exhausted before
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

// Exclusive lists the candidates and the owned bundle, even if a pin removes that from the
// candidates.
func (d *Demand) Exclusive(u *Universe) []NodeID {
	members := slices.Clone(d.Candidates(u))
	if !slices.Contains(members, d.Owned) {
		members = append(members, d.Owned)
	}
	return members
}

// fewCandidates is the length up to which a list of candidates is scanned, not indexed.
const fewCandidates = 32

// Offers reports whether a node is a candidate, and returns its channel, nil for the installed
// bundle.
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

// placeOf returns the index of the first candidate of a catalog's bundle.
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

// SoleChannel returns the channel that the demand names, empty if it names none or several.
func (d *Demand) SoleChannel() string {
	if len(d.Channels) == 1 {
		return d.Channels[0]
	}
	return ""
}
