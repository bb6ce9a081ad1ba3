// Package internal_test shows what each stage of a resolution makes of small problems: the
// tables in testdata, one for each stage, are to be read without the code.
package internal_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/testkit"
	"github.com/seed109e2655/resolute/internal/testkit/universe"
	"github.com/seed109e2655/resolute/resolver"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/core"
	"github.com/seed109e2655/resolute/resolver/internal/explain"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/plan"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

func TestProblem(t *testing.T) { table(t, "problem", false, problemLines) }
func TestSearch(t *testing.T)  { table(t, "search", false, searchLines) }
func TestFormula(t *testing.T) { table(t, "formula", false, formulaLines) }
func TestCore(t *testing.T)    { table(t, "core", true, coreLines) }
func TestExplain(t *testing.T) { table(t, "explain", true, explainLines) }
func TestPlan(t *testing.T)    { table(t, "plan", false, planLines) }

// TestOptionsOfAnAnyAreShared: bundles of a catalog that require the same alternatives share
// one list of them.
func TestOptionsOfAnAnyAreShared(t *testing.T) {
	s := stand{Request: universe.Request(t, `
		a/stable a.v1
		b/stable b.v1
		x/stable x.v1
		y/stable y.v1
		require x.v1 any(a@>=1.0.0, b@>=1.0.0)
		require y.v1 any(a@>=1.0.0, b@>=1.0.0)
		subscribe x
		subscribe y`)}
	s.set(false)
	st, end := s.decide()
	require.Equal(t, search.Complete, end)
	var lists []*search.Option
	for _, d := range st.Queue {
		if d.Kind == search.DecideGoal {
			options := st.AnyOptions(d.Goal, s.p.Universe.Nodes[d.From].Cat)
			require.Len(t, options, 2)
			lists = append(lists, &options[0])
		}
	}
	require.Len(t, lists, 2)
	require.Same(t, lists[0], lists[1])
}

// table holds what a stage makes of each problem of its file against the file.
func table(t *testing.T, stage string, explaining bool, makes func(stand) []string) {
	for _, c := range testkit.Cases(t, "testdata/"+stage+".txt", "problem", "makes") {
		t.Run(c.Name, func(t *testing.T) {
			s := stand{Request: universe.Request(t, c.Part("problem").Text())}
			s.set(explaining)
			require.Equal(t, c.Part("makes").Lines, makes(s))
			require.NoError(t, s.p.Budget.Err())
		})
	}
}

// stand is what a problem stands on in these tables, where each installed bundle is one of a catalog.
type stand struct {
	resolver.Request
	p *problem.Problem
}

// set makes the problem.
func (s *stand) set(explaining bool) {
	in := problem.Input{Cluster: s, KeepExcluded: explaining}
	for _, c := range s.Catalogs {
		in.Cats = append(in.Cats, problem.Catalog{Key: c.Key, Priority: c.Priority, Content: c.Content})
	}
	slices.SortFunc(in.Cats, func(a, b problem.Catalog) int { return b.Priority - a.Priority })
	for _, f := range s.Forbid {
		in.Forbid = append(in.Forbid, problem.Forbidden{Bundle: f.Bundle, Message: f.Message})
	}
	u := new(problem.Universe)
	budget := problem.NewBudget(context.Background(), problem.Limits{Solves: -1, Bundles: -1, CELCost: -1})
	u.Init(&budget, in)
	owned := make(map[string]problem.NodeID)
	for _, installed := range s.Installed {
		cat, b := s.find(in.Cats, installed.Name)
		copied := *b
		copied.ID, copied.Places = -1, nil
		u.Install(&copied, true, cat, "")
		owned[installed.Subscription] = u.Inst[len(u.Inst)-1]
	}
	subs := make([]problem.Demand, len(s.Subscriptions))
	for i, a := range s.Subscriptions {
		subs[i] = problem.Demand{Name: a.Name, Package: a.Package, Channels: a.Channels, Pin: a.Pin, Owned: problem.NoNode}
		if n, ok := owned[a.Name]; ok {
			subs[i].Owned = n
		}
	}
	var demands problem.Demands
	demands.Set(u, subs, false)
	s.p = problem.Under(u, &demands, problem.Assumptions{})
}

func (s *stand) find(cats []problem.Catalog, name string) (int32, *graph.Bundle) {
	for c := range cats {
		for _, id := range cats[c].Content.Named(name) {
			return int32(c), cats[c].Content.Bundle(id)
		}
	}
	panic(name + " is installed, and no catalog has it")
}

// Evaluator implements [problem.Cluster].
func (s *stand) Evaluator() *constraints.Evaluator {
	return constraints.NewEvaluator(constraints.EvaluatorOptions{})
}

// Judge implements [problem.Cluster].
func (s *stand) Judge(*constraints.Evaluator, cache.Key, *graph.Package, *graph.Bundle) (problem.Forbidden, error) {
	return problem.Forbidden{}, nil
}

func (s stand) name(n problem.NodeID) string { return s.p.Universe.Name(n) }

// names are bundles in words: their names, nothing, and what is installed.
func (s stand) names(nodes []problem.NodeID) string {
	if len(nodes) == 0 {
		return " nothing"
	}
	out := ""
	for _, n := range nodes {
		if out += " " + s.name(n); s.p.Universe.Nodes[n].Inst >= 0 {
			out += " (installed)"
		}
		if s.p.Excluded(n) {
			out += " (barred)"
		}
	}
	return out
}

// problemLines are the candidates of all subscriptions, and those of all that they lead to.
func problemLines(s stand) (out []string) {
	for i := range s.p.Demands.List {
		out = append(out, s.Subscriptions[i].Name+":"+s.names(s.p.Demands.List[i].Candidates(s.p.Universe)))
	}
	for n := problem.NodeID(0); int(n) < len(s.p.Universe.Nodes); n++ {
		for _, r := range s.p.Requirements(n) {
			for a, banned := range r.Goal.Atoms() {
				if banned {
					continue
				}
				out = append(out, s.name(n)+" needs:"+s.names(s.p.Universe.All(s.p.Universe.CandidatesOf(a, s.p.Universe.Nodes[n].Cat))))
			}
		}
	}
	return out
}

func (s stand) decide() (*search.State, search.Outcome) {
	return search.DecideAll(s.p, search.Settings{DeadEnds: 100})
}

// searchLines are the choices, what they were made instead of, and the end.
func searchLines(s stand) (out []string) {
	st, end := s.decide()
	for i, c := range st.Trail {
		line := "chosen" + s.names([]problem.NodeID{c.Picked.Node})
		for _, over := range st.Rejected {
			if over.Choice == i {
				line += ", not" + s.names([]problem.NodeID{over.Node})
			}
		}
		out = append(out, line)
	}
	if end != search.Complete {
		out = append(out, "no solution")
	}
	return out
}

// formulaLines are whether there is a solution, what is ruled out and why, and what policy
// Partial admits.
func formulaLines(s stand) []string {
	if formula.Encode(s.p, formula.GuardNone, nil).Possible() {
		return []string{"possible"}
	}
	out := []string{"impossible"}
	doomed := formula.Propagate(s.p)
	for _, root := range doomed.Roots {
		facts, _ := doomed.Reasons(root)
		out = append(out, "doomed: "+strings.Join(s.facts(facts), ", "))
	}
	placing := problem.Assumptions{Dropped: make([]bool, len(s.p.Demands.List)), Lenient: make([]bool, s.p.Universe.NumInstalled())}
	for i := range s.p.Demands.List {
		placing.Dropped[i] = s.p.Demands.List[i].Owned == problem.NoNode
	}
	broken := make([]bool, s.p.Universe.NumInstalled())
	for _, i := range formula.AdmitInstalled(problem.Under(s.p.Universe, &s.p.Demands, placing), nil) {
		out = append(out, "broken:"+s.names([]problem.NodeID{s.p.Universe.Inst[i]}))
		broken[s.p.Universe.Inst[i]] = true
	}
	left, err := formula.AdmitSubscriptions(problem.Under(s.p.Universe, &s.p.Demands, problem.Assumptions{Lenient: broken, Broken: broken}), nil, func(int, []bool, func() map[int32]bool) error { return nil })
	for i, is := range left {
		if is {
			out = append(out, "left out: "+s.Subscriptions[i].Name)
		}
	}
	if err != nil {
		out = append(out, err.Error())
	}
	return out
}

func (s stand) facts(of []formula.Fact) (out []string) {
	for _, f := range explain.Facts(s.p, of) {
		out = append(out, fmt.Sprintf("%s %s", f.Kind, f.Subject))
	}
	return out
}

func (s stand) conflicts() []core.Set {
	sets, _ := core.New(s.p, formula.Propagate(s.p), nil, core.Large).Conflicts(10, false)
	return sets
}

// coreLines are minimal sets of facts, a line each.
func coreLines(s stand) (out []string) {
	for _, set := range s.conflicts() {
		out = append(out, strings.Join(s.facts(set.Facts), ", "))
	}
	return out
}

// explainLines are the facts of the first conflict, and what rules out their candidates.
func explainLines(s stand) (out []string) {
	for _, f := range explain.Facts(s.p, s.conflicts()[0].Facts) {
		line := fmt.Sprintf("%s %s", f.Kind, f.Subject)
		for _, r := range f.Candidates {
			line += fmt.Sprintf("; not %s: %s", r.Bundle, r.Reason)
		}
		out = append(out, line)
	}
	return out
}

// planLines are the bundles by wave, each with what asks for it.
func planLines(s stand) (out []string) {
	st, _ := s.decide()
	r := plan.Of(s.p, st)
	order, waves := r.ByPackage(), r.Waves()
	because, _ := r.Reasons(order)
	out = make([]string, len(order))
	for i, at := range plan.Places(order, waves) {
		out[at] = fmt.Sprintf("wave %d: %s for%s", waves[i], s.name(st.Chosen[i]), inWords(because[i]))
	}
	return out
}

func inWords(because []argument.Reason) (out string) {
	for _, r := range because {
		if r.Installed {
			out += " staying"
		}
		if asks := r.Subscription + r.Bundle; asks != "" {
			out += " " + asks
		}
	}
	return out
}
