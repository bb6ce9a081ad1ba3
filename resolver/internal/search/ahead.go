package search

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Hop is a bundle that the one subscription of a cluster owns, somewhere on its upgrade path.
type Hop struct {
	Bundle *graph.Bundle
	Node   problem.NodeID // NoNode if none of the hops requires anything
	Next   int32          // index of the hop that the next round takes it to, -1 if it stays
	// Known says that every first choice holds from here on: the hop can be installed with what
	// it needs, each round moves it on to the next hop and brings what that needs, and nothing
	// else ever moves. Then the path ends at the hop End, after so many Rounds, and nothing needs
	// the Orphans any more, which are by package and name.
	Known   bool
	End     int32
	Rounds  int
	Orphans []problem.NodeID
}

// aheadWork bounds the decisions that are looked at again for the hops that lead to one end. Those
// beyond are not known.
const aheadWork = 1 << 24

// Ahead finds out for hops of one package whether every first choice holds along their paths,
// from the ends of the paths backwards: what several paths bring is looked at once.
// ALGORITHM.md says why no round needs to be resolved then. It serves the questions of a session
// one after the other, in which nothing else is asked for.
type Ahead struct {
	steady []steadiness // by node

	p      *problem.Problem
	st     *State // what the hops of the chain need, without themselves
	hops   []Hop
	before [][]int32        // by hop: those that it is next for
	chain  []problem.NodeID // from the end of the path to the hop that is looked at
	apis   []int32          // that the chain provides
	loose  []loose
	work   int
}

// loose is a decision that several bundles might satisfy, and the one that it is to be.
type loose struct {
	goal  *problem.Goal
	first problem.NodeID
}

type steadiness uint8

const (
	_ steadiness = iota
	steady
	moving
)

// Look says what is known of bundles of one package of a catalog, and of all that they become
// along a channel; of what is quarantined it says nothing.
func (a *Ahead) Look(p *problem.Problem, opts Settings, cat int32, ch *graph.Channel, bundles []*graph.Bundle) []Hop {
	hops := hopsOf(p, cat, ch, bundles)
	if a.st == nil {
		a.st = newState(p, opts)
	}
	a.p, a.st.p, a.st.u, a.hops, a.before = p, p, p.Universe, hops, make([][]int32, len(hops))
	for i := range hops {
		if next := hops[i].Next; next >= 0 {
			a.before[next] = append(a.before[next], int32(i))
		}
	}
	for i := range hops {
		if hops[i].Next < 0 && !p.Budget.Stopped() {
			a.work = aheadWork
			a.visit(int32(i))
		}
	}
	return hops
}

// hopsOf follows bundles along a channel.
func hopsOf(p *problem.Problem, cat int32, ch *graph.Channel, bundles []*graph.Bundle) []Hop {
	hops, at, require := make([]Hop, 0, len(bundles)), make(map[*graph.Bundle]int32, len(bundles)), false
	for _, b := range bundles {
		for before := int32(-1); b != nil && b.Quarantine == nil; b = problem.Successor(b, ch) {
			if p.Budget.Check(); p.Budget.Stopped() { // each step goes through the channel
				return nil
			}
			i, known := at[b]
			if !known {
				i = int32(len(hops))
				at[b], hops, require = i, append(hops, Hop{Bundle: b, Node: problem.NoNode, Next: -1}), require || len(b.Constraints) > 0
			}
			if before >= 0 {
				hops[before].Next = i
			}
			if before = i; known {
				break
			}
		}
	}
	for i := range hops {
		if require {
			hops[i].Node = p.Universe.NodeOf(cat, hops[i].Bundle.ID)
		}
	}
	return hops
}

// visit looks at a hop, and at those before it.
func (a *Ahead) visit(at int32) {
	st, hop := a.st, &a.hops[at]
	trail, chosen, apis, loose := len(st.Trail), len(st.Chosen), len(a.apis), len(a.loose)
	a.chain = append(a.chain, hop.Node)
	if a.add(hop.Node) {
		if hop.Known, hop.End = true, at; hop.Next >= 0 {
			next := &a.hops[hop.Next]
			hop.End, hop.Rounds, hop.Orphans = next.End, next.Rounds+1, a.merge(next.Orphans, st.Chosen[chosen:])
		}
		for _, i := range a.before[at] {
			a.visit(i)
		}
	} else if st.back(trail, ""); hop.Next < 0 && a.stays(hop.Node) {
		hop.Known, hop.End = true, at
	}
	a.chain, a.apis, a.loose = a.chain[:len(a.chain)-1], a.apis[:apis], a.loose[:loose]
	st.back(trail, "")
}

// merge adds more bundles to sorted ones.
func (a *Ahead) merge(sorted, more []problem.NodeID) []problem.NodeID {
	if len(more) == 0 {
		return sorted
	}
	compare := func(x, y problem.NodeID) int {
		b, c := a.st.u.Nodes[x].Bundle, a.st.u.Nodes[y].Bundle
		return cmp.Or(strings.Compare(b.Package, c.Package), strings.Compare(b.Name, c.Name))
	}
	more = slices.SortedFunc(slices.Values(more), compare)
	out := make([]problem.NodeID, 0, len(sorted)+len(more))
	for len(sorted) > 0 && len(more) > 0 {
		if compare(sorted[0], more[0]) < 0 {
			out, sorted = append(out, sorted[0]), sorted[1:]
		} else {
			out, more = append(out, more[0]), more[1:]
		}
	}
	return append(append(out, sorted...), more...)
}

// add takes the first choice of each requirement of a hop, and of what that brings. It reports
// whether all of them hold together, with every bundle of the chain.
func (a *Ahead) add(n problem.NodeID) bool {
	st := a.st
	if n == problem.NoNode {
		return true
	}
	if slot(st.byPkg, a.st.u.Nodes[n].Pkg) != problem.NoNode {
		return false
	}
	for _, g := range a.st.u.Nodes[n].GVKs {
		if slot(st.byGVK, g) != problem.NoNode {
			return false
		}
		if !slices.Contains(a.apis, g) {
			a.apis = append(a.apis, g)
		}
	}
	from := len(st.Queue)
	if a.impossible(n) {
		return false
	}
	st.Trail = problem.Push(st.Trail, Choice{Decision: from, Picked: Option{Node: problem.NoNode}, queue: from, bans: len(st.bans), passed: len(st.Passed), assigned: len(st.assigned)})
	for i, r := range a.p.Requirements(n) {
		st.enqueue(n, int32(i), r.Goal, noLiteral)
	}
	for st.head = from; st.head < len(st.Queue); st.head++ {
		d := &st.Queue[st.head]
		first := a.first(d)
		if a.p.Budget.Step() || first == problem.NoNode || !st.Has(first) && !a.takes(first) {
			return false
		}
		if d.Goal.Kind == problem.GoalAny || d.Goal.Atom.Kind == problem.AtomTested {
			a.loose = append(a.loose, loose{d.Goal, first})
		}
		if !st.Has(first) {
			st.choose(st.head, 0, Option{Node: first})
		}
	}
	return !a.otherwise() && !a.prohibited() && !a.p.Budget.Stopped()
}

// impossible reports whether a bundle has a requirement that nothing can meet.
func (a *Ahead) impossible(n problem.NodeID) bool {
	return slices.ContainsFunc(a.p.Requirements(n), func(r problem.Requirement) bool { return r.Goal.Kind == problem.GoalFalse })
}

// first is the bundle that a decision is for in the first place, NoNode if that cannot be said of
// it, which wants more than one of some bundles.
func (a *Ahead) first(d *Decision) problem.NodeID {
	best, own := problem.NoNode, a.st.u.Nodes[d.From].Cat
	for atom := range alternatives(d.Goal) {
		list := a.st.u.CandidatesOf(atom, own)
		for i := 0; ; i++ {
			n, ok := a.st.u.At(list, i)
			if !ok {
				break
			}
			if !a.p.Excluded(n) {
				if best == problem.NoNode || a.st.u.Ranking(own).Compare(n, best) < 0 {
					best = n
				}
				break
			}
		}
	}
	return best
}

// alternatives goes through the atoms of which one has to hold; a goal that is something else has
// none.
func alternatives(g *problem.Goal) iter.Seq[*problem.Atom] {
	return func(yield func(*problem.Atom) bool) {
		if g.Kind == problem.GoalAtom {
			yield(g.Atom)
			return
		}
		if slices.ContainsFunc(g.Kids, func(k *problem.Goal) bool { return k.Kind != problem.GoalAtom }) {
			return
		}
		for _, k := range g.Kids {
			if !yield(k.Atom) {
				return
			}
		}
	}
}

// inChain reports whether a bundle of the chain matches an atom.
func (a *Ahead) inChain(atom *problem.Atom) bool {
	switch atom.Kind {
	case problem.AtomGVK:
		return slices.Contains(a.apis, atom.GVK)
	case problem.AtomPackage:
		if atom.Pkg != a.st.u.Nodes[a.chain[0]].Pkg {
			return false
		}
	}
	a.work -= len(a.chain)
	return slices.ContainsFunc(a.chain, func(n problem.NodeID) bool { return a.st.u.Matches(atom, n) })
}

// takes reports whether a bundle goes with all that is there and all of the chain, and stays
// where it is once it is installed.
func (a *Ahead) takes(n problem.NodeID) bool {
	nd := &a.st.u.Nodes[n]
	return nd.Pkg != a.st.u.Nodes[a.chain[0]].Pkg && !slices.ContainsFunc(nd.GVKs, func(g int32) bool { return slices.Contains(a.apis, g) }) &&
		a.isSteady(n) && !a.st.clashing(n)
}

// isSteady reports whether a bundle that is installed as a dependency stays where it is, and
// can be told from others by its name, as clusters tell them.
func (a *Ahead) isSteady(n problem.NodeID) bool {
	for len(a.steady) <= int(n) {
		a.steady = problem.Push(a.steady, 0)
	}
	if a.steady[n] == 0 {
		b := a.st.u.Nodes[n].Bundle
		a.steady[n] = moving
		if pl, ok := a.st.u.BestPlace(b); ok && problem.Successor(b, pl.Channel) == nil && !a.impossible(n) && a.st.u.SoleName(b) {
			a.steady[n] = steady
		}
	}
	return a.steady[n] == steady
}

// otherwise reports whether a decision that several bundles might satisfy is satisfied by
// another one than the first. Of other decisions none is: the first has the package or the API.
func (a *Ahead) otherwise() bool {
	for _, l := range a.loose {
		for atom := range alternatives(l.goal) {
			if a.work--; a.inChain(atom) {
				return true
			}
			if atom.Kind != problem.AtomTested {
				if n := a.st.Match(atom); n != l.first && n != problem.NoNode {
					return true
				}
				continue
			}
			for n := range a.st.Eligible(atom) {
				if a.work--; n != l.first && a.st.u.Matches(atom, n) {
					return true
				}
			}
		}
	}
	return a.work < 0
}

// prohibited reports whether something is there, or in the chain, that one of them prohibits.
func (a *Ahead) prohibited() bool {
	for _, b := range a.st.bans {
		if b.goal.Kids[0].Holds(func(atom *problem.Atom) bool {
			a.work--
			return a.st.Match(atom) != problem.NoNode || a.inChain(atom)
		}, nil) {
			return true
		}
	}
	return a.work < 0
}

// stays reports whether a bundle is installed with bundles that stay where they are, like itself:
// what the decisions come to if some first choices do not hold. There are no orphans,
// as far as all requirements are plain and all bundles are from default channels, where what is
// in a catalog and what is installed come in the same order. For each bundle was chosen for a
// requirement of another one, and is what that still needs: of several alternatives the best
// placed counts both times, and had one that is in the set been better placed, it would have
// been chosen.
func (a *Ahead) stays(n problem.NodeID) bool {
	st, d, o := a.st, Decision{Kind: DecideForced, From: problem.NoNode, cause: noLiteral}, Option{Node: n}
	defer st.forget()
	if st.look(d, 0, o) {
		return false
	}
	st.Queue, st.head = append(st.Queue, d), 1
	st.choose(0, 0, o)
	stays := st.resolve(0, 1) == Complete && !a.p.Budget.Stopped() && !slices.ContainsFunc(st.Chosen, func(n problem.NodeID) bool {
		pl, ok := a.st.u.BestPlace(a.st.u.Nodes[n].Bundle)
		return !ok || !pl.Channel.Default() || !a.isSteady(n) || slices.ContainsFunc(a.p.Requirements(n), func(r problem.Requirement) bool { return !plain(r.Goal) })
	})
	st.back(0, "")
	st.Queue = st.Queue[:0]
	return stays
}

// plain reports whether a goal is about packages and APIs only: all of them, or one, or none.
func plain(g *problem.Goal) bool {
	switch g.Kind {
	case problem.GoalAtom:
		return g.Atom.Kind != problem.AtomTested
	case problem.GoalAll:
		return !slices.ContainsFunc(g.Kids, func(k *problem.Goal) bool { return !plain(k) })
	case problem.GoalAny:
		return !slices.ContainsFunc(g.Kids, func(k *problem.Goal) bool { return k.Kind != problem.GoalAtom || !plain(k) })
	default:
		return true
	}
}
