package search

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// Hop is a bundle on the upgrade path of a cluster with a single subscription, which owns it.
type Hop struct {
	Bundle *graph.Bundle
	Node   problem.NodeID // NoNode if no hop has requirements
	Next   int32          // index of the hop that the next round upgrades to, -1 if it stays
	// Known reports whether the outcome of the path is known, because every first candidate is
	// selected from here on: the hop can be installed with its dependencies, each round upgrades it
	// to the next hop and installs the dependencies of that, and nothing else ever upgrades. The
	// path then ends at the hop End after Rounds rounds, with the Orphans, ordered by package and
	// name.
	Known   bool
	End     int32
	Rounds  int
	Orphans []problem.NodeID
}

// aheadWork is the maximum number of checks of earlier decisions for the hops with one end. Hops
// beyond it are not Known.
const aheadWork = 1 << 24

// Ahead finds the hops of one package along whose paths every first candidate is selected. It walks
// from the ends of the paths backwards, so that shared parts are checked once. ALGORITHM.md proves
// that no round needs to be resolved then. A session without other demands uses it for its
// consecutive queries.
type Ahead struct {
	stable []stability // by node

	p      *problem.Problem
	st     *State // dependencies of the hops of the chain, without the hops
	hops   []Hop
	before [][]int32        // by hop: the hops whose Next it is
	chain  []problem.NodeID // from the end of the path to the current hop
	apis   []int32          // APIs that the chain provides
	open   []openDecision
	work   int
}

// openDecision is a decision that other bundles than its first candidate might satisfy.
type openDecision struct {
	goal  *problem.Goal
	first problem.NodeID
}

// stability is a cached result of isStable.
type stability uint8

const (
	_ stability = iota
	stable
	unstable
)

// Hops returns the hops of bundles of one package of a catalog, and of all their successors along
// a channel, except quarantined ones.
func (a *Ahead) Hops(p *problem.Problem, opts Settings, cat int32, ch *graph.Channel, bundles []*graph.Bundle) []Hop {
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

// hopsOf follows the successors of bundles along a channel.
func hopsOf(p *problem.Problem, cat int32, ch *graph.Channel, bundles []*graph.Bundle) []Hop {
	hops, at, require := make([]Hop, 0, len(bundles)), make(map[*graph.Bundle]int32, len(bundles)), false
	for _, b := range bundles {
		for before := int32(-1); b != nil && b.Quarantine == nil; b = problem.Successor(b, ch) {
			if p.Budget.Check(); p.Budget.Stopped() { // each step scans the channel
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

// visit checks a hop, then the hops before it.
func (a *Ahead) visit(at int32) {
	st, hop := a.st, &a.hops[at]
	trail, chosen, apis, open := len(st.Trail), len(st.Chosen), len(a.apis), len(a.open)
	a.chain = append(a.chain, hop.Node)
	if a.add(hop.Node) {
		if hop.Known, hop.End = true, at; hop.Next >= 0 {
			next := &a.hops[hop.Next]
			hop.End, hop.Rounds, hop.Orphans = next.End, next.Rounds+1, a.merge(next.Orphans, st.Chosen[chosen:])
		}
		for _, i := range a.before[at] {
			a.visit(i)
		}
	} else if st.back(trail, ""); hop.Next < 0 && a.resolvesStable(hop.Node) {
		hop.Known, hop.End = true, at
	}
	a.chain, a.apis, a.open = a.chain[:len(a.chain)-1], a.apis[:apis], a.open[:open]
	st.back(trail, "")
}

// merge merges more bundles into a sorted list.
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

// add selects the first candidate of each requirement of a hop and of its dependencies. It reports
// whether they are valid together, and with every bundle of the chain.
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
	st.Trail = problem.Push(st.Trail, Choice{Decision: from, Picked: Option{Node: problem.NoNode}, queue: from, bans: len(st.bans), rejected: len(st.Rejected), assigned: len(st.assigned)})
	for i, r := range a.p.Requirements(n) {
		st.enqueue(n, int32(i), r.Goal, noLiteral)
	}
	for st.head = from; st.head < len(st.Queue); st.head++ {
		d := &st.Queue[st.head]
		first := a.first(d)
		if a.p.Budget.Step() || first == problem.NoNode || !st.Has(first) && !a.admits(first) {
			return false
		}
		if d.Goal.Kind == problem.GoalAny || d.Goal.Atom.Kind == problem.AtomTested {
			a.open = append(a.open, openDecision{d.Goal, first})
		}
		if !st.Has(first) {
			st.choose(st.head, 0, Option{Node: first})
		}
	}
	return !a.otherSatisfier() && !a.prohibited() && !a.p.Budget.Stopped()
}

// impossible reports whether a bundle has an unsatisfiable requirement.
func (a *Ahead) impossible(n problem.NodeID) bool {
	return slices.ContainsFunc(a.p.Requirements(n), func(r problem.Requirement) bool { return r.Goal.Kind == problem.GoalFalse })
}

// first returns the first candidate of a decision, NoNode if the decision is more than a choice of
// one bundle.
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

// alternatives yields the atoms of a goal that is an atom or an `any` of atoms, and none for other
// goals.
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

// admits reports whether a bundle is compatible with the selected bundles and the chain, and is
// stable.
func (a *Ahead) admits(n problem.NodeID) bool {
	nd := &a.st.u.Nodes[n]
	return nd.Pkg != a.st.u.Nodes[a.chain[0]].Pkg && !slices.ContainsFunc(nd.GVKs, func(g int32) bool { return slices.Contains(a.apis, g) }) &&
		a.isStable(n) && !a.st.clashing(n)
}

// isStable reports whether a bundle that is installed as a dependency never upgrades, and its name
// identifies it, as clusters require.
func (a *Ahead) isStable(n problem.NodeID) bool {
	for len(a.stable) <= int(n) {
		a.stable = problem.Push(a.stable, 0)
	}
	if a.stable[n] == 0 {
		b := a.st.u.Nodes[n].Bundle
		a.stable[n] = unstable
		if pl, ok := a.st.u.BestPlace(b); ok && problem.Successor(b, pl.Channel) == nil && !a.impossible(n) && a.st.u.SoleName(b) {
			a.stable[n] = stable
		}
	}
	return a.stable[n] == stable
}

// otherSatisfier reports whether a bundle other than its first candidate satisfies an open
// decision. For other decisions there is none: the first candidate occupies the package or the API.
func (a *Ahead) otherSatisfier() bool {
	for _, l := range a.open {
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

// prohibited reports whether a selected bundle prohibits another one or a bundle of the chain.
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

// resolvesStable reports whether resolving a bundle whose first candidates are not valid together
// selects stable bundles only. There are no orphans if all requirements are plain and all bundles are
// from default channels, where candidates of catalogs and installed bundles rank in the same order:
// each bundle was selected for a requirement of another one, which still needs it. Of several
// alternatives the best placed one counts both times; a better placed one in the set would have been
// selected.
func (a *Ahead) resolvesStable(n problem.NodeID) bool {
	st, d, o := a.st, Decision{Kind: DecideForced, From: problem.NoNode, cause: noLiteral}, Option{Node: n}
	defer st.forget()
	if st.look(d, 0, o) {
		return false
	}
	st.Queue, st.head = append(st.Queue, d), 1
	st.choose(0, 0, o)
	resolves := st.resolve(0, 1) == Complete && !a.p.Budget.Stopped() && !slices.ContainsFunc(st.Chosen, func(n problem.NodeID) bool {
		pl, ok := a.st.u.BestPlace(a.st.u.Nodes[n].Bundle)
		return !ok || !pl.Channel.Default() || !a.isStable(n) || slices.ContainsFunc(a.p.Requirements(n), func(r problem.Requirement) bool { return !plain(r.Goal) })
	})
	st.back(0, "")
	st.Queue = st.Queue[:0]
	return resolves
}

// plain reports whether a goal combines only packages and APIs, without nested alternatives.
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
