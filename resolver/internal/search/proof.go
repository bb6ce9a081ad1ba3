package search

import (
	"sort"

	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// proof collects the choices that a refutation rests on, by their number in the
// trail. All methods do nothing on nil.
type proof struct {
	st    *State
	known []bool // by choice
	list  []int32
}

// choice adds a choice.
func (b *proof) choice(i int32) {
	if !b.known[i] {
		b.known[i] = true
		b.list = append(b.list, i)
	}
}

// node adds the choice of a node that is in the set, unless it is only supposed.
func (b *proof) node(n problem.NodeID) {
	if b == nil {
		return
	}
	if number := b.st.in[n]; number > 0 {
		b.choice(number - 1)
	}
}

// ban adds the choice that brought a prohibition into force.
func (b *proof) ban(i int) {
	if b == nil {
		return
	}
	b.choice(lastChoice(b.st.Trail, func(c *Choice) bool { return c.bans <= i }))
}

// decision adds the choice that queued a decision, unless it is one of the first.
func (b *proof) decision(at int) {
	if i := lastChoice(b.st.Trail, func(c *Choice) bool { return c.queue <= at }); i >= 0 {
		b.choice(i)
	}
}

// lastChoice returns the last choice before which something was so, given that it
// was so before all earlier ones; -1 if there is none.
func lastChoice(trail []Choice, before func(*Choice) bool) int32 {
	return int32(sort.Search(len(trail), func(i int) bool { return !before(&trail[i]) }) - 1)
}

// Size returns how many choices there are.
func (b *proof) Size() int {
	if b == nil {
		return 0
	}
	return len(b.list)
}

// Drop takes back all but the first n choices.
func (b *proof) Drop(n int) {
	if b == nil {
		return
	}
	for _, i := range b.list[n:] {
		b.known[i] = false
	}
	b.list = b.list[:n]
}

// start empties the collection and puts it to use.
func (b *proof) start(st *State) {
	b.Drop(0)
	b.st = st
	if short := len(st.Trail) - len(b.known); short > 0 {
		b.known = append(b.known, make([]bool, short)...)
	}
	st.proof = b
}
