package resolver

import (
	"context"
	"errors"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// nodeID names a variable of the problem: a bundle of a catalog, or an installed
// one. They are dense and given out in the order in which nodes are reached.
type nodeID int32

const noNode nodeID = -1

// noCatalog stands for the origin of an installed bundle that is not recorded.
const noCatalog int32 = -1

// ban says that a bundle can never be newly chosen, and why.
type ban uint8

const (
	banNone ban = iota
	banForbidden
	banDeprecated
	banIncompatible
	banQuarantined
)

// node is one variable.
type node struct {
	bundle   *graph.Bundle
	subject  *constraints.Subject // made when a rule is first held against it
	reqs     []requirement        // compiled when first asked for
	gvks     []int32
	cat      int32 // index into problem.cats, or noCatalog
	inst     int32 // index into Request.Installed, or -1
	pkg      int32
	ban      ban
	compiled bool
	// unversioned marks an installed bundle whose version is not known.
	unversioned bool
	exclusive   []int32 // groups of problem.groups that it is a member of
}

// requirement is one declared constraint of a bundle, compiled.
type requirement struct {
	constraint constraints.Constraint
	goal       *goal
}

// nodeKey finds the node of a catalog's bundle.
type nodeKey struct{ cat, id int32 }

// problem is one request on its way to an answer. Nodes, atoms and candidate
// lists come into being as the resolution reaches them, so that its cost grows
// with what the request reaches and not with the catalogs. It is used by one
// goroutine.
type problem struct {
	ctx    context.Context
	req    *Request
	config *config
	err    error // the first thing that ended the work: a limit, or the context

	cats []Catalog // best first (rules 3 and 4 of section 4); only usable ones

	nodes      []node
	index      map[nodeKey]nodeID
	inst       []nodeID // by index of Request.Installed, noNode if replaced
	instPkg    []string // by index of Request.Installed: its package, empty if unknown
	lenient    []bool   // by index of Request.Installed, see lenient.go; nil mostly
	broken     []bool   // those of lenient that stay in any case
	free       []bool   // by index of Request.Installed: need not stay, its owner is set aside
	asksOwners bool     // what is installed depends on who owns it
	instName   map[string]int32
	pkgs       map[string]int32
	gvks       map[properties.GVK]int32
	apis       map[properties.GVK]bool // served by the cluster
	around     *surroundings           // what bundles have to fit, nil for nothing
	atoms      map[string]*atom
	goals      map[constraints.Constraint]*goal // of compounds
	goalsByKey map[string]*goal                 // of compounds
	forbids    map[string][]int32               // bundle name to Request.Forbid
	added      map[string][]int32               // bundle name to Request.Constraints
	relaxed    map[string][]int32               // bundle name to Request.Relax
	eval       *constraints.Evaluator

	atomSlab slab[atom]
	listSlab slab[candidates]
	gvkList  []int32       // what the gvks of all nodes are parts of
	reqList  []requirement // what the reqs of all nodes are parts of

	asked    []Subscription // what is asked for, generated subscriptions included
	owns     []int32        // by asked: the installed bundle that each owns, or noInstalled
	subs     []subscription
	beyond   []nodeKey            // what extensions offer and no subscription could choose
	seen     map[nodeKey]struct{} // scratch of distinct
	groups   [][]nodeID           // of each, at most one can be in the set
	groupOf  []int32              // by group: the subscription that owns one of them
	warnings []Warning
	standing []Warning // those that do not depend on the subscriptions

	scratch *scratch // that all of this is in, nil for a small problem

	deciding *state // what has been decided so far, to report how far it got

	ranked     bool // candidate lists need a full sort: see rank.go
	placing    bool // only what is in place counts: see brokenConflict
	explaining bool // quarantined bundles are nodes too, see explain.go
	solves     int
	vars       int
	clauses    int
	ticks      uint32
}

// newProblem checks a request and prepares it. The error is a *RequestError or
// an *IncompleteError. With explaining set, what is barred or quarantined has
// nodes like all others.
func newProblem(ctx context.Context, req *Request, cfg *config, explaining bool) (*problem, error) {
	p := &problem{
		explaining: explaining,
		ctx:        ctx, req: req, config: cfg,
		nodes:  make([]node, 0, 8),
		index:  make(map[nodeKey]nodeID),
		pkgs:   make(map[string]int32),
		ranked: req.Policy.Goal == GoalOldest || req.Policy.Deprecations == DeprecationsAvoid,
	}
	if err := ctx.Err(); err != nil {
		return nil, p.stopped(err)
	}
	if err := validate(req); err != nil {
		return nil, err
	}
	p.orderCatalogs()
	p.indexRequest()
	p.addInstalled()
	p.standing = slices.Clone(p.warnings)
	p.addSubscriptions()
	return p, p.err
}

// orderCatalogs keeps the catalogs that can be used, best first: by priority,
// then those of the resolved namespace, then by key (section 4).
func (p *problem) orderCatalogs() {
	for _, c := range p.req.Catalogs {
		if c.Unavailable != nil {
			p.warnUnavailable(c)
			if p.req.Policy.Unavailable != UnavailableLastGood {
				continue
			}
		}
		if c.Content != nil {
			p.cats = append(p.cats, c)
		}
	}
	slices.SortFunc(p.cats, func(a, b Catalog) int { return compareCatalogs(p.req.Namespace, a, b) })
}

// catalogIndex returns the index of a catalog, noCatalog if there is none of that
// key that can be used.
func (p *problem) catalogIndex(k cache.Key) int32 {
	return int32(slices.IndexFunc(p.cats, func(c Catalog) bool { return c.Key == k }))
}

// indexRequest makes the lookups that the hot paths need.
func (p *problem) indexRequest() {
	p.indexForbidden()
	p.indexInstalled()
	if n := len(p.req.Constraints); n > 0 {
		p.added = make(map[string][]int32, n)
		for i, c := range p.req.Constraints {
			p.added[c.Bundle.Name] = append(p.added[c.Bundle.Name], int32(i))
		}
	}
	if n := len(p.req.Relax); n > 0 {
		p.relaxed = make(map[string][]int32, n)
		for i, r := range p.req.Relax {
			p.relaxed[r.Bundle.Name] = append(p.relaxed[r.Bundle.Name], int32(i))
		}
	}
	if n := len(p.req.Cluster.APIs); n > 0 {
		p.apis = make(map[properties.GVK]bool, n)
		for _, g := range p.req.Cluster.APIs {
			p.apis[g] = true
		}
	}
	p.surround()
}

// indexForbidden finds what the request forbids by name.
func (p *problem) indexForbidden() {
	p.forbids = nil
	if n := len(p.req.Forbid); n > 0 {
		p.forbids = make(map[string][]int32, n)
		for i, f := range p.req.Forbid {
			p.forbids[f.Bundle.Name] = append(p.forbids[f.Bundle.Name], int32(i))
		}
	}
}

// node returns the node of a catalog's bundle, making it when it is reached for
// the first time.
func (p *problem) node(cat, id int32) nodeID {
	key := nodeKey{cat, id}
	if n, ok := p.index[key]; ok {
		return n
	}
	n := p.addNode(p.cats[cat].Content.Bundle(id), cat, -1)
	p.index[key] = n
	return n
}

// addNode appends a node for a bundle.
func (p *problem) addNode(b *graph.Bundle, cat, inst int32) nodeID {
	n := nodeID(len(p.nodes))
	if most := p.config.limits.Bundles; most >= 0 && len(p.nodes) >= most {
		p.exceed(LimitBundles, uint64(most))
	}
	p.tick()
	if n == scratchFrom {
		p.grown()
	}
	nd := node{bundle: b, cat: cat, inst: inst, pkg: p.pkgID(b.Package)}
	nd.gvks = p.gvksOf(b)
	p.bar(&nd)
	p.nodes = push(p.nodes, nd)
	return n
}

// gvksOf numbers the APIs that a bundle provides.
func (p *problem) gvksOf(b *graph.Bundle) []int32 {
	first := len(p.gvkList)
	if p.gvks == nil { // mostly, what comes first has the most
		n := min(b.Properties.Len(), 64)
		p.gvks, p.gvkList = make(map[properties.GVK]int32, n), make([]int32, 0, n)
	}
	for g := range b.Properties.GVKs() {
		p.gvkList = push(p.gvkList, p.gvkID(g))
	}
	return slices.Clip(p.gvkList[first:])
}

// bar notes what keeps a node from ever being newly chosen.
func (p *problem) bar(nd *node) {
	nd.ban = banNone
	if len(p.forbiddenBy(nd)) > 0 {
		nd.ban = banForbidden
	}
	switch { // what is set aside is no candidate at all, whatever else bars it
	case nd.inst < 0 && len(nd.bundle.Places) == 0 && !p.isBeyond(nd):
		nd.ban = banQuarantined
	case nd.inst < 0 && nd.bundle.Barred && nd.ban == banNone:
		nd.ban = banDeprecated
	case nd.ban == banNone && p.unfit(nd):
		nd.ban = banIncompatible
	}
}

// forbiddenBy lists the prohibitions of the request that mean a node.
func (p *problem) forbiddenBy(nd *node) []int32 {
	var by []int32
	for _, f := range p.forbids[nd.bundle.Name] {
		if p.refersTo(p.req.Forbid[f].Bundle, nd.cat) {
			by = append(by, f)
		}
	}
	return by
}

// refersTo reports whether a reference with the right name means a bundle of the
// given catalog.
func (p *problem) refersTo(r BundleRef, cat int32) bool {
	return r.Catalog == cache.Key{} || cat != noCatalog && p.cats[cat].Key == r.Catalog
}

// requirements returns the compiled constraints of a node: its own in declared
// order, then those that the caller added.
func (p *problem) requirements(n nodeID) []requirement {
	if p.nodes[n].compiled {
		return p.nodes[n].reqs
	}
	if p.isLenient(n) {
		return nil
	}
	b, cat := p.nodes[n].bundle, p.nodes[n].cat
	first := len(p.reqList)
	for _, r := range b.Constraints {
		if !p.isRelaxed(b.Name, cat, r.Constraint) {
			p.reqList = push(p.reqList, requirement{r.Constraint, p.compile(r.Constraint)})
		}
	}
	for _, i := range p.added[b.Name] {
		a := p.req.Constraints[i]
		if p.refersTo(a.Bundle, cat) && !p.isRelaxed(b.Name, cat, a.Constraint) {
			p.reqList = push(p.reqList, requirement{a.Constraint, p.compile(a.Constraint)})
		}
	}
	reqs := slices.Clip(p.reqList[first:])
	p.nodes[n].reqs, p.nodes[n].compiled = reqs, true
	return reqs
}

// isRelaxed reports whether the request makes a constraint of a bundle not count.
func (p *problem) isRelaxed(name string, cat int32, c constraints.Constraint) bool {
	for _, i := range p.relaxed[name] {
		r := p.req.Relax[i]
		if p.refersTo(r.Bundle, cat) && (r.Constraint == nil || r.Constraint.Key() == c.Key()) {
			return true
		}
	}
	return false
}

func (p *problem) pkgID(name string) int32 {
	id, ok := p.pkgs[name]
	if !ok {
		id = int32(len(p.pkgs))
		p.pkgs[name] = id
	}
	return id
}

func (p *problem) gvkID(g properties.GVK) int32 {
	id, ok := p.gvks[g]
	if !ok {
		if p.gvks == nil {
			p.gvks = make(map[properties.GVK]int32)
		}
		id = int32(len(p.gvks))
		p.gvks[g] = id
	}
	return id
}

// tick looks at the context once in a while: what calls it takes well under a
// microsecond between two looks' worth of calls.
func (p *problem) tick() {
	p.ticks++
	if p.ticks%1024 != 0 || p.err != nil {
		return
	}
	if err := p.ctx.Err(); err != nil {
		p.err = p.stopped(err)
	}
}

// exceed ends the work because a limit was reached.
func (p *problem) exceed(l Limit, allowed uint64) {
	if p.err == nil {
		p.err = &IncompleteError{Limit: l, Allowed: allowed, Progress: p.progress()}
	}
}

// stopped wraps the error of the context.
func (p *problem) stopped(err error) error {
	return &IncompleteError{Limit: LimitContext, Err: err, Progress: p.progress()}
}

// fail ends the work with what a callee returned.
func (p *problem) fail(err error) {
	if p.err != nil || err == nil {
		return
	}
	var budget *constraints.BudgetError
	switch {
	case errors.As(err, &budget):
		p.exceed(LimitCELCost, uint64(p.config.limits.CELCost))
	case p.ctx.Err() != nil:
		p.err = p.stopped(p.ctx.Err())
	default:
		p.err = err
	}
}

// progress says how far the work has got.
func (p *problem) progress() Progress {
	pr := Progress{Stats: p.stats()}
	if st := p.deciding; st != nil {
		pr.Decided, pr.Pending = st.reached()
	}
	return pr
}

// stats counts the work so far.
func (p *problem) stats() Stats {
	s := Stats{Reached: len(p.nodes), Variables: p.vars, Clauses: p.clauses, Solves: p.solves}
	for _, c := range p.cats {
		s.Bundles += c.Content.Len()
	}
	if p.eval != nil {
		s.CELCost = p.eval.Cost()
	}
	return s
}
