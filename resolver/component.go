package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// components are the connected components of a request: resolving one does not affect the
// others.
type components struct {
	demands  []demand         // by subscription of the problem
	inst     []problem.NodeID // by installed bundle
	of       *formula.Components
	byNumber map[int32]*component // by number of the component
	occupied map[string]bool      // packages of the installed bundles
}

// component lists the groups of a component, in the order of their first member.
type component struct {
	groups  []*group
	byGroup map[int32]*group
}

// group lists the demands that reach the same bundles, by index in the request or problem.
type group struct {
	subs, inst, forced []int32
}

// newComponents partitions the request of a resolution. The error is that of the budget.
func newComponents(p *resolution) (*components, error) {
	q, err := p.toExplain(part{req: p.req})
	if err != nil {
		return nil, err
	}
	c := &components{demands: q.installed.demands(), of: formula.Connect(q.problem), inst: q.universe.Inst, byNumber: make(map[int32]*component),
		occupied: make(map[string]bool)}
	for _, name := range q.installed.pkg {
		c.occupied[name] = true
	}
	subs := make(map[string]int32, len(c.demands))
	for i, a := range c.demands {
		subs[a.Name] = int32(i)
		if a.owns != noInstalled {
			c.of.Join(subscriptionFact(int32(i)), installedFact(a.owns))
		}
	}
	for i, in := range p.req.Installed { // keep the references of an installed bundle resolvable
		if sub, known := subs[in.Subscription]; known {
			c.of.Join(installedFact(int32(i)), subscriptionFact(sub))
		}
		if by, known := q.installed.index[in.ReplacedBy]; known {
			c.of.Join(installedFact(int32(i)), installedFact(by))
		}
	}
	for i := range c.demands {
		g := c.group(subscriptionFact(int32(i)))
		g.subs = append(g.subs, int32(i))
	}
	for i := range p.req.Installed {
		g := c.group(installedFact(int32(i)))
		g.inst = append(g.inst, int32(i))
	}
	for i := range q.demands.Forced {
		g := c.group(formula.Fact{Kind: formula.FactForced, A: int32(i)})
		g.forced = append(g.forced, int32(i))
	}
	return c, q.failed()
}

func subscriptionFact(i int32) formula.Fact {
	return formula.Fact{Kind: formula.FactSubscription, A: i}
}

func installedFact(i int32) formula.Fact { return formula.Fact{Kind: formula.FactInstalled, A: i} }

// group returns the group of a root, creating it if needed.
func (c *components) group(root formula.Fact) *group {
	of, number := c.of.Of(root)
	within := c.byNumber[of]
	if within == nil {
		within = &component{byGroup: make(map[int32]*group)}
		c.byNumber[of] = within
	}
	g := within.byGroup[number]
	if g == nil {
		g = new(group)
		within.byGroup[number], within.groups = g, append(within.groups, g)
	}
	return g
}

// assuming holds predicates for problem.Assumptions; all but dropped may be nil.
type assuming struct {
	dropped         func(subscription int32) bool
	opponents       map[int32]bool // subscriptions that suffice for the conflict; nil for all
	pending         func(subscription int32) bool
	lenient, broken func(problem.NodeID) bool
}

// counts reports whether a conflict may involve a subscription.
func (t *assuming) counts(i int32) bool {
	return !t.dropped(i) && (t.opponents == nil || t.opponents[i])
}

// restrict returns the component of a root as a request. It omits groups whose demands are all
// dropped, subscriptions that are dropped or not needed, own nothing and whose package has no installed
// bundle, and lenient installed bundles that make no difference. The rest keeps its numbering.
func (c *components) restrict(req *Request, root formula.Fact, terms assuming) part {
	number, _ := c.of.Of(root)
	var within group
	var roots []formula.Fact
	for _, g := range c.byNumber[number].groups {
		if c.indifferent(g, terms) {
			continue
		}
		if len(g.inst)+len(g.forced) > 0 || slices.ContainsFunc(g.subs, terms.counts) {
			for _, i := range g.subs {
				if d := &c.demands[i]; terms.counts(i) || d.owns != noInstalled || c.occupied[d.Package] {
					within.subs, roots = append(within.subs, i), append(roots, subscriptionFact(i))
				}
			}
			for _, i := range g.inst {
				roots = append(roots, installedFact(i))
			}
			for _, i := range g.forced {
				roots = append(roots, formula.Fact{Kind: formula.FactForced, A: i})
			}
			within.inst = append(within.inst, g.inst...)
			within.forced = append(within.forced, g.forced...)
		}
	}
	slices.Sort(within.subs)
	slices.Sort(within.inst)
	slices.Sort(within.forced)
	out := *req
	out.Subscriptions, out.Extensions, out.Installed, out.Force = nil, nil, nil, nil
	of := part{req: &out, numbering: c.of.Numbering(roots)}
	for _, i := range within.subs {
		if d := &c.demands[i]; d.extension != nil {
			out.Extensions = append(out.Extensions, *d.extension)
		} else {
			out.Subscriptions = append(out.Subscriptions, *d.Subscription)
		}
		of.assumptions.Dropped = append(of.assumptions.Dropped, terms.dropped(i))
		if terms.pending != nil {
			of.assumptions.Pending = append(of.assumptions.Pending, terms.pending(i))
		}
	}
	for _, i := range within.inst {
		out.Installed = append(out.Installed, req.Installed[i])
		if n := c.inst[i]; terms.lenient != nil && n != problem.NoNode {
			of.assumptions.Lenient = append(of.assumptions.Lenient, terms.lenient(n))
			of.assumptions.Broken = append(of.assumptions.Broken, terms.broken(n))
		}
	}
	for _, i := range within.forced {
		out.Force = append(out.Force, req.Force[i])
	}
	return of
}

// indifferent reports whether a group is a single lenient installed bundle that shares nothing with
// a bundle of a catalog.
func (c *components) indifferent(g *group, terms assuming) bool {
	if terms.lenient == nil || len(g.inst) != 1 || len(g.subs)+len(g.forced) > 0 {
		return false
	}
	n := c.inst[g.inst[0]]
	return n != problem.NoNode && terms.lenient(n) && c.of.Uncontested(n)
}
