package certificate

import (
	"cmp"
	"context"
	"slices"

	masterminds "github.com/Masterminds/semver/v3"
	"github.com/blang/semver/v4"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver"
)

// world is what a request and its catalogs declare, read once more from the contract. Its variables
// are nodes, and all it requires is one kind of rule: a goal that holds while a node is in the set.
// What the request itself demands are the rules of the root, which is always in the set.
type world struct {
	ctx   context.Context
	steps int
	err   error // that ended the work

	req     *resolver.Request
	stage   stage
	facts   map[fact]bool      // of an unsatisfiable request: the facts that count; nil for all
	cats    []resolver.Catalog // that are usable, best first
	bundles []map[int32]*node  // by catalog and number
	parser  *constraints.Parser
	rules   *constraints.Evaluator
	fit     environment

	installed []*node        // that are not being replaced, in the order of the request
	lenient   []*node        // of these: their constraints and their conflicts with others do not count
	index     map[string]int // installed bundles by name, into the request
	root      *node
	demands   []*demand // that are decided, in the order of the rules of the root
	order     []string  // the subscriptions, dropped ones included
	options   map[optionKey]*node
	goals     map[goalKey]*goal
	spared    map[sparedKey]*goal
	places    map[placeKey]*place
	listed    map[*graph.Package]map[string][]listing // entries of channels, by the name of their bundle
	versions  map[*graph.Bundle]*masterminds.Version
}

// fact names a rule that an unsatisfiable request may be about.
type fact = resolver.ProofFact

// stage is what policy Partial has settled before (section 8), and what it admits next.
type stage struct {
	dropped map[string]bool     // subscriptions
	broken  map[string]bool     // installed bundles that stay, whose constraints do not count
	next    *resolver.ProofLeft // what cannot be admitted; nil for all that is left
	rank    int                 // of what was settled last, see world.rank
}

// place is what at most one bundle of the set has: a package, an API, or that it meets a subscription.
type place struct {
	fact    fact    // that says so
	members []*node // of the set
}

// placeKey identifies a place. A lenient bundle shares places with bundles of catalogs only.
type placeKey struct {
	kind, name string
	api        properties.GVK
	of         *node
}

// node is a variable: a bundle of a catalog, an installed bundle, or an option of an `any`.
type node struct {
	*graph.Bundle                     // nil for an option and for the root
	of, pick      *node               // of an option: the bundle that declares it, and the one that it selects or nil; else of is the node
	cat           int                 // of the bundle that declares it: index into cats, -1 if unknown
	in            *resolver.Installed // nil for a bundle of a catalog
	pkg           string              // as package rules see it
	version       *semver.Version     // nil if unknown
	places        []*place            // see placesOf
	subject       *constraints.Subject

	rules            []rule
	placed, compiled bool // all places and rules are known
	barred           int  // isTrue if it can never be selected, isOpen if that is not known yet
	id               int  // in the certificate, 0 for none
	value            int  // isTrue in the set, isFalse out of it, isOpen
}

// rule is a goal that holds in each set that has its node, if all its facts count.
type rule struct {
	goal  *goal
	facts []fact
}

// demand is an installed bundle that stays, a subscription, an extension or a forced bundle.
type demand struct {
	what       resolver.ProofDemand
	sub        resolver.Subscription
	extension  *resolver.Extension
	owned      *node
	candidates []*node
}

func newWorld(ctx context.Context, req *resolver.Request, at stage, facts map[fact]bool) *world {
	w := &world{ctx: ctx, req: req, stage: at, facts: facts, index: make(map[string]int), root: &node{cat: -1, value: isTrue, compiled: true},
		options: make(map[optionKey]*node), goals: make(map[goalKey]*goal), spared: make(map[sparedKey]*goal), places: make(map[placeKey]*place), listed: make(map[*graph.Package]map[string][]listing),
		versions: make(map[*graph.Bundle]*masterminds.Version), parser: constraints.NewParser()}
	w.root.of = w.root
	for _, c := range req.Catalogs {
		if c.Content != nil && (c.Unavailable == nil || req.Policy.Unavailable == resolver.UnavailableLastGood) {
			w.cats, w.bundles = append(w.cats, c), append(w.bundles, make(map[int32]*node))
		}
	}
	slices.SortFunc(w.cats, func(a, b resolver.Catalog) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), before(a.Key.Namespace == req.Namespace, b.Key.Namespace == req.Namespace), a.Key.Compare(b.Key))
	})
	w.survey()
	w.install()
	w.demand()
	return w
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

// counts reports whether a rule binds.
func (w *world) counts(facts ...fact) bool {
	return w.facts == nil || !slices.ContainsFunc(facts, func(f fact) bool { return !w.facts[f] })
}

// at returns the node of a catalog's bundle.
func (w *world) at(cat int, b *graph.Bundle) *node {
	n := w.bundles[cat][b.ID]
	if n == nil {
		n = &node{Bundle: b, cat: cat, pkg: b.Package, version: b.Version}
		n.of = n
		w.bundles[cat][b.ID] = n
	}
	return n
}

// placesOf returns the places of a node.
func (w *world) placesOf(n *node) []*place {
	if n.placed || n.Bundle == nil {
		return n.places
	}
	n.placed = true
	keys := []placeKey{{kind: "package", name: n.pkg}}
	for api := range n.Properties.GVKs() {
		keys = append(keys, placeKey{kind: "gvk", api: api})
	}
	for _, k := range keys {
		for _, m := range w.lenient {
			if n.in == nil || n == m {
				n.places = append(n.places, w.place(placeKey{k.kind, k.name, k.api, m}))
			}
		}
		if !slices.Contains(w.lenient, n) {
			n.places = append(n.places, w.place(k))
		}
	}
	return n.places
}

func (w *world) place(k placeKey) *place {
	p := w.places[k]
	if p == nil {
		p = &place{fact: fact{Kind: k.kind, Subject: k.name}}
		if w.facts != nil && k.kind == "gvk" {
			p.fact.Subject = k.api.String()
		}
		w.places[k] = p
	}
	return p
}

// means reports whether a reference means a bundle.
func (w *world) means(ref cache.BundleRef, n *node) bool {
	return ref.Name == n.Name && (ref.Catalog.IsZero() || n.cat >= 0 && w.cats[n.cat].Key == ref.Catalog)
}

// rulesOf returns the rules of a node, those of a bundle in the order in which it declares them.
func (w *world) rulesOf(n *node) []rule {
	if n.compiled || slices.Contains(w.lenient, n) {
		return n.rules
	}
	n.compiled = true
	requires := slices.Clip(n.Constraints)
	for _, c := range w.req.Constraints {
		if w.means(c.Bundle, n) {
			requires = append(requires, graph.Requirement{Constraint: c.Constraint})
		}
	}
	for _, r := range requires {
		c := r.Constraint
		relaxed := func(r resolver.BundleConstraint) bool {
			return w.means(r.Bundle, n) && (r.Constraint == nil || r.Constraint.Key() == c.Key())
		}
		if !slices.ContainsFunc(w.req.Relax, relaxed) {
			g := w.compile(c, false)
			if n.in != nil && len(w.lenient) > 0 {
				g = w.sparing(g, false)
			}
			n.rules = append(n.rules, rule{g, []fact{{Kind: "constraint", Subject: n.Name, Bundle: n.id, Index: len(n.rules)}}})
		}
	}
	return n.rules
}

// before orders what has a quality before what does not.
func before(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
