package resolver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/trace"
)

// checkFacts checks that the facts of a conflict cannot hold together, and that
// they can as soon as any one of them is dropped. A fact about an installed bundle
// can read like one about the catalog's bundle of the same name: one reading has
// to be right.
func (c converter) checkFacts(p *oracle.Problem, conflict *resolver.Conflict) error {
	judge, err := oracle.NewJudge(p)
	if err != nil {
		return err
	}
	_, err = c.checkReadings(p, judge, conflict)
	return err
}

// checkReadings is checkFacts with a judge, and returns the reading that is right.
func (c converter) checkReadings(p *oracle.Problem, judge *oracle.Judge, conflict *resolver.Conflict) ([]oracle.Fact, error) {
	readings, err := c.readings(p, conflict)
	if err != nil {
		return nil, err
	}
	for _, facts := range readings {
		if err = judge.Check(facts); err == nil {
			return facts, nil
		}
	}
	return nil, fmt.Errorf("%w:\n%s", err, listed(conflict))
}

// checkConflicts checks the conflicts of a problem without solution: each by itself,
// that no two have what they start from in common, and that none is missing.
func (c converter) checkConflicts(p *oracle.Problem, conflict *resolver.Conflict, broken []string) error {
	judge, err := oracle.NewJudge(p, broken...)
	if err != nil {
		return err
	}
	var all [][]oracle.Fact
	for _, one := range conflict.All() {
		facts, err := c.checkReadings(p, judge, one)
		if err != nil {
			return err
		}
		all = append(all, facts)
	}
	return judge.CheckAll(all)
}

func listed(c *resolver.Conflict) string {
	var b strings.Builder
	for _, f := range c.Facts {
		b.WriteString("- " + string(f.Kind) + " " + f.Subject + ": " + f.Text + "\n")
	}
	return b.String()
}

// readings says in the oracle's words what a conflict says, in every way in which
// it can be meant.
func (c converter) readings(p *oracle.Problem, conflict *resolver.Conflict) ([][]oracle.Fact, error) {
	all, err := oracle.Requirements(p)
	if err != nil {
		return nil, err
	}
	readings := [][]oracle.Fact{nil}
	for _, f := range conflict.Facts {
		of := oracle.Fact{Kind: string(f.Kind), Subject: f.Subject, Package: f.Package}
		if f.Kind == argument.FactSupposed { // the question forces it
			of.Kind = string(argument.FactForced)
		}
		if f.Kind == argument.FactNoCandidate {
			of.Subject = f.Subscription
		}
		of.Catalog = oracle.Key(f.Catalog)
		meant := []oracle.Fact{of}
		if f.Kind == argument.FactConstraint {
			if meant = c.constraintFacts(all, f, of); len(meant) == 0 {
				return nil, fmt.Errorf("no bundle has the constraint of the fact %q", f.Text)
			}
		}
		var longer [][]oracle.Fact
		for _, r := range readings {
			for _, m := range meant {
				longer = append(longer, append(slices.Clone(r), m))
			}
		}
		readings = longer
	}
	return readings, nil
}

// constraintFacts finds the constraint that a fact names.
func (c converter) constraintFacts(all []oracle.Requirement, f argument.Fact, of oracle.Fact) []oracle.Fact {
	var facts []oracle.Fact
	for _, installed := range []bool{true, false} {
		of.Requirements = nil
		for i, r := range all {
			if r.Installed == installed && r.Bundle == f.Bundle && r.Catalog == of.Catalog &&
				f.Text == f.Bundle+" requires "+c.Constraint(r.Constraint).String() {
				of.Requirements = append(of.Requirements, i)
			}
		}
		if len(of.Requirements) > 0 {
			facts = append(facts, of)
		}
	}
	return facts
}

// fewestOf is the number of bundles that the plainest of the independent conflicts
// involves.
func (c converter) fewestOf(conflict *resolver.Conflict) int {
	fewest := math.MaxInt
	for _, one := range conflict.All() {
		about := map[string]bool{}
		for _, f := range one.Facts {
			switch f.Kind {
			case argument.FactInstalled, argument.FactConstraint, argument.FactDeprecated, argument.FactIncompatible:
				about[f.Catalog.String()+":"+f.Package+":"+f.Bundle] = true
			}
		}
		fewest = min(fewest, len(about))
	}
	return fewest
}

// TestPropertyFewestBundles checks that no other set of facts would explain a
// conflict with fewer bundles.
func TestPropertyFewestBundles(t *testing.T) {
	r, c := resolver.New(), newConverter()
	checkProperty(t, 0.05, func(p *oracle.Problem) error {
		p = p.Clone()
		p.Policy.Failures = ""
		_, err := r.Resolve(context.Background(), c.request(p))
		var conflict *resolver.Conflict
		if !errors.As(err, &conflict) {
			return nil
		}
		fewest, err := oracle.FewestBundles(p)
		if err != nil {
			return err
		}
		if c.fewestOf(conflict) > fewest {
			return fmt.Errorf("%d bundles would be enough to explain the conflict:\n%s", fewest, listed(conflict))
		}
		return nil
	})
}

// lateAfter is a context whose deadline is over once it was looked at so often.
type lateAfter struct {
	context.Context
	left atomic.Int64
	over chan struct{}
}

func newLateAfter(looks int) *lateAfter {
	l := &lateAfter{Context: context.Background(), over: make(chan struct{})}
	l.left.Store(int64(looks))
	return l
}

func (l *lateAfter) Err() error {
	left := l.left.Add(-1)
	if left == -1 {
		close(l.over)
	}
	if left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func (l *lateAfter) Done() <-chan struct{} { return l.over }

// TestPropertyStoppedExplanations: wherever an answer is stopped, by the number of solver
// calls or by its context, it is never a wrong one. What a conflict names cannot hold
// together; and one that is not marked says what it says without limits.
func TestPropertyStoppedExplanations(t *testing.T) {
	c := newConverter()
	var marked, stopped atomic.Int64
	checkProperty(t, 0.02, func(p *oracle.Problem) error {
		p = p.Clone()
		p.Policy.Failures = ""
		req := c.request(p)
		_, err := resolver.New().Resolve(context.Background(), req)
		var whole *resolver.Conflict
		if !errors.As(err, &whole) {
			return nil
		}
		judge, err := oracle.NewJudge(p)
		if err != nil {
			return err
		}
		check := func(err error) (again bool, _ error) {
			var conflict *resolver.Conflict
			var incomplete *resolver.IncompleteError
			switch {
			case errors.As(err, &incomplete):
				stopped.Add(1)
				return true, nil
			case !errors.As(err, &conflict):
				return false, fmt.Errorf("there is no solution, and the answer is %w", err)
			}
			for _, one := range conflict.All() {
				if !one.Minimal {
					marked.Add(1)
					again = true
				}
				if err := c.checkStopped(p, judge, one, whole); err != nil {
					return false, err
				}
			}
			return again || conflict.MoreFurther != whole.MoreFurther, nil
		}
		again := true
		for n := 1; again; n++ {
			_, err := resolver.New(resolver.WithLimits(resolver.Limits{Solves: n})).Resolve(context.Background(), req)
			if again, err = check(err); err != nil {
				return fmt.Errorf("with %d solver calls: %w", n, err)
			}
		}
		again = true
		for n := 0; again; n++ {
			_, err := resolver.New().Resolve(newLateAfter(n), req)
			if again, err = check(err); err != nil {
				return fmt.Errorf("after %d looks at the context: %w", n, err)
			}
		}
		return nil
	})
	require.Positive(t, stopped.Load())
	if testkit.Long() {
		require.Positive(t, marked.Load())
	}
}

// checkStopped checks one conflict of an answer that was stopped, given what the whole
// answer would have been.
func (c converter) checkStopped(p *oracle.Problem, judge *oracle.Judge, one, whole *resolver.Conflict) error {
	if one.Minimal {
		facts, _ := json.Marshal(one.Facts)
		if !slices.ContainsFunc(whole.All(), func(w *resolver.Conflict) bool {
			same, _ := json.Marshal(w.Facts)
			return string(same) == string(facts)
		}) {
			return fmt.Errorf("this is not what is said without limits:\n%s", listed(one))
		}
		return nil
	}
	readings, err := c.readings(p, one)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(readings, func(r []oracle.Fact) bool { return !judge.Satisfiable(r) }) {
		return fmt.Errorf("these facts can hold together:\n%s", listed(one))
	}
	return nil
}

// TestPropertyTrimmed: a conflict that is trimmed first, as large ones are, may have other
// facts, and is as true and as minimal.
func TestPropertyTrimmed(t *testing.T) {
	r, c := resolver.New(resolver.WithLarge(1)), newConverter()
	checkProperty(t, 0.05, func(p *oracle.Problem) error {
		p = p.Clone()
		p.Policy.Failures = ""
		for _, r := range []*resolver.Resolver{r, r.With(resolver.WithDeadEnds(-1))} {
			_, err := r.Resolve(context.Background(), c.request(p))
			var conflict *resolver.Conflict
			if !errors.As(err, &conflict) {
				return nil
			}
			if err := c.checkConflicts(p, conflict, nil); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestDeadlineLeavesTimeToTell: where a set of facts is still being made smaller when a
// deadline comes near, it is told as it is then.
func TestDeadlineLeavesTimeToTell(t *testing.T) {
	slow := resolver.WithHooks(trace.Hooks{Solver: func(ctx context.Context, e trace.Event) {
		if e.Solve != nil && e.Solve.Purpose == trace.PurposeMinimize {
			<-ctx.Done()
		}
	}})
	var err error
	for range 10 { // a machine that does much else may take the time that is left
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		_, err = resolver.New(slow).Resolve(ctx, pigeons(t, 4))
		cancel()
		var conflict *resolver.Conflict
		if errors.As(err, &conflict) {
			require.False(t, conflict.Minimal)
			require.True(t, conflict.MoreFurther, "nobody looked for others")
			require.Len(t, conflict.Facts, 9)
			return
		}
	}
	require.NoError(t, err)
}
