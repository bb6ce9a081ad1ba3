package search

import (
	"math"
	"slices"

	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// defaultDepth is the default number of levels of requirements that a look follows. Contradictions
// further down are found when the decisions get there.
const defaultDepth = 1

// lookWork is the maximum number of candidates that one look evaluates.
const lookWork = 256

// reasons collects the false literals that make something impossible. Its methods do nothing on
// nil.
type reasons struct {
	st       *State
	literals []literal
	supposed int32 // the first supposed bundle that the reasons include, or certain
}

// certain is greater than the number of any supposed bundle.
const certain = math.MaxInt32

// node adds that a bundle is in the set.
func (r *reasons) node(n problem.NodeID) {
	if r == nil {
		return
	}
	if number := r.st.numberOf(n); number < 0 {
		r.supposed = min(r.supposed, -number)
	} else {
		r.literals = append(r.literals, r.st.literal(n).not())
	}
}

// Size returns how many literals there are.
func (r *reasons) Size() int {
	if r == nil {
		return 0
	}
	return len(r.literals)
}

// Drop removes all but the first n literals.
func (r *reasons) Drop(n int) {
	if r != nil {
		r.literals = r.literals[:n]
	}
}

// look reports whether an option of a decision contradicts the choices so far. If so, the
// contradiction is proven, and look makes the option false; if not, there is no short proof.
func (st *State) look(d Decision, i int, o Option) bool {
	work := lookWork
	st.why.literals, st.why.supposed = st.why.literals[:0], certain
	if len(o.Commits) == 0 {
		return st.impossible(o.Node, st.lookDepth, &work)
	}
	l := st.optionLiteral(d, i, o)
	if a := st.assignmentOf(l); a != nil && a.literal != l {
		return true
	}
	if o.Node != problem.NoNode && !st.Has(o.Node) {
		if st.impossible(o.Node, st.lookDepth, &work) {
			if st.conflict == nil {
				st.imply(l.not(), st.literal(o.Node).not())
			}
			return true
		}
		defer st.withdraw(st.suppose(o.Node))
	}
	if !st.failsAny(o.Commits, d.From, st.lookDepth, &work) {
		return false
	}
	st.exclude(l, st.why.literals)
	return true
}

// impossible reports whether a bundle contradicts the selected and supposed bundles, and adds the
// reasons. If they include no supposed bundle, it makes the bundle false. At a negative depth it
// ignores the requirements of the bundle.
func (st *State) impossible(n problem.NodeID, depth int, work *int) bool {
	if st.excluded(n) {
		st.why.literals = append(st.why.literals, st.literal(n))
		return true
	}
	if st.Has(n) {
		return false
	}
	start, outer := len(st.why.literals), st.why.supposed
	st.why.supposed = certain
	reason, by, clashes := st.clash(n)
	switch {
	case clashes:
		st.reject(reason, by, nil)
		if by != problem.NoNode {
			st.why.node(by)
		}
	case st.violates(n, depth, work):
	default:
		st.why.literals, st.why.supposed = st.why.literals[:start], outer
		return false
	}
	switch l := st.literal(n); {
	case st.conflict != nil:
		return true
	case st.why.supposed <= st.supposing: // possible without the supposed bundles
		st.why.supposed = min(st.why.supposed, outer)
		return true
	case !clashes || st.isTrue(l):
		st.exclude(l, st.why.literals[start:])
	case by == problem.NoNode:
		st.imply(l.not(), noLiteral)
	default:
		st.imply(l.not(), st.literal(by))
	}
	st.why.literals, st.why.supposed = append(st.why.literals[:start], st.literal(n)), outer
	return true
}

// violates reports whether a bundle would violate a prohibition, or has a requirement that cannot
// be satisfied.
func (st *State) violates(n problem.NodeID, depth int, work *int) bool {
	touching := st.touching(n)
	if len(touching) == 0 && depth < 0 {
		return false
	}
	defer st.withdraw(st.suppose(n))
	if st.banned(touching) {
		return true
	}
	if depth < 0 {
		return false
	}
	reqs := st.p.Requirements(n)
	for i := range reqs {
		if st.fails(reqs[i].Goal, n, depth, work) {
			return st.rejectFor(reqs[i].Goal, &reqs[i])
		}
	}
	return false
}

// exclude makes a literal false because others are, and adds the clause. If the literal is true,
// the clause is a conflict.
func (st *State) exclude(l literal, because []literal) {
	if st.conflict != nil {
		return
	}
	c := &clause{literals: make([]literal, 1, 1+len(because)), about: l}
	c.literals[0] = l.not()
	level := int32(0)
	for _, f := range because {
		if of := st.levelOf(f); of > st.root {
			level = max(level, of)
			c.literals = append(c.literals, f)
		}
	}
	slices.Sort(c.literals[1:])
	c.literals = slices.Compact(c.literals)
	st.log(c, because, nil)
	if st.observer != nil {
		rejection := st.rejection
		c.rejection = &rejection
	}
	if st.add(c); st.isTrue(l) {
		st.conflict = c
		return
	}
	st.assign(assignment{literal: l.not(), level: level, by: noLiteral, clause: c})
}

// failsAny reports whether one of the goals that an option commits to cannot hold.
func (st *State) failsAny(goals []*problem.Goal, from problem.NodeID, depth int, work *int) bool {
	for _, g := range goals {
		if st.fails(g, from, depth, work) {
			return st.rejectFor(g, g)
		}
	}
	return false
}

// touching lists the active prohibitions with an atom that a node matches.
func (st *State) touching(n problem.NodeID) []int32 {
	if len(st.bans) == 0 {
		return nil
	}
	list := st.touched[:0]
	if len(st.bans) > fewBans {
		st.bansByKey.Grow(len(st.bans), st.keysOfBan)
		list = append(list, st.bansByKey.Find(st.u.KeysOf(n))...)
	} else {
		for i := range st.bans {
			list = append(list, int32(i))
		}
	}
	st.touched = slices.DeleteFunc(list, func(i int32) bool {
		for a := range st.bans[i].goal.Atoms() {
			if st.u.Matches(a, n) {
				return false
			}
		}
		return true
	})
	return st.touched
}

// banned reports whether one of some prohibitions is violated.
func (st *State) banned(some []int32) bool {
	for _, i := range some {
		b := &st.bans[i]
		if st.violated(b.goal.Kids[0], b.from, &st.why) {
			if b.cause != noLiteral {
				st.why.literals = append(st.why.literals, b.cause.not())
			}
			return st.reject(argument.RejectedByProhibition, b.from, b.goal.Kids[0])
		}
	}
	return false
}

// fails reports whether a goal of a bundle cannot hold.
func (st *State) fails(g *problem.Goal, from problem.NodeID, depth int, work *int) bool {
	match := func(a *problem.Atom) bool { return !st.failsAtom(a, from, depth, work) }
	kept := func(ban *problem.Goal) bool { return !st.violated(ban.Kids[0], from, &st.why) }
	return !g.HoldsWithReasons(problem.Why{Reasons: &st.why, Fails: true}, match, kept)
}

// failsAtom reports whether no bundle that matches an atom can be added.
func (st *State) failsAtom(a *problem.Atom, from problem.NodeID, depth int, work *int) bool {
	p := st.p
	if depth == 0 || st.Match(a) != problem.NoNode {
		return false
	}
	own := problem.NoCatalog
	if from != problem.NoNode {
		own = p.Universe.Nodes[from].Cat
	}
	next := depth - 1
	if next == 0 {
		next = -1
	}
	l := p.Universe.CandidatesOf(a, own)
	before := st.why.Size()
	for i := 0; ; i++ {
		c, ok := p.Universe.At(l, i)
		if !ok {
			return !p.Budget.Stopped()
		}
		if *work--; *work < 0 || !st.impossible(c, next, work) {
			st.why.Drop(before)
			return false
		}
	}
}
