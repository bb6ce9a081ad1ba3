package constraints

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/properties"
)

// defaultBudget is the total cost of rules that an [Evaluator] allows where
// its options say nothing else. It amounts to some minutes of testing.
const defaultBudget = 1_000_000_000

// Subject is what a constraint is tested against: the properties of one
// bundle. Tests are remembered by it, so there is one Subject for each
// bundle, used again for every test. It is safe for concurrent use.
type Subject struct{ set properties.Set }

// NewSubject returns the Subject of a bundle with these properties. Rules do not see
// those of the types olm.csv.metadata and olm.bundle.object: catalogs are read
// without them, and what holds of a bundle must not depend on where it is read from.
func NewSubject(set properties.Set) *Subject {
	return &Subject{set}
}

// Visible returns the properties that rules see of those of a bundle.
func Visible(set properties.Set) properties.Set {
	if !set.HasType(properties.TypeCSVMetadata) && !set.HasType(properties.TypeBundleObject) {
		return set
	}
	return properties.NewSet(slices.DeleteFunc(slices.Collect(set.All()), func(p *properties.Property) bool {
		return p.Type() == properties.TypeCSVMetadata || p.Type() == properties.TypeBundleObject
	})...)
}

// Properties returns the properties of the bundle.
func (s *Subject) Properties() properties.Set { return s.set }

// EvaluatorOptions configure an Evaluator. The zero value is the default.
type EvaluatorOptions struct {
	// Cluster is what rules see as the variable cluster.
	Cluster properties.Set
	// APIs are served by the cluster itself: a gvk atom of one of them holds
	// for every bundle.
	APIs []properties.GVK
	// Budget bounds the cost of all rules together, in the units of
	// CostLimit of the options of package cel. 0 means 1,000,000,000; below 0 means that
	// there is no bound.
	Budget int64
}

// Evaluator tests constraints against single bundles. It evaluates each
// distinct rule at most once for a Subject, and not at all where the rule
// shows that the bundle cannot match. It is not safe for concurrent use.
type Evaluator struct {
	cluster properties.Set
	apis    []properties.GVK
	budget  int64
	cost    uint64
	tested  map[test]bool
}

// test identifies one evaluation. The subject is nil for a rule that does not
// look at it.
type test struct {
	rule    string
	subject *Subject
}

// BudgetError reports that the budget for rules ran out.
type BudgetError struct {
	Budget uint64 // what was allowed
	Cost   uint64 // what was spent
	Rule   string // the rule that was to be tested next
}

// Error names the exhausted budget and what to do.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the budget for CEL rules is used up (%d of %d): raise it, or narrow the request", e.Cost, e.Budget)
}

// NewEvaluator returns an Evaluator.
func NewEvaluator(o EvaluatorOptions) *Evaluator {
	budget := o.Budget
	if budget == 0 {
		budget = defaultBudget
	}
	apis := slices.Clone(o.APIs)
	slices.SortFunc(apis, properties.GVK.Compare)
	return &Evaluator{cluster: o.Cluster, apis: apis, budget: budget, tested: map[test]bool{}}
}

// Cost returns the cost of all rules that were evaluated so far.
func (e *Evaluator) Cost() uint64 { return e.cost }

// Match reports whether the bundle s on its own satisfies the whole of c. For
// an atom that is what section 3 of the semantics asks of each bundle; for a
// compound it is the reading of the policy PerBundle.
//
// A rule that fails on the bundle does not match it and is no error. An error
// is either the cause of the end of ctx or a [*BudgetError]. Nothing matches a
// nil Subject.
func (e *Evaluator) Match(ctx context.Context, c Constraint, s *Subject) (bool, error) {
	if s == nil {
		return false, nil
	}
	switch c := c.(type) {
	case *GVK:
		_, served := slices.BinarySearchFunc(e.apis, c.GVK, properties.GVK.Compare)
		return served || s.set.Provides(c.GVK), nil
	case *Package:
		p, ok := s.set.Package()
		return ok && p.Name == c.Name && c.Range.Contains(p.Version), nil
	case *Label:
		return s.set.HasLabel(c.Label), nil
	case *CEL:
		return e.matchRule(ctx, c, s)
	case *All:
		return e.every(ctx, c.Constraints, s, true)
	case *Not:
		return e.every(ctx, c.Constraints, s, false)
	case *Any:
		none, err := e.every(ctx, c.Constraints, s, false)
		return !none && err == nil, err
	}
	return false, nil
}

// every reports whether each constraint gives the result want.
func (e *Evaluator) every(ctx context.Context, cs []Constraint, s *Subject, want bool) (bool, error) {
	for _, c := range cs {
		got, err := e.Match(ctx, c, s)
		if err != nil || got != want {
			return false, err
		}
	}
	return true, nil
}

// exhausted returns a [*BudgetError] if there is no budget left for a rule.
func (e *Evaluator) exhausted(rule string) error {
	if e.budget >= 0 && e.cost >= uint64(e.budget) {
		return &BudgetError{Budget: uint64(e.budget), Cost: e.cost, Rule: rule}
	}
	return nil
}

// matchRule tests a rule, or looks up what a test of it gave.
func (e *Evaluator) matchRule(ctx context.Context, c *CEL, s *Subject) (bool, error) {
	if c.Program == nil {
		return false, nil
	}
	needs := c.Program.Needs()
	if !needs.Maybe(s.set) {
		return false, nil
	}
	key := test{rule: c.Rule, subject: s}
	if needs.ClusterOnly {
		key.subject = nil
	}
	if match, ok := e.tested[key]; ok {
		return match, nil
	}
	if err := e.exhausted(c.Rule); err != nil {
		return false, err
	}
	match, cost, err := c.Program.Eval(ctx, Visible(s.set), e.cluster)
	e.cost += cost
	if err != nil && ctx.Err() != nil {
		return false, err
	}
	e.tested[key] = match
	return match, nil
}
