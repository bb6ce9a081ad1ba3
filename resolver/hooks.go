package resolver

import (
	"context"
	"slices"
	"time"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/resolver/argument"
)

// Hooks are functions that hear what a resolution does, as it does it. Any of
// them may be nil; set them with [WithHooks]. They are for tracing, measuring
// and debugging: what they are told never changes the answer.
//
// Every function is called in the goroutine of the resolution that it is about,
// in the order of the work, and the resolution goes on when it returns. A
// Resolver that is used by several goroutines calls its hooks from all of them,
// as does an audit from its workers, so they have to be safe for concurrent use
// if the Resolver is. A context tells resolutions apart: the one that
// ResolveBegan returned comes with every later call about that resolution. They
// must not call back into a [Session] that is at work. What is passed to them is
// only for reading.
//
// A Resolver without hooks pays one comparison for each of the places where
// one could be called.
type Hooks struct {
	// ResolveBegan is called before anything is done about a request. It may
	// return a context made from the given one, with which the resolution and all
	// later hooks go on (to carry a span, for example), or nil to keep that.
	ResolveBegan func(context.Context, ResolveBegan) context.Context
	// ResolveEnded is called with the answer, once for each ResolveBegan.
	ResolveEnded func(context.Context, ResolveEnded)

	// SearchBegan is called when the decisions of section 6 of the semantics are
	// begun from the start, with nothing chosen.
	SearchBegan func(context.Context, SearchBegan)
	// Decide is called when a decision is taken up.
	Decide func(context.Context, Decision)
	// Candidate is called for each candidate that a decision looks at, with the
	// verdict.
	Candidate func(context.Context, Decision, Candidate)
	// Decided is called when a decision is over: something was chosen, or it is
	// satisfied already, or nothing is left to choose.
	Decided func(context.Context, Decision, Decided)
	// Back is called when choices are undone, after a dead end.
	Back func(context.Context, Back)
	// LeftOut is called for each subscription that policy [FailuresPartial] leaves out,
	// after the explanation of its conflict.
	LeftOut func(context.Context, Unresolved)

	// Encoded is called when a formula was written down for the solver.
	Encoded func(context.Context, Encoded)
	// Solve is called after each solver call. There are as many calls as Stats
	// count.
	Solve func(context.Context, SolveCall)

	// ExplainBegan is called when there is no solution, before facts that explain
	// it are looked for. It may return a context like ResolveBegan.
	ExplainBegan func(context.Context) context.Context
	// ExplainEnded is called when they are found, or the search was stopped.
	ExplainEnded func(context.Context, ExplainEnded)
}

// WithHooks makes a resolver call hooks. Given several times, all are called, in
// the order in which they were given.
func WithHooks(h Hooks) Option {
	return func(c *config) { c.hooks = append(slices.Clip(c.hooks), &h) }
}

// Operation says what asked for a resolution. There are few, so that it can
// label a metric.
type Operation string

// The operations.
const (
	// OpResolve is [Resolver.Resolve].
	OpResolve Operation = "resolve"
	// OpWhatIf is [Session.Resolve].
	OpWhatIf Operation = "whatif"
	// OpExplain is [Session.WhyNot].
	OpExplain Operation = "explain"
	// OpCorrect is an attempt of package corrections.
	OpCorrect Operation = "correct"
	// OpConverge is a round of [Resolver.Converge].
	OpConverge Operation = "converge"
	// OpAudit is a question of package audit.
	OpAudit Operation = "audit"
)

// ResolveBegan is the beginning of a resolution.
type ResolveBegan struct {
	Operation Operation
	// Request is what is to be resolved.
	Request *Request
}

// Outcome says how a resolution ended. There are few, so that it can label a
// metric.
type Outcome string

// The outcomes.
const (
	// OutcomeResolved: there is a Solution.
	OutcomeResolved Outcome = "resolved"
	// OutcomeUnsatisfiable: there is none; the error is a [*Conflict].
	OutcomeUnsatisfiable Outcome = "unsatisfiable"
	// OutcomeInvalid: the error is a [*RequestError].
	OutcomeInvalid Outcome = "invalid"
	// OutcomeIncomplete: the error is an [*IncompleteError].
	OutcomeIncomplete Outcome = "incomplete"
	// OutcomeFailed: any other error, which is a defect of the resolver.
	OutcomeFailed Outcome = "failed"
)

// ResolveEnded is the end of a resolution.
type ResolveEnded struct {
	Operation Operation
	// Request is what was resolved.
	Request *Request
	Outcome Outcome
	// Solution and Err are what the caller gets; one of them is nil. For
	// [Session.WhyNot], which needs the decisions only, there is no Solution.
	Solution *Solution
	Err      error
	// Stats count the work, of a conflict that of its explanation included.
	Stats Stats
	// Took is the time since ResolveBegan.
	Took time.Duration
}

// SearchBegan is a beginning of the decisions.
type SearchBegan struct {
	// Look is how many levels of requirements are followed to refute a candidate
	// before it is chosen.
	Look int `json:"look"`
}

// DecisionKind says what a decision is about.
type DecisionKind string

// The kinds of decisions.
const (
	// DecisionInstalled: an installed bundle that nobody owns stays.
	DecisionInstalled DecisionKind = "installed"
	// DecisionSubscription: a candidate for a subscription.
	DecisionSubscription DecisionKind = "subscription"
	// DecisionForced: a bundle that the request forces.
	DecisionForced DecisionKind = "forced"
	// DecisionConstraint: a candidate for a constraint of a chosen bundle, or
	// for a part of it.
	DecisionConstraint DecisionKind = "constraint"
)

// Decision is one entry of the queue of section 6 of the semantics.
type Decision struct {
	// Index is its place in the queue, from 0. What comes back after a dead end
	// takes the places of what was undone.
	Index int
	Kind  DecisionKind
	// Subject is the name of the subscription, of the installed or of the forced
	// bundle; for a constraint the name of the bundle that declares it.
	Subject string
	// Bundle is for a constraint the bundle that declares it.
	Bundle BundleRef
	// Constraint is the declared constraint, for a constraint only.
	Constraint constraints.Constraint
	// Part says which part of the constraint the decision is about, where
	// that is not the whole; nil otherwise.
	Part func() string
}

// Candidate is one way to meet a decision, with what became of it.
type Candidate struct {
	// Index is its place among the candidates of the decision, from 0.
	Index int
	// Bundle is the zero reference for a part of an `any` that needs nothing to
	// be installed.
	Bundle BundleRef
	// Installed says that the bundle is installed.
	Installed bool
	// Chosen says that it was chosen. If not, Reason is a stable code for why.
	Chosen bool
	Reason argument.Rejection
	// By is the chosen bundle that stands in its way, where it is one. For a
	// prohibition it is the bundle that declares it, the zero reference if that is
	// the candidate itself.
	By BundleRef
	// Subject is what the reason is about: the package, the API, or the
	// requirement of the candidate that cannot be met; nil where there is nothing
	// more to say.
	Subject func() string
}

// DecisionResult says how a decision ended.
type DecisionResult string

// The results of decisions.
const (
	// DecisionChosen: a candidate was chosen.
	DecisionChosen DecisionResult = "chosen"
	// DecisionSatisfied: what was chosen before satisfies it.
	DecisionSatisfied DecisionResult = "satisfied"
	// DecisionDeadEnd: no candidate is left; an earlier choice is wrong, or there
	// is no solution.
	DecisionDeadEnd DecisionResult = "deadEnd"
)

// Decided is the end of a decision.
type Decided struct {
	Result DecisionResult
	// Choice is the candidate that was chosen.
	Choice Candidate
	// By are the chosen bundles that satisfy the decision already.
	By []BundleRef
}

// Back says that choices are undone.
type Back struct {
	// Decision is the one that the search goes back to, and Refused its candidate
	// that turned out impossible. The search goes on with the next one.
	Decision Decision
	Refused  Candidate
	// Undone is the number of choices that are undone, that one included.
	Undone int
	// Undecided are the bundles that are not in the set any more, the latest
	// first.
	Undecided []BundleRef
}

// Encoded is a formula for the solver.
type Encoded struct {
	// Purpose is that of the first solver calls on it.
	Purpose            SolvePurpose
	Variables, Clauses int
	// Bundles is the number of bundles that it is about.
	Bundles int
	Took    time.Duration
}

// SolvePurpose says what a solver call is for. There are few, so that it can
// label a metric.
type SolvePurpose string

// The purposes of solver calls.
const (
	// SolveFeasible: is there a solution at all?
	SolveFeasible SolvePurpose = "feasible"
	// SolveLocate: which choice led to the dead end?
	SolveLocate SolvePurpose = "locate"
	// SolveAdmit: can a subscription be admitted (policy Partial)?
	SolveAdmit SolvePurpose = "admit"
	// SolveExplain: can these facts hold together?
	SolveExplain SolvePurpose = "explain"
	// SolveMinimize: can they without this one?
	SolveMinimize SolvePurpose = "minimize"
	// SolveFewest: is there an explanation with fewer bundles?
	SolveFewest SolvePurpose = "fewest"
)

// SolveCall is one call of the solver.
type SolveCall struct {
	Purpose SolvePurpose
	// Result is OutcomeResolved or OutcomeUnsatisfiable, of the formula with the assumptions,
	// or OutcomeIncomplete if it was stopped.
	Result Outcome
	// Assumptions is how many choices or facts were assumed.
	Assumptions        int
	Variables, Clauses int
	Took               time.Duration
}

// ExplainEnded is the end of an explanation.
type ExplainEnded struct {
	// Conflict is nil if the search for it was stopped, and Err says by what. Under
	// policy [FailuresPartial] it is also nil where an explanation needs more of the
	// request than was considered first; another one follows then.
	Conflict *Conflict
	Err      error
	// Facts is the number of facts among which those of the conflict are.
	Facts int
	Took  time.Duration
}
