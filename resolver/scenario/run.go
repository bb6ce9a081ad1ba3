package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/trace"
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// Runner answers scenarios. Its zero value is ready to use; it is safe for
// concurrent use as long as nobody changes its fields.
type Runner struct {
	// Resolver resolves; nil stands for one with the default limits.
	Resolver *resolver.Resolver
	// Loader loads the catalogs; nil stands for one of its own for each
	// scenario. A shared one reads each catalog once.
	Loader *Loader
	// NoCorrections leaves corrections out of conflicts. They take further
	// resolutions to find.
	NoCorrections bool
	// Corrections say which corrections are looked for.
	Corrections whatif.FindOptions
	// Trace, if it is set, records how the base problem of each scenario is
	// resolved, within its bounds. The search for corrections is not part of it.
	Trace *trace.Options
}

// Run answers a scenario. It does not fail: what is wrong with the scenario or
// stopped the resolution is in the answer's status and error. What-ifs are not
// answered.
func (r *Runner) Run(ctx context.Context, s *Scenario) *Answer {
	return r.run(ctx, s, !r.NoCorrections, false)
}

// RunWhatIf is Run, with the scenario's what-ifs answered as well, each as a
// problem of its own.
func (r *Runner) RunWhatIf(ctx context.Context, s *Scenario) *Answer {
	return r.run(ctx, s, !r.NoCorrections, true)
}

// ErrNoExpectation says that a scenario does not say what it expects.
var ErrNoExpectation = errors.New("the scenario expects nothing")

// Test answers a scenario and holds the answer against what the scenario
// expects; it returns both, and no differences if they agree. What-ifs and
// corrections are looked for only where they are expected.
//
// The error is [ErrNoExpectation] if there is nothing to compare with, and the
// answer is then nil.
func (r *Runner) Test(ctx context.Context, s *Scenario) (*Answer, []Difference, error) {
	if len(s.Expect) == 0 {
		return nil, nil, ErrNoExpectation
	}
	a := r.run(ctx, s, expects(s.Expect, "corrections"), expects(s.Expect, "whatif"))
	diffs, err := Compare(s.Expect, a)
	return a, diffs, err
}

// expects says whether an expectation has some key anywhere. Where only a text
// looks like it, the answer holds more than is compared.
func expects(expect []byte, key string) bool {
	return bytes.Contains(expect, []byte(`"`+key+`"`))
}

func (r *Runner) run(ctx context.Context, s *Scenario, corrections, whatIfs bool) *Answer {
	loaded, solver, err := r.prepare(ctx, s)
	if err != nil {
		return NewAnswer(nil, err)
	}
	start := time.Now()
	first := solver
	var recorder *trace.Recorder
	if r.Trace != nil {
		recorder = trace.NewRecorder(*r.Trace)
		first = solver.With(resolver.WithHooks(recorder.Hooks()))
	}
	base, err := first.Resolve(ctx, loaded.Request)
	if err != nil && corrections {
		err = r.correct(ctx, solver, loaded.Request, err)
	}
	a := NewAnswer(base, s.place(err))
	if base != nil && corrections { // where that is stopped, what was found by then has to do
		a.Blocked, _ = whatif.FindBlocked(ctx, solver, loaded.Request, base)
	}
	if recorder != nil {
		a.Trace = recorder.Trace()
	}
	a.Stats.Bundles = loaded.Bundles()
	a.Stats.LoadMs = milliseconds(loaded.Took)
	a.Stats.ResolveMs = milliseconds(time.Since(start))
	for i := range s.WhatIf {
		if whatIfs {
			a.WhatIf = append(a.WhatIf, r.answerWhatIf(ctx, solver, loaded.Request, base, &s.WhatIf[i], corrections))
		}
	}
	return a
}

// WriteDIMACS writes the hard rules of a scenario as a formula in the DIMACS format
// of SAT solvers; see [resolver.Resolver.WriteDIMACS]. The error is what is wrong
// with the scenario, or what stopped the work, or that of w.
func (r *Runner) WriteDIMACS(ctx context.Context, w io.Writer, s *Scenario) error {
	loaded, solver, err := r.prepare(ctx, s)
	if err != nil {
		return err
	}
	return s.place(solver.WriteDIMACS(ctx, w, loaded.Request))
}

func (r *Runner) answerWhatIf(ctx context.Context, solver *resolver.Resolver, base resolver.Request, before *resolver.Solution, w *WhatIf, corrections bool) WhatIfAnswer {
	var sol *resolver.Solution
	req, err := w.Apply(base)
	if err == nil {
		if sol, err = solver.Resolve(ctx, req); err != nil && corrections {
			err = r.correct(ctx, solver, req, err)
		}
	}
	a := NewAnswer(sol, err)
	out := WhatIfAnswer{
		Name: w.Name, Status: a.Status, Error: a.Error, Set: a.Set, Steps: a.Steps,
		Warnings: a.Warnings, Unresolved: a.Unresolved, Conflict: a.Conflict,
	}
	if sol != nil {
		diff := whatif.Compare(before, sol)
		out.Diff = &diff
	}
	return out
}

func (r *Runner) prepare(ctx context.Context, s *Scenario) (*Loaded, *resolver.Resolver, error) {
	loader, solver := r.Loader, r.Resolver
	if loader == nil {
		loader = new(Loader)
	}
	if solver == nil {
		solver = resolver.New()
	}
	loaded, err := loader.Load(ctx, s)
	return loaded, solver, err
}

// correct adds the corrections to an error that is a conflict. A search for corrections
// that is stopped leaves what was found by then: that there is no solution is known all
// the same.
func (r *Runner) correct(ctx context.Context, solver *resolver.Resolver, req resolver.Request, err error) error {
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		return err
	}
	_ = whatif.FindCorrections(ctx, solver, req, conflict, r.Corrections)
	return conflict
}

// place gives the problems of a malformed request the lines of the scenario's
// file; any other error it returns as it is.
func (s *Scenario) place(err error) error {
	var malformed *resolver.RequestError
	if !errors.As(err, &malformed) {
		return err
	}
	ps := &problems{origin: &s.origin}
	for _, p := range malformed.Problems {
		message := p.Message
		if p.Value != "" {
			message = fmt.Sprintf("%q: %s", p.Value, p.Message)
		}
		ps.add(p.Field, "%s", message)
	}
	return ps.err()
}

func isStopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
