package sat

import (
	"context"
	"slices"

	"github.com/go-air/gini"
	"github.com/go-air/gini/inter"
	"github.com/go-air/gini/z"
)

// backend drives one gini solver and keeps clear of what gini does not do well:
//
//   - After a conflict under assumptions, gini's next Solve first learns from
//     it. When what it learns makes the clauses false outright, it loses track
//     and later stops the process on its own sanity check. Adding any clause
//     makes gini drop the pending conflict, so rest adds one that says nothing.
//   - Adding a clause also makes gini forget that the clauses were found to be
//     unsatisfiable. The Solver therefore never comes back after that answer.
//   - Try leaves its deadline behind and makes a later Solve stop early, and
//     what it learns until the deadline depends on the machine. It is not used.
//   - Solve can be stopped from outside only through a handle that GoSolve
//     gives out, see interrupt.
type backend struct {
	g    *gini.Gini
	ctl  inter.Solve // stops g's current Solve
	vars int         // gini knows the variables 1 to vars
	lits []z.Lit     // scratch
	core []Lit       // scratch
}

// newBackend returns a backend with room for that many variables, and literals
// in clauses. More make gini double its room, and in every later model it also
// decides the variables that it has room for but that are not used.
func newBackend(vars, lits int) *backend {
	g := gini.NewVc(vars, lits/3)
	// The handle exists only once something is solved in the background. With
	// no clause there is nothing to solve.
	ctl := g.GoSolve()
	ctl.Wait()
	return &backend{g: g, ctl: ctl}
}

// addAll adds clauses, each ended by 0.
func (b *backend) addAll(clauses []Lit) {
	if len(clauses) == 0 {
		return
	}
	most := 0
	for _, l := range clauses {
		most = max(most, l.Var())
	}
	b.grow(most)
	for _, l := range clauses {
		b.g.Add(toGini(l))
	}
}

// grow makes the variables up to n known, in one step rather than many.
func (b *backend) grow(n int) {
	if n > b.vars {
		b.vars = n
		b.rest()
	}
}

// rest returns gini to the state between solves. The clause it adds for that
// is always true, and gini does not keep it.
func (b *backend) rest() {
	if b.vars > 0 {
		l := toGini(Lit(b.vars))
		b.g.Add(l)
		b.g.Add(l.Not())
		b.g.Add(z.LitNull)
	}
}

// solve solves under assumptions and writes the model or the failed assumptions
// into s. It returns Unknown when ctx ended first.
func (b *backend) solve(ctx context.Context, assumptions []Lit, s *Solver) Status {
	most := b.vars
	b.lits = b.lits[:0]
	for _, l := range assumptions {
		most = max(most, l.Var())
		b.lits = append(b.lits, toGini(l))
	}
	b.grow(most)
	b.g.Assume(b.lits...)

	release := b.interrupt(ctx)
	var status Status
	switch b.g.Solve() {
	case 1:
		status = Satisfiable
		s.model = append(slices.Grow(s.model[:0], b.vars+1), false) // there is no variable 0
		for v := 1; v <= b.vars; v++ {
			s.model = append(s.model, b.g.Value(toGini(Lit(v))))
		}
	case -1:
		status = Unsatisfiable
		s.recordFailed(assumptions, b.why())
		b.rest()
	}
	release()
	return status
}

// interrupt arranges that gini's Solve, which runs on the caller's goroutine,
// stops when ctx ends. The function returned must be called when Solve is
// done; after it nothing of the arrangement is left.
//
// Only an end of ctx costs a goroutine: it asks gini to stop, and then waits
// for a result that gini returns only from solves in the background. So
// release makes one that is over at once, by assuming a contradiction. That
// also frees a goroutine that came too late to stop anything.
func (b *backend) interrupt(ctx context.Context) (release func()) {
	if ctx.Done() == nil || b.vars == 0 {
		return func() {}
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		b.ctl.Stop()
	})
	return func() {
		if stop() {
			return
		}
		l := toGini(1)
		b.g.Assume(l, l.Not())
		b.g.GoSolve()
		<-done
		b.rest()
	}
}

// why returns the assumptions that gini holds responsible for the latest
// unsatisfiable answer.
func (b *backend) why() []Lit {
	b.lits = b.g.Why(b.lits[:0])
	b.core = b.core[:0]
	for _, m := range b.lits {
		b.core = append(b.core, Lit(m.Dimacs()))
	}
	return b.core
}

func toGini(l Lit) z.Lit { return z.Dimacs2Lit(int(l)) }
