package trace

import (
	"encoding/json"
	"time"

	"github.com/seed109e2655/resolute/cache"
)

// Event is one thing that happened in a resolution. Exactly one of its fields is set.
type Event struct {
	// Search: the decisions begin from the start, with nothing chosen.
	Search *Search `json:"search,omitempty"`
	// Decision: a decision was taken up and came to a result: something was chosen, or it
	// is satisfied already, or nothing is left to choose.
	Decision *Decision `json:"decision,omitempty"`
	// Formula: a formula was written down for the solver.
	Formula *Formula `json:"formula,omitempty"`
	// Solve: the solver was called.
	Solve *Solve `json:"solve,omitempty"`
	// Back: choices were undone, after a dead end.
	Back *Back `json:"back,omitempty"`
	// LeftOut: a subscription is left out, or an installed bundle is broken; its conflict
	// was explained before.
	LeftOut *LeftOut `json:"leftOut,omitempty"`
	// Explain: there is no solution, and an explanation is looked for.
	Explain *struct{} `json:"explain,omitempty"`
	// Conflict: the search for an explanation ended.
	Conflict *Conflict `json:"conflict,omitempty"`
	// Dropped: so many events are left out here, in a trace that is bounded.
	Dropped int `json:"dropped,omitempty"`

	// What follows is for hooks alone. A trace has it in other places.

	// Began and Ended: a resolution begins, and ends.
	Began *Began `json:"-"`
	Ended *Ended `json:"-"`
	// Decide: a decision is taken up. It has no result yet.
	Decide *Decision `json:"-"`
	// Candidate: the decision that was taken up last looked at a candidate.
	Candidate *Candidate `json:"-"`
}

// Operation is what a resolution is for. There are few, so that it can label a metric.
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

// Outcome is how a resolution or a solver call ended. There are few, so that it can label a
// metric.
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
	// Part says that the resolution is a part of a larger operation.
	Part bool
	// Namespace is that of the request; Subscriptions (extensions included) and
	// Installed are how many it has.
	Namespace                string
	Subscriptions, Installed int
}

// Ended is the end of a resolution.
type Ended struct {
	Began
	Outcome Outcome
	// Solution and Err are what the caller gets; one of them is nil. Solution is a
	// *resolver.Solution. It is nil as well for a question that needs the decisions only.
	Solution interface{ Set() []string }
	Err      error
	// Bundles, Warnings and LeftOut count what a solution has: bundles, warnings, and
	// what it leaves unresolved. Facts counts the facts of a conflict.
	Bundles, Warnings, LeftOut, Facts int
	// Stats count the work, of a conflict that of its explanation included.
	Stats Stats
	// Took is the time since Began.
	Took Duration
}

// Stats counts the work of one resolution.
type Stats struct {
	// Bundles is the number of bundles in the catalogs of the request.
	Bundles int `json:"bundles"`
	// Reached is the number of bundles that the resolution looked at.
	Reached int `json:"reached"`
	// Variables and Clauses are the size of the formula given to the solver,
	// both 0 when the answer was plain without one.
	Variables int `json:"variables"`
	Clauses   int `json:"clauses"`
	// Solves is the number of solver calls.
	Solves int `json:"solves"`
	// CELCost is the summed cost of the evaluated rules, in units of CEL.
	CELCost uint64 `json:"-"`
}

// Ref names a bundle.
type Ref struct {
	Bundle string `json:"bundle"`
	// Catalog is where it comes from; the zero key where nothing is known of that.
	Catalog cache.Key `json:"catalog,omitzero"`
	// Installed says that it is the installed bundle, of a candidate or a choice.
	Installed bool `json:"installed,omitempty"`
}

// Duration is how long something took. In JSON it is a number of milliseconds.
type Duration time.Duration

// String returns ", in 1.2ms" to be put behind what took that long, nothing for 0.
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

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Duration) UnmarshalJSON(data []byte) error {
	var ms float64
	if err := json.Unmarshal(data, &ms); err != nil {
		return err
	}
	*d = Duration(ms * float64(time.Millisecond))
	return nil
}
