package resolver

import (
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/properties"
)

// rules are the options of a request that change what its problem is. The zero value
// is the default of each.
type rules struct {
	// AnyUpgrade has an installed bundle move to every entry of a channel.
	AnyUpgrade bool
	// PerBundle holds a compound constraint against one bundle at a time.
	PerBundle bool
	// Stay prefers an installed bundle where it is, Oldest what is furthest from the
	// head of a channel, and AvoidDeprecated everything to what is deprecated.
	Stay, Oldest, AvoidDeprecated bool
	// RequireFit bars what does not fit its surroundings.
	RequireFit bool
}

// input is a request in the terms of a problem.
type input struct {
	Rules       rules
	Catalogs    []catalog // those that can be used, best first
	Forbid      []ref
	Force       []forced
	Constraints []constrained // added to those of bundles
	Relax       []constrained // that do not count; a nil constraint stands for all
	APIs        []properties.GVK
	Around      *surroundings // what bundles have to fit, nil for nothing
	// Evaluator makes what evaluates rules. It is called when the first is met.
	Evaluator func() *constraints.Evaluator
	// Explaining has what is barred or set aside be there like all others.
	Explaining bool
	// Memory is where large problems get memory to use again; nil for none.
	Memory *memory
}

// forced is a bundle that the request wants in the set.
type forced struct {
	Bundle ref
	// Left says that it asks for nothing.
	Left bool
}

// constrained is a constraint of bundles.
type constrained struct {
	Bundle     ref
	Constraint constraints.Constraint
}

// problem is one request on its way to an answer: what it reaches of the catalogs,
// what it asks for, and in which order of preference. Nodes, atoms and candidate
// lists come into being as the resolution reaches them. It is used by one goroutine.
type problem struct {
	matching

	force   []forced
	subs    []subscription
	free    []bool               // by installed bundle: need not stay; nil mostly
	seen    map[nodeKey]struct{} // scratch of distinct
	groups  [][]nodeID           // of each, at most one can be in the set
	groupOf []int32              // by group: the subscription that owns one of them

	placing bool // only what is in place counts
	memory  *memory
	scratch *scratch // that all of this is in, nil for a small problem
}

// initProblem prepares a problem, without what is installed and subscribed to.
func initProblem(p *problem, w work, in *input) {
	p.work, p.rules, p.cats = w, in.Rules, in.Catalogs
	p.nodes, p.index, p.pkgs = make([]node, 0, 8), make(map[nodeKey]nodeID), make(map[string]int32)
	p.explaining, p.around, p.newEvaluator = in.Explaining, in.Around, in.Evaluator
	p.ranked = in.Rules.Oldest || in.Rules.AvoidDeprecated
	p.force, p.memory = in.Force, in.Memory
	p.prohibit(in.Forbid)
	p.added, p.addedTo = in.Constraints, byName(len(in.Constraints), func(i int) string { return in.Constraints[i].Bundle.Name })
	p.relaxed, p.relaxedOf = in.Relax, byName(len(in.Relax), func(i int) string { return in.Relax[i].Bundle.Name })
	if n := len(in.APIs); n > 0 {
		p.apis = make(map[properties.GVK]bool, n)
		for _, g := range in.APIs {
			p.apis[g] = true
		}
	}
}

// renew makes a problem ready for another request of the same catalogs and installed
// bundles: what depends on subscriptions and prohibitions goes, nodes and candidate
// lists stay.
func (p *problem) renew(w work, forbid []ref, force []forced) {
	p.work = w
	if p.eval != nil {
		p.eval = nil // each answer has its own budget
	}
	for _, g := range p.groups {
		for _, n := range g {
			p.nodes[n].exclusive = nil
		}
	}
	p.groups, p.groupOf, p.subs, p.free, p.force = nil, nil, nil, nil, force
	p.prohibit(forbid)
}

// isForced reports whether a node is one that a forced reference means.
func (p *problem) isForced(i int32, n nodeID) bool {
	of := p.force[i].Bundle
	return p.nodes[n].bundle.Name == of.Name && p.refersTo(of, p.nodes[n].cat)
}

// forcedNodes are the bundles that a forced reference means, installed ones first,
// then by catalog.
func (p *problem) forcedNodes(i int32) []nodeID {
	return p.named(p.force[i].Bundle, func(cat int32, b *graph.Bundle) bool {
		return len(b.Places) > 0 || p.explaining && p.quarantineOf(cat, b) != nil
	})
}

// named lists the bundles that a reference means, installed ones first, then by
// catalog; of a catalog's those for which a condition holds.
func (p *problem) named(of ref, where func(cat int32, b *graph.Bundle) bool) []nodeID {
	var nodes []nodeID
	for _, n := range p.inst {
		if n != noNode && p.nodes[n].bundle.Name == of.Name && p.refersTo(of, p.nodes[n].cat) {
			nodes = append(nodes, n)
		}
	}
	for c := range p.cats {
		if !p.refersTo(of, int32(c)) {
			continue
		}
		for _, id := range p.cats[c].Content.Named(of.Name) {
			if where(int32(c), p.cats[c].Content.Bundle(id)) {
				nodes = append(nodes, p.node(int32(c), id))
			}
		}
	}
	return nodes
}

// ownedInstalled reports of each installed bundle whether a subscription that takes
// part owns it.
func (p *problem) ownedInstalled() []bool {
	if len(p.inst) == 0 {
		return nil
	}
	owned := make([]bool, len(p.inst))
	for i := range p.subs {
		if s := &p.subs[i]; s.owned != noNode && !s.left {
			owned[p.nodes[s.owned].inst] = true
		}
	}
	return owned
}

// stays reports whether an installed bundle must stay: nobody owns it, or it is
// broken.
func (p *problem) stays(i int32, owned []bool) bool {
	return (p.free == nil || !p.free[i]) && (!owned[i] || p.isBroken(p.inst[i]))
}

// resume has a problem take over from another of the same request what was found out
// about it: who takes part, and which installed bundles are treated leniently.
func (p *problem) resume(from *problem) {
	for i := range from.subs {
		p.subs[i].left = from.subs[i].left
	}
	if from.lenient != nil {
		p.excuse(from.lenient, from.broken)
	}
	if p.placing = from.placing; p.placing {
		p.keepOwned()
	}
}
