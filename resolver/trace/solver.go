package trace

// Purpose is the purpose of a solver call. The values are few, so that it can label a metric.
type Purpose string

// The purposes of solver calls.
const (
	// PurposeFeasible: is there a solution at all?.
	PurposeFeasible Purpose = "feasible"
	// PurposeLocate: which choice led to the dead end?.
	PurposeLocate Purpose = "locate"
	// PurposeAdmit: can a subscription be admitted (policy Partial)?.
	PurposeAdmit Purpose = "admit"
	// PurposeExplain: can these facts hold together?.
	PurposeExplain Purpose = "explain"
	// PurposeMinimize: can they without this one?.
	PurposeMinimize Purpose = "minimize"
	// PurposeFewest: is there an explanation with fewer bundles?.
	PurposeFewest Purpose = "fewest"
)

// Formula is a formula encoded for the solver.
type Formula struct {
	// Purpose is the purpose of its first solver calls.
	Purpose Purpose `json:"purpose"`
	// Bundles is the number of bundles with a variable.
	Bundles   int      `json:"bundles"`
	Variables int      `json:"variables"`
	Clauses   int      `json:"clauses"`
	Took      Duration `json:"tookMs,omitempty"`
}

// Solve is a solver call. A trace merges consecutive calls that minimize an explanation.
type Solve struct {
	Purpose Purpose `json:"purpose"`
	// Calls is the number of calls; the others count them by result.
	Calls         int `json:"calls"`
	Satisfiable   int `json:"satisfiable,omitempty"`
	Unsatisfiable int `json:"unsatisfiable,omitempty"`
	Stopped       int `json:"stopped,omitempty"`
	// Assumptions is the number of assumptions of the last call.
	Assumptions int      `json:"assumptions"`
	Took        Duration `json:"tookMs,omitempty"`
	// Variables and Clauses are the size of the formula.
	Variables int `json:"-"`
	Clauses   int `json:"-"`
}

// Outcome returns the outcome of a single call: resolved if the formula is satisfiable under the
// assumptions, unsatisfiable if it is not, and incomplete if the call was stopped.
func (s Solve) Outcome() Outcome {
	switch {
	case s.Stopped > 0:
		return OutcomeIncomplete
	case s.Unsatisfiable > 0:
		return OutcomeUnsatisfiable
	default:
		return OutcomeResolved
	}
}
