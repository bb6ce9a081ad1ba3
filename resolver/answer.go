package resolver

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/plan"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// solutionBuilder turns a finished search into a solution.
type solutionBuilder struct {
	p    *problem.Problem
	u    *problem.Universe // of p
	of   *resolution
	st   *search.State
	plan *plan.Result
	at   []int32 // by index into st.Chosen: index into sol.Steps
	sol  *Solution
}

func (p *resolution) solution(st *search.State) *Solution {
	r := plan.Of(p.problem, st)
	byPackage := r.ByPackage()
	waves := r.Waves()
	because, channels := r.Reasons(byPackage)
	replaced, passed := r.Replaced(), r.PassedOver()
	sol := &Solution{Steps: make([]Step, len(st.Chosen))}
	t := &solutionBuilder{p: p.problem, u: p.problem.Universe, of: p, st: st, plan: r, at: plan.Places(byPackage, waves), sol: sol}
	for i, n := range st.Chosen {
		s := &sol.Steps[t.at[i]]
		t.step(s, n, channels[i])
		s.Wave, s.Because, s.PassedOver = int(waves[i]), because[i], passed[i]
		if from := replaced[int32(i)]; len(from) > 0 {
			s.Action, s.Replaces = Upgrade, from
			if slices.ContainsFunc(from, func(name string) bool { return t.downgrades(n, name) }) {
				s.Action = Downgrade
			}
		}
	}
	if len(p.req.Extensions) > 0 {
		for i := range sol.Steps {
			_, sol.Steps[i].Planned = sol.Steps[i].Subscription()
		}
	}
	for i := range t.p.Demands.List {
		t.warnKept(&t.p.Demands.List[i])
	}
	t.holds()
	t.warnDeprecations()
	t.warnIncompatible()
	t.warnOrphans()
	sol.Warnings = sorted(p.warnings)
	sol.Stats = p.stats()
	return sol
}

// downgrades reports whether an installed bundle is of the package of a bundle and has a higher
// version.
func (t *solutionBuilder) downgrades(to problem.NodeID, installed string) bool {
	own := t.of.installed.index[installed]
	from, b := t.u.Inst[own], t.u.Nodes[to].Bundle
	if from == problem.NoNode || b.Version == nil || t.of.installed.pkg[own] != b.Package {
		return false
	}
	old := t.of.versionOf(from)
	return old != nil && old.GT(*b.Version)
}

// step fills in a step from its bundle. offered is the channel in which the first subscription
// found it; it may be nil.
func (t *solutionBuilder) step(s *Step, n problem.NodeID, offered *graph.Channel) {
	nd := &t.u.Nodes[n]
	b := nd.Bundle
	s.Action, s.Bundle, s.Package, s.Version, s.Payload = Install, b.Name, b.Package, t.of.versionOf(n), b.Payload
	if nd.Inst >= 0 {
		in := &t.of.req.Installed[nd.Inst]
		s.Action, s.Catalog, s.Channel = Keep, in.Catalog, in.Channel
		_, s.KeptFrom = t.of.installed.known(in, b.Package)
		if cat, ok := t.of.offering[nd.Inst]; ok {
			s.KeptFrom = t.u.Cats[cat].Key
			s.Catalog = s.KeptFrom
		}
		return
	}
	s.Catalog, s.Image = t.u.Cats[nd.Cat].Key, b.Image
	if offered != nil {
		s.Channel = offered.Name
	} else if pl, ok := t.u.BestPlace(b); ok {
		s.Channel = pl.Channel.Name
	}
}

// holds sets the hold reason of each step that keeps the bundle of a held subscription.
func (t *solutionBuilder) holds() {
	var held map[problem.NodeID]string
	for i := range t.p.Demands.List {
		if s := &t.p.Demands.List[i]; s.HeldBack() {
			if held == nil {
				held = make(map[problem.NodeID]string)
			}
			held[s.Owned] = cmp.Or(held[s.Owned], s.Hold)
		}
	}
	for i, n := range t.st.Chosen {
		if reason := held[n]; reason != "" {
			t.sol.Steps[t.at[i]].Hold = reason
		}
	}
}

// warnOrphans warns about bundles that were installed as dependencies and that nothing requires
// any more.
func (t *solutionBuilder) warnOrphans() {
	if !slices.ContainsFunc(t.of.req.Installed, func(in Installed) bool { return in.Automatic }) {
		return
	}
	automatic := func(i int32) bool { return t.of.req.Installed[i].Automatic }
	for _, n := range t.plan.Orphans(automatic) {
		t.of.warn(WarningOrphan, t.u.Nodes[n].Bundle, Warning{Message: t.u.Name(n) + " was installed as a dependency and nothing needs it any more; it can be removed"})
	}
}

// sorted orders warnings by kind and subject, and removes duplicates.
func sorted(warnings []Warning) []Warning {
	slices.SortStableFunc(warnings, func(a, b Warning) int {
		return cmp.Or(
			cmp.Compare(a.Kind, b.Kind),
			strings.Compare(a.Catalog, b.Catalog),
			strings.Compare(a.Package, b.Package),
			strings.Compare(a.Bundle, b.Bundle),
			strings.Compare(a.Channel, b.Channel),
			cmp.Compare(a.Code, b.Code),
			strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(warnings)
}

// resolve returns the best solution, or an error as [Resolver.Resolve] does.
func (p *resolution) resolve() (*Solution, error) {
	st, unresolved, err := p.settleAdmitted()
	switch {
	case err != nil:
		return nil, err
	case p.budget.Stopped():
		return nil, p.failed()
	case st == nil:
		var stopped *IncompleteError
		if err = p.conflict(p.whole()); !errors.As(err, &stopped) {
			return nil, err
		}
		known := *stopped
		known.Unsatisfiable = true
		return nil, &known
	}
	sol := p.solution(st)
	if p.budget.Stopped() {
		return nil, p.failed()
	}
	sol.Unresolved = unresolved
	return sol, nil
}
