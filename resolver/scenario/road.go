package scenario

import (
	"context"
	"errors"

	"github.com/seed109e2655/resolute/resolver"
)

// Road is the whole upgrade road of a scenario, in the shape in which it is
// written as JSON. Status, rounds and loop are always there, the others absent
// when empty.
type Road struct {
	// Status is resolved where the road ends, or loops; otherwise it says how the
	// last resolution ended.
	Status Status `json:"status"`
	// Error says what is wrong with an invalid scenario, or what stopped the road.
	Error string `json:"error,omitempty"`
	// Rounds are the answers that change something, in their order. Of a road that
	// ends in a conflict, that is the last one.
	Rounds []*Answer `json:"rounds"`
	// Loop says that the road comes back to where it has been.
	Loop bool `json:"loop"`
	// Set holds the names of what is installed at the end, sorted.
	Set []string `json:"set,omitempty"`
	// Warnings and Unresolved are those of the end of the road, where nothing
	// changes any more.
	Warnings   []resolver.Warning    `json:"warnings,omitempty"`
	Unresolved []resolver.Unresolved `json:"unresolved,omitempty"`

	// LoopStart is, of a loop, the index of the round that comes next, and so the
	// first one that is repeated.
	LoopStart int `json:"-"`
}

// Converge answers a scenario, carries the answer out, and goes on until nothing
// changes (section 9 of the semantics). It does not fail: what is wrong is in the
// road's status and error. each, if it is not nil, is called with each round.
func (r *Runner) Converge(ctx context.Context, s *Scenario, each func(round int)) *Road {
	loaded, solver, err := r.prepare(ctx, s)
	if err != nil {
		return NewRoad(nil, err)
	}
	road, err := solver.Converge(ctx, loaded.Request, resolver.ConvergeOptions{Round: func(n int, _ *resolver.Solution) {
		if each != nil {
			each(n)
		}
	}})
	if err != nil && !r.NoCorrections {
		err = correct(ctx, solver, road.Final, err)
	}
	return NewRoad(road, s.place(err))
}

// NewRoad puts what [resolver.Resolver.Converge] returned into the shape of a
// scenario's road. The road may be nil if there is an error.
func NewRoad(road *resolver.Road, err error) *Road {
	out := &Road{Status: Resolved, Rounds: []*Answer{}}
	if road != nil {
		out.Loop, out.LoopStart, out.Set = road.Loop, road.LoopStart, road.Set()
		for _, sol := range road.Rounds {
			out.Rounds = append(out.Rounds, NewAnswer(sol, nil))
		}
		if road.Last != nil {
			out.Warnings, out.Unresolved = road.Last.Warnings, road.Last.Unresolved
		}
	}
	if err == nil {
		return out
	}
	last := NewAnswer(nil, err)
	out.Status, out.Error = last.Status, last.Error
	var conflict *resolver.Conflict
	if errors.As(err, &conflict) {
		out.Rounds = append(out.Rounds, last)
	}
	return out
}
