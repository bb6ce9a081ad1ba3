package formula

import (
	"encoding/binary"
	"slices"

	"github.com/seed109e2655/resolute/internal/sat"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// encode writes the clauses about all bundles that have a literal. It stops when the budget is
// exhausted.
func (f *Formula) encode() {
	for _, part := range []func(){f.encodeDemands, f.encodeRequirements, f.encodeBans, f.encodeUniqueness} {
		if !f.p.Budget.Stopped() {
			part()
		}
	}
}

// encodeDemands writes the roots: one candidate for each demand, installed bundles that must stay,
// and forced bundles.
func (f *Formula) encodeDemands() {
	for _, k := range Roots(f.p) {
		if f.p.Budget.Step() {
			return
		}
		switch {
		case !f.included(k) || k.Kind == FactForced && f.guards == GuardCounting:
		case k.Kind == FactSubscription:
			f.encodeSubscription(&f.p.Demands.List[k.A], f.guard(k))
		default:
			f.s.Add(append([]sat.Lit{f.guard(k)}, f.literals(NodesOf(f.p, k))...)...)
		}
	}
}

func (f *Formula) encodeSubscription(s *problem.Demand, guard sat.Lit) {
	cands := s.Candidates(f.u)
	clause := []sat.Lit{guard}
	switch {
	case s.Shared && len(cands) > 1:
		clause = append(clause, f.sharedBy(s).one)
	case len(cands) == 0:
		clause = append(clause, f.guard(Fact{Kind: FactNoCandidate, A: s.Index}))
	default:
		clause = append(clause, f.literals(cands)...)
	}
	if f.guards == GuardCounting { // the owned bundle stays, or a candidate replaces it
		clause = append(clause, f.Literal[s.Owned])
	}
	f.s.Add(clause...)
	if s.Owned == problem.NoNode {
		return
	}
	if hold := (Fact{Kind: FactHold, A: s.Index}); s.HeldBack() && len(cands) > 0 && f.guards.has(FactHold) && f.included(hold) {
		f.s.Add(append(f.literals(NodesOf(f.p, hold)), guard, f.guard(hold))...)
	}
	if f.guards.has(FactKept) { // even while the subscription is not admitted
		guard = f.guard(Fact{Kind: FactKept, A: s.Index})
		f.s.Add(append([]sat.Lit{guard, f.Literal[s.Owned]}, clause[1:]...)...)
	}
	// A hold removes the other candidates, which may then be selected for other reasons.
	switch {
	case s.Group == problem.NoGroup && !f.guards.has(FactPackage) || s.HeldBack():
	case s.Shared:
		h := f.sharedBy(s)
		if h.atMostOne == 0 {
			h.atMostOne = f.s.NewVar()
			f.s.AtMostOne(f.literals(s.Exclusive(f.u)), h.atMostOne)
		}
		f.s.Add(guard, h.atMostOne)
	default:
		f.s.AtMostOne(f.literals(s.Exclusive(f.u)), guard.Not())
	}
}

// shared has the literals that demands with the same candidate list share, so that the list is
// encoded once.
type shared struct {
	one       sat.Lit // implies that one of the candidates is selected
	atMostOne sat.Lit // implies that at most one of the candidates and the owned bundle is; 0 if not encoded
}

// sharedBy returns the shared literals of the candidate list of a demand.
func (f *Formula) sharedBy(s *problem.Demand) *shared {
	h := f.lists[s.List]
	if h == nil {
		h = &shared{one: f.s.NewVar()}
		if f.lists == nil {
			f.lists = make(map[*problem.Listed]*shared)
		}
		f.lists[s.List] = h
		f.s.Add(append(f.literals(s.Candidates(f.u)), h.one.Not())...)
	}
	return h
}

// encodeRequirements writes that the constraints of a selected bundle hold.
func (f *Formula) encodeRequirements() {
	p := f.p
	for i, x := range f.Literal {
		n := problem.NodeID(i)
		if x == 0 {
			continue
		}
		if p.Budget.Step() {
			return
		}
		for i, r := range p.Requirements(n) {
			if r.Goal.Kind == problem.GoalTrue || r.Goal.Kind == problem.GoalAtom && p.Universe.Matches(r.Goal.Atom, n) {
				continue
			}
			if k := (Fact{FactConstraint, int32(n), int32(i)}); f.included(k) {
				f.s.Add(f.guard(k), f.exemption(n), x.Not(), f.lit(r.Goal, n, false))
			}
		}
	}
}

// encodeBans writes that excluded bundles are not selected. Without guards most excluded bundles
// have no literal.
func (f *Formula) encodeBans() {
	for n, x := range f.Literal {
		if x == 0 {
			continue
		}
		for _, k := range bansOf(f.p, problem.NodeID(n)) {
			if f.included(k) {
				f.s.Add(f.guard(k), f.exemption(problem.NodeID(n)), x.Not())
			}
		}
	}
}

// encodeUniqueness writes the rules of one bundle per package and one provider per GVK.
func (f *Formula) encodeUniqueness() {
	p := f.p
	byPkg, byGVK := f.ByPlace()
	for k, nodes := range byPkg {
		f.encodePlace(Fact{Kind: FactPackage, A: int32(k)}, nodes)
	}
	for k, nodes := range byGVK {
		// The rule of one bundle per package already covers providers of a single package.
		if f.guards.has(FactPackage) || slices.ContainsFunc(nodes, func(n problem.NodeID) bool { return p.Universe.Nodes[n].Pkg != p.Universe.Nodes[nodes[0]].Pkg }) {
			f.encodePlace(Fact{Kind: FactGVK, A: int32(k)}, nodes)
		}
	}
}

// ByPlace lists the nodes that have a literal by package and by GVK.
func (f *Formula) ByPlace() (byPkg, byGVK [][]problem.NodeID) {
	p := f.p
	byPkg, byGVK = make([][]problem.NodeID, len(p.Universe.Pkgs)), make([][]problem.NodeID, len(p.Universe.GVKs))
	for i, x := range f.Literal {
		if x == 0 {
			continue
		}
		n, nd := problem.NodeID(i), &p.Universe.Nodes[i]
		byPkg[nd.Pkg] = append(byPkg[nd.Pkg], n)
		for _, g := range nd.GVKs {
			byGVK[g] = append(byGVK[g], n)
		}
	}
	return byPkg, byGVK
}

// encodePlace writes that at most one of several nodes is selected. Bundles of a package usually
// provide the same APIs, so equal lists of nodes share their clauses, and each fact only implies
// them.
func (f *Formula) encodePlace(k Fact, nodes []problem.NodeID) {
	if len(nodes) < 2 || !f.included(k) {
		return
	}
	f.scratch = f.scratch[:0]
	for _, n := range nodes {
		f.scratch = binary.LittleEndian.AppendUint32(f.scratch, uint32(n))
	}
	exclusive, known := f.exclusive[string(f.scratch)]
	if !known {
		if f.guards.has(k.Kind) {
			exclusive = f.s.NewVar()
		}
		f.exclusive[string(f.scratch)] = exclusive
		f.exclude(nodes, exclusive)
	}
	if exclusive != 0 {
		f.s.Add(f.guard(k), exclusive)
	}
}

// exclude writes that at most one of some nodes is selected while a guard is true; 0 means always.
// Lenient bundles exclude only bundles of catalogs. Bundles with an exemption exclude others only
// while their requirements are active.
func (f *Formula) exclude(nodes []problem.NodeID, guard sat.Lit) {
	strict, lenient := make([]sat.Lit, 0, len(nodes)), []sat.Lit(nil)
	for _, n := range nodes {
		x, exempt := f.Literal[n], f.exemption(n)
		if exempt != 0 || f.p.Assumptions.IsLenient(n) {
			lenient = append(lenient, x)
		}
		if exempt != 0 {
			x = f.s.NewVar()
			f.s.Add(exempt, f.Literal[n].Not(), x)
		}
		if !f.p.Assumptions.IsLenient(n) {
			strict = append(strict, x)
		}
	}
	if f.s.AtMostOne(strict, guard); len(lenient) == 0 {
		return
	}
	some := f.s.NewVar() // a bundle of a catalog is selected
	for _, n := range nodes {
		if f.u.Nodes[n].Inst < 0 {
			f.s.Add(f.Literal[n].Not(), some)
		}
	}
	for _, x := range lenient {
		f.s.Add(guard.Not(), some.Not(), x.Not())
	}
}

func (f *Formula) literals(nodes []problem.NodeID) []sat.Lit {
	lits := make([]sat.Lit, 0, len(nodes))
	for _, n := range nodes {
		if f.Literal[n] != 0 {
			lits = append(lits, f.Literal[n])
		}
	}
	return lits
}
