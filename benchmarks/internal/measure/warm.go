package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/audit"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// Warm is the cost of questions about a loaded scenario.
type Warm struct {
	Bundles int `json:"bundles"`
	// Set is the size of the result set, 0 if there is none. Reached is the
	// number of bundles considered.
	Set     int `json:"set"`
	Reached int `json:"reached"`

	Load    Figure `json:"load"`    // once, from files
	Resolve Figure `json:"resolve"` // from scratch
	Explain Figure `json:"explain"` // without a necessary package; Count is the number of facts
	WhatIf  Figure `json:"whatIf"`  // a session's answer without one bundle
	Audit   Figure `json:"audit"`   // of a few packages, per bundle; Count is the number of bundles

	LoadPeak uint64 `json:"loadPeak"` // peak resident memory in bytes after loading
	Peak     uint64 `json:"peak"`     // and after resolving
}

// Scenario measures a scenario file. each limits the time of each question; a
// question that exceeds it sets Failed in its figure. The error is that of
// reading the scenario.
func Scenario(ctx context.Context, file string, each time.Duration) (*Warm, error) {
	s, err := scenario.ReadFile(ctx, file)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	loaded, err := s.Load(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range loaded.Request.Catalogs {
		if c.Unavailable != nil {
			return nil, c.Unavailable
		}
	}
	m := &Warm{Bundles: loaded.Bundles(), LoadPeak: PeakMemory()}
	m.Load = Figure{Seconds: time.Since(start).Seconds(), Runs: 1}
	q := questions{resolver.New(), loaded.Request}
	bounded := func(question func(context.Context) Figure) Figure {
		ctx, cancel := context.WithTimeout(ctx, each)
		defer cancel()
		return question(ctx)
	}
	var sol *resolver.Solution
	m.Resolve = bounded(func(ctx context.Context) (f Figure) { f, sol = q.resolve(ctx); return f })
	m.Peak = PeakMemory()
	if sol == nil {
		return m, nil
	}
	m.Set, m.Reached = len(sol.Steps), sol.Stats.Reached
	m.Explain = bounded(func(ctx context.Context) Figure { return q.explain(ctx, sol) })
	m.WhatIf = bounded(func(ctx context.Context) Figure { return q.whatIf(ctx, sol) })
	m.Audit = bounded(func(ctx context.Context) Figure { return q.audit(ctx) })
	return m, nil
}

type questions struct {
	r   *resolver.Resolver
	req resolver.Request
}

// resolve measures the request; the solution is nil if there is none.
func (q questions) resolve(ctx context.Context) (Figure, *resolver.Solution) {
	var sol *resolver.Solution
	solves := 0
	f := repeat(ctx, func() error {
		var err error
		sol, err = q.r.Resolve(ctx, q.req)
		var conflict *resolver.Conflict
		switch {
		case err == nil:
			solves = sol.Stats.Solves
		case errors.As(err, &conflict):
			solves = conflict.Stats.Solves
			return nil
		}
		return err
	})
	f.Solves = solves
	return f, sol
}

// Blocked returns the request with all bundles of a necessary package
// forbidden: the first necessary one in the order of the solution.
func Blocked(ctx context.Context, r *resolver.Resolver, req resolver.Request, sol *resolver.Solution) (resolver.Request, error) {
	const tries = 50
	for i := range min(tries, len(sol.Steps)) {
		blocked := without(req, sol.Steps[i].Package)
		_, err := r.Resolve(ctx, blocked)
		var conflict *resolver.Conflict
		switch {
		case errors.As(err, &conflict):
			return blocked, nil
		case err != nil:
			return req, err
		}
	}
	return req, fmt.Errorf("none of the first %d packages is necessary", tries)
}

// without returns the request with all bundles of a package forbidden.
func without(req resolver.Request, pkg string) resolver.Request {
	req.Forbid = slices.Clip(req.Forbid)
	for _, c := range req.Catalogs {
		for _, id := range c.Content.InPackage(pkg) {
			req.Forbid = append(req.Forbid, resolver.Forbidden{
				Bundle: resolver.BundleRef{Catalog: c.Key, Name: c.Content.Bundle(id).Name}, Message: "measured without it"})
		}
	}
	return req
}

// explain measures detecting and explaining a conflict.
func (q questions) explain(ctx context.Context, sol *resolver.Solution) Figure {
	req, err := Blocked(ctx, q.r, q.req, sol)
	if err != nil {
		return Figure{Failed: err.Error()}
	}
	facts, solves := 0, 0
	f := repeat(ctx, func() error {
		_, err := q.r.Resolve(ctx, req)
		var conflict *resolver.Conflict
		if !errors.As(err, &conflict) {
			if err == nil {
				return errors.New("there is a solution without it")
			}
			return err
		}
		facts, solves = len(conflict.Facts), conflict.Stats.Solves
		return nil
	})
	f.Count, f.Solves = facts, solves
	return f
}

// whatIf measures a session's answers, each without a different bundle of the
// solution.
func (q questions) whatIf(ctx context.Context, sol *resolver.Solution) Figure {
	s, err := q.r.Session(ctx, q.req)
	if err != nil {
		return Figure{Failed: err.Error()}
	}
	i := 0
	return repeat(ctx, func() error {
		step := sol.Steps[i*7919%len(sol.Steps)]
		i++
		_, err := s.Resolve(ctx, resolver.ForbidBundle{Bundle: resolver.BundleRef{Name: step.Bundle}, Message: "what if not"})
		var conflict *resolver.Conflict
		if errors.As(err, &conflict) {
			return nil
		}
		return err
	})
}

// auditPackages is the number of packages in the audit sample; a large catalog
// would take hours.
const auditPackages = 5

// audit measures the audit of packages spread over the first catalog.
func (q questions) audit(ctx context.Context) Figure {
	var names []string
	for p := range q.req.Catalogs[0].Content.Packages() {
		names = append(names, p.Name)
	}
	opts := audit.Options{Namespace: q.req.Namespace, Policy: q.req.Policy, Workers: 1}
	for i := range min(auditPackages, len(names)) {
		opts.Packages = append(opts.Packages, names[i*len(names)/auditPackages])
	}
	start := time.Now()
	sum, err := audit.Run(ctx, q.r, q.req.Catalogs, opts)
	if err != nil {
		return Figure{Failed: err.Error()}
	}
	if sum.Bundles == 0 {
		return Figure{Failed: fmt.Sprint("no bundles in ", opts.Packages)}
	}
	return Figure{Seconds: time.Since(start).Seconds() / float64(sum.Bundles), Runs: 1, Count: sum.Bundles}
}
