package draw_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/draw"
	"github.com/seed109e2655/resolute/internal/testkit/oracle"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/scenario"
)

// each draws problems from fixed seeds.
func each(t *testing.T, n int, holds func(*oracle.Problem) error) {
	t.Helper()
	generator := draw.Problem()
	for seed := range n {
		p := generator.Example(seed)
		if err := holds(p); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.Scenario())
		}
	}
}

// TestBrokenStay checks policy Partial: broken bundles stay in the set, and
// the problem has no solution without the policy.
func TestBrokenStay(t *testing.T) {
	each(t, testkit.Times(200, 1000), func(p *oracle.Problem) error {
		p = p.Clone()
		p.Policy.Failures = resolver.FailuresPartial
		a, err := oracle.Solve(p)
		if err != nil || len(a.Broken) == 0 {
			return err
		}
		for _, name := range a.Broken {
			if a.Resolved && !slices.Contains(a.Set, name) {
				return fmt.Errorf("%s is broken but missing from %v", name, a.Set)
			}
		}
		p.Policy.Failures = ""
		whole, err := oracle.Solve(p)
		if whole.Resolved {
			return fmt.Errorf("%v are broken, but %v is a solution", a.Broken, whole.Set)
		}
		return err
	})
}

// TestFactsAreTheProblem compares two formulations: all facts are satisfiable
// together if and only if the problem has a solution.
func TestFactsAreTheProblem(t *testing.T) {
	each(t, testkit.Times(200, 1000), func(p *oracle.Problem) error {
		p = p.Clone()
		p.Policy.Failures = ""
		a, err := oracle.Solve(p)
		if err != nil {
			return err
		}
		j, err := oracle.NewJudge(p)
		if err != nil {
			return err
		}
		if j.Satisfiable(j.Facts()) != a.Resolved {
			return fmt.Errorf("facts satisfiable: %v; solution found: %v", !a.Resolved, a.Resolved)
		}
		return nil
	})
}

// TestConflicts lists all conflicts of each unsatisfiable problem by removing
// facts one by one, and has them judged, both unchanged and with a fault.
func TestConflicts(t *testing.T) {
	several := 0
	each(t, 150, func(p *oracle.Problem) error {
		p = p.Clone()
		p.Policy.Failures = ""
		j, err := oracle.NewJudge(p)
		if err != nil {
			return err
		}
		facts := j.Facts()
		var conflicts [][]oracle.Fact
		for !j.Satisfiable(facts) {
			c := minimize(j, facts)
			conflicts = append(conflicts, c)
			facts = slices.DeleteFunc(facts, func(f oracle.Fact) bool { return isRoot(f) && contains(c, f) })
		}
		if err := j.CheckAll(conflicts); err != nil || len(conflicts) == 0 {
			return err
		}
		if len(conflicts) > 1 {
			several++
		}
		last := len(conflicts) - 1
		if j.CheckAll(conflicts[:last]) == nil {
			return fmt.Errorf("the judge does not report missing conflict %v", conflicts[last])
		}
		if j.CheckAll(append(slices.Clone(conflicts), conflicts[0])) == nil {
			return fmt.Errorf("the judge does not report duplicate conflict %v", conflicts[0])
		}
		if j.Check(conflicts[0][1:]) == nil {
			return fmt.Errorf("the judge does not report missing fact %v", conflicts[0][0])
		}
		if f := facts[slices.IndexFunc(facts, func(f oracle.Fact) bool { return !contains(conflicts[0], f) })]; j.Check(append(slices.Clone(conflicts[0]), f)) == nil {
			return fmt.Errorf("the judge does not report redundant fact %v", f)
		}
		return nil
	})
	require.Greater(t, several, 3, "some problems have several conflicts")
}

// TestScenario: a problem survives writing and reading; features that
// scenarios lack are written as comments.
func TestScenario(t *testing.T) {
	converter := draw.NewConverter()
	asJSON := func(req resolver.Request) string {
		for i := range req.Catalogs {
			req.Catalogs[i].Content = nil
		}
		return string(testkit.Must(json.Marshal(scenario.Of(&req)))(t)) + fmt.Sprint(testkit.Map(req.Subscriptions, func(s oracle.Subscription) string { return strconv.FormatBool(s.Generated) }))
	}
	each(t, testkit.Times(100, 1000), func(p *oracle.Problem) error {
		s, err := scenario.Parse(t.Context(), "problem.yaml", []byte(p.Scenario()))
		if err != nil {
			return err
		}
		if want, got := asJSON(converter.Request(p)), asJSON(testkit.Must(s.Request())(t)); want != got {
			return fmt.Errorf("%s is read as %s", want, got)
		}
		for _, force := range p.Force {
			require.Contains(t, p.Scenario(), "# forced: "+force.String()+"\n")
		}
		return nil
	})
	p := draw.Problem().Example(0)
	p.Subscriptions = []oracle.Subscription{{Name: "c", Generated: true, Pin: "c.v1"}}
	require.Contains(t, p.Scenario(), "# pin of c: c.v1\n# generated is c: true\n")
}

// isRoot reports whether a fact is a demand of the request.
func isRoot(f oracle.Fact) bool {
	return f.Kind == "subscription" || f.Kind == "installed" || f.Kind == "forced"
}

func contains(facts []oracle.Fact, f oracle.Fact) bool {
	return slices.ContainsFunc(facts, func(g oracle.Fact) bool { return cmp.Equal(f, g) })
}

// minimize removes facts while the rest stays unsatisfiable.
func minimize(j *oracle.Judge, facts []oracle.Fact) []oracle.Fact {
	facts = slices.Clone(facts)
	for i := 0; i < len(facts); {
		if rest := slices.Delete(slices.Clone(facts), i, i+1); j.Satisfiable(rest) {
			i++
		} else {
			facts = rest
		}
	}
	return facts
}
