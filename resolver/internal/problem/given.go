package problem

import "slices"

// takeGiven makes the candidates of a subscription those that it is given.
func (p *Problem) takeGiven(s *Subscription) {
	if len(*s.Given) == 0 {
		s.Looked = nil // what is in the channels is no near miss
	}
	for _, c := range *s.Given {
		if c.ID >= 0 && len(p.Cats[c.Cat].Content.Bundle(c.ID).Places) == 0 {
			p.reachBeyond(nodeKey{c.Cat, c.ID})
		}
		s.Cands = append(s.Cands, c)
	}
	p.List(len(s.Cands))
	if s.Pin != "" {
		s.Cands = slices.DeleteFunc(s.Cands, func(c Candidate) bool { return p.candidateName(s, c) != s.Pin })
	}
}

// reachBeyond lets a bundle be chosen that has no place in a channel: one that others
// skip, or that is off the chain. Catalogs do not list it among their candidates.
func (p *Problem) reachBeyond(key nodeKey) {
	if p.isBeyond == nil {
		p.isBeyond = make(map[nodeKey]bool)
	}
	if !p.isBeyond[key] {
		p.isBeyond[key] = true
		p.beyond = append(p.beyond, key)
	}
}

// appendBeyond appends those of them that match an atom.
func (p *Problem) appendBeyond(nodes []NodeID, a *Atom) []NodeID {
	if p.Explaining { // lists have everything then
		return nodes
	}
	for _, key := range p.beyond {
		if n := p.NodeOf(key.cat, key.ID); p.Matches(a, n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}
