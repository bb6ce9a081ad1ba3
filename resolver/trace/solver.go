package trace

// Purpose is the purpose of a solver call. There are few, so that it can label a metric.
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

// Formula is a formula that was written down for the solver.
type Formula struct {
	// Purpose is that of the first solver calls on it.
	Purpose Purpose `json:"purpose"`
	// Bundles is the number of bundles that it is about.
	Bundles   int      `json:"bundles"`
	Variables int      `json:"variables"`
	Clauses   int      `json:"clauses"`
	Took      Duration `json:"tookMs,omitempty"`
}

// Solve is a call of the solver. A trace has one for several calls in a row that minimize
// an explanation.
type Solve struct {
	Purpose Purpose `json:"purpose"`
	// Calls is how many there were, in all and by result.
	Calls         int `json:"calls"`
	Satisfiable   int `json:"satisfiable,omitempty"`
	Unsatisfiable int `json:"unsatisfiable,omitempty"`
	Stopped       int `json:"stopped,omitempty"`
	// Assumptions is how many choices or facts the last call assumed.
	Assumptions int      `json:"assumptions"`
	Took        Duration `json:"tookMs,omitempty"`
	// Variables and Clauses are the size of the formula.
	Variables int `json:"-"`
	Clauses   int `json:"-"`
}

// Outcome is that of a single call as an outcome of a resolution: "resolved" if the
// formula with the assumptions is satisfiable, "unsatisfiable" if it is not, or
// "incomplete" if the call was stopped.
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
