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

// Path is the upgrade path of a scenario. It is also the JSON format. Status, rounds and loop are
// always present, the others absent when empty.
type Path struct {
	// Status is resolved if the path ends or loops; otherwise it is the status of the last
	// resolution.
	Status Status `json:"status"`
	// Error describes an invalid scenario, or the reason why the path is incomplete.
	Error string `json:"error,omitempty"`
	// Rounds are the answers with changes, in order. A conflict that ends the path is the last
	// one.
	Rounds []*Answer `json:"rounds"`
	// Loop reports that the path returns to an earlier state.
	Loop bool `json:"loop"`
	// Set holds the names of the bundles installed at the end, sorted.
	Set []string `json:"set,omitempty"`
	// Warnings and Unresolved are those of the final state.
	Warnings   []resolver.Warning    `json:"warnings,omitempty"`
	Unresolved []resolver.Unresolved `json:"unresolved,omitempty"`
	// Held are the final steps of subscriptions on hold.
	Held []resolver.Step `json:"held,omitempty"`
	// Blocked explains why operators do not reach their best candidate by the end.
	Blocked []whatif.Blocked `json:"blocked,omitempty"`

	// LoopStart is the index of the first round that a loop repeats.
	LoopStart int `json:"-"`
}

// Converge answers a scenario, applies the answer, and repeats until nothing changes (section 9
// of the semantics). Errors are in the status and error of the path. If each is not nil, it is
// called with each round.
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
	out := NewPath(path, s.locate(err))
	if path.Last != nil && !r.NoCorrections { // if interrupted, keep the corrections found so far
		out.Blocked, _ = whatif.FindBlocked(ctx, solver, path.Final, path.Last)
	}
	return out
}

// NewPath converts the result of [resolver.Resolver.Converge] to the path of a scenario. The path
// may be nil if there is an error.
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
	// Package is its escaped name.
	Package string
	// Bundles are the escaped names of the package's bundle before the first round and after each
	// round; empty if there is none. Bundles that are replaced together are joined by commas.
	Bundles []string
}

// Packages lists the packages of a path in the order in which they appear. A replaced bundle of
// another package is in the row of its replacement.
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

// Done returns the executed rounds: all except a conflict at the end.
func (r *Path) Done() []*Answer {
	if n := len(r.Rounds); n > 0 && r.Rounds[n-1].Conflict != nil {
		return r.Rounds[:n-1]
	}
	return r.Rounds
}

// End describes the end of a path in one line; empty if the path settles after some rounds.
func (r *Path) End() string {
	switch n := len(r.Rounds); {
	case r.Loop && r.LoopStart == 0:
		return fmt.Sprintf("the upgrades repeat forever: round %d returns to the initial state", n)
	case r.Loop:
		return fmt.Sprintf("the upgrades repeat forever: round %d returns to the state after round %d", n, r.LoopStart)
	case r.Status == Unsatisfiable && n > 0 && r.Rounds[n-1].Conflict != nil:
		return fmt.Sprintf("no solution in round %d: %s", n, r.Rounds[n-1].Conflict.Headline())
	case r.Status != Resolved:
		return "the end of the upgrade path is unknown"
	case n == 0:
		return "nothing changes"
	}
	return ""
}
