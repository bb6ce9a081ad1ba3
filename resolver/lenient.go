package resolver

// On a cluster that is broken already, policy Partial is lenient with installed
// bundles that cannot hold together with those before them (section 8 of the
// semantics): nothing that they ask for counts, their clashes with other installed
// bundles do not either, and no more do the prohibitions of installed bundles
// against them. In everything else they are members of the set like all others.

// isLenient reports whether a node is an installed bundle that is treated so.
func (p *bundles) isLenient(n nodeID) bool {
	return p.lenient != nil && p.nodes[n].inst >= 0 && p.lenient[p.nodes[n].inst]
}

// isBroken reports whether a node is an installed bundle that stays in any case.
func (p *bundles) isBroken(n nodeID) bool {
	return p.broken != nil && p.nodes[n].inst >= 0 && p.broken[p.nodes[n].inst]
}

// excused reports whether two bundles may be in the same place: both are installed,
// and one of them is broken.
func (p *bundles) excused(a, b nodeID) bool {
	return p.lenient != nil && p.nodes[a].inst >= 0 && p.nodes[b].inst >= 0 && (p.isLenient(a) || p.isLenient(b))
}

// excuse makes the problem lenient with some installed bundles, of which some are to
// stay in any case.
func (p *problem) excuse(lenient, broken []bool) {
	p.lenient, p.broken = lenient, broken
	for i, n := range p.inst {
		if n == noNode {
			continue
		}
		nd := &p.nodes[n]
		nd.reqs, nd.compiled = nil, false
		if p.bar(nd); broken[i] {
			nd.ban = banNone
		}
	}
	for i := range p.subs { // what stays in any case is the only candidate
		if s := &p.subs[i]; s.owned != noNode && p.isBroken(s.owned) {
			s.cands, s.nodes, s.group = []candidate{{id: -1}}, nil, noGroup
		}
	}
}

// inForce reports whether a group excludes anything: its subscription takes part, and
// may move what it owns.
func (p *problem) inForce(g int32) bool {
	s := &p.subs[p.groupOf[g]]
	return !s.left && s.group == g
}

// toleratedBy reports whether prohibitions that a bundle declares do not count
// against another one.
func (p *bundles) toleratedBy(declares, n nodeID) bool {
	return p.lenient != nil && declares != noNode && p.nodes[declares].inst >= 0 && p.isLenient(n)
}

// lenientOf lists those of some bundles of one place that are excused from sharing
// it with installed ones; nil mostly.
func (p *bundles) lenientOf(nodes []nodeID) []nodeID {
	if p.lenient == nil {
		return nil
	}
	var out []nodeID
	for _, n := range nodes {
		if p.isLenient(n) {
			out = append(out, n)
		}
	}
	return out
}

// crowded reports whether more bundles are in one place than can be, of those that
// are in a set.
func (p *bundles) crowded(nodes []nodeID, in func(nodeID) bool) bool {
	strict, catalog, lenient := 0, 0, 0
	for _, n := range nodes {
		switch {
		case !in(n):
		case p.isLenient(n):
			lenient++
		default:
			strict++
			if p.nodes[n].inst < 0 {
				catalog++
			}
		}
	}
	return strict > 1 || lenient > 0 && catalog > 0
}
