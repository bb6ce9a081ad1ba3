package formula

import (
	"encoding/binary"
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// encoder writes the clauses of a formula.
type encoder struct{ *Formula }

// write writes the clauses about all bundles that have a literal. Once the work is
// stopped, nobody asks for the rest.
func (f encoder) write() {
	for _, part := range []func(){f.encodeDemands, f.encodeRequirements, f.encodeBans, f.encodeUniqueness} {
		if !f.p.Stopped() {
			part()
		}
	}
}

// encodeDemands writes what the request asks for: installed bundles that stay,
// one candidate for each subscription, what is forced.
func (f encoder) encodeDemands() {
	p := f.p
	for i := range p.Subs {
		if p.Tick(); p.Stopped() {
			return
		}
		if p.TakesPart(i) && f.tells(FactSubscription, int32(i), 0) {
			f.encodeSubscription(&p.Subs[i])
		}
	}
	for i, n := range p.Inst {
		if p.MustStay(i) && f.tells(FactInstalled, int32(i), 0) {
			f.s.Add(f.unless(FactInstalled, int32(i), 0), f.lits[n])
		}
	}
	if f.level == ForInstalled {
		return
	}
	for i := range p.Force {
		if !f.tells(FactForced, int32(i), 0) {
			continue
		}
		clause := []sat.Lit{f.unless(FactForced, int32(i), 0)}
		for _, n := range p.ForcedNodes(int32(i)) {
			clause = append(clause, f.lits[n])
		}
		f.s.Add(clause...)
	}
}

func (f encoder) encodeSubscription(s *problem.Subscription) {
	p := f.p
	if s.Owned == problem.NoNode && f.level == ForInstalled {
		return
	}
	guard := f.unless(FactSubscription, s.Index, 0)
	clause := []sat.Lit{guard}
	cands := p.AllCandidates(s)
	switch {
	case s.Shared() && len(cands) > 1 && f.level != ForInstalled:
		clause = append(clause, f.sharedBy(s).one)
	case len(cands) == 0:
		clause = append(clause, f.unless(FactNoCandidate, s.Index, 0))
	default:
		clause = append(clause, f.literals(cands)...)
	}
	if f.level == ForInstalled { // it stays, or it is replaced
		clause = append(clause, f.lits[s.Owned])
	}
	f.s.Add(clause...)
	if s.Owned == problem.NoNode {
		return
	}
	if s.HeldBack() && len(cands) > 0 && f.level == ForFacts && f.tells(FactHold, s.Index, 0) {
		f.s.Add(append(f.literals(NodesOf(p, Fact{Kind: FactHold, A: s.Index})), guard, f.unless(FactHold, s.Index, 0))...)
	}
	if f.level == ForSubscriptions { // also while it is not admitted yet
		pending := f.s.NewVar()
		f.pending[s.Index] = pending
		f.s.Add(append([]sat.Lit{pending.Not(), f.lits[s.Owned]}, clause[1:]...)...)
		guard = pending.Not()
	}
	// While it is held, the others are no candidates, and may be there for themselves.
	switch {
	case s.Group == problem.NoGroup && f.level != ForFacts || s.HeldBack():
	case s.Shared() && f.level != ForInstalled:
		f.s.Add(guard, f.sharedBy(s).alone(f, s))
	default:
		f.s.AtMostOne(f.literals(p.ExclusiveOf(s)), guard.Not())
	}
}

// shared is what all subscriptions have in common that have the same list of
// candidates: the list is in the formula once, however many they are.
type shared struct {
	one      sat.Lit // implies that one of the candidates is chosen
	mostOnce sat.Lit // implies that at most one of them is, or of them and what they own; 0 if nobody asked
}

// sharedBy returns what a subscription has in common with others.
func (f encoder) sharedBy(s *problem.Subscription) *shared {
	list := s.List()
	h := f.lists[list]
	if h == nil {
		h = &shared{one: f.s.NewVar()}
		if f.lists == nil {
			f.lists = make(map[*problem.Listed]*shared)
		}
		f.lists[list] = h
		f.s.Add(append(f.literals(f.p.AllCandidates(s)), h.one.Not())...)
	}
	return h
}

// alone returns the literal that keeps the candidates apart.
func (h *shared) alone(f encoder, s *problem.Subscription) sat.Lit {
	if h.mostOnce == 0 {
		h.mostOnce = f.s.NewVar()
		f.s.AtMostOne(f.literals(f.p.ExclusiveOf(s)), h.mostOnce)
	}
	return h.mostOnce
}

// encodeRequirements writes that a chosen bundle has its constraints met.
func (f encoder) encodeRequirements() {
	p := f.p
	for n := range p.Nodes {
		x := f.lits[n]
		if x == 0 {
			continue
		}
		if p.Tick(); p.Stopped() {
			return
		}
		for i, r := range p.Requirements(problem.NodeID(n)) {
			if r.Goal.Kind == problem.GoalTrue || r.Goal.Kind == problem.GoalAtom && p.Matches(r.Goal.Atom, problem.NodeID(n)) {
				continue
			}
			if !f.tells(FactConstraint, int32(n), int32(i)) {
				continue
			}
			f.s.Add(f.unless(FactConstraint, int32(n), int32(i)), f.unadmitted(problem.NodeID(n)), x.Not(), f.lit(r.Goal, problem.NodeID(n)))
		}
	}
}

// encodeBans writes what can never be newly chosen; without guards such bundles
// have no literal at all.
func (f encoder) encodeBans() {
	p := f.p
	if f.level == ForInstalled {
		for _, n := range p.Inst {
			if n != problem.NoNode && p.Barred(n) {
				f.s.Add(f.unadmitted(n), f.lits[n].Not())
			}
		}
	}
	if f.level != ForFacts {
		return
	}
	for n := range p.Nodes {
		if f.lits[n] == 0 {
			continue
		}
		for _, k := range bansOf(p, problem.NodeID(n)) {
			if f.tells(k.Kind, k.A, 0) {
				f.s.Add(f.unless(k.Kind, k.A, 0), f.lits[n].Not())
			}
		}
	}
}

// encodeUniqueness writes the rules of one bundle a package and one provider a
// GVK.
func (f encoder) encodeUniqueness() {
	p := f.p
	byPkg, byGVK := f.ByPlace()
	for k, nodes := range byPkg {
		f.atMostOne(FactPackage, int32(k), nodes)
	}
	for k, nodes := range byGVK {
		if f.level == ForFacts || severalPackages(p, nodes) {
			f.atMostOne(FactGVK, int32(k), nodes)
		}
	}
}

// ByPlace lists the nodes that have a literal by package and by GVK.
func (f *Formula) ByPlace() (byPkg, byGVK [][]problem.NodeID) {
	p := f.p
	byPkg, byGVK = make([][]problem.NodeID, len(p.Pkgs)), make([][]problem.NodeID, len(p.GVKs))
	for n := range p.Nodes {
		if f.lits[n] == 0 {
			continue
		}
		byPkg[p.Nodes[n].Pkg] = append(byPkg[p.Nodes[n].Pkg], problem.NodeID(n))
		for _, g := range p.Nodes[n].GVKs {
			byGVK[g] = append(byGVK[g], problem.NodeID(n))
		}
	}
	return byPkg, byGVK
}

// severalPackages reports whether nodes are of more than one package; if not, the
// rule of one bundle a package keeps them apart already.
func severalPackages(p *problem.View, nodes []problem.NodeID) bool {
	return slices.ContainsFunc(nodes, func(n problem.NodeID) bool { return p.Nodes[n].Pkg != p.Nodes[nodes[0]].Pkg })
}

// atMostOne writes that at most one of several nodes is chosen. Bundles of a
// package mostly provide the same APIs: equal lists of nodes share their clauses,
// each fact only adds that they hold.
func (f encoder) atMostOne(kind Kind, k int32, nodes []problem.NodeID) {
	if len(nodes) < 2 || !f.tells(kind, k, 0) {
		return
	}
	if f.level == ForInstalled {
		f.excludeAdmitted(nodes)
		return
	}
	f.scratch = f.scratch[:0]
	for _, n := range nodes {
		f.scratch = binary.LittleEndian.AppendUint32(f.scratch, uint32(n))
	}
	exclusive, known := f.exclusive[string(f.scratch)]
	if !known {
		if f.level == ForFacts {
			exclusive = f.s.NewVar()
		}
		f.exclusive[string(f.scratch)] = exclusive
		f.excludeAll(nodes, exclusive)
	}
	if f.level == ForFacts {
		f.s.Add(f.unless(kind, k, 0), exclusive)
	}
}

func (f *Formula) literals(nodes []problem.NodeID) []sat.Lit {
	lits := make([]sat.Lit, 0, len(nodes))
	for _, n := range nodes {
		if f.lits[n] != 0 {
			lits = append(lits, f.lits[n])
		}
	}
	return lits
}
