package trace

import (
	"encoding/json"
	"time"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// Event is one event of a resolution. Exactly one of its fields is set.
type Event struct {
	// Search: the search starts with no decisions.
	Search *Search `json:"search,omitempty"`
	// Decision: a decision ended: a candidate was selected, the demand is satisfied already, or
	// no candidate is left.
	Decision *Decision `json:"decision,omitempty"`
	// Formula: a formula was encoded for the solver.
	Formula *Formula `json:"formula,omitempty"`
	// Solve: the solver was called.
	Solve *Solve `json:"solve,omitempty"`
	// Back: the search backtracked from a dead end.
	Back *Back `json:"back,omitempty"`
	// LeftOut: a subscription was dropped, or an installed bundle is broken. Its conflict was
	// explained before.
	LeftOut *LeftOut `json:"leftOut,omitempty"`
	// Explain: the request is unsatisfiable, and its explanation starts.
	Explain *struct{} `json:"explain,omitempty"`
	// Conflict: the explanation ended.
	Conflict *Conflict `json:"conflict,omitempty"`
	// Dropped is the number of events omitted here from a bounded trace.
	Dropped int `json:"dropped,omitempty"`

	// The fields below are emitted to hooks only.

	// Began and Ended: a resolution starts and ends.
	Began *Began `json:"-"`
	Ended *Ended `json:"-"`
	// Decide: a decision starts. It has no result yet.
	Decide *Decision `json:"-"`
	// Candidate: the current decision considered a candidate.
	Candidate *Candidate `json:"-"`
}

// Operation is the purpose of a resolution. The values are few, so that it can label a metric.
type Operation string

// The operations.
const (
	// OperationResolve: a request is resolved.
	OperationResolve Operation = "resolve"
	// OperationWhatIf: a session resolves its request with changes.
	OperationWhatIf Operation = "whatif"
	// OperationExplain: a session explains why a bundle is in the result or is not.
	OperationExplain Operation = "explain"
	// OperationCorrect: a set of changes is tried as a correction.
	OperationCorrect Operation = "correct"
	// OperationConverge: a round of an upgrade path.
	OperationConverge Operation = "converge"
	// OperationAudit: a question of an audit.
	OperationAudit Operation = "audit"
	// OperationProve: a request is resolved with a proof.
	OperationProve Operation = "prove"
)

// Outcome is the outcome of a resolution or a solver call. The values are few, so that it can
// label a metric.
type Outcome string

// The outcomes.
const (
	// OutcomeResolved: there is a solution.
	OutcomeResolved Outcome = "resolved"
	// OutcomeUnsatisfiable: there is no solution; the error of a resolution is a *resolver.Conflict.
	OutcomeUnsatisfiable Outcome = "unsatisfiable"
	// OutcomeInvalid: the error is a *resolver.RequestError.
	OutcomeInvalid Outcome = "invalid"
	// OutcomeIncomplete: it was stopped; the error is a *resolver.IncompleteError.
	OutcomeIncomplete Outcome = "incomplete"
	// OutcomeFailed: any other error, which is a defect of the resolver.
	OutcomeFailed Outcome = "failed"
)

// Began is the beginning of a resolution.
type Began struct {
	Operation Operation
	// Part reports whether the resolution is part of a larger operation.
	Part bool
	// Namespace is the namespace of the request. Subscriptions (including extensions) and
	// Installed are its counts.
	Namespace                string
	Subscriptions, Installed int
	// Terms are the nouns of texts.
	Terms graph.Terms
}

// Ended is the end of a resolution.
type Ended struct {
	Began
	Outcome Outcome
	// Solution and Err are the results of the call. Solution is a *resolver.Solution. Both are
	// nil for a question that needs only the decisions.
	Solution interface{ Set() []string }
	Err      error
	// Bundles, Warnings and LeftOut count the bundles, warnings and unresolved items of a
	// solution. Facts counts the facts of a conflict.
	Bundles, Warnings, LeftOut, Facts int
	// Stats counts the work, including that of an explanation.
	Stats Stats
	// Took is the time since Began.
	Took Duration
}

// Stats counts the work of one resolution.
type Stats struct {
	// Bundles is the number of bundles in the catalogs of the request.
	Bundles int `json:"bundles"`
	// Reached is the number of bundles that the resolution reached.
	Reached int `json:"reached"`
	// Variables and Clauses are the size of the formula; both are 0 if no solver was needed.
	Variables int `json:"variables"`
	Clauses   int `json:"clauses"`
	// Solves is the number of solver calls.
	Solves int `json:"solves"`
	// CELCost is the total cost of CEL rules, in CEL cost units.
	CELCost uint64 `json:"-"`
}

// Ref names a bundle.
type Ref struct {
	Bundle string `json:"bundle"`
	// Catalog is its catalog; zero if unknown.
	Catalog cache.Key `json:"catalog,omitzero"`
	// Installed reports whether it is the installed bundle.
	Installed bool `json:"installed,omitempty"`
}

// Duration is an elapsed time. Its JSON form is a number of milliseconds.
type Duration time.Duration

// String returns a suffix such as ", in 1.2ms"; empty for 0.
func (d Duration) String() string {
	if d == 0 {
		return ""
	}
	return ", in " + time.Duration(d).Round(time.Microsecond).String()
}

// MarshalJSON writes milliseconds.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(float64(d) / float64(time.Millisecond))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (d *Duration) UnmarshalJSON(data []byte) error {
	var ms float64
	if err := json.Unmarshal(data, &ms); err != nil {
		return err
	}
	*d = Duration(ms * float64(time.Millisecond))
	return nil
}
