package search

import (
	"slices"

	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// One set that [Together] makes has no more prohibitions than this, for each is looked at
// before each choice. A bundle that does not fit into as many sets is left alone, and so is
// one that leads to as many dead ends in a set.
const (
	togetherBans     = 256
	togetherSets     = 8
	togetherDeadEnds = 8
)

// Together takes what the request forces, from a number on, as questions: can this one
// be in a valid set? It reports for which it found one. It takes the decisions for one of them after
// the other, on top of what was chosen for those before, and goes back where they do not
// go together.
//
// A set in which all decisions are satisfied is valid, and stays so for whoever asks for one of
// its members alone: what they require holds in it, and nothing in it clashes. So true is
// a proof. False says nothing.
func Together(p *problem.View, opts Settings, from int) []bool {
	opts.DeadEnds = togetherDeadEnds
	t := together{p: p, opts: opts, found: make([]bool, len(p.Force)), sets: make([]int, len(p.Force)), asked: len(p.Force) - from}
	var todo []int32
	for i := from; i < len(p.Force); i++ {
		todo = append(todo, int32(i))
	}
	for len(todo) > 0 && !p.Stopped() {
		todo = t.gather(todo)
	}
	return t.found[from:]
}

type together struct {
	p     *problem.View
	opts  Settings
	found []bool
	sets  []int // how many each was tried in
	asked int
}

// gather makes one set, and returns what is left for another one: at least one less.
func (t *together) gather(todo []int32) []int32 {
	st := newState(t.p, t.opts)
	st.Queue = st.Queue[:len(st.Queue)-t.asked] // they come one by one
	if st.explore(st.run(0), 0) != Complete {
		return nil
	}
	var left []int32
	alone := len(st.Trail)
	for k, i := range todo {
		before, queued := len(st.Trail), len(st.Queue)
		if before > alone && len(st.bans) > togetherBans {
			left = append(left, todo[k:]...)
			break
		}
		if t.found[i] = st.add(i); t.found[i] {
			continue
		}
		st.back(before, lexicon.RejectedByDeadEnd)
		st.Queue, st.head = st.Queue[:queued], queued
		if t.sets[i]++; before > alone && t.sets[i] < togetherSets {
			left = append(left, i)
		}
	}
	return left
}

// add takes the decisions for a forced bundle. All that was chosen before stays: so no
// nogood is learned that rests on other forced bundles being wanted.
func (st *State) add(forced int32) bool {
	if slices.ContainsFunc(st.p.ForcedNodes(forced), st.Has) {
		return true
	}
	before := len(st.Trail)
	st.Queue = append(st.Queue, Decision{Kind: DecideForced, Of: forced, From: problem.NoNode})
	if !st.decide(st.head, 0) {
		return false
	}
	st.head++
	st.deepest, st.deadEnds = depth{}, 0
	return st.explore(st.run(0), before) == Complete
}
