package trace

// Purpose says what a solver call is for. There are few, so that it can label a metric.
//
//   - feasible: is there a solution at all?
//   - locate: which choice led to the dead end?
//   - admit: can a subscription be admitted (policy Partial)?
//   - explain: can these facts hold together?
//   - minimize: can they without this one?
//   - fewest: is there an explanation with fewer bundles?
type Purpose string

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
		return "incomplete"
	case s.Unsatisfiable > 0:
		return "unsatisfiable"
	default:
		return "resolved"
	}
}
