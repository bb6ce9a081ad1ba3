package resolver

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/internal/sat"
)

// factKey identifies a fact while it is one part of a formula: a subscription, an
// installed bundle, the n-th constraint of a bundle, a package, ….
type factKey struct {
	kind FactKind
	a, b int32
}

// formula is the part of a problem that the request can reach, as clauses. Every
// rule of section 5 and every constraint is in it, so that the solver's word is
// final for the whole problem.
type formula struct {
	p *problem
	s *sat.Solver
	// purpose is what the coming solver calls are for.
	purpose SolvePurpose

	lits  []sat.Lit          // by node; 0 for what can never be chosen
	goals map[goalOf]sat.Lit // literals that imply a goal
	atoms map[*atom]sat.Lit  // literals that imply that a candidate is chosen
	bans  map[atomOf]sat.Lit // literals that imply that no match is chosen
	admit []sat.Lit          // by index of Request.Installed: that it counts; see guardInstalled
	level guardLevel
	only  map[factKey]bool // the facts that are told; nil for all
	guard map[factKey]sat.Lit
	facts []factKey // in the order in which they were met

	pending   map[int]sat.Lit    // by subscription: what it owns stays or is replaced by a candidate
	exclusive map[string]sat.Lit // literals that imply that at most one of a list of nodes is chosen
	scratch   []byte
}

// goalOf is a goal as a kind of bundle declares it: prohibitions of installed bundles
// may tolerate what others do not, see lenient.go.
type goalOf struct {
	goal      *goal
	installed bool
}

// atomOf is goalOf for an atom of a prohibition.
type atomOf struct {
	atom      *atom
	installed bool
}

// guardLevel says which facts of a formula hold only while their guards are
// assumed.
type guardLevel uint8

const (
	guardNothing guardLevel = iota
	// guardInstalled: what an installed bundle asks for, and its clashes with others,
	// count only while formula.admit is assumed of it; subscriptions ask for nothing.
	guardInstalled
	guardSubscriptions
	guardFacts
)

// encode reaches everything that the request can need and writes the clauses.
func (p *problem) encode(level guardLevel) *formula {
	start := p.clock()
	f := p.newFormula(level, p.config.limits.Solves)
	p.reach()
	f.lits = make([]sat.Lit, len(p.nodes))
	for n := range p.nodes {
		if level == guardFacts || p.nodes[n].ban == banNone || level == guardInstalled && p.nodes[n].inst >= 0 {
			f.lits[n] = f.s.NewVar()
		}
	}
	f.write()
	p.vars, p.clauses = f.s.Vars(), f.s.Clauses()
	f.encoded(start)
	return f
}

// newFormula returns a formula without clauses, whose solver may be called that many
// times; 0 or less for no limit.
func (p *problem) newFormula(level guardLevel, solves int) *formula {
	return &formula{p: p, purpose: purposeOf[level], s: sat.New(sat.Options{MaxSolves: max(solves, 0)}),
		level: level, guard: make(map[factKey]sat.Lit), exclusive: make(map[string]sat.Lit), pending: make(map[int]sat.Lit),
		goals: make(map[goalOf]sat.Lit), atoms: make(map[*atom]sat.Lit), bans: make(map[atomOf]sat.Lit)}
}

// write writes the clauses about all bundles that have a literal.
func (f *formula) write() {
	f.encodeDemands()
	f.encodeRequirements()
	f.encodeBans()
	f.encodeUniqueness()
}

// reach makes a node of every bundle that some chain of candidates leads to.
func (p *problem) reach() {
	for i := range p.subs {
		p.allCandidates(&p.subs[i])
	}
	for i := range p.req.Force {
		p.forcedNodes(int32(i))
	}
	for n := nodeID(0); int(n) < len(p.nodes) && p.err == nil; n++ {
		if p.nodes[n].ban != banNone && p.nodes[n].inst < 0 && !p.explaining {
			continue
		}
		for _, r := range p.requirements(n) {
			p.reachGoal(r.goal)
		}
	}
}

func (p *problem) reachGoal(g *goal) {
	switch g.kind {
	case goalAtom:
		p.anyList(g.atom)
	case goalAll, goalAny:
		for _, k := range g.kids {
			p.reachGoal(k)
		}
	}
}

// unless returns what to add to a clause so that it only binds while a fact
// holds: the negated guard, or nothing.
func (f *formula) unless(kind FactKind, a, b int32) sat.Lit {
	if f.level < guardSubscriptions || f.level == guardSubscriptions && kind != FactSubscription {
		return 0
	}
	return f.guardOf(factKey{kind, a, b}).Not()
}

// tells reports whether the formula is about a fact.
func (f *formula) tells(kind FactKind, a, b int32) bool {
	return f.only == nil || f.only[factKey{kind, a, b}]
}

// guardOf returns the guard of a fact, making it when the fact is first met.
func (f *formula) guardOf(k factKey) sat.Lit {
	g, ok := f.guard[k]
	if !ok {
		g = f.s.NewVar()
		f.guard[k] = g
		f.facts = append(f.facts, k)
	}
	return g
}

// encodeDemands writes what the request asks for: installed bundles that stay,
// one candidate for each subscription, what is forced.
func (f *formula) encodeDemands() {
	p := f.p
	for i := range p.subs {
		if !p.subs[i].left && f.tells(FactSubscription, int32(i), 0) {
			f.encodeSubscription(&p.subs[i])
		}
	}
	owned := p.ownedInstalled(nil)
	for i, n := range p.inst {
		if n != noNode && p.stays(int32(i), owned) && f.tells(FactInstalled, int32(i), 0) {
			f.s.Add(f.unless(FactInstalled, int32(i), 0), f.lits[n])
		}
	}
	if f.level == guardInstalled {
		return
	}
	for i := range p.req.Force {
		if p.placing || p.config.aside.forced(p.req.Force[i]) || !f.tells(FactForced, int32(i), 0) {
			continue
		}
		clause := []sat.Lit{f.unless(FactForced, int32(i), 0)}
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
	guard := f.unless(FactSubscription, int32(s.index), 0)
	clause := []sat.Lit{guard}
	cands := p.allCandidates(s)
	for _, n := range cands {
		clause = append(clause, f.lits[n])
	}
	if len(cands) == 0 {
		clause = append(clause, f.unless(FactNoCandidate, int32(s.index), 0))
	}
	if f.level == guardInstalled { // it stays, or it is replaced
		clause = append(clause, f.lits[s.owned])
	}
	f.s.Add(clause...)
	if s.owned == noNode {
		return
	}
	if p.heldBack(s) && len(cands) > 0 && f.level == guardFacts && f.tells(FactHold, int32(s.index), 0) {
		f.s.Add(append(f.literals(f.nodesOf(factKey{FactHold, int32(s.index), 0})), guard, f.unless(FactHold, int32(s.index), 0))...)
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
			if !f.tells(FactConstraint, int32(n), int32(i)) {
				continue
			}
			f.s.Add(f.unless(FactConstraint, int32(n), int32(i)), f.unadmitted(nodeID(n)), x.Not(), f.lit(r.goal, nodeID(n)))
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
	never := func(n int, kind FactKind, a int32) {
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
				never(n, FactForbidden, by)
			}
		}
		if nd.inst < 0 && nd.bundle.Barred {
			never(n, FactDeprecated, int32(n))
		}
		if p.unfit(nd) {
			never(n, FactIncompatible, int32(n))
		}
		if nd.ban == banQuarantined {
			never(n, FactQuarantined, nd.pkg)
		}
	}
}

// encodeUniqueness writes the rules of one bundle a package and one provider a
// GVK.
func (f *formula) encodeUniqueness() {
	p := f.p
	byPkg, byGVK := f.byPlace()
	for k, nodes := range byPkg {
		f.atMostOne(FactPackage, int32(k), nodes)
	}
	for k, nodes := range byGVK {
		if f.level == guardFacts || p.severalPackages(nodes) {
			f.atMostOne(FactGVK, int32(k), nodes)
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
func (p *problem) severalPackages(nodes []nodeID) bool {
	return slices.ContainsFunc(nodes, func(n nodeID) bool { return p.nodes[n].pkg != p.nodes[nodes[0]].pkg })
}

// atMostOne writes that at most one of several nodes is chosen. Bundles of a
// package mostly provide the same APIs: equal lists of nodes share their clauses,
// each fact only adds that they hold.
func (f *formula) atMostOne(kind FactKind, k int32, nodes []nodeID) {
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

// excludeAll writes that at most one of some nodes is chosen while a guard holds; 0
// means always. Lenient ones exclude those of catalogs only.
func (f *formula) excludeAll(nodes []nodeID, guard sat.Lit) {
	lenient := f.p.lenientOf(nodes)
	if len(lenient) == 0 {
		f.s.AtMostOne(f.literals(nodes), guard)
		return
	}
	strict := slices.DeleteFunc(slices.Clone(nodes), f.p.isLenient)
	f.s.AtMostOne(f.literals(strict), guard)
	some := f.someOfCatalogs(nodes)
	for _, n := range lenient {
		f.s.Add(guard.Not(), some.Not(), f.lits[n].Not())
	}
}

// excludeAdmitted writes that at most one of some nodes is chosen, where installed
// ones exclude each other only as far as they are admitted.
func (f *formula) excludeAdmitted(nodes []nodeID) {
	catalog := slices.DeleteFunc(slices.Clone(nodes), func(n nodeID) bool { return f.p.nodes[n].inst >= 0 })
	f.s.AtMostOne(f.literals(catalog), 0)
	some := f.someOfCatalogs(nodes)
	var counting []sat.Lit
	for _, n := range nodes {
		if f.p.nodes[n].inst < 0 {
			continue
		}
		f.s.Add(some.Not(), f.lits[n].Not())
		counts := f.s.NewVar()
		f.s.Add(f.unadmitted(n), f.lits[n].Not(), counts)
		counting = append(counting, counts)
	}
	f.s.AtMostOne(counting, 0)
}

// someOfCatalogs returns a literal that holds if a bundle of a catalog, of some
// nodes, is chosen.
func (f *formula) someOfCatalogs(nodes []nodeID) sat.Lit {
	some := f.s.NewVar()
	for _, n := range nodes {
		if f.p.nodes[n].inst < 0 && f.lits[n] != 0 {
			f.s.Add(f.lits[n].Not(), some)
		}
	}
	return some
}

// unadmitted returns a literal that is true unless an installed bundle is admitted;
// 0, which never holds, for all other bundles and on all other levels.
func (f *formula) unadmitted(n nodeID) sat.Lit {
	i := f.p.nodes[n].inst
	if f.level != guardInstalled || i < 0 {
		return 0
	}
	if f.admit == nil {
		f.admit = make([]sat.Lit, len(f.p.inst))
	}
	if f.admit[i] == 0 {
		f.admit[i] = f.s.NewVar()
	}
	return f.admit[i].Not()
}

// tolerant reports whether prohibitions that a bundle declares do not count against
// each installed bundle.
func (f *formula) tolerant(from nodeID) bool {
	return from != noNode && f.p.nodes[from].inst >= 0 && (f.level == guardInstalled || f.p.lenient != nil)
}

// lit returns a literal that implies a goal of a bundle; 0 if it can never hold.
func (f *formula) lit(g *goal, from nodeID) sat.Lit {
	switch g.kind {
	case goalFalse:
		return 0
	case goalAtom:
		return f.atomLit(g.atom)
	}
	key := goalOf{g, f.tolerant(from)}
	if l, ok := f.goals[key]; ok {
		return l
	}
	l := f.s.NewVar()
	f.goals[key] = l
	switch g.kind {
	case goalAll:
		for _, k := range g.kids {
			f.s.Add(l.Not(), f.lit(k, from))
		}
	case goalAny:
		clause := []sat.Lit{l.Not()}
		for _, k := range g.kids {
			clause = append(clause, f.lit(k, from))
		}
		f.s.Add(clause...)
	case goalBan:
		f.s.Add(l.Not(), f.absent(g.kids[0], from))
	}
	return l
}

// atomLit returns a literal that implies that some candidate of an atom is chosen.
func (f *formula) atomLit(a *atom) sat.Lit {
	if l, ok := f.atoms[a]; ok {
		return l
	}
	l := f.s.NewVar()
	f.atoms[a] = l
	f.s.Add(append([]sat.Lit{l.Not()}, f.literals(f.p.anyList(a))...)...)
	return l
}

// absent returns a literal that implies that a formula without negation, which a
// bundle prohibits, does not hold.
func (f *formula) absent(g *goal, from nodeID) sat.Lit {
	if g.kind == goalAtom {
		return f.noneOf(g.atom, from)
	}
	l := f.s.NewVar()
	clause := []sat.Lit{l.Not()}
	for _, k := range g.kids {
		if g.kind == goalAny {
			f.s.Add(l.Not(), f.absent(k, from))
		} else {
			clause = append(clause, f.absent(k, from))
		}
	}
	if g.kind == goalAll {
		f.s.Add(clause...)
	}
	return l
}

// noneOf returns a literal that implies that no match of an atom, which a bundle
// prohibits, is chosen, candidates or not.
func (f *formula) noneOf(a *atom, from nodeID) sat.Lit {
	key := atomOf{a, f.tolerant(from)}
	if l, ok := f.bans[key]; ok {
		return l
	}
	l := f.s.NewVar()
	f.bans[key] = l
	for n := range f.lits {
		if f.lits[n] == 0 || !f.p.matches(a, nodeID(n)) {
			continue
		}
		switch {
		case !key.installed:
			f.s.Add(l.Not(), f.lits[n].Not())
		case !f.p.isLenient(nodeID(n)):
			f.s.Add(l.Not(), f.unadmitted(nodeID(n)), f.lits[n].Not())
		}
	}
	return l
}

// solve asks the solver, and keeps the books.
func (f *formula) solve(assumptions ...sat.Lit) sat.Status {
	p := f.p
	if p.err != nil {
		return sat.Unknown
	}
	start := p.clock()
	status, err := f.s.Solve(p.ctx, assumptions...)
	p.solves++
	if p.measured() {
		f.solved(status, len(assumptions), time.Since(start))
	}
	if err != nil {
		p.stopSolving(err)
	}
	return status
}

// stopSolving translates what ended a solve.
func (p *problem) stopSolving(err error) {
	var budget *sat.BudgetError
	if errors.As(err, &budget) {
		p.exceed(LimitSolves, uint64(p.config.limits.Solves))
		return
	}
	p.fail(err)
}
