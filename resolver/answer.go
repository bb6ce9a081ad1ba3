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

// telling tells of a finished search as a solution.
type telling struct {
	p    *problem.View
	of   *resolution
	st   *search.State
	plan *plan.Result
	at   []int32 // by index into st.Chosen: the place among the steps
	sol  *Solution
}

// solution tells of a finished search.
func (p *resolution) solution(st *search.State) *Solution {
	r := plan.Of(p.view, st)
	byPackage := r.ByPackage()
	waves := r.Waves()
	because, channels := r.Reasons(byPackage)
	replaced, passed := r.Replaced(), r.PassedOver()
	sol := &Solution{Steps: make([]Step, len(st.Chosen))}
	t := &telling{p: p.view, of: p, st: st, plan: r, at: plan.Places(byPackage, waves), sol: sol}
	for i, n := range st.Chosen {
		s := &sol.Steps[t.at[i]]
		t.step(s, n, channels[i])
		s.Wave, s.Because, s.PassedOver = int(waves[i]), because[i], passed[i]
		if from := replaced[int32(i)]; len(from) > 0 {
			s.Action, s.Replaces = Upgrade, from
		}
	}
	if len(p.req.Extensions) > 0 {
		for i := range sol.Steps {
			_, sol.Steps[i].Planned = sol.Steps[i].Subscription()
		}
	}
	for i := range t.p.Subs {
		t.warnKept(&t.p.Subs[i])
	}
	t.warnDeprecations()
	t.warnIncompatible()
	t.warnOrphans()
	sol.Warnings = sorted(p.warnings)
	sol.Stats = p.stats()
	return sol
}

// step fills in what a bundle says of itself. offered is the channel that the first
// subscription it meets takes it from.
func (t *telling) step(s *Step, n problem.NodeID, offered *graph.Channel) {
	nd := &t.p.Nodes[n]
	b := nd.Bundle
	s.Action, s.Bundle, s.Package, s.Version, s.Payload = Install, b.Name, b.Package, t.of.versionOf(n), b.Payload
	if nd.Inst >= 0 {
		in := &t.of.req.Installed[nd.Inst]
		s.Action, s.Catalog, s.Channel = Keep, in.Catalog, in.Channel
		_, s.KeptFrom = t.of.installed.known(in, b.Package)
		return
	}
	s.Catalog, s.Image = t.p.Cats[nd.Cat].Key, b.Image
	if offered != nil {
		s.Channel = offered.Name
	} else if pl, ok := t.p.BestPlace(b); ok {
		s.Channel = pl.Channel.Name
	}
}

// warnOrphans names the bundles that came in as dependencies and that nothing
// that is wanted for itself leads to any more.
func (t *telling) warnOrphans() {
	if !slices.ContainsFunc(t.of.req.Installed, func(in Installed) bool { return in.Automatic }) {
		return
	}
	automatic := func(i int32) bool { return t.of.req.Installed[i].Automatic }
	for _, n := range t.plan.Orphans(automatic) {
		t.of.warn(warningOrphan, t.p.Nodes[n].Bundle, Warning{Message: t.p.Name(n) + " came in as a dependency and nothing needs it any more; it can be removed"})
	}
}

// sorted orders warnings by kind and then by what they are about.
func sorted(warnings []Warning) []Warning {
	slices.SortStableFunc(warnings, func(a, b Warning) int {
		return cmp.Or(
			strings.Compare(a.Kind, b.Kind),
			strings.Compare(a.Catalog, b.Catalog),
			strings.Compare(a.Package, b.Package),
			strings.Compare(a.Bundle, b.Bundle),
			strings.Compare(a.Channel, b.Channel),
			strings.Compare(a.Code, b.Code),
			strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(warnings)
}

// resolve answers the problem.
func (p *resolution) resolve() (*Solution, error) {
	st, unresolved, err := p.settleAdmitted()
	switch {
	case err != nil:
		return nil, err
	case p.problem.Stopped():
		return nil, p.failed()
	case st == nil:
		var stopped *IncompleteError
		if err = p.conflict(p.view, false); !errors.As(err, &stopped) {
			return nil, err
		}
		known := *stopped // that there is no solution
		known.Unsatisfiable = true
		return nil, &known
	}
	sol := p.solution(st)
	if p.problem.Stopped() {
		return nil, p.failed()
	}
	sol.Unresolved = unresolved
	return sol, nil
}
