package trace

import (
	"context"
	"maps"
	"slices"

	"github.com/seed109e2655/resolute/resolver/argument"
)

// Recorder makes a [Trace] of what its hooks are called with during one resolution; see
// [NewRecorder].
type Recorder struct {
	opts Options
	t    Trace

	tail    []Event // the last events, where there are more than are kept
	dropped int

	last    *Solve      // the latest event, if it is one that further calls join
	open    *Decision   // the decision that is being looked at
	taken   []*Decision // by place in the queue, as they stand
	resumed *Decision   // the one that the search went back to
}

// Hooks returns the hooks that record. They take a Recorder for one resolution.
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
		r.t.Namespace, r.t.Subscriptions, r.t.Installed = e.Began.Namespace, e.Began.Subscriptions, e.Began.Installed
	case e.Ended != nil:
		r.ended(e.Ended)
	case e.Search != nil:
		r.taken = r.taken[:0]
		r.add(e)
	case e.Decide != nil:
		r.decide(*e.Decide)
	case e.Candidate != nil:
		r.candidate(*e.Candidate)
	case e.Decision != nil:
		r.open.Result, r.open.Choice, r.open.By = e.Decision.Result, e.Decision.Choice, e.Decision.By
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

// add keeps an event: the first ones as they come, and of the others the last
// ones.
func (r *Recorder) add(e Event) {
	r.last = nil
	most := r.opts.Events
	if most < 0 || len(r.t.Events) < (most+1)/2 {
		r.t.Events = append(r.t.Events, e)
		return
	}
	if r.tail = append(r.tail, e); len(r.tail) > most/2 {
		r.tail, r.dropped = r.tail[1:], r.dropped+1
	}
}

// Trace returns the record, once the resolution is over: also of a request that cannot be
// resolved there is one.
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
	r.open = &d
	for len(r.taken) <= d.Index {
		r.taken = append(r.taken, nil)
	}
	r.taken[d.Index] = r.open
	if before := r.resumed; before != nil {
		r.open.Candidates, r.open.Omitted = before.Candidates, before.Omitted
		r.resumed = nil
	}
	r.add(Event{Decision: r.open})
}

func (r *Recorder) candidate(c Candidate) {
	if c.Verdict != Chosen && r.opts.Candidates >= 0 && len(r.open.Candidates) >= r.opts.Candidates {
		omit(r.open, c.Verdict)
		return
	}
	r.open.Candidates = append(r.open.Candidates, c)
}

// resume prepares that the decision which the search goes back to is taken up
// again: it still has the candidates that it refused before, and the one that it
// chose is another of them now.
func (r *Recorder) resume(e *Back) {
	before := r.taken[e.Index]
	r.taken = r.taken[:e.Index]
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

// solve adds a call, to the event before where that is one of the same purpose
// and the purpose is one that takes many.
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

// took is a duration if durations are recorded.
func (r *Recorder) took(d Duration) Duration {
	if !r.opts.Durations {
		return 0
	}
	return d
}
