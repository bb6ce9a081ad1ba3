package sat

import (
	"context"
	"slices"

	"github.com/go-air/gini"
	"github.com/go-air/gini/inter"
	"github.com/go-air/gini/z"
)

// backend drives one gini solver and avoids its defects:
//
//   - After a conflict under assumptions, gini's next Solve first learns from
//     it. If the learned clause makes the formula unsatisfiable, gini loses
//     track and later panics in its own sanity check. Adding any clause makes
//     gini drop the pending conflict, so reset adds a tautology.
//   - Adding a clause also makes gini forget that the formula is
//     unsatisfiable. The Solver therefore never calls it again after that.
//   - Try keeps its deadline, which stops a later Solve early, and its learned
//     clauses depend on the speed of the machine. It is not used.
//   - Solve can be interrupted only through a handle from GoSolve, see
//     interrupt.
type backend struct {
	g    *gini.Gini
	ctl  inter.Solve // stops g's current Solve
	vars int         // gini has the variables 1 to vars
	lits []z.Lit     // scratch
	core []Lit       // scratch
}

// newBackend returns a backend with capacity for that many variables and
// clause literals. If exceeded, gini doubles its capacity, and every later
// model also decides the unused variables.
func newBackend(vars, lits int) *backend {
	g := gini.NewVc(vars, lits/3)
	// The handle exists only after a background solve, which needs no clauses.
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

// grow adds the variables up to n in one step.
func (b *backend) grow(n int) {
	if n > b.vars {
		b.vars = n
		b.reset()
	}
}

// reset returns gini to the state between solves by adding a tautology, which
// gini does not keep.
func (b *backend) reset() {
	if b.vars > 0 {
		l := toGini(Lit(b.vars))
		b.g.Add(l)
		b.g.Add(l.Not())
		b.g.Add(z.LitNull)
	}
}

// solve solves under assumptions and writes the model or the failed
// assumptions into s. It returns Unknown if ctx ends first.
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
		s.model = append(slices.Grow(s.model[:0], b.vars+1), false) // index 0 is unused
		for v := 1; v <= b.vars; v++ {
			s.model = append(s.model, b.g.Value(toGini(Lit(v))))
		}
	case -1:
		status = Unsatisfiable
		s.recordFailed(assumptions, b.failedAssumptions())
		b.reset()
	}
	release()
	return status
}

// interrupt stops gini's Solve, which runs on the caller's goroutine, when ctx
// ends. The returned function must be called after Solve; it releases all
// resources.
//
// A goroutine starts only when ctx ends: it stops gini and then waits for a
// result, which gini sends only for background solves. So release starts a
// trivial one by assuming a contradiction. That also releases a goroutine that
// started too late.
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
		b.reset()
	}
}

// failedAssumptions returns the failed assumptions of the latest unsatisfiable answer.
func (b *backend) failedAssumptions() []Lit {
	b.lits = b.g.Why(b.lits[:0])
	b.core = b.core[:0]
	for _, m := range b.lits {
		b.core = append(b.core, Lit(m.Dimacs()))
	}
	return b.core
}

func toGini(l Lit) z.Lit { return z.Dimacs2Lit(int(l)) }
