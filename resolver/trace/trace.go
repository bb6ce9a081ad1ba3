package trace

import (
	"context"
	"time"

	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
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
	Events []Event `json:"events,omitempty"`
	// Outcome, Set and Error are the answer: the result set, or the error in
	// short.
	Outcome resolver.Outcome `json:"outcome"`
	Set     []string         `json:"set,omitempty"`
	Error   string           `json:"error,omitempty"`
	// Stats count the work.
	Stats Stats `json:"stats"`
	// Took is the whole time, if it was asked for.
	Took Duration `json:"tookMs,omitempty"`
}

// Stats are [resolver.Stats], with the cost of rules.
type Stats struct {
	resolver.Stats
	CELCost uint64 `json:"celCost,omitempty"`
}

// Event is one thing that happened. Exactly one of its fields is set.
type Event struct {
	// Search: the decisions begin from the start.
	Search *resolver.SearchBegan `json:"search,omitempty"`
	// Decision: a decision was taken up and came to a result.
	Decision *Decision `json:"decision,omitempty"`
	// Formula: a formula was written down for the solver.
	Formula *Formula `json:"formula,omitempty"`
	// Solve: the solver was called, several times in a row for the same purpose
	// where an explanation is looked for.
	Solve *Solve `json:"solve,omitempty"`
	// Back: choices were undone.
	Back *Back `json:"back,omitempty"`
	// LeftOut: policy [resolver.FailuresPartial] leaves a subscription out.
	LeftOut *LeftOut `json:"leftOut,omitempty"`
	// Explain: there is no solution, and an explanation is looked for.
	Explain *Explain `json:"explain,omitempty"`
	// Conflict: it was found.
	Conflict *Conflict `json:"conflict,omitempty"`
	// Dropped: so many events are left out here, see [Options].
	Dropped int `json:"dropped,omitempty"`
}

// Decision is a decision and how it ended; see [resolver.Decision] and [resolver.Decided].
type Decision struct {
	Index   int                   `json:"index"`
	Kind    resolver.DecisionKind `json:"kind"`
	Subject string                `json:"subject"`
	// Catalog is that of the bundle that declares the constraint.
	Catalog    string `json:"catalog,omitempty"`
	Constraint string `json:"constraint,omitempty"`
	Part       string `json:"part,omitempty"`
	// Result is empty if the resolution was stopped in the middle.
	Result resolver.DecisionResult `json:"result,omitempty"`
	// Choice is the bundle that was chosen. It is nil for a choice that needs
	// nothing to be installed.
	Choice *Ref `json:"choice,omitempty"`
	// By are the bundles that satisfy the decision already.
	By []Ref `json:"by,omitempty"`
	// Candidates are those that were looked at, in their order.
	Candidates []Candidate `json:"candidates,omitempty"`
	// Omitted counts, by verdict, the candidates that are not listed.
	Omitted map[argument.Rejection]int `json:"omitted,omitempty"`
}

// Ref names a bundle.
type Ref struct {
	Bundle    string `json:"bundle"`
	Catalog   string `json:"catalog,omitempty"`
	Installed bool   `json:"installed,omitempty"`
}

// Candidate is a candidate with its verdict; see [resolver.Candidate].
type Candidate struct {
	Index int `json:"index"`
	// Ref is without a name for a choice that needs nothing.
	Ref
	// Verdict is "chosen", or the reason why it was passed over.
	Verdict argument.Rejection `json:"verdict"`
	// By is the bundle that stands in its way, Subject what the verdict is about.
	By      *Ref   `json:"by,omitempty"`
	Subject string `json:"subject,omitempty"`
}

// Chosen is the verdict on the candidate that was chosen.
const Chosen argument.Rejection = "chosen"

// Formula is a formula; see [resolver.Encoded].
type Formula struct {
	Purpose   resolver.SolvePurpose `json:"purpose"`
	Bundles   int                   `json:"bundles"`
	Variables int                   `json:"variables"`
	Clauses   int                   `json:"clauses"`
	Took      Duration              `json:"tookMs,omitempty"`
}

// Solve are calls of the solver; see [resolver.SolveCall].
type Solve struct {
	Purpose resolver.SolvePurpose `json:"purpose"`
	// Calls is how many there were, by result.
	Calls         int `json:"calls"`
	Satisfiable   int `json:"satisfiable,omitempty"`
	Unsatisfiable int `json:"unsatisfiable,omitempty"`
	Stopped       int `json:"stopped,omitempty"`
	// Assumptions are those of the last call.
	Assumptions int      `json:"assumptions"`
	Took        Duration `json:"tookMs,omitempty"`
}

// Back says what was undone; see [resolver.Back].
type Back struct {
	// Index and Subject are those of the decision that the search goes back to.
	Index     int    `json:"index"`
	Subject   string `json:"subject"`
	Refused   Ref    `json:"refused"`
	Undone    int    `json:"undone"`
	Undecided []Ref  `json:"undecided,omitempty"`
}

// LeftOut is a subscription that was left out, or an installed bundle that was
// found broken.
type LeftOut struct {
	Subscription string `json:"subscription,omitempty"`
	Installed    string `json:"installed,omitempty"`
	Headline     string `json:"headline"`
}

// Explain is the beginning of an explanation.
type Explain struct{}

// Conflict is what an explanation came to; see [resolver.ExplainEnded].
type Conflict struct {
	// Considered is the number of facts among which the Facts were found.
	Considered int    `json:"considered"`
	Facts      int    `json:"facts"`
	Headline   string `json:"headline,omitempty"`
	// Error says what stopped the search.
	Error string   `json:"error,omitempty"`
	Took  Duration `json:"tookMs,omitempty"`
}

// Duration is a time that a trace was asked to record, else 0. In JSON it is
// a number of milliseconds.
type Duration time.Duration

// The defaults of [Options].
const (
	DefaultEvents     = 10_000
	DefaultCandidates = 20
)

// Options bound a trace. The zero value is the default.
type Options struct {
	// Events is how many events are kept: the first half of them and the last
	// half, with one between that counts those dropped. Zero stands for
	// DefaultEvents, a negative number for all.
	Events int
	// Candidates is how many refused candidates of one decision are listed, the
	// best ones; the others are counted by verdict. Zero stands for
	// DefaultCandidates, a negative number for all.
	Candidates int
	// Durations records how long things took.
	Durations bool
}

// Resolve resolves a request like [resolver.Resolver.Resolve], with the same Solution
// and the same error, and records how. There is always a Trace, also of a request that
// cannot be resolved. Hooks and metrics of the Resolver work as usual.
func Resolve(ctx context.Context, r *resolver.Resolver, req resolver.Request, opts Options) (*Trace, *resolver.Solution, error) {
	rec := newRecorder(opts)
	sol, err := r.With(resolver.WithHooks(rec.hooks())).Resolve(ctx, req)
	return rec.trace(), sol, err
}
