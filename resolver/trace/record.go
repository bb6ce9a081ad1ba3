package trace

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// maxConstraint is how many bytes of a constraint are recorded: one may have 64 KiB,
// and be decided a thousand times.
const maxConstraint = 4000

// recorder makes a trace of what the hooks are told of one resolution. It is used by
// one goroutine.
type recorder struct {
	opts Options
	t    Trace

	// The last events, where there are more than are kept, as a ring.
	tail    []Event
	next    int
	dropped int

	last    *Solve      // the latest event, if it is one that further calls join
	open    *Decision   // the decision that is being looked at
	taken   []*Decision // by place in the queue, as they stand
	resumed *Decision   // the one that the search went back to
}

func newRecorder(opts Options) *recorder {
	if opts.Events == 0 {
		opts.Events = DefaultEvents
	}
	if opts.Candidates == 0 {
		opts.Candidates = DefaultCandidates
	}
	return &recorder{opts: opts}
}

// hooks are the functions that feed the recorder.
func (r *recorder) hooks() resolver.Hooks {
	return resolver.Hooks{
		ResolveBegan: func(_ context.Context, e resolver.ResolveBegan) context.Context { r.began(e); return nil },
		ResolveEnded: func(_ context.Context, e resolver.ResolveEnded) { r.ended(e) },
		SearchBegan:  func(_ context.Context, e resolver.SearchBegan) { r.search(e) },
		Decide:       func(_ context.Context, d resolver.Decision) { r.decide(d) },
		Candidate:    func(_ context.Context, _ resolver.Decision, c resolver.Candidate) { r.candidate(c) },
		Decided:      func(_ context.Context, _ resolver.Decision, e resolver.Decided) { r.decided(e) },
		Back:         func(_ context.Context, e resolver.Back) { r.back(e) },
		LeftOut:      func(_ context.Context, u resolver.Unresolved) { r.leftOut(u) },
		Encoded:      func(_ context.Context, e resolver.Encoded) { r.encoded(e) },
		Solve:        func(_ context.Context, e resolver.SolveCall) { r.solve(e) },
		ExplainBegan: func(context.Context) context.Context { r.add(Event{Explain: &Explain{}}); return nil },
		ExplainEnded: func(_ context.Context, e resolver.ExplainEnded) { r.explained(e) },
	}
}

// add keeps an event: the first ones as they come, and of the others the last
// ones.
func (r *recorder) add(e Event) {
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

// trace returns what was recorded.
func (r *recorder) trace() *Trace {
	if r.dropped > 0 {
		r.t.Events = append(r.t.Events, Event{Dropped: r.dropped})
	}
	r.t.Events = append(r.t.Events, r.tail[r.next:]...)
	r.t.Events = append(r.t.Events, r.tail[:r.next]...)
	return &r.t
}

func (r *recorder) began(e resolver.ResolveBegan) {
	r.t.Namespace = e.Request.Namespace
	r.t.Subscriptions, r.t.Installed = len(e.Request.Subscriptions), len(e.Request.Installed)
}

func (r *recorder) ended(e resolver.ResolveEnded) {
	r.t.Outcome, r.t.Stats, r.t.Took = e.Outcome, Stats{Stats: e.Stats, CELCost: e.Stats.CELCost}, r.took(e.Took)
	if e.Solution != nil {
		r.t.Set = e.Solution.Set()
	}
	if e.Err != nil {
		r.t.Error = e.Err.Error()
	}
}

func (r *recorder) search(e resolver.SearchBegan) {
	r.taken = r.taken[:0]
	r.add(Event{Search: &e})
}

func (r *recorder) decide(d resolver.Decision) {
	r.open = &Decision{Index: d.Index, Kind: d.Kind, Subject: d.Subject}
	for len(r.taken) <= d.Index {
		r.taken = append(r.taken, nil)
	}
	r.taken[d.Index] = r.open
	if before := r.resumed; before != nil {
		r.open.Candidates, r.open.Omitted = before.Candidates, before.Omitted
		r.resumed = nil
	}
	if d.Kind == resolver.DecisionConstraint {
		r.open.Catalog = bundleOf(d.Bundle, false).Catalog
		r.open.Constraint = text.Clip(d.Constraint.String(), maxConstraint)
	}
	if d.Part != nil {
		r.open.Part = d.Part()
	}
	r.add(Event{Decision: r.open})
}

func (r *recorder) candidate(c resolver.Candidate) {
	out := Candidate{Index: c.Index, Ref: bundleOf(c.Bundle, c.Installed), Verdict: c.Reason}
	if c.Chosen {
		out.Verdict = Chosen
	} else if r.opts.Candidates >= 0 && len(r.open.Candidates) >= r.opts.Candidates {
		r.open.omit(c.Reason)
		return
	}
	if c.By != (resolver.BundleRef{}) {
		by := bundleOf(c.By, false)
		out.By = &by
	}
	if c.Subject != nil {
		out.Subject = c.Subject()
	}
	r.open.Candidates = append(r.open.Candidates, out)
}

func (r *recorder) decided(e resolver.Decided) {
	r.open.Result = e.Result
	if e.Result == resolver.DecisionChosen && e.Choice.Bundle != (resolver.BundleRef{}) {
		choice := bundleOf(e.Choice.Bundle, e.Choice.Installed)
		r.open.Choice = &choice
	}
	for _, b := range e.By {
		r.open.By = append(r.open.By, bundleOf(b, false))
	}
}

func (r *recorder) back(e resolver.Back) {
	b := &Back{Index: e.Decision.Index, Subject: e.Decision.Subject,
		Refused: bundleOf(e.Refused.Bundle, e.Refused.Installed), Undone: e.Undone}
	for _, u := range e.Undecided {
		b.Undecided = append(b.Undecided, bundleOf(u, false))
	}
	r.add(Event{Back: b})
	r.resume(e)
}

// resume prepares that the decision which the search goes back to is taken up
// again: it still has the candidates that it refused before, and the one that it
// chose is another of them now.
func (r *recorder) resume(e resolver.Back) {
	before := r.taken[e.Decision.Index]
	r.taken = r.taken[:e.Decision.Index]
	again := &Decision{Omitted: maps.Clone(before.Omitted), Candidates: slices.Clone(before.Candidates)}
	last := len(again.Candidates) - 1
	if again.Candidates[last].Verdict = e.Refused.Reason; r.opts.Candidates >= 0 && last >= r.opts.Candidates {
		again.Candidates = again.Candidates[:last]
		again.omit(e.Refused.Reason)
	}
	r.resumed = again
}

// omit counts a candidate that is not listed.
func (d *Decision) omit(why argument.Rejection) {
	if d.Omitted == nil {
		d.Omitted = make(map[argument.Rejection]int)
	}
	d.Omitted[why]++
}

func (r *recorder) leftOut(u resolver.Unresolved) {
	r.add(Event{LeftOut: &LeftOut{Subscription: u.Subscription, Installed: u.Installed, Headline: u.Conflict.Headline()}})
}

func (r *recorder) encoded(e resolver.Encoded) {
	r.add(Event{Formula: &Formula{Purpose: e.Purpose, Bundles: e.Bundles,
		Variables: e.Variables, Clauses: e.Clauses, Took: r.took(e.Took)}})
}

// solve adds a call, to the event before where that is one of the same purpose
// and the purpose is one that takes many.
func (r *recorder) solve(e resolver.SolveCall) {
	s := r.last
	if s == nil || s.Purpose != e.Purpose {
		s = &Solve{Purpose: e.Purpose}
		r.add(Event{Solve: s})
		if e.Purpose == resolver.SolveMinimize || e.Purpose == resolver.SolveFewest {
			r.last = s
		}
	}
	s.Calls++
	s.Assumptions = e.Assumptions
	s.Took += r.took(e.Took)
	switch e.Result {
	case resolver.OutcomeResolved:
		s.Satisfiable++
	case resolver.OutcomeUnsatisfiable:
		s.Unsatisfiable++
	default:
		s.Stopped++
	}
}

func (r *recorder) explained(e resolver.ExplainEnded) {
	c := &Conflict{Considered: e.Facts, Took: r.took(e.Took)}
	if e.Conflict != nil {
		c.Facts, c.Headline = len(e.Conflict.Facts), e.Conflict.Headline()
	}
	if e.Err != nil {
		c.Error = e.Err.Error()
	}
	r.add(Event{Conflict: c})
}

// took is a duration if durations are recorded.
func (r *recorder) took(d time.Duration) Duration {
	if !r.opts.Durations {
		return 0
	}
	return Duration(d)
}

func bundleOf(b resolver.BundleRef, installed bool) Ref {
	out := Ref{Bundle: b.Name, Installed: installed}
	if !b.Catalog.IsZero() {
		out.Catalog = b.Catalog.String()
	}
	return out
}
