package certificate

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// world is what a request and its catalogs declare, read from the contract. Its variables are nodes.
// All that it requires are goals that hold while their node is in the set, and places, each of which
// one member of the set can have. The root is in every set; its goals are the demands of the request.
type world struct {
	ctx   context.Context
	steps int
	err   error // that ended the work

	req   *resolver.Request
	stage stage
	facts map[fact]bool // that count; nil for all

	cats      []resolver.Catalog // that are usable, best first
	catalogs  map[string]int     // likewise, by key
	bundles   [][]*[16]node      // by catalog and number, made on first use
	asked     map[string][]*node // candidates of demands that own nothing, by what they ask for
	index     map[string]int     // installed bundles by name, into the request
	installed []*node            // likewise; nil for one that is being replaced
	root      *node
	demands   []resolver.ProofDemand // by goal of the root
	stated    [][]fact               // likewise: the facts that state it
	order     []string               // the subscriptions in the order of their decisions, dropped ones included

	environment
	parser    *constraints.Parser
	rules     *constraints.Evaluator
	normal    map[goalKey]*goal
	options   map[pending][]*node // of an `any` for the bundle that declares it
	lists     map[goalKey][]*node // of bundles that can match, by where they are looked up
	packages  map[string]*place
	apis      map[properties.GVK]*place
	providers map[properties.GVK][]*node // that are installed
}

// stage is what policy Partial has settled before (section 8), and what it admits next.
type stage struct {
	dropped map[string]bool     // subscriptions
	broken  map[string]bool     // installed bundles that stay, whose constraints do not count
	next    *resolver.ProofLeft // what cannot be admitted; nil for all that is left
	rank    int                 // the first that it may have, see world.rank
}

// fact names what an unsatisfiable request may be about. A goal, place or exclusion counts if all its
// facts do.
type fact = resolver.ProofFact

// node is a variable: a bundle of a catalog, an installed bundle, or an option of an `any`.
type node struct {
	*graph.Bundle                      // nil for the root and for an option
	listed        *demand              // the last of which it is a candidate
	of, pick      *node                // of an option: what declares it, and the bundle that it selects, or nil
	cat           int                  // index into cats, -1 if unknown
	in            *resolver.Installed  // nil for a bundle of a catalog; the version is nil if unknown
	pkg           string               // as package rules see it
	subject       *constraints.Subject // of rules, nil before the first

	lenient          bool // installed; neither its goals nor its conflicts with other installed bundles count
	placed, compiled bool // places and exclusions, or goals, are known
	value            int8 // isTrue in the set, isFalse out of it, isOpen
	goals            []*goal
	places           []*place
	exclusions       []fact  // each of which keeps it out of the set
	bans             []*goal // about it

	id int // in the certificate, 0 for none
}

// place is a package, an API or what a subscription owns.
type place struct {
	fact
	members []*node // of the set
}

func newChecker(ctx context.Context, req *resolver.Request, at stage, facts map[fact]bool, proof *resolver.Proof) *checker {
	size := min(len(proof.Bundles), 1<<14)
	w := &world{ctx: ctx, req: req, stage: at, facts: facts, root: &node{cat: -1, value: isTrue, compiled: true}, index: make(map[string]int), asked: make(map[string][]*node), catalogs: make(map[string]int),
		parser: constraints.NewParser(), normal: make(map[goalKey]*goal, size), options: make(map[pending][]*node), lists: make(map[goalKey][]*node, size), packages: make(map[string]*place, size), apis: make(map[properties.GVK]*place, size), providers: make(map[properties.GVK][]*node)}
	for _, c := range req.Catalogs {
		if c.Content != nil && (c.Unavailable == nil || req.Policy.Unavailable == resolver.UnavailableLastGood) {
			w.cats, w.bundles = append(w.cats, c), append(w.bundles, nil)
		}
	}
	slices.SortFunc(w.cats, func(a, b resolver.Catalog) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), first(a.Key.Namespace == req.Namespace, b.Key.Namespace == req.Namespace), a.Key.Compare(b.Key))
	})
	for i, c := range w.cats {
		w.catalogs[c.Key.String()] = i
		w.bundles[i] = make([]*[16]node, c.Content.Len()/16+1)
	}
	w.survey()
	requested := w.requested()
	w.install(requested)
	w.demand(w.generate(requested))
	return &checker{assignment: &assignment{world: w}, nodes: []*node{w.root}}
}

// step counts a step, and reports whether the work has to end.
func (w *world) step() bool {
	if w.steps++; w.steps%256 == 0 {
		w.fail(w.ctx.Err())
	}
	return w.err != nil
}

// fail keeps the first error that ends the work.
func (w *world) fail(err error) { w.err = cmp.Or(w.err, err) }

func (w *world) counts(facts ...fact) bool {
	return w.facts == nil || !slices.ContainsFunc(facts, func(f fact) bool { return !w.facts[f] })
}

// at returns the node of a catalog's bundle.
func (w *world) at(cat int, b *graph.Bundle) *node {
	page := &w.bundles[cat][b.ID/16]
	if *page == nil {
		*page = new([16]node)
	}
	n := &(*page)[b.ID%16]
	if n.Bundle == nil {
		n.Bundle, n.cat, n.pkg = b, cat, b.Package
	}
	return n
}

// named lists the nodes that a reference means.
func (w *world) named(ref cache.BundleRef) (list []*node) {
	if i, known := w.index[ref.Name]; known && w.installed[i] != nil && w.means(ref, w.installed[i]) {
		list = append(list, w.installed[i])
	}
	for c := range w.cats {
		for _, id := range w.cats[c].Content.Named(ref.Name) {
			if b := w.cats[c].Content.Bundle(id); w.offered(c, b) && w.means(ref, w.at(c, b)) {
				list = append(list, w.at(c, b))
			}
		}
	}
	return list
}

func (w *world) means(ref cache.BundleRef, n *node) bool {
	return ref.Name == n.Name && (ref.Catalog.IsZero() || n.cat >= 0 && w.cats[n.cat].Key == ref.Catalog)
}

// settle finds the places and exclusions of a bundle.
func (w *world) settle(n *node) {
	if n.placed {
		return
	}
	n.placed = true
	n.exclusions = w.exclude(n)
	n.places = append(slices.Grow(n.places, 2), placeOf(w.packages, n.pkg, "package", strings.Clone))
	for api := range n.Properties.GVKs() {
		n.places = append(n.places, placeOf(w.apis, api, "gvk", properties.GVK.String))
	}
}

func placeOf[K comparable](all map[K]*place, key K, kind string, subject func(K) string) *place {
	p := all[key]
	if p == nil {
		p = &place{fact: fact{Kind: kind, Subject: subject(key)}}
		all[key] = p
	}
	return p
}

// compile finds the goals of a node, those of a bundle in the order in which it declares them.
func (w *world) compile(n *node) *node {
	if n.compiled || n.lenient {
		return n
	}
	n.compiled, n.goals = true, make([]*goal, 0, len(n.Constraints))
	requires := slices.Clip(n.Constraints)
	for _, c := range w.req.Constraints {
		if w.means(c.Bundle, n) {
			requires = append(requires, graph.Requirement{Constraint: c.Constraint})
		}
	}
	for _, r := range requires {
		relaxed := func(c resolver.BundleConstraint) bool {
			return w.means(c.Bundle, n) && (c.Constraint == nil || c.Constraint.Key() == r.Constraint.Key())
		}
		if !slices.ContainsFunc(w.req.Relax, relaxed) {
			n.goals = append(n.goals, w.goal(r.Constraint, goalKey{own: n.cat, installed: n.in != nil}))
		}
	}
	return n
}

// required lists the goals of a node that count.
func (w *world) required(n *node) (list []*goal) {
	if w.compile(n); w.facts == nil {
		return n.goals
	}
	for i, g := range n.goals {
		if n == w.root && w.counts(w.stated[i]...) || n.of != nil ||
			n.Bundle != nil && w.counts(fact{Kind: "constraint", Subject: n.Name, Bundle: n.id, Index: i}) {
			list = append(list, g)
		}
	}
	return list
}

// first orders what has a quality before what does not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
