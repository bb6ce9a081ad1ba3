package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed109e2655/resolute/resolver"
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
}

// Run answers a scenario. It does not fail: what is wrong with the scenario or
// stopped the resolution is in the answer's status and error. What-ifs are not
// answered.
func (r *Runner) Run(ctx context.Context, s *Scenario) *Answer {
	loaded, err := r.load(ctx, s)
	if err != nil {
		return NewAnswer(nil, err)
	}
	return r.answer(ctx, s, loaded, !r.NoCorrections)
}

// ErrNoExpectation says that a scenario does not say what it expects.
var ErrNoExpectation = errors.New("the scenario expects nothing")

// Test answers a scenario and holds the answer against what the scenario
// expects; it returns both, and no differences if they agree. The what-ifs are
// resolved, each as a problem of its own, where their answers are expected, and
// so are corrections.
//
// The error is [ErrNoExpectation] if there is nothing to compare with, and the
// answer is then nil.
func (r *Runner) Test(ctx context.Context, s *Scenario) (*Answer, []Difference, error) {
	if len(s.Expect) == 0 {
		return nil, nil, ErrNoExpectation
	}
	loaded, err := r.load(ctx, s)
	var a *Answer
	if err != nil {
		a = NewAnswer(nil, err)
	} else {
		corrections := expects(s.Expect, "corrections")
		a = r.answer(ctx, s, loaded, corrections)
		if expects(s.Expect, "whatif") {
			a.WhatIf = r.whatIfs(ctx, s, loaded, corrections)
		}
	}
	diffs, err := Compare(s.Expect, a)
	return a, diffs, err
}

// expects says whether an expectation has some key anywhere. Where only a text
// looks like it, the answer holds more than is compared.
func expects(expect []byte, key string) bool {
	return bytes.Contains(expect, []byte(`"`+key+`"`))
}

func (r *Runner) load(ctx context.Context, s *Scenario) (*Loaded, error) {
	if r.Loader != nil {
		return r.Loader.Load(ctx, s)
	}
	return new(Loader).Load(ctx, s)
}

// answer resolves the base problem.
func (r *Runner) answer(ctx context.Context, s *Scenario, loaded *Loaded, corrections bool) *Answer {
	a := r.resolve(ctx, loaded.Request, corrections, s)
	a.Stats.LoadMs = milliseconds(loaded.Took)
	if a.Stats.Bundles == 0 {
		a.Stats.Bundles = loaded.Bundles()
	}
	return a
}

// whatIfs resolves the changed problems, in the order of the file.
func (r *Runner) whatIfs(ctx context.Context, s *Scenario, loaded *Loaded, corrections bool) []WhatIfAnswer {
	answers := make([]WhatIfAnswer, 0, len(s.WhatIf))
	for i := range s.WhatIf {
		w := &s.WhatIf[i]
		var a *Answer
		if req, err := w.Apply(loaded.Request); err != nil {
			a = NewAnswer(nil, err)
		} else {
			a = r.resolve(ctx, req, corrections, nil)
		}
		answers = append(answers, WhatIfAnswer{
			Name: w.Name, Status: a.Status, Error: a.Error,
			Set: a.Set, Steps: a.Steps, Conflict: a.Conflict,
		})
	}
	return answers
}

// resolve answers one request. Where the request is that of a scenario, problems
// of the request are given the lines of its file.
func (r *Runner) resolve(ctx context.Context, req resolver.Request, corrections bool, s *Scenario) *Answer {
	solver := r.Resolver
	if solver == nil {
		solver = resolver.New()
	}
	start := time.Now()
	sol, err := solver.Resolve(ctx, req)
	var malformed *resolver.RequestError
	if s != nil && errors.As(err, &malformed) {
		err = s.place(malformed)
	}
	if corrections {
		err = correct(ctx, solver, req, err)
	}
	a := NewAnswer(sol, err)
	a.Stats.ResolveMs = milliseconds(time.Since(start))
	return a
}

// place gives the problems of a request the lines of the scenario's file.
func (s *Scenario) place(e *resolver.RequestError) error {
	ps := &problems{origin: &s.origin}
	for _, p := range e.Problems {
		message := p.Message
		if p.Value != "" {
			message = fmt.Sprintf("%q: %s", p.Value, p.Message)
		}
		ps.add(p.Field, "%s", message)
	}
	return ps.err()
}

// isStopped says whether an error means that the time was over.
func isStopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
