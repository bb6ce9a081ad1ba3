package formula

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/memory"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Doomed are bundles that can be in no valid set, as far as bans and requirements alone
// say so: those that are barred, and those that require what only doomed ones could meet.
// That is unit propagation without clauses: whatever is doomed is so in each formula of
// the problem, and the other way round that need not be.
type Doomed struct {
	p    *problem.Problem
	when []int32 // by bundle: which one it was to be doomed, from 1; 0 if it is not
	why  []int32 // by bundle: which requirement dooms it, from 1; 0 for a ban

	wants map[*problem.Atom]*want
	watch []*want // by bundle: what rests on it, a list
	slab  memory.Slab[want]
	users []user
	order []problem.NodeID // those that are doomed
	// Roots are those that were asked for, or have to stay, and cannot: whose candidates
	// are all doomed. What has no candidates at all is not among them.
	Roots []Fact
}

// user is one of the requirements that an atom is part of, in a list.
type user struct {
	by   Fact
	next int32 // its index, from 1; 0 for none
}

// want is an atom that bundles require.
type want struct {
	list  []problem.NodeID // its candidates
	first int              // the first of them that is not doomed
	next  *want            // in the list of what rests on that one
	users int32            // the latest of its users, as user.next
}

// Doom reaches everything that a request can need, and finds what is doomed there. Where
// installed bundles are treated leniently it finds nothing.
func Doom(p *problem.Problem) *Doomed {
	reach(p)
	d := &Doomed{p: p, when: make([]int32, len(p.Nodes)), why: make([]int32, len(p.Nodes)),
		watch: make([]*want, len(p.Nodes)), wants: make(map[*problem.Atom]*want, len(p.Nodes)/2)}
	if p.Lenient != nil {
		return d
	}
	for n := range p.Nodes {
		if p.Nodes[n].Ban != problem.BanNone {
			d.doom(problem.NodeID(n), 0)
		}
	}
	for n := problem.NodeID(0); int(n) < len(d.when) && !p.Stopped(); n++ {
		if d.when[n] != 0 {
			continue
		}
		for i, r := range p.Requirements(n) {
			if g := r.Goal; g.Kind != problem.GoalAtom || !p.Matches(g.Atom, n) {
				d.require(g, Fact{FactConstraint, int32(n), int32(i)})
			}
		}
	}
	for i := 0; i < len(d.order) && !p.Stopped(); i++ {
		for w := d.watch[d.order[i]]; w != nil; {
			next := w.next
			d.rest(w)
			w = next
		}
	}
	for _, k := range Roots(p) {
		if nodes := d.options(k); len(nodes) > 0 && d.all(nodes, int32(len(d.order))+1) {
			d.Roots = append(d.Roots, k)
		}
	}
	return d
}

// doom notes that a bundle is doomed.
func (d *Doomed) doom(n problem.NodeID, why int32) {
	if d.when[n] == 0 {
		d.order = append(d.order, n)
		d.when[n], d.why[n] = int32(len(d.order)), why
	}
}

// require notes that a requirement has a goal as a part.
func (d *Doomed) require(g *problem.Goal, by Fact) {
	switch g.Kind {
	case problem.GoalAtom:
		w := d.wants[g.Atom]
		if w == nil {
			w = d.slab.Take()
			w.list, d.wants[g.Atom] = d.p.AnyList(g.Atom), w
			d.rest(w)
		}
		d.users = memory.Push(d.users, user{by, w.users})
		w.users = int32(len(d.users))
		if w.first == len(w.list) {
			d.try(by)
		}
	case problem.GoalFalse:
		d.try(by)
	case problem.GoalAll, problem.GoalAny:
		for _, k := range g.Kids {
			d.require(k, by)
		}
	}
}

// rest has an atom rest on its first candidate that is not doomed; what cannot do
// without the atom is doomed if there is none.
func (d *Doomed) rest(w *want) {
	for ; w.first < len(w.list); w.first++ {
		d.p.Tick()
		if n := w.list[w.first]; d.when[n] == 0 {
			w.next, d.watch[n] = d.watch[n], w
			return
		}
	}
	for at := w.users; at > 0; at = d.users[at-1].next {
		d.try(d.users[at-1].by)
	}
}

// try dooms a bundle if one of its requirements is hopeless.
func (d *Doomed) try(by Fact) {
	d.p.Tick()
	if d.when[by.A] == 0 && d.hopeless(d.goal(by), int32(len(d.order))+1) {
		d.doom(problem.NodeID(by.A), by.B+1)
	}
}

func (d *Doomed) goal(k Fact) *problem.Goal { return d.p.Requirements(problem.NodeID(k.A))[k.B].Goal }

// hopeless reports whether only what was doomed before could make a goal hold.
func (d *Doomed) hopeless(g *problem.Goal, before int32) bool {
	hopeless := func(k *problem.Goal) bool { return d.hopeless(k, before) }
	switch g.Kind {
	case problem.GoalAtom:
		if w := d.wants[g.Atom]; w != nil && w.first < len(w.list) {
			return false
		}
		return d.all(d.p.AnyList(g.Atom), before)
	case problem.GoalAll:
		return slices.ContainsFunc(g.Kids, hopeless)
	case problem.GoalAny:
		return !slices.ContainsFunc(g.Kids, func(k *problem.Goal) bool { return !hopeless(k) })
	default:
		return g.Kind == problem.GoalFalse
	}
}

// all reports whether some bundles were doomed before.
func (d *Doomed) all(nodes []problem.NodeID, before int32) bool {
	return !slices.ContainsFunc(nodes, func(n problem.NodeID) bool { return d.when[n] == 0 || d.when[n] >= before })
}

// options are the bundles by which a root could be met.
func (d *Doomed) options(k Fact) []problem.NodeID {
	if k.Kind == FactSubscription {
		return d.p.AllCandidates(&d.p.Subs[k.A])
	}
	return NodesOf(d.p, k)
}

// Because returns facts that rule out a root, in their order. They are known to be minimal
// where each bundle that leads to them from the root has but one fact about it.
func (d *Doomed) Because(root Fact) (facts []Fact, minimal bool) {
	facts, minimal = []Fact{root}, root.Kind != FactSubscription || d.p.Subs[root.A].Owned == problem.NoNode
	seen, bans := make([]bool, len(d.when)), make(map[Fact]bool)
	var barred []problem.NodeID
	todo := slices.Clone(d.options(root))
	for i := 0; i < len(todo); i++ {
		n := todo[i]
		d.p.Tick()
		if seen[n] {
			continue
		}
		seen[n] = true
		if d.why[n] == 0 {
			k := slices.MinFunc(bansOf(d.p, n), Fact.Compare)
			if barred = append(barred, n); !bans[k] {
				bans[k], facts = true, append(facts, k)
			}
			continue
		}
		k := Fact{FactConstraint, int32(n), d.why[n] - 1}
		facts = append(facts, k)
		var simple bool
		if todo, simple = d.lost(d.goal(k), d.when[n], todo); !simple {
			minimal = false
		}
	}
	for _, n := range barred {
		about := slices.DeleteFunc(bansOf(d.p, n), func(k Fact) bool { return !bans[k] })
		minimal = minimal && len(about) == 1
	}
	slices.SortFunc(facts, Fact.Compare)
	return facts, minimal
}

// lost appends the bundles that a hopeless goal would need. It is simple if any one of
// them would make the goal hold.
func (d *Doomed) lost(g *problem.Goal, before int32, out []problem.NodeID) (_ []problem.NodeID, simple bool) {
	simple = g.Kind != problem.GoalAll
	switch g.Kind {
	case problem.GoalAtom:
		out = append(out, d.p.AnyList(g.Atom)...)
	case problem.GoalAll:
		i := slices.IndexFunc(g.Kids, func(k *problem.Goal) bool { return d.hopeless(k, before) })
		out, _ = d.lost(g.Kids[i], before, out)
	case problem.GoalAny:
		for _, k := range g.Kids {
			var one bool
			out, one = d.lost(k, before, out)
			simple = simple && one
		}
	}
	return out, simple
}
