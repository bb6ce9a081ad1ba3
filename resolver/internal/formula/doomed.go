package formula

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Doomed are bundles that can be in no valid set, as far as bans and requirements alone
// say so: those that are barred, and those that require what only doomed ones could meet.
// That is unit propagation without clauses: whatever is doomed is so in each formula of
// the problem, and the other way round that need not be.
type Doomed struct {
	p     *problem.Problem
	why   []int32          // by bundle: the user that dooms it, from 1; barred; 0 if it is not doomed
	order []problem.NodeID // those that are doomed
	watch []*want          // by bundle: what rests on it, a list
	users []user
	atoms map[*problem.Atom]*want
	slab  problem.Slab[want]
	// Roots are those that were asked for, or have to stay, and cannot: whose candidates
	// are all doomed. What has no candidates at all is not among them.
	Roots []Fact
}

const barred int32 = -1

// want is what one of several bundles has to meet.
type want struct {
	list  []problem.NodeID // these
	first int              // the first of them that is not doomed
	next  *want            // in the list of what rests on that one
	users int32            // the latest of its users, from 1
}

// user is a requirement that cannot do without a want.
type user struct {
	by   Fact
	want *want
	part bool  // there is more to it
	next int32 // another user of the want, from 1
}

// Doom reaches everything that a request can need, and finds what is doomed there. Where
// installed bundles are treated leniently it finds nothing.
func Doom(p *problem.Problem) *Doomed {
	reach(p, p.Universe.KeepExcluded)
	d := &Doomed{p: p, why: make([]int32, len(p.Universe.Nodes)), watch: make([]*want, len(p.Universe.Nodes)), atoms: make(map[*problem.Atom]*want, len(p.Universe.Nodes)/2)}
	if p.Assumptions.Lenient != nil {
		return d
	}
	for n := range p.Universe.Nodes {
		if p.Universe.Nodes[n].Ban != problem.BanNone {
			d.doom(problem.NodeID(n), barred)
		}
	}
	for n := problem.NodeID(0); int(n) < len(d.why) && !p.Budget.Stopped(); n++ {
		if d.why[n] != 0 {
			continue
		}
		for i, r := range p.Requirements(n) {
			if g := r.Goal; g.Kind != problem.GoalAtom || !p.Universe.Matches(g.Atom, n) {
				d.require(g, Fact{FactConstraint, int32(n), int32(i)}, false)
			}
		}
	}
	for i := 0; i < len(d.order) && !p.Budget.Stopped(); i++ {
		for w := d.watch[d.order[i]]; w != nil; {
			next := w.next
			d.rest(w)
			w = next
		}
	}
	for _, k := range Roots(p) {
		if nodes := Options(p, k); len(nodes) > 0 && !slices.ContainsFunc(nodes, func(n problem.NodeID) bool { return d.why[n] == 0 }) {
			d.Roots = append(d.Roots, k)
		}
	}
	return d
}

// doom notes that a bundle is doomed.
func (d *Doomed) doom(n problem.NodeID, why int32) {
	if d.why[n] == 0 {
		d.why[n], d.order = why, append(d.order, n)
	}
}

// require notes what a goal wants that a requirement has as a part. It does not look into
// alternatives that are more than one bundle each, nor at prohibitions.
func (d *Doomed) require(g *problem.Goal, by Fact, part bool) {
	var w *want
	switch g.Kind {
	case problem.GoalFalse:
		w = &want{}
	case problem.GoalAtom:
		if w = d.atoms[g.Atom]; w == nil {
			w = d.slab.Take()
			w.list, d.atoms[g.Atom] = d.p.Universe.AllMatches(g.Atom), w
			d.rest(w)
		}
	case problem.GoalAny:
		w = &want{}
		for _, k := range g.Kids {
			if k.Kind != problem.GoalAtom {
				return
			}
			w.list = append(w.list, d.p.Universe.AllMatches(k.Atom)...)
		}
		d.rest(w)
	case problem.GoalAll:
		for _, k := range g.Kids {
			d.require(k, by, true)
		}
		return
	default:
		return
	}
	d.users = problem.Push(d.users, user{by, w, part, w.users})
	if w.users = int32(len(d.users)); w.first == len(w.list) {
		d.doom(problem.NodeID(by.A), w.users)
	}
}

// rest has a want rest on the first of its bundles that is not doomed. If there is none,
// its users are.
func (d *Doomed) rest(w *want) {
	for ; w.first < len(w.list); w.first++ {
		d.p.Budget.Step()
		if n := w.list[w.first]; d.why[n] == 0 {
			w.next, d.watch[n] = d.watch[n], w
			return
		}
	}
	for at := w.users; at > 0; at = d.users[at-1].next {
		d.doom(problem.NodeID(d.users[at-1].by.A), at)
	}
}

// Because returns facts that rule out a root, in their order. They are known to be minimal
// where each bundle that leads to them from the root has but one fact about it.
func (d *Doomed) Because(root Fact) (facts []Fact, minimal bool) {
	facts, minimal = []Fact{root}, root.Kind != FactSubscription || d.p.Demands.List[root.A].Owned == problem.NoNode
	seen, bans := make([]bool, len(d.why)), make(map[Fact]bool)
	var out []problem.NodeID // those that are barred
	todo := slices.Clone(Options(d.p, root))
	for i := 0; i < len(todo); i++ {
		n := todo[i]
		if d.p.Budget.Step(); seen[n] {
			continue
		}
		seen[n] = true
		if d.why[n] == barred {
			k := slices.MinFunc(bansOf(d.p, n), Fact.Compare)
			if out = append(out, n); !bans[k] {
				bans[k], facts = true, append(facts, k)
			}
			continue
		}
		u := d.users[d.why[n]-1]
		facts, todo = append(facts, u.by), append(todo, u.want.list...)
		minimal = minimal && !u.part
	}
	for _, n := range out {
		about := slices.DeleteFunc(bansOf(d.p, n), func(k Fact) bool { return !bans[k] })
		minimal = minimal && len(about) == 1
	}
	slices.SortFunc(facts, Fact.Compare)
	return facts, minimal
}
