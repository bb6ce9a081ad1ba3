package resolver

import (
	"encoding/binary"
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
)

// encodeDemands writes what the request asks for: installed bundles that stay,
// one candidate for each subscription, what is forced.
func (f *formula) encodeDemands() {
	p := f.p
	for i := range p.subs {
		if !p.subs[i].left && f.tells(factSubscription, int32(i), 0) {
			f.encodeSubscription(&p.subs[i])
		}
	}
	owned := p.ownedInstalled()
	for i, n := range p.inst {
		if n != noNode && p.stays(int32(i), owned) && f.tells(factInstalled, int32(i), 0) {
			f.s.Add(f.unless(factInstalled, int32(i), 0), f.lits[n])
		}
	}
	if f.level == guardInstalled {
		return
	}
	for i := range p.force {
		if p.placing || p.force[i].Left || !f.tells(factForced, int32(i), 0) {
			continue
		}
		clause := []sat.Lit{f.unless(factForced, int32(i), 0)}
		for _, n := range p.forcedNodes(int32(i)) {
			clause = append(clause, f.lits[n])
		}
		f.s.Add(clause...)
	}
}

func (f *formula) encodeSubscription(s *subscription) {
	p := f.p
	if s.owned == noNode && f.level == guardInstalled {
		return
	}
	guard := f.unless(factSubscription, int32(s.index), 0)
	clause := []sat.Lit{guard}
	cands := p.allCandidates(s)
	for _, n := range cands {
		clause = append(clause, f.lits[n])
	}
	if len(cands) == 0 {
		clause = append(clause, f.unless(factNoCandidate, int32(s.index), 0))
	}
	if f.level == guardInstalled { // it stays, or it is replaced
		clause = append(clause, f.lits[s.owned])
	}
	f.s.Add(clause...)
	if s.owned == noNode {
		return
	}
	if p.heldBack(s) && len(cands) > 0 && f.level == guardFacts && f.tells(factHold, int32(s.index), 0) {
		f.s.Add(append(f.literals(f.nodesOf(fact{kind: factHold, a: int32(s.index)})), guard, f.unless(factHold, int32(s.index), 0))...)
	}
	if f.level == guardSubscriptions { // also while it is not admitted yet
		pending := f.s.NewVar()
		f.pending[s.index] = pending
		f.s.Add(append([]sat.Lit{pending.Not(), f.lits[s.owned]}, clause[1:]...)...)
		guard = pending.Not()
	}
	// While it is held, the others are no candidates, and may be there for themselves.
	if (s.group != noGroup || f.level == guardFacts) && !p.heldBack(s) {
		f.s.AtMostOne(f.literals(p.exclusiveOf(s)), guard.Not())
	}
}

// encodeRequirements writes that a chosen bundle has its constraints met.
func (f *formula) encodeRequirements() {
	p := f.p
	for n := range p.nodes {
		x := f.lits[n]
		if x == 0 {
			continue
		}
		p.tick()
		for i, r := range p.requirements(nodeID(n)) {
			if r.goal.kind == goalTrue || r.goal.kind == goalAtom && p.matches(r.goal.atom, nodeID(n)) {
				continue
			}
			if !f.tells(factConstraint, int32(n), int32(i)) {
				continue
			}
			f.s.Add(f.unless(factConstraint, int32(n), int32(i)), f.unadmitted(nodeID(n)), x.Not(), f.lit(r.goal, nodeID(n)))
		}
	}
}

// encodeBans writes what can never be newly chosen; without guards such bundles
// have no literal at all.
func (f *formula) encodeBans() {
	p := f.p
	if f.level == guardInstalled {
		for _, n := range p.inst {
			if n != noNode && p.nodes[n].ban != banNone {
				f.s.Add(f.unadmitted(n), f.lits[n].Not())
			}
		}
	}
	if f.level != guardFacts {
		return
	}
	never := func(n int, kind factKind, a int32) {
		if f.tells(kind, a, 0) {
			f.s.Add(f.unless(kind, a, 0), f.lits[n].Not())
		}
	}
	for n := range p.nodes {
		nd := &p.nodes[n]
		if f.lits[n] == 0 {
			continue
		}
		for _, by := range p.forbiddenBy(nd) {
			if !p.isLenient(nodeID(n)) {
				never(n, factForbidden, by)
			}
		}
		if nd.inst < 0 && nd.bundle.Barred {
			never(n, factDeprecated, int32(n))
		}
		if p.unfit(nd) {
			never(n, factIncompatible, int32(n))
		}
		if nd.ban == banQuarantined {
			never(n, factQuarantined, nd.pkg)
		}
	}
}

// encodeUniqueness writes the rules of one bundle a package and one provider a
// GVK.
func (f *formula) encodeUniqueness() {
	p := f.p
	byPkg, byGVK := f.byPlace()
	for k, nodes := range byPkg {
		f.atMostOne(factPackage, int32(k), nodes)
	}
	for k, nodes := range byGVK {
		if f.level == guardFacts || severalPackages(p, nodes) {
			f.atMostOne(factGVK, int32(k), nodes)
		}
	}
}

// byPlace lists the nodes that have a literal by package and by GVK.
func (f *formula) byPlace() (byPkg, byGVK [][]nodeID) {
	p := f.p
	byPkg, byGVK = make([][]nodeID, len(p.pkgs)), make([][]nodeID, len(p.gvks))
	for n := range p.nodes {
		if f.lits[n] == 0 {
			continue
		}
		byPkg[p.nodes[n].pkg] = append(byPkg[p.nodes[n].pkg], nodeID(n))
		for _, g := range p.nodes[n].gvks {
			byGVK[g] = append(byGVK[g], nodeID(n))
		}
	}
	return byPkg, byGVK
}

// severalPackages reports whether nodes are of more than one package; if not, the
// rule of one bundle a package keeps them apart already.
func severalPackages(p *problem, nodes []nodeID) bool {
	return slices.ContainsFunc(nodes, func(n nodeID) bool { return p.nodes[n].pkg != p.nodes[nodes[0]].pkg })
}

// atMostOne writes that at most one of several nodes is chosen. Bundles of a
// package mostly provide the same APIs: equal lists of nodes share their clauses,
// each fact only adds that they hold.
func (f *formula) atMostOne(kind factKind, k int32, nodes []nodeID) {
	if len(nodes) < 2 || !f.tells(kind, k, 0) {
		return
	}
	if f.level == guardInstalled {
		f.excludeAdmitted(nodes)
		return
	}
	f.scratch = f.scratch[:0]
	for _, n := range nodes {
		f.scratch = binary.LittleEndian.AppendUint32(f.scratch, uint32(n))
	}
	exclusive, known := f.exclusive[string(f.scratch)]
	if !known {
		if f.level == guardFacts {
			exclusive = f.s.NewVar()
		}
		f.exclusive[string(f.scratch)] = exclusive
		f.excludeAll(nodes, exclusive)
	}
	if f.level == guardFacts {
		f.s.Add(f.unless(kind, k, 0), exclusive)
	}
}

func (f *formula) literals(nodes []nodeID) []sat.Lit {
	lits := make([]sat.Lit, 0, len(nodes))
	for _, n := range nodes {
		if f.lits[n] != 0 {
			lits = append(lits, f.lits[n])
		}
	}
	return lits
}
