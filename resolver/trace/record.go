package trace

import (
	"context"
	"maps"
	"slices"

	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/event"
)

// recorder makes a trace of what the hooks are called with during one resolution. It is used by
// one goroutine.
type recorder struct {
	opts Options
	t    Trace

	// The last events, where there are more than are kept, as a ring.
	tail    []event.Event
	next    int
	dropped int

	last    *event.Solve      // the latest event, if it is one that further calls join
	open    *event.Decision   // the decision that is being looked at
	taken   []*event.Decision // by place in the queue, as they stand
	resumed *event.Decision   // the one that the search went back to
}

func (r *recorder) hooks() event.Hooks {
	type ctx = context.Context
	return event.Hooks{
		ResolveBegan: func(_ ctx, e event.Began) ctx {
			r.t.Namespace, r.t.Subscriptions, r.t.Installed = e.Namespace, e.Subscriptions, e.Installed
			return nil
		},
		ResolveEnded: func(_ ctx, e event.Ended) { r.ended(e) },
		SearchBegan: func(_ ctx, e event.Search) {
			r.taken = r.taken[:0]
			r.add(event.Event{Search: &e})
		},
		Decide:    func(_ ctx, d event.Decision) { r.decide(d) },
		Candidate: func(_ ctx, _ event.Decision, c event.Candidate) { r.candidate(c) },
		Decided:   func(_ ctx, d event.Decision) { r.open.Result, r.open.Choice, r.open.By = d.Result, d.Choice, d.By },
		Back: func(_ ctx, e event.Back) {
			r.add(event.Event{Back: &e})
			r.resume(e)
		},
		LeftOut: func(_ ctx, e event.LeftOut) { r.add(event.Event{LeftOut: &e}) },
		Formula: func(_ ctx, e event.Formula) {
			e.Took = r.took(e.Took)
			r.add(event.Event{Formula: &e})
		},
		Solve:        func(_ ctx, e event.Solve) { r.solve(e) },
		ExplainBegan: func(ctx) ctx { r.add(event.Event{Explain: &event.Explain{}}); return nil },
		ExplainEnded: func(_ ctx, e event.Conflict) {
			e.Took = r.took(e.Took)
			r.add(event.Event{Conflict: &e})
		},
	}
}

// add keeps an event: the first ones as they come, and of the others the last
// ones.
func (r *recorder) add(e event.Event) {
	r.last = nil
	most := r.opts.Events
	if most < 0 || len(r.t.Events) < (most+1)/2 {
		r.t.Events = append(r.t.Events, e)
		return
	}
	keep := most / 2
	if len(r.tail) < keep {
		r.tail = append(r.tail, e)
		return
	}
	r.dropped++
	if keep > 0 {
		r.tail[r.next] = e
		r.next = (r.next + 1) % keep
	}
}

func (r *recorder) trace() *Trace {
	if r.dropped > 0 {
		r.t.Events = append(r.t.Events, event.Event{Dropped: r.dropped})
	}
	r.t.Events = append(r.t.Events, r.tail[r.next:]...)
	r.t.Events = append(r.t.Events, r.tail[:r.next]...)
	return &r.t
}

func (r *recorder) ended(e event.Ended) {
	r.t.Outcome, r.t.Stats, r.t.Took = e.Outcome, Stats{Stats: e.Stats, CELCost: e.Stats.CELCost}, r.took(e.Took)
	if e.Solution != nil {
		r.t.Set = e.Solution.Set()
	}
	if e.Err != nil {
		r.t.Error = e.Err.Error()
	}
}

func (r *recorder) decide(d event.Decision) {
	r.open = &d
	for len(r.taken) <= d.Index {
		r.taken = append(r.taken, nil)
	}
	r.taken[d.Index] = r.open
	if before := r.resumed; before != nil {
		r.open.Candidates, r.open.Omitted = before.Candidates, before.Omitted
		r.resumed = nil
	}
	r.add(event.Event{Decision: r.open})
}

func (r *recorder) candidate(c event.Candidate) {
	if c.Verdict != event.Chosen && r.opts.Candidates >= 0 && len(r.open.Candidates) >= r.opts.Candidates {
		omit(r.open, c.Verdict)
		return
	}
	r.open.Candidates = append(r.open.Candidates, c)
}

// resume prepares that the decision which the search goes back to is taken up
// again: it still has the candidates that it refused before, and the one that it
// chose is another of them now.
func (r *recorder) resume(e event.Back) {
	before := r.taken[e.Index]
	r.taken = r.taken[:e.Index]
	again := &event.Decision{Omitted: maps.Clone(before.Omitted), Candidates: slices.Clone(before.Candidates)}
	last := len(again.Candidates) - 1
	if again.Candidates[last].Verdict = e.Verdict; r.opts.Candidates >= 0 && last >= r.opts.Candidates {
		again.Candidates = again.Candidates[:last]
		omit(again, e.Verdict)
	}
	r.resumed = again
}

func omit(d *event.Decision, why argument.Rejection) {
	if d.Omitted == nil {
		d.Omitted = make(map[argument.Rejection]int)
	}
	d.Omitted[why]++
}

// solve adds a call, to the event before where that is one of the same purpose
// and the purpose is one that takes many.
func (r *recorder) solve(e event.Solve) {
	e.Took = r.took(e.Took)
	s := r.last
	if s == nil || s.Purpose != e.Purpose {
		r.add(event.Event{Solve: &e})
		if e.Purpose == event.SolveMinimize || e.Purpose == event.SolveFewest {
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
func (r *recorder) took(d event.Duration) event.Duration {
	if !r.opts.Durations {
		return 0
	}
	return d
}
