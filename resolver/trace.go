package resolver

import (
	"context"
	"slices"
	"time"
)

// Trace is the record of one resolution: every decision in its order with the
// candidates it looked at, what the solver was asked, where the search ran into a
// dead end and how far it went back, and the answer.
//
// Without durations it is determined by the request: the same request gives the
// same trace, byte for byte, in any form. It marshals to JSON with the keys of
// its fields; names and texts in it are as they come from the request and the
// catalogs. [Trace.Text] is made inert.
type Trace struct {
	// Namespace, Subscriptions and Installed say what was resolved; the latter two
	// are counts.
	Namespace     string `json:"namespace"`
	Subscriptions int    `json:"subscriptions"`
	Installed     int    `json:"installed"`
	// Events are what happened, in order.
	Events []TraceEvent `json:"events,omitempty"`
	// Outcome, Set and Error are the answer: the result set, or the error in
	// short.
	Outcome Outcome  `json:"outcome"`
	Set     []string `json:"set,omitempty"`
	Error   string   `json:"error,omitempty"`
	// Stats count the work.
	Stats TraceStats `json:"stats"`
	// Took is the whole time, if it was asked for.
	Took TraceDuration `json:"tookMs,omitempty"`
}

// TraceStats are [Stats] under names that are stable in JSON.
type TraceStats struct {
	Bundles   int    `json:"bundles"`
	Reached   int    `json:"reached"`
	Variables int    `json:"variables"`
	Clauses   int    `json:"clauses"`
	Solves    int    `json:"solves"`
	CELCost   uint64 `json:"celCost,omitempty"`
}

// TraceEvent is one thing that happened. Exactly one of its fields is set.
type TraceEvent struct {
	// Search: the decisions begin from the start.
	Search *TraceSearch `json:"search,omitempty"`
	// Decision: a decision was taken up and came to a result.
	Decision *TraceDecision `json:"decision,omitempty"`
	// Formula: a formula was written down for the solver.
	Formula *TraceFormula `json:"formula,omitempty"`
	// Solve: the solver was called, several times in a row for the same purpose
	// where an explanation is looked for.
	Solve *TraceSolve `json:"solve,omitempty"`
	// Back: choices were undone.
	Back *TraceBack `json:"back,omitempty"`
	// LeftOut: policy [FailuresPartial] leaves a subscription out.
	LeftOut *TraceLeftOut `json:"leftOut,omitempty"`
	// Explain: there is no solution, and an explanation is looked for.
	Explain *TraceExplain `json:"explain,omitempty"`
	// Conflict: it was found.
	Conflict *TraceConflict `json:"conflict,omitempty"`
	// Dropped: so many events are left out here, see [TraceOptions].
	Dropped int `json:"dropped,omitempty"`
}

// TraceSearch is a beginning of the decisions; see [SearchBegan].
type TraceSearch struct {
	Look int `json:"look"`
}

// TraceDecision is a decision and how it ended; see [Decision] and [Decided].
type TraceDecision struct {
	Index   int          `json:"index"`
	Kind    DecisionKind `json:"kind"`
	Subject string       `json:"subject"`
	// Catalog is that of the bundle that declares the constraint.
	Catalog    string `json:"catalog,omitempty"`
	Constraint string `json:"constraint,omitempty"`
	Part       string `json:"part,omitempty"`
	// Result is empty if the resolution was stopped in the middle.
	Result DecisionResult `json:"result,omitempty"`
	// Choice is the bundle that was chosen. It is nil for a choice that needs
	// nothing to be installed.
	Choice *TraceBundle `json:"choice,omitempty"`
	// By are the bundles that satisfy the decision already.
	By []TraceBundle `json:"by,omitempty"`
	// Candidates are those that were looked at, in their order.
	Candidates []TraceCandidate `json:"candidates,omitempty"`
	// Omitted counts, by verdict, the candidates that are not listed.
	Omitted map[Rejection]int `json:"omitted,omitempty"`
}

// TraceBundle names a bundle.
type TraceBundle struct {
	Bundle    string `json:"bundle"`
	Catalog   string `json:"catalog,omitempty"`
	Installed bool   `json:"installed,omitempty"`
}

// TraceCandidate is a candidate with its verdict; see [Candidate].
type TraceCandidate struct {
	Index int `json:"index"`
	// TraceBundle is without a name for a choice that needs nothing.
	TraceBundle
	// Verdict is "chosen", or the reason why it was passed over.
	Verdict Rejection `json:"verdict"`
	// By is the bundle that stands in its way, Subject what the verdict is about.
	By      *TraceBundle `json:"by,omitempty"`
	Subject string       `json:"subject,omitempty"`
}

// TraceChosen is the verdict on the candidate that was chosen.
const TraceChosen Rejection = "chosen"

// TraceFormula is a formula; see [Encoded].
type TraceFormula struct {
	Purpose   SolvePurpose  `json:"purpose"`
	Bundles   int           `json:"bundles"`
	Variables int           `json:"variables"`
	Clauses   int           `json:"clauses"`
	Took      TraceDuration `json:"tookMs,omitempty"`
}

// TraceSolve are calls of the solver; see [SolveCall].
type TraceSolve struct {
	Purpose SolvePurpose `json:"purpose"`
	// Calls is how many there were, by result.
	Calls         int `json:"calls"`
	Satisfiable   int `json:"satisfiable,omitempty"`
	Unsatisfiable int `json:"unsatisfiable,omitempty"`
	Stopped       int `json:"stopped,omitempty"`
	// Assumptions are those of the last call.
	Assumptions int           `json:"assumptions"`
	Took        TraceDuration `json:"tookMs,omitempty"`
}

// TraceBack says what was undone; see [Back].
type TraceBack struct {
	// Index and Subject are those of the decision that the search goes back to.
	Index     int           `json:"index"`
	Subject   string        `json:"subject"`
	Refused   TraceBundle   `json:"refused"`
	Undone    int           `json:"undone"`
	Undecided []TraceBundle `json:"undecided,omitempty"`
}

// TraceLeftOut is a subscription that was left out, or an installed bundle that was
// found broken.
type TraceLeftOut struct {
	Subscription string `json:"subscription,omitempty"`
	Installed    string `json:"installed,omitempty"`
	Headline     string `json:"headline"`
}

// TraceExplain is the beginning of an explanation.
type TraceExplain struct{}

// TraceConflict is what an explanation came to; see [ExplainEnded].
type TraceConflict struct {
	// Considered is the number of facts among which the Facts were found.
	Considered int    `json:"considered"`
	Facts      int    `json:"facts"`
	Headline   string `json:"headline,omitempty"`
	// Error says what stopped the search.
	Error string        `json:"error,omitempty"`
	Took  TraceDuration `json:"tookMs,omitempty"`
}

// TraceDuration is a time that a trace was asked to record, else 0. In JSON it is
// a number of milliseconds.
type TraceDuration time.Duration

// The defaults of [TraceOptions].
const (
	DefaultTraceEvents     = 10_000
	DefaultTraceCandidates = 20
)

// TraceOptions bound a trace. The zero value is the default.
type TraceOptions struct {
	// Events is how many events are kept: the first half of them and the last
	// half, with one between that counts those dropped. Zero stands for
	// DefaultTraceEvents, a negative number for all.
	Events int
	// Candidates is how many refused candidates of one decision are listed, the
	// best ones; the others are counted by verdict. Zero stands for
	// DefaultTraceCandidates, a negative number for all.
	Candidates int
	// Durations records how long things took.
	Durations bool
}

// Trace resolves a request like [Resolver.Resolve], with the same Solution and
// the same error, and records how. There is always a Trace, also of a request that
// cannot be resolved. Hooks and metrics of the Resolver work as usual.
func (r *Resolver) Trace(ctx context.Context, req Request, opts TraceOptions) (*Trace, *Solution, error) {
	rec := newRecorder(opts)
	traced := &Resolver{config: *r.settings()}
	traced.config.hooks = append(slices.Clip(traced.config.hooks), rec.hooks())
	sol, err := traced.Resolve(ctx, req)
	return rec.trace(), sol, err
}
