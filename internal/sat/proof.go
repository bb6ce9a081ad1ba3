package sat

import (
	"context"
	"errors"
	"slices"
)

// Derived is a clause of a proof. It follows by unit propagation from the
// solver's clauses, the earlier derived clauses, and the negation of its
// literals.
type Derived struct {
	Literals []Lit
	// Uses are indexes of the clauses used by the propagation, in order: the
	// solver's clauses from 0, followed by the derived ones.
	Uses []int
}

// ErrProofTooLong is returned if a proof exceeds the limit of literals.
var ErrProofTooLong = errors.New("the proof is too long")

// maxProofLiterals limits the literals of a proof.
const maxProofLiterals = 1 << 26

// Prove proves that the clauses are unsatisfiable under some assumptions: the
// last derived clause is empty. Since gini writes no proofs, a small solver
// searches again. With about, it decides and learns only over these variables,
// which must determine all others. It requires clauses that were not solved
// yet. The error is [ErrSatisfiable], [ErrProofTooLong], or that of ctx. The
// same clauses give the same proof.
func (s *Solver) Prove(ctx context.Context, assumptions, about []Lit) ([]Derived, error) {
	p := newProver(s, assumptions, about)
	for clause := range s.Unsolved() {
		p.clauses = append(p.clauses, slices.Clone(clause))
	}
	p.given = len(p.clauses)
	return p.run(ctx)
}

// prover is a clause-learning solver that records the derivation of each
// clause.
type prover struct {
	clauses  [][]Lit // the given ones first; the first two literals of each are watched
	given    int
	derived  []Derived
	literals int

	watches [][]int32 // by literal: the watching clauses
	value   []int8    // by variable
	level   []int32
	reason  []int32 // the implying clause, -1 for a decision or an assumption
	trail   []Lit
	next    int
	starts  []int // of the decision levels

	decides  []bool // by variable; nil for all
	activity []float64
	bump     float64
	order    []int32 // a heap of variables by activity
	place    []int32 // by variable: its index in the heap, or -1
	phase    []bool
	seen     []bool
}

func newProver(s *Solver, assumptions, about []Lit) *prover {
	n := s.vars + 1
	p := &prover{watches: make([][]int32, 2*n), value: make([]int8, n), level: make([]int32, n), reason: make([]int32, n),
		activity: make([]float64, n), bump: 1, place: make([]int32, n), phase: make([]bool, n), seen: make([]bool, n)}
	if about != nil {
		p.decides = make([]bool, n)
		for _, l := range about {
			p.decides[l.Var()] = true
		}
	}
	for v := 1; v < n; v++ {
		p.place[v] = -1
		p.push(int32(v))
	}
	for _, l := range assumptions {
		p.assign(l, -1)
	}
	return p
}

func index(l Lit) int {
	if l < 0 {
		return -2*int(l) + 1
	}
	return 2 * int(l)
}

func (p *prover) holds(l Lit) int8 {
	if l < 0 {
		return -p.value[-l]
	}
	return p.value[l]
}

func (p *prover) assign(l Lit, reason int32) {
	v := l.Var()
	p.value[v], p.level[v], p.reason[v] = 1, int32(len(p.starts)), reason
	if l < 0 {
		p.value[v] = -1
	}
	p.trail = append(p.trail, l)
}

// run searches until a conflict at decision level 0.
func (p *prover) run(ctx context.Context) ([]Derived, error) {
	for i := range p.clauses {
		if p.begin(int32(i)) {
			return p.finish(int32(i)), nil
		}
	}
	for conflicts, restart := 0, 100; ; {
		if conflict := p.propagate(); conflict >= 0 {
			if len(p.starts) == 0 {
				return p.finish(conflict), nil
			}
			if conflicts++; conflicts%64 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if p.learn(conflict); p.literals > maxProofLiterals {
				return nil, ErrProofTooLong
			}
			continue
		}
		if conflicts >= restart && len(p.starts) > 0 {
			conflicts, restart = 0, restart+restart/10
			p.backjump(0)
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v := p.pick()
		if v == 0 {
			return nil, ErrSatisfiable
		}
		p.starts = append(p.starts, len(p.trail))
		l := Lit(v)
		if !p.phase[v] {
			l = -l
		}
		p.assign(l, -1)
	}
}

// begin watches a clause and reports whether it is already violated.
func (p *prover) begin(i int32) bool {
	c := p.clauses[i]
	open := func(l Lit) bool { return p.holds(l) >= 0 }
	for w := range min(2, len(c)) {
		if at := slices.IndexFunc(c[w:], open); at > 0 {
			c[w], c[w+at] = c[w+at], c[w]
		}
		if len(c) > 1 {
			p.watches[index(c[w])] = append(p.watches[index(c[w])], i)
		}
	}
	switch {
	case len(c) == 0 || !open(c[0]):
		return true
	case (len(c) == 1 || !open(c[1])) && p.holds(c[0]) == 0:
		p.assign(c[0], i)
	}
	return false
}

// propagate returns a violated clause, or -1.
func (p *prover) propagate() int32 {
	for p.next < len(p.trail) {
		falsified := p.trail[p.next].Not()
		p.next++
		list := p.watches[index(falsified)]
		kept := list[:0]
		for k, i := range list {
			c := p.clauses[i]
			if c[0] == falsified {
				c[0], c[1] = c[1], c[0]
			}
			if p.holds(c[0]) > 0 {
				kept = append(kept, i)
				continue
			}
			if at := slices.IndexFunc(c[2:], func(l Lit) bool { return p.holds(l) >= 0 }); at >= 0 {
				c[1], c[at+2] = c[at+2], c[1]
				p.watches[index(c[1])] = append(p.watches[index(c[1])], i)
				continue
			}
			kept = append(kept, i)
			if p.holds(c[0]) < 0 {
				p.watches[index(falsified)] = append(kept, list[k+1:]...)
				return i
			}
			p.assign(c[0], i)
		}
		p.watches[index(falsified)] = kept
	}
	return -1
}

// learn derives a clause from a conflict: the first unique implication point
// and the literals of lower levels that it depends on, over the decided
// variables.
func (p *prover) learn(conflict int32) {
	level, pending, at := int32(len(p.starts)), 0, len(p.trail)-1
	learned := []Lit{0}
	var marked []int
	var meet func(c int32, but Lit)
	meet = func(c int32, but Lit) {
		for _, l := range p.clauses[c] {
			v := l.Var()
			if l == but || p.seen[v] || p.level[v] == 0 {
				continue
			}
			p.seen[v] = true
			marked = append(marked, v)
			p.raise(v)
			switch {
			case p.level[v] == level:
				pending++
			case p.decides != nil && !p.decides[v]:
				meet(p.reason[v], l.Not())
			default:
				learned = append(learned, l)
			}
		}
	}
	meet(conflict, 0)
	for ; ; at-- {
		l := p.trail[at]
		v := l.Var()
		if !p.seen[v] {
			continue
		}
		if pending--; pending == 0 && (p.decides == nil || p.decides[v]) {
			learned[0] = l.Not()
			break
		}
		meet(p.reason[v], l)
	}
	for _, v := range marked {
		p.seen[v] = false
	}
	back := 0
	for i, l := range learned[1:] {
		if at := int(p.level[l.Var()]); at > back {
			back = at
			learned[1], learned[i+1] = learned[i+1], learned[1]
		}
	}
	uses := p.uses(conflict, learned)
	p.backjump(back)
	p.add(learned, uses)
	p.assign(learned[0], int32(len(p.clauses)-1))
	p.bump *= 1.05
}

// add stores a derived clause.
func (p *prover) add(clause []Lit, uses []int) {
	i := int32(len(p.clauses))
	p.derived = append(p.derived, Derived{slices.Clone(clause), uses})
	p.clauses = append(p.clauses, clause)
	p.literals += len(clause) + len(uses)
	if len(clause) > 1 {
		for _, l := range clause[:2] {
			p.watches[index(l)] = append(p.watches[index(l)], i)
		}
	}
}

// uses lists the clauses by which propagation violates a clause, given the
// negation of some literals.
func (p *prover) uses(conflict int32, given []Lit) []int {
	done := make(map[int]bool, len(given))
	for _, l := range given {
		done[l.Var()] = true
	}
	var uses []int
	var follow func(c int32, but Lit)
	follow = func(c int32, but Lit) {
		for _, l := range p.clauses[c] {
			if v := l.Var(); l != but && !done[v] {
				if done[v] = true; p.reason[v] >= 0 {
					follow(p.reason[v], l.Not())
				}
			}
		}
		uses = append(uses, int(c))
	}
	follow(conflict, 0)
	return uses
}

// finish derives the empty clause and drops unused clauses.
func (p *prover) finish(conflict int32) []Derived {
	p.derived = append(p.derived, Derived{nil, p.uses(conflict, nil)})
	number := make([]int, len(p.derived))
	number[len(number)-1] = 1
	for i, d := range slices.Backward(p.derived) {
		for _, u := range d.Uses {
			if number[i] > 0 && u >= p.given {
				number[u-p.given] = 1
			}
		}
	}
	out := p.derived[:0]
	for i, d := range p.derived {
		if number[i] == 0 {
			continue
		}
		number[i] = p.given + len(out)
		for k, u := range d.Uses {
			if u >= p.given {
				d.Uses[k] = number[u-p.given]
			}
		}
		out = append(out, d)
	}
	return out
}

// backjump undoes all decisions above a level.
func (p *prover) backjump(level int) {
	if level >= len(p.starts) {
		return
	}
	start := p.starts[level]
	for _, l := range p.trail[start:] {
		v := l.Var()
		p.value[v], p.phase[v] = 0, l > 0
		p.push(int32(v))
	}
	p.trail, p.starts, p.next = p.trail[:start], p.starts[:level], start
}

// raise increases the activity of a variable.
func (p *prover) raise(v int) {
	if p.activity[v] += p.bump; p.activity[v] > 1e100 {
		for i := range p.activity {
			p.activity[i] *= 1e-100
		}
		p.bump *= 1e-100
	}
	if p.place[v] >= 0 {
		p.up(p.place[v])
	}
}

// pick returns the most active undecided variable, or 0.
func (p *prover) pick() int {
	for len(p.order) > 0 {
		v := p.order[0]
		last := len(p.order) - 1
		p.order[0] = p.order[last]
		p.place[p.order[0]] = 0
		p.order, p.place[v] = p.order[:last], -1
		if last > 0 {
			p.down(0)
		}
		if p.value[v] == 0 {
			return int(v)
		}
	}
	return 0
}

// push adds a decision variable to the heap.
func (p *prover) push(v int32) {
	if p.place[v] >= 0 || p.decides != nil && !p.decides[v] {
		return
	}
	p.place[v] = int32(len(p.order))
	p.order = append(p.order, v)
	p.up(p.place[v])
}

// before orders variables by activity, then by number.
func (p *prover) before(a, b int32) bool {
	return p.activity[a] > p.activity[b] || p.activity[a] == p.activity[b] && a < b
}

func (p *prover) swap(i, k int32) {
	p.order[i], p.order[k] = p.order[k], p.order[i]
	p.place[p.order[i]], p.place[p.order[k]] = i, k
}

func (p *prover) up(i int32) {
	for i > 0 && p.before(p.order[i], p.order[(i-1)/2]) {
		p.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
}

func (p *prover) down(i int32) {
	for {
		least := i
		for k := 2*i + 1; k <= 2*i+2 && int(k) < len(p.order); k++ {
			if p.before(p.order[k], p.order[least]) {
				least = k
			}
		}
		if least == i {
			return
		}
		p.swap(i, least)
		i = least
	}
}
