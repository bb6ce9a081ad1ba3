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
	"github.com/seed109e2655/resolute/resolver/whatif"
)

// Warm is what questions about a scenario cost in a process that has it loaded.
type Warm struct {
	Bundles int `json:"bundles"`
	// Set is the size of the result set, 0 if there is none, and Reached how many
	// bundles were looked at for it.
	Set     int `json:"set"`
	Reached int `json:"reached"`

	Load    Figure `json:"load"`    // once, from the files
	Resolve Figure `json:"resolve"` // all of it anew
	Explain Figure `json:"explain"` // the same without a package that it cannot do without; Count is of facts
	WhatIf  Figure `json:"whatIf"`  // a session's answer without one of the bundles
	Audit   Figure `json:"audit"`   // of a few packages, for each of their bundles; Count is of bundles

	LoadPeak uint64 `json:"loadPeak"` // resident memory in bytes, the most up to then
	Peak     uint64 `json:"peak"`     // and at the end of resolving
}

// Scenario measures a scenario in a file. each bounds the time of each question. A
// question that cannot be answered within it says so in its figure. The error is
// that of reading the scenario.
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
	bounded := func(ask func(context.Context) Figure) Figure {
		ctx, cancel := context.WithTimeout(ctx, each)
		defer cancel()
		return ask(ctx)
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

// resolve measures the request itself; the solution is nil if there is none.
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

// Blocked returns the request with all bundles of a package forbidden without which
// there is no solution: of those that come first in the order of a solution's work,
// and so are needed most, the first one.
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
	return req, fmt.Errorf("there is a solution without any of the first %d packages", tries)
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

// explain measures finding out that there is no solution, and why.
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

// whatIf measures a session's answers, each without another bundle of the solution.
func (q questions) whatIf(ctx context.Context, sol *resolver.Solution) Figure {
	s, err := q.r.Session(ctx, q.req)
	if err != nil {
		return Figure{Failed: err.Error()}
	}
	i := 0
	return repeat(ctx, func() error {
		step := sol.Steps[i*7919%len(sol.Steps)]
		i++
		_, err := s.Resolve(ctx, whatif.ForbidBundle(resolver.BundleRef{Name: step.Bundle}, "what if not"))
		var conflict *resolver.Conflict
		if errors.As(err, &conflict) {
			return nil
		}
		return err
	})
}

// auditPackages is how many packages an audit is sampled on: all of a large
// catalog would take hours.
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
