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

// Runner answers scenarios. The zero value is ready to use. A Runner is safe for concurrent use
// as long as its fields do not change.
type Runner struct {
	// Resolver resolves; nil means one with the default limits.
	Resolver *resolver.Resolver
	// Loader loads the catalogs; nil means a new one for each scenario. A shared one reads each
	// catalog once.
	Loader *Loader
	// NoCorrections disables corrections in conflicts, which need additional resolutions.
	NoCorrections bool
	// Corrections configures the search for corrections.
	Corrections whatif.FindOptions
	// Trace, if not nil, records the resolution of the base problem within its limits. It does
	// not include the search for corrections.
	Trace *trace.Options
}

// Run answers a scenario without its what-ifs. Errors are in the status and error of the answer.
func (r *Runner) Run(ctx context.Context, s *Scenario) *Answer {
	return r.run(ctx, s, !r.NoCorrections, false)
}

// RunWhatIf is Run with answers to the what-ifs, each as a separate problem.
func (r *Runner) RunWhatIf(ctx context.Context, s *Scenario) *Answer {
	return r.run(ctx, s, !r.NoCorrections, true)
}

// ErrNoExpectation reports a scenario without an expectation.
var ErrNoExpectation = errors.New("the scenario expects nothing")

// Test answers a scenario and compares the answer with the expectation. It returns both, and no
// differences if they agree. It computes what-ifs and corrections only if they are expected.
//
// If the scenario expects nothing, the answer is nil and the error is [ErrNoExpectation].
func (r *Runner) Test(ctx context.Context, s *Scenario) (*Answer, []Difference, error) {
	if len(s.Expect) == 0 {
		return nil, nil, ErrNoExpectation
	}
	a := r.run(ctx, s, expects(s.Expect, "corrections"), expects(s.Expect, "whatif"))
	diffs, err := Compare(s.Expect, a)
	return a, diffs, err
}

// expects reports whether an expectation has a key at any level. A false positive only makes the
// answer larger than compared.
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
	a := NewAnswer(base, s.locate(err))
	if base != nil && corrections { // if interrupted, keep the corrections found so far
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

// WriteDIMACS writes the hard rules of a scenario as a formula in the DIMACS format of SAT
// solvers; see [resolver.Resolver.WriteDIMACS]. The error reports an invalid scenario,
// interrupted work, or a failure of w.
func (r *Runner) WriteDIMACS(ctx context.Context, w io.Writer, s *Scenario) error {
	loaded, solver, err := r.prepare(ctx, s)
	if err != nil {
		return err
	}
	return s.locate(solver.WriteDIMACS(ctx, w, loaded.Request))
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

// correct adds corrections to a conflict. An interrupted search keeps the corrections found so
// far: the conflict is certain without them.
func (r *Runner) correct(ctx context.Context, solver *resolver.Resolver, req resolver.Request, err error) error {
	var conflict *resolver.Conflict
	if !errors.As(err, &conflict) {
		return err
	}
	_ = whatif.FindCorrections(ctx, solver, req, conflict, r.Corrections)
	return conflict
}

// locate adds the lines of the scenario file to the problems of an invalid request. It returns any
// other error unchanged.
func (s *Scenario) locate(err error) error {
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
