package trace

import (
	"context"
	"maps"
	"slices"

	"github.com/seed109e2655/resolute/resolver/argument"
)

// Recorder collects a [Trace] of one resolution; see [NewRecorder].
type Recorder struct {
	opts Options
	t    Trace

	tail    []Event // the last events of a bounded trace
	dropped int

	last    *Solve      // the last event, if further calls are merged into it
	current *Decision   // the current decision
	trail   []*Decision // current decisions, by index
	resumed *Decision   // the decision backtracked to
}

// Hooks returns the hooks that record one resolution.
func (r *Recorder) Hooks() Hooks {
	record := func(_ context.Context, e Event) { r.record(e) }
	return Hooks{Search: record, Solver: record, Resolution: func(_ context.Context, e Event) context.Context {
		r.record(e)
		return nil
	}}
}

func (r *Recorder) record(e Event) {
	switch {
	case e.Began != nil:
		r.t.Namespace, r.t.Subscriptions, r.t.Installed, r.t.Terms = e.Began.Namespace, e.Began.Subscriptions, e.Began.Installed, e.Began.Terms
	case e.Ended != nil:
		r.ended(e.Ended)
	case e.Search != nil:
		r.trail = r.trail[:0]
		r.add(e)
	case e.Decide != nil:
		r.decide(*e.Decide)
	case e.Candidate != nil:
		r.candidate(*e.Candidate)
	case e.Decision != nil:
		r.current.Result, r.current.Choice, r.current.By = e.Decision.Result, e.Decision.Choice, e.Decision.By
	case e.Back != nil:
		r.add(e)
		r.resume(e.Back)
	case e.Formula != nil:
		f := *e.Formula
		f.Took = r.took(f.Took)
		r.add(Event{Formula: &f})
	case e.Solve != nil:
		r.solve(*e.Solve)
	case e.Conflict != nil:
		c := *e.Conflict
		c.Took = r.took(c.Took)
		r.add(Event{Conflict: &c})
	default:
		r.add(e)
	}
}

// add appends an event, keeping the first and the last half of a bounded trace.
func (r *Recorder) add(e Event) {
	r.last = nil
	limit := r.opts.Events
	if limit < 0 || len(r.t.Events) < (limit+1)/2 {
		r.t.Events = append(r.t.Events, e)
		return
	}
	if r.tail = append(r.tail, e); len(r.tail) > limit/2 {
		r.tail, r.dropped = r.tail[1:], r.dropped+1
	}
}

// Trace returns the record. Call it after the resolution, whether it succeeded or not.
func (r *Recorder) Trace() *Trace {
	t := r.t
	t.Events = slices.Clip(t.Events)
	if r.dropped > 0 {
		t.Events = append(t.Events, Event{Dropped: r.dropped})
	}
	t.Events = append(t.Events, r.tail...)
	return &t
}

func (r *Recorder) ended(e *Ended) {
	r.t.Outcome, r.t.Took = e.Outcome, r.took(e.Took)
	r.t.Stats.Stats, r.t.Stats.CELCost = e.Stats, e.Stats.CELCost
	if e.Solution != nil {
		r.t.Set = e.Solution.Set()
	}
	if e.Err != nil {
		r.t.Error = e.Err.Error()
	}
}

func (r *Recorder) decide(d Decision) {
	r.current = &d
	for len(r.trail) <= d.Index {
		r.trail = append(r.trail, nil)
	}
	r.trail[d.Index] = r.current
	if before := r.resumed; before != nil {
		r.current.Candidates, r.current.Omitted = before.Candidates, before.Omitted
		r.resumed = nil
	}
	r.add(Event{Decision: r.current})
}

func (r *Recorder) candidate(c Candidate) {
	if c.Verdict != Chosen && r.opts.Candidates >= 0 && len(r.current.Candidates) >= r.opts.Candidates {
		omit(r.current, c.Verdict)
		return
	}
	r.current.Candidates = append(r.current.Candidates, c)
}

// resume restores the rejected candidates of the decision backtracked to, and adds its former
// choice to them.
func (r *Recorder) resume(e *Back) {
	before := r.trail[e.Index]
	r.trail = r.trail[:e.Index]
	again := &Decision{Omitted: maps.Clone(before.Omitted), Candidates: slices.Clone(before.Candidates)}
	last := len(again.Candidates) - 1
	if e.Retaken { // it is looked at again
		again.Candidates = again.Candidates[:last]
		r.resumed = again
		return
	}
	if again.Candidates[last].Verdict = e.Verdict; r.opts.Candidates >= 0 && last >= r.opts.Candidates {
		again.Candidates = again.Candidates[:last]
		omit(again, e.Verdict)
	}
	r.resumed = again
}

func omit(d *Decision, why argument.Rejection) {
	if d.Omitted == nil {
		d.Omitted = make(map[argument.Rejection]int)
	}
	d.Omitted[why]++
}

// solve records a solver call. Minimization calls in a row are merged.
func (r *Recorder) solve(e Solve) {
	e.Took = r.took(e.Took)
	s := r.last
	if s == nil || s.Purpose != e.Purpose {
		r.add(Event{Solve: &e})
		if e.Purpose == PurposeMinimize || e.Purpose == PurposeFewest {
			r.last = &e
		}
		return
	}
	s.Calls++
	s.Satisfiable += e.Satisfiable
	s.Unsatisfiable += e.Unsatisfiable
	s.Stopped += e.Stopped
	s.Assumptions = e.Assumptions
	s.Took += e.Took
}

// took returns d if durations are recorded.
func (r *Recorder) took(d Duration) Duration {
	if !r.opts.Durations {
		return 0
	}
	return d
}
