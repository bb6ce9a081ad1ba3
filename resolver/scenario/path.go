package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// Path is the whole upgrade path of a scenario, in the shape in which it is
// written as JSON. Status, rounds and loop are always there, the others absent
// when empty.
type Path struct {
	// Status is resolved where the path ends, or loops; otherwise it says how the
	// last resolution ended.
	Status Status `json:"status"`
	// Error says what is wrong with an invalid scenario, or what stopped the path.
	Error string `json:"error,omitempty"`
	// Rounds are the answers that change something, in their order. Of a path that
	// ends in a conflict, that is the last one.
	Rounds []*Answer `json:"rounds"`
	// Loop says that the path comes back to where it has been.
	Loop bool `json:"loop"`
	// Set holds the names of what is installed at the end, sorted.
	Set []string `json:"set,omitempty"`
	// Warnings and Unresolved are those of the end of the path, where nothing
	// changes any more.
	Warnings   []resolver.Warning    `json:"warnings,omitempty"`
	Unresolved []resolver.Unresolved `json:"unresolved,omitempty"`
	// Held are the steps of the end that keep what is on hold.
	Held []resolver.Step `json:"held,omitempty"`
	// Blocked says of operators that are not at their best candidate at the end, why.
	Blocked []whatif.Blocked `json:"blocked,omitempty"`

	// LoopStart is, of a loop, the index of the round that comes next, and so the
	// first one that is repeated.
	LoopStart int `json:"-"`
}

// Converge answers a scenario, carries the answer out, and goes on until nothing
// changes (section 9 of the semantics). It does not fail: what is wrong is in the
// path's status and error. each, if it is not nil, is called with each round.
func (r *Runner) Converge(ctx context.Context, s *Scenario, each func(round int)) *Path {
	loaded, solver, err := r.prepare(ctx, s)
	if err != nil {
		return NewPath(nil, err)
	}
	path, err := solver.Converge(ctx, loaded.Request, resolver.ConvergeOptions{Round: func(n int, _ *resolver.Solution) {
		if each != nil {
			each(n)
		}
	}})
	if err != nil && !r.NoCorrections {
		err = r.correct(ctx, solver, path.Final, err)
	}
	out := NewPath(path, s.place(err))
	if path.Last != nil && !r.NoCorrections { // where that is stopped, what was found by then has to do
		out.Blocked, _ = whatif.FindBlocked(ctx, solver, path.Final, path.Last)
	}
	return out
}

// NewPath puts what [resolver.Resolver.Converge] returned into the shape of a
// scenario's path. The path may be nil if there is an error.
func NewPath(path *resolver.Path, err error) *Path {
	out := &Path{Status: Resolved, Rounds: []*Answer{}}
	if path != nil {
		out.Loop, out.LoopStart, out.Set = path.Loop, path.LoopStart, path.Set()
		for _, sol := range path.Rounds {
			out.Rounds = append(out.Rounds, NewAnswer(sol, nil))
		}
		if path.Last != nil {
			out.Warnings, out.Unresolved = path.Last.Warnings, path.Last.Unresolved
			for _, s := range path.Last.Steps {
				if s.Hold != "" {
					out.Held = append(out.Held, s)
				}
			}
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

// PackagePath is a package on an upgrade path.
type PackagePath struct {
	// Package is its name, made inert.
	Package string
	// Bundles are the names of the bundle of the package before the first round and
	// after each, made inert, and empty where there is none. Several that are replaced
	// together are joined by commas.
	Bundles []string
}

// Packages lists the packages of a path in the order in which they appear. What a
// bundle of another package replaces is in that package's row.
func (r *Path) Packages() []PackagePath {
	var rows []PackagePath
	at := make(map[string]int)
	done := r.Done()
	for i, answer := range done {
		for _, s := range answer.Steps {
			k, known := at[s.Package]
			if !known {
				k = len(rows)
				at[s.Package] = k
				rows = append(rows, PackagePath{text.Inert(s.Package), make([]string, len(done)+1)})
			}
			bundles := rows[k].Bundles
			bundles[i+1] = text.Inert(s.Bundle)
			switch {
			case i > 0:
			case s.Action == resolver.Keep:
				bundles[0] = bundles[1]
			default:
				bundles[0] = text.Inert(strings.Join(s.Replaces, ", "))
			}
		}
	}
	return rows
}

// Done are the rounds that were carried out: all but a conflict at the end.
func (r *Path) Done() []*Answer {
	if n := len(r.Rounds); n > 0 && r.Rounds[n-1].Conflict != nil {
		return r.Rounds[:n-1]
	}
	return r.Rounds
}

// End says in a line how a path ends that does not settle after some rounds, and is
// empty for one that does.
func (r *Path) End() string {
	switch n := len(r.Rounds); {
	case r.Loop && r.LoopStart == 0:
		return fmt.Sprintf("the upgrades repeat forever: round %d leads back to the beginning", n)
	case r.Loop:
		return fmt.Sprintf("the upgrades repeat forever: round %d leads back to where round %d ended", n, r.LoopStart)
	case r.Status == Unsatisfiable && n > 0 && r.Rounds[n-1].Conflict != nil:
		return fmt.Sprintf("no solution in round %d: %s", n, r.Rounds[n-1].Conflict.Headline())
	case r.Status != Resolved:
		return "the end of the upgrade path is not known"
	case n == 0:
		return "nothing changes"
	}
	return ""
}
