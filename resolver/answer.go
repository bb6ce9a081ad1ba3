package resolver

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/plan"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

func (p *resolution) solution(st *search.State) *Solution {
	r := plan.Of(p.view, st)
	byPackage := r.ByPackage()
	waves := r.Waves()
	because, channels := r.Reasons(byPackage, p.nameAsked)
	replaced := r.Replaced()
	sol := &Solution{Steps: make([]Step, len(st.Chosen))}
	at := plan.Places(byPackage, waves) // by index into st.chosen
	for i, n := range st.Chosen {
		s := &sol.Steps[at[i]]
		p.step(s, n, channels[i])
		s.Wave, s.Because = int(waves[i]), because[i]
		if from := replaced[int32(i)]; len(from) > 0 {
			s.Action, s.Replaces = Upgrade, from
		}
	}
	if len(p.req.Extensions) > 0 {
		for i := range sol.Steps {
			_, sol.Steps[i].Planned = sol.Steps[i].Subscription()
		}
	}
	p.passedOver(sol, st, func(n problem.NodeID) int32 { return at[r.At[n]] })
	for i := range p.view.Subs {
		p.warnKept(&p.view.Subs[i], st)
	}
	p.warnDeprecations(sol, st.Chosen, at)
	p.warnIncompatible(st.Chosen)
	p.warnOrphans(r)
	sol.Warnings = p.sortedWarnings()
	sol.Stats = p.stats()
	return sol
}

// step fills in what a bundle says of itself. offered is the channel that the first
// subscription it meets takes it from.
func (p *resolution) step(s *Step, n problem.NodeID, offered *graph.Channel) {
	nd := &p.problem.Nodes[n]
	b := nd.Bundle
	s.Action, s.Bundle, s.Package, s.Version, s.Payload = Install, b.Name, b.Package, p.versionOf(n), b.Payload
	if nd.Inst >= 0 {
		in := &p.req.Installed[nd.Inst]
		s.Action, s.Catalog, s.Channel = Keep, in.Catalog, in.Channel
		_, s.KeptFrom = p.knownBundle(in, b.Package)
		return
	}
	s.Catalog, s.Image = p.problem.Cats[nd.Cat].Key, b.Image
	if offered != nil {
		s.Channel = offered.Name
	} else if pl, ok := p.problem.BestPlace(b); ok {
		s.Channel = pl.Channel.Name
	}
}

// passedOver adds to each bundle the better placed candidates that the decision
// which chose it had to refuse. at is the place of a chosen bundle among the steps.
func (p *resolution) passedOver(sol *Solution, st *search.State, at func(problem.NodeID) int32) {
	type passed struct {
		place int32
		ref   BundleRef
	}
	seen := make(map[passed]bool, len(st.Passed))
	for _, over := range st.Passed {
		if p.problem.Tick(); p.problem.Stopped() {
			return
		}
		c := st.Trail[over.Choice]
		if !c.Fresh || c.Picked.Node == over.Node {
			continue
		}
		nd := &p.problem.Nodes[over.Node]
		ref := BundleRef{Name: nd.Bundle.Name}
		if nd.Cat != problem.NoCatalog {
			ref.Catalog = p.problem.Cats[nd.Cat].Key
		}
		if nd.Inst >= 0 {
			ref.Catalog = cache.Key{}
		}
		place := at(c.Picked.Node)
		if key := (passed{place, ref}); !seen[key] {
			seen[key] = true
			step := &sol.Steps[place]
			step.PassedOver = append(step.PassedOver, ref)
		}
	}
}

// warnOrphans names the bundles that came in as dependencies and that nothing
// that is wanted for itself leads to any more.
func (p *resolution) warnOrphans(r *plan.Result) {
	if !slices.ContainsFunc(p.req.Installed, func(in Installed) bool { return in.Automatic }) {
		return
	}
	automatic := func(i int32) bool { return p.req.Installed[i].Automatic }
	generated := func(i int) bool { return p.asked[i].Generated }
	for _, n := range r.Orphans(automatic, generated) {
		b := p.problem.Nodes[n].Bundle
		p.warnings = append(p.warnings, Warning{Kind: warningOrphan, Bundle: b.Name, Package: b.Package,
			Message: fmt.Sprintf("%s came in as a dependency and nothing needs it any more; it can be removed", b.Name)})
	}
}

// sortedWarnings orders warnings by kind and then by what they are about.
func (p *resolution) sortedWarnings() []Warning {
	slices.SortStableFunc(p.warnings, func(a, b Warning) int {
		return cmp.Or(
			strings.Compare(a.Kind, b.Kind),
			strings.Compare(a.Catalog, b.Catalog),
			strings.Compare(a.Package, b.Package),
			strings.Compare(a.Bundle, b.Bundle),
			strings.Compare(a.Channel, b.Channel),
			strings.Compare(a.Code, b.Code),
			strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(p.warnings)
}

// resolve answers the problem.
func (p *resolution) resolve() (*Solution, error) {
	st, unresolved, err := p.settleAdmitted()
	switch {
	case err != nil:
		return nil, err
	case p.problem.Stopped():
		return nil, p.failed(p.problem.Err())
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
		return nil, p.failed(p.problem.Err())
	}
	sol.Unresolved = unresolved
	return sol, nil
}
