package problem

// On a cluster that is broken already, policy Partial is lenient with installed
// bundles that cannot hold together with those before them (section 8 of the
// semantics): nothing that they ask for counts, their clashes with other installed
// bundles do not either, and no more do the prohibitions of installed bundles
// against them. In everything else they are members of the set like all others.

// IsLenient reports whether a node is an installed bundle that is treated so.
func (p *Bundles) IsLenient(n NodeID) bool {
	return p.Lenient != nil && p.Nodes[n].Inst >= 0 && p.Lenient[p.Nodes[n].Inst]
}

// IsBroken reports whether a node is an installed bundle that stays in any case.
func (p *Bundles) IsBroken(n NodeID) bool {
	return p.Broken != nil && p.Nodes[n].Inst >= 0 && p.Broken[p.Nodes[n].Inst]
}

// Excused reports whether two bundles may be in the same place: both are installed,
// and one of them is broken.
func (p *Bundles) Excused(a, b NodeID) bool {
	return p.Lenient != nil && p.Nodes[a].Inst >= 0 && p.Nodes[b].Inst >= 0 && (p.IsLenient(a) || p.IsLenient(b))
}

// Excuse makes the problem lenient with some installed bundles, of which some are to
// stay in any case.
func (p *Problem) Excuse(lenient, broken []bool) {
	p.Lenient, p.Broken = lenient, broken
	for i, n := range p.Inst {
		if n == NoNode {
			continue
		}
		nd := &p.Nodes[n]
		nd.reqs, nd.compiled = nil, false
		if p.bar(nd); broken[i] {
			nd.Ban = BanNone
		}
	}
	for i := range p.Subs { // what stays in any case is the only candidate
		if s := &p.Subs[i]; s.Owned != NoNode && p.IsBroken(s.Owned) {
			s.Cands, s.list, s.Group, s.shared = []Candidate{{ID: -1}}, new(Listed), NoGroup, false
		}
	}
}

// InForce reports whether a group excludes anything: its subscription takes part, and
// may move what it owns.
func (p *Problem) InForce(g int32) bool {
	s := &p.Subs[p.groupOf[g]]
	return !s.Left && s.Group == g
}

// ToleratedBy reports whether prohibitions that a bundle declares do not count
// against another one.
func (p *Bundles) ToleratedBy(declares, n NodeID) bool {
	return p.Lenient != nil && declares != NoNode && p.Nodes[declares].Inst >= 0 && p.IsLenient(n)
}

// LenientOf lists those of some bundles of one place that are excused from sharing
// it with installed ones; nil mostly.
func (p *Bundles) LenientOf(nodes []NodeID) []NodeID {
	if p.Lenient == nil {
		return nil
	}
	var out []NodeID
	for _, n := range nodes {
		if p.IsLenient(n) {
			out = append(out, n)
		}
	}
	return out
}

// Crowded reports whether more bundles are in one place than can be, of those that
// are in a set.
func (p *Bundles) Crowded(nodes []NodeID, in func(NodeID) bool) bool {
	strict, catalog, lenient := 0, 0, 0
	for _, n := range nodes {
		switch {
		case !in(n):
		case p.IsLenient(n):
			lenient++
		default:
			strict++
			if p.Nodes[n].Inst < 0 {
				catalog++
			}
		}
	}
	return strict > 1 || lenient > 0 && catalog > 0
}
