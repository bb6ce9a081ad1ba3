package sat

import "fmt"

// A Lit is a literal: a variable or its negation, numbered as in DIMACS.
// Variable v (v ≥ 1) is Lit(v), its negation Lit(-v).
//
// Zero is the constant "false": it is dropped from clauses and at-most-one
// groups, and fails as an assumption.
type Lit int32

// Not returns the negation of l.
func (l Lit) Not() Lit { return -l }

// Var returns the variable of l, at least 1, or 0 for the constant.
func (l Lit) Var() int {
	if l < 0 {
		return -int(l)
	}
	return int(l)
}

// Status is the result of a Solve.
type Status int

// The results of Solve.
const (
	Unknown       Status = iota // stopped early; see the error of Solve
	Satisfiable                 // a model exists, see Solver.Value
	Unsatisfiable               // no model exists, see Solver.Failed
)

// Options limit a Solver. The zero value means no limits.
type Options struct {
	// MaxSolves is the number of solves after which Solve returns a
	// *BudgetError. Zero or less means no limit.
	MaxSolves int
}

// BudgetError reports that the allowed number of solves is exhausted.
type BudgetError struct {
	Limit  int // allowed solves
	Solves int // completed solves
}

// Error returns the message.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("stopped after %d solver calls: the budget allows %d", e.Solves, e.Limit)
}

// A Solver holds clauses and solves them incrementally, under changing
// assumptions. Clauses cannot be removed; guard a removable clause with a
// literal to assume.
//
// A Solver is not safe for concurrent use. It needs no closing.
type Solver struct {
	opts    Options
	vars    int
	clauses int
	solves  int

	pending []Lit    // clauses unknown to the backend, each ended by 0
	backend *backend // nil until the first solve
	broken  bool     // the clauses alone are unsatisfiable

	model  []bool // by variable; missing ones are false
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

// Add adds the clause that at least one of lits holds. The empty clause makes
// the Solver unsatisfiable under any assumptions. lits is not retained. The
// current model stays readable.
func (s *Solver) Add(lits ...Lit) {
	start := len(s.pending)
	for _, l := range lits {
		if l != 0 {
			s.ensureVar(l)
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

// ensureVar adds the variable of a literal that did not come from NewVar.
func (s *Solver) ensureVar(l Lit) {
	s.vars = max(s.vars, l.Var())
}

// Value reports whether l is true in the latest model. Later unsatisfiable
// solves and added clauses do not change it. Variables newer than the model
// are false, as are all variables before the first model.
func (s *Solver) Value(l Lit) bool {
	if l == 0 {
		return false
	}
	holds := l.Var() < len(s.model) && s.model[l.Var()]
	return holds == (l > 0)
}

// Failed returns, after an unsatisfiable Solve, a set of conflicting
// assumptions, without duplicates, in the order given. It is empty if the
// clauses alone are unsatisfiable, and nil if the latest Solve was not
// unsatisfiable. The set is usually small but need not be minimal, see
// Minimize. The slice belongs to the caller.
func (s *Solver) Failed() []Lit {
	return append([]Lit(nil), s.failed...)
}

// Vars returns the number of variables, including auxiliary ones of AtMostOne.
func (s *Solver) Vars() int { return s.vars }

// Clauses returns the number of clauses, including those of AtMostOne.
func (s *Solver) Clauses() int { return s.clauses }

// Solves returns the number of solves so far, including interrupted ones, but
// not calls that needed no solve or exceeded the budget.
func (s *Solver) Solves() int { return s.solves }
