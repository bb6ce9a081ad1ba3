package sat

import "fmt"

// A Lit is a literal: a variable or its negation, written as DIMACS does.
// Variable v (v ≥ 1) is Lit(v), its negation is Lit(-v).
//
// Zero is the constant "false": it is left out of a clause and of an
// at-most-one group, and it cannot be met as an assumption.
type Lit int32

// Not returns the negation of l.
func (l Lit) Not() Lit { return -l }

// Var returns the number of l's variable, at least 1; 0 for the constant.
func (l Lit) Var() int {
	if l < 0 {
		return -int(l)
	}
	return int(l)
}

// Status is what a Solve found out.
type Status int

// The possible answers of Solve.
const (
	Unknown       Status = iota // stopped before an answer; Solve's error says by what
	Satisfiable                 // a model exists, see Solver.Value
	Unsatisfiable               // no model exists, see Solver.Failed
)

// Options bound what a Solver may do. The zero value sets no bound.
type Options struct {
	// MaxSolves is the number of solves after which Solve returns a
	// *BudgetError instead of solving. Zero or less: no limit.
	MaxSolves int
}

// BudgetError reports that a solve was not started because the number of
// solves allowed by Options or MinimizeOptions is used up.
type BudgetError struct {
	Limit  int // solves that were allowed
	Solves int // solves that were made
}

// Error says which budget ran out.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("stopped after %d solver calls: the budget allows %d", e.Solves, e.Limit)
}

// A Solver holds clauses and answers whether they can hold together, again and
// again, as clauses are added and assumptions change. Clauses cannot be taken
// back: what may go away hangs on a literal that is assumed or not.
//
// A Solver is not safe for concurrent use. It holds no resources that need
// closing.
type Solver struct {
	opts    Options
	vars    int
	clauses int
	solves  int

	pending []Lit    // clauses that the backend has not seen, each ended by 0
	quick   quick    // of the latest solve without a backend
	backend *backend // nil before the first solve that needs one
	broken  bool     // the clauses alone cannot hold

	model  []bool // by variable; what is not in it is false
	failed []Lit
	marks  []bool // scratch of recordFailed, by index of literal
}

// New returns a Solver without variables and clauses.
func New(opts Options) *Solver {
	return &Solver{opts: opts}
}

// NewVar returns the positive literal of a new variable.
func (s *Solver) NewVar() Lit {
	s.vars++
	return Lit(s.vars)
}

// Add adds the clause that at least one of lits holds. The clause without
// literals can never hold: from then on the Solver is unsatisfiable under any
// assumptions. lits is not kept. A model that was found earlier stays readable.
func (s *Solver) Add(lits ...Lit) {
	start := len(s.pending)
	for _, l := range lits {
		if l != 0 {
			s.know(l)
			s.pending = append(s.pending, l)
		}
	}
	s.clauses++
	if len(s.pending) == start {
		s.broken = true
		return
	}
	s.pending = append(s.pending, 0)
}

// know makes room for a literal that did not come from NewVar.
func (s *Solver) know(l Lit) {
	s.vars = max(s.vars, l.Var())
}

// Value reports whether l holds in the model that the latest satisfiable Solve
// found. Later solves that find no model, and clauses added since, do not
// change the answer. Variables that are newer than the model are false, and so
// is everything when there was no model yet.
func (s *Solver) Value(l Lit) bool {
	if l == 0 {
		return false
	}
	holds := l.Var() < len(s.model) && s.model[l.Var()]
	return holds == (l > 0)
}

// Failed returns, after an unsatisfiable Solve, assumptions of that Solve which
// cannot hold together: each at most once, in the order in which they were
// given. It is empty when the clauses alone cannot hold, and nil when the
// latest Solve was not unsatisfiable. The set is seldom large but need not be
// minimal, see Minimize. The slice belongs to the caller.
func (s *Solver) Failed() []Lit {
	return append([]Lit(nil), s.failed...)
}

// Vars returns the number of variables, those that AtMostOne made for itself
// included.
func (s *Solver) Vars() int { return s.vars }

// Clauses returns the number of clauses added, those of AtMostOne included.
func (s *Solver) Clauses() int { return s.clauses }

// Solves returns the number of solves so far, stopped ones included, calls that
// were answered or refused without solving excluded.
func (s *Solver) Solves() int { return s.solves }
