package formula

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Unsatisfiable has the bundles that exclusions and requirements alone rule out of every valid set:
// excluded bundles, and bundles with a requirement that only such bundles could satisfy. This is
// unit propagation without clauses: it is sound for each formula of the problem, but not complete.
type Unsatisfiable struct {
	p     *problem.Problem
	why   []int32          // by bundle: the user that rules it out, from 1; excluded; 0 for none
	order []problem.NodeID // the bundles that are ruled out
	watch []*want          // by bundle: linked list of the wants that watch it
	users []user
	atoms map[*problem.Atom]*want
	// Roots are the roots whose candidates are all ruled out. Roots without candidates are not
	// included.
	Roots []Fact
}

const excluded int32 = -1

// want is the condition that one of several bundles is in the set.
type want struct {
	list  []problem.NodeID
	first int   // index of the watched bundle: the first that is not ruled out
	next  *want // the next want that watches the same bundle
	users int32 // the latest of its users, from 1
}

// user is a requirement that implies a want.
type user struct {
	by   Fact
	want *want
	part bool  // the requirement has other parts
	next int32 // another user of the want, from 1
}

// Propagate reaches everything that a request can need, and finds the bundles that are ruled out.
// It finds none if installed bundles are lenient.
func Propagate(p *problem.Problem) *Unsatisfiable {
	reach(p, p.Universe.KeepExcluded)
	d := &Unsatisfiable{p: p, why: make([]int32, len(p.Universe.Nodes)), watch: make([]*want, len(p.Universe.Nodes)), atoms: make(map[*problem.Atom]*want, len(p.Universe.Nodes)/2)}
	if p.Assumptions.Lenient != nil {
		return d
	}
	for n := range p.Universe.Nodes {
		if p.Universe.Nodes[n].Ban != problem.BanNone {
			d.ruleOut(problem.NodeID(n), excluded)
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
			d.rewatch(w)
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

// ruleOut records that a bundle is ruled out.
func (d *Unsatisfiable) ruleOut(n problem.NodeID, why int32) {
	if d.why[n] == 0 {
		d.why[n], d.order = why, append(d.order, n)
	}
}

// require adds the wants of a goal, which may be a part of a requirement. It ignores prohibitions and
// alternatives of more than one bundle.
func (d *Unsatisfiable) require(g *problem.Goal, by Fact, part bool) {
	var w *want
	switch g.Kind {
	case problem.GoalFalse:
		w = &want{}
	case problem.GoalAtom:
		if w = d.atoms[g.Atom]; w == nil {
			w = &want{list: d.p.Universe.AllMatches(g.Atom)}
			d.atoms[g.Atom] = w
			d.rewatch(w)
		}
	case problem.GoalAny:
		w = &want{}
		for _, k := range g.Kids {
			if k.Kind != problem.GoalAtom {
				return
			}
			w.list = append(w.list, d.p.Universe.AllMatches(k.Atom)...)
		}
		d.rewatch(w)
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
		d.ruleOut(problem.NodeID(by.A), w.users)
	}
}

// rewatch makes a want watch its first bundle that is not ruled out. If there is none, it rules out
// the users of the want.
func (d *Unsatisfiable) rewatch(w *want) {
	for ; w.first < len(w.list); w.first++ {
		d.p.Budget.Step()
		if n := w.list[w.first]; d.why[n] == 0 {
			w.next, d.watch[n] = d.watch[n], w
			return
		}
	}
	for at := w.users; at > 0; at = d.users[at-1].next {
		d.ruleOut(problem.NodeID(d.users[at-1].by.A), at)
	}
}

// Reasons returns facts that contradict a root, in order. They are known to be minimal if only one
// fact concerns each bundle on the way from the root.
func (d *Unsatisfiable) Reasons(root Fact) (facts []Fact, minimal bool) {
	facts, minimal = []Fact{root}, root.Kind != FactSubscription || d.p.Demands.List[root.A].Owned == problem.NoNode
	seen, bans := make([]bool, len(d.why)), make(map[Fact]bool)
	var out []problem.NodeID // excluded bundles
	todo := slices.Clone(Options(d.p, root))
	for i := 0; i < len(todo); i++ {
		n := todo[i]
		if d.p.Budget.Step(); seen[n] {
			continue
		}
		seen[n] = true
		if d.why[n] == excluded {
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
