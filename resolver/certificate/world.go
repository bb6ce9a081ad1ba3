package certificate

import (
	"cmp"
	"context"
	"slices"

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
	eval    *constraints.Evaluator
	fit     environment
	root    *node
	demands []*demand // in the order of the rules of the root, as far as these are decided

	installed []*node        // by index in the request; nil for one that is being replaced
	index     map[string]int // by name, into req.Installed
	nodes     []map[int32]*node
	options   map[optionKey]*node
	goals     map[constraints.Constraint]*goal
	atoms     map[string]*goal // goals by the key of their constraint: equal ones are one
	placeOf   map[place]int
	places    []fact // by number: the fact that at most one bundle has the place
}

// stage is what policy Partial has settled before (section 8).
type stage struct {
	dropped   map[string]bool // subscriptions
	lenient   map[string]bool // installed bundles whose constraints and conflicts do not count
	broken    map[string]bool // lenient ones that stay in any case
	installed bool            // installed bundles are admitted: nothing else is demanded
}

// fact names a rule that an unsatisfiable request may be about.
type fact struct {
	kind, subject string
	index         int
	node          *node
}

// place is what at most one bundle of the set can have: a package, an API, a subscription's
// operator. A lenient bundle shares its own places with bundles of catalogs only.
type place struct {
	kind, name string
	api        properties.GVK
	of         *node
}

// node is a variable: a bundle of a catalog, an installed bundle, or an option of an `any`.
type node struct {
	*graph.Bundle     // nil for an option and for the root
	cat           int // of the bundle, and for an option of its bundle: index into cats, -1 if unknown
	in            *resolver.Installed
	inst          int             // index into req.Installed, -1 for a bundle of a catalog
	pkg           string          // as package rules see it
	version       *semver.Version // nil if unknown
	places        []int
	requires      []constraints.Constraint
	subject       *constraints.Subject
	of, pick      *node // of an option: the bundle that declares it, and the one that it selects or nil

	rules    []rule
	compiled bool
	barred   int // 1 if it can never be selected, -1 if it can, 0 if not known
	id       int // in the certificate, 0 for none
	value    int // isTrue in the set, isFalse out of it, isOpen
}

// rule is a goal that holds in each set that has its node, as far as all its facts count.
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
	w := &world{ctx: ctx, req: req, stage: at, facts: facts, root: &node{cat: -1, inst: -1, value: isTrue, compiled: true}, index: make(map[string]int),
		options: make(map[optionKey]*node), goals: make(map[constraints.Constraint]*goal), atoms: make(map[string]*goal), placeOf: make(map[place]int)}
	for _, c := range req.Catalogs {
		if c.Content != nil && (c.Unavailable == nil || req.Policy.Unavailable == resolver.UnavailableLastGood) {
			w.cats, w.nodes = append(w.cats, c), append(w.nodes, make(map[int32]*node))
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

func (w *world) fail(err error) { w.err = cmp.Or(w.err, err) }

// counts reports whether a rule binds.
func (w *world) counts(facts ...fact) bool {
	return w.facts == nil || !slices.ContainsFunc(facts, func(f fact) bool { return !w.facts[f] })
}

// at returns the node of a catalog's bundle.
func (w *world) at(cat int, b *graph.Bundle) *node {
	n := w.nodes[cat][b.ID]
	if n == nil {
		n = &node{Bundle: b, cat: cat, inst: -1, pkg: b.Package, version: b.Version}
		for _, r := range b.Constraints {
			n.requires = append(n.requires, r.Constraint)
		}
		w.nodes[cat][b.ID] = n
		w.occupy(n)
	}
	return n
}

// occupy finds the places of a node.
func (w *world) occupy(n *node) {
	w.enter(n, place{kind: "package", name: n.pkg})
	for api := range n.Properties.GVKs() {
		w.enter(n, place{kind: "gvk", api: api})
	}
}

// enter gives a node a place: to a lenient one another than to the other installed ones, which
// bundles of catalogs have besides.
func (w *world) enter(n *node, p place) {
	if n.in != nil && w.stage.lenient[n.Name] {
		p.of = n
	} else if n.in == nil && len(w.stage.lenient) > 0 {
		for _, m := range w.installed {
			if m != nil && w.stage.lenient[m.Name] {
				n.places = append(n.places, w.number(place{p.kind, p.name, p.api, m}))
			}
		}
	}
	n.places = append(n.places, w.number(p))
}

func (w *world) number(p place) int {
	k, known := w.placeOf[p]
	if !known {
		k = len(w.places)
		f := fact{kind: p.kind, subject: p.name}
		if w.facts != nil && p.kind == "gvk" {
			f.subject = p.api.String()
		}
		w.placeOf[p], w.places = k, append(w.places, f)
	}
	return k
}

// means reports whether a reference means a bundle.
func (w *world) means(ref cache.BundleRef, n *node) bool {
	return ref.Name == n.Name && (ref.Catalog.IsZero() || n.cat >= 0 && w.cats[n.cat].Key == ref.Catalog)
}

// rulesOf returns what a node requires, in the order of declaration.
func (w *world) rulesOf(n *node) []rule {
	if n.compiled {
		return n.rules
	}
	n.compiled = true
	if n.in != nil && w.stage.lenient[n.Name] {
		return nil
	}
	relaxed := func(c constraints.Constraint) bool {
		return slices.ContainsFunc(w.req.Relax, func(r resolver.BundleConstraint) bool {
			return w.means(r.Bundle, n) && (r.Constraint == nil || r.Constraint.Key() == c.Key())
		})
	}
	add := func(c constraints.Constraint) {
		if !relaxed(c) {
			n.rules = append(n.rules, rule{w.compile(c), []fact{{kind: "constraint", node: n, index: len(n.rules)}}})
		}
	}
	for _, c := range n.requires {
		add(c)
	}
	for _, c := range w.req.Constraints {
		if w.means(c.Bundle, n) {
			add(c.Constraint)
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
