package resolver

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/plan"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// solution writes down a finished result set (section 7).
func (p *resolution) solution(st *search.State) *Solution {
	r := &account{plan.Of(&p.Problem, st), p, st}
	byPackage := r.byPackage()
	waves := r.Waves()
	because, channels := r.reasons(byPackage)
	replaced := r.replacements()
	sol := &Solution{Steps: make([]Step, len(st.Chosen))}
	at := placed(byPackage, waves) // by index into st.chosen
	for i, n := range st.Chosen {
		s := &sol.Steps[at[i]]
		r.step(s, n, channels[i])
		s.Wave, s.Because = int(waves[i]), because[i]
		if from := replaced[int32(i)]; len(from) > 0 {
			s.Action, s.Replaces = Upgrade, from
		}
	}
	markPlanned(p.req, sol)
	r.passedOver(sol, at)
	p.warnDeprecations(sol, st.Chosen, at)
	p.warnIncompatible(st.Chosen)
	r.warnOrphans()
	sol.Warnings = p.sortedWarnings()
	sol.Stats = p.stats()
	return sol
}

// account is a result set with what is said of it.
type account struct {
	*plan.Result
	p  *resolution
	st *search.State
}

// placed gives each chosen bundle its place among the steps: by wave, and inside a
// wave in the given order.
func placed(order, waves []int32) []int32 {
	var start []int32 // of each wave; the next one behind it
	for _, w := range waves {
		for int(w)+1 >= len(start) {
			start = append(start, 0)
		}
		start[w+1]++
	}
	for w := 1; w < len(start); w++ {
		start[w] += start[w-1]
	}
	at := make([]int32, len(order))
	for _, i := range order {
		at[i] = start[waves[i]]
		start[waves[i]]++
	}
	return at
}

// step fills in what a bundle says of itself. offered is the channel that the first
// subscription it meets takes it from.
func (r *account) step(s *Step, n problem.NodeID, offered *graph.Channel) {
	p := r.p
	nd := &p.Nodes[n]
	b := nd.Bundle
	s.Action, s.Bundle, s.Package, s.Version = Install, b.Name, b.Package, p.versionOf(n)
	if nd.Inst >= 0 {
		in := &p.req.Installed[nd.Inst]
		s.Action, s.Catalog, s.Channel = Keep, in.Catalog, in.Channel
		return
	}
	s.Catalog, s.Image = p.Cats[nd.Cat].Key, b.Image
	if offered != nil {
		s.Channel = offered.Name
	} else if pl, ok := p.BestPlace(b); ok {
		s.Channel = pl.Channel.Name
	}
}

// occasion is the constraint for which a bundle was chosen, although it holds
// without that bundle now that all are chosen.
func (r *account) occasion(c search.Choice) Reason {
	d := r.st.Queue[c.Decision]
	return Reason{Bundle: r.p.Nodes[d.From].Bundle.Name, Constraint: clip(r.p.Requirements(d.From)[d.Req].Constraint.String())}
}

// byPackage lists the chosen bundles in the order of their packages. Catalogs mostly
// number bundles in that order, and what is nearly sorted is sorted fast.
func (r *account) byPackage() []int32 {
	bundle := func(i int32) *graph.Bundle { return r.p.Nodes[r.st.Chosen[i]].Bundle }
	order := make([]int32, len(r.st.Chosen))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(bundle(a).ID, bundle(b).ID) })
	slices.SortFunc(order, func(a, b int32) int {
		x, y := bundle(a), bundle(b)
		return cmp.Or(strings.Compare(x.Package, y.Package), strings.Compare(x.Name, y.Name))
	})
	return order
}

// replacements finds which installed bundles each new one takes the place of: it
// is a candidate of the subscription that owns them, and they are not in the set.
// It goes by index into st.chosen.
func (r *account) replacements() map[int32][]string {
	p := r.p
	var out map[int32][]string
	for i := range p.Subs {
		s := &p.Subs[i]
		if s.Left || s.Owned == problem.NoNode || r.st.Has(s.Owned) {
			continue
		}
		for n := range r.st.MetBy(s) {
			if out == nil {
				out = make(map[int32][]string)
			}
			k := r.At[n]
			out[k] = text.AppendNew(out[k], p.Nodes[s.Owned].Bundle.Name)
		}
	}
	return out
}

// passedOver adds to each bundle the better placed candidates that the decision
// which chose it had to refuse.
func (r *account) passedOver(sol *Solution, at []int32) {
	p := r.p
	type passed struct {
		place int32
		ref   BundleRef
	}
	seen := make(map[passed]bool, len(r.st.Passed))
	for _, over := range r.st.Passed {
		if p.Tick(); p.Stopped() {
			return
		}
		c := r.st.Trail[over.Choice]
		if !c.Fresh || c.Picked.Node == over.Node {
			continue
		}
		nd := &p.Nodes[over.Node]
		ref := BundleRef{Name: nd.Bundle.Name}
		if nd.Cat != problem.NoCatalog {
			ref.Catalog = p.Cats[nd.Cat].Key
		}
		if nd.Inst >= 0 {
			ref.Catalog = cache.Key{}
		}
		place := at[r.At[c.Picked.Node]]
		if key := (passed{place, ref}); !seen[key] {
			seen[key] = true
			step := &sol.Steps[place]
			step.PassedOver = append(step.PassedOver, ref)
		}
	}
}

// automatic reports of each chosen bundle whether it is there only because it, or
// what it replaces, came in as a dependency.
func (r *account) automatic() []bool {
	p := r.p
	auto, wanted := make([]bool, len(r.st.Chosen)), make([]bool, len(r.st.Chosen))
	for i, n := range r.st.Chosen {
		inst := p.Nodes[n].Inst
		auto[i] = inst >= 0 && p.req.Installed[inst].Automatic
	}
	for i := range p.Subs {
		s := &p.Subs[i]
		if s.Left {
			continue
		}
		came := p.asked[i].Generated && s.Owned != problem.NoNode && p.req.Installed[p.Nodes[s.Owned].Inst].Automatic
		for n := range r.st.MetBy(s) {
			if k := r.At[n]; !p.asked[i].Generated {
				wanted[k] = true
			} else if came && p.Nodes[n].Inst < 0 {
				auto[k] = true
			}
		}
	}
	for i, n := range r.st.Chosen {
		auto[i] = auto[i] && !wanted[i] && !p.forcedNode(n)
	}
	return auto
}

// warnOrphans names the bundles that came in as dependencies and that nothing
// that is wanted for itself leads to any more.
func (r *account) warnOrphans() {
	p := r.p
	if !slices.ContainsFunc(p.req.Installed, func(in Installed) bool { return in.Automatic }) {
		return
	}
	auto := r.automatic()
	if !slices.Contains(auto, true) {
		return
	}
	needed := make([]bool, len(r.st.Chosen))
	var todo []int32
	for i := range r.st.Chosen {
		if !auto[i] {
			needed[i] = true
			todo = append(todo, int32(i))
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range r.Needs[i] {
			if !needed[d.On] {
				needed[d.On] = true
				todo = append(todo, d.On)
			}
		}
	}
	for i, n := range r.st.Chosen {
		if b := p.Nodes[n].Bundle; !needed[i] {
			p.warnings = append(p.warnings, Warning{Kind: WarnOrphan, Bundle: b.Name, Package: b.Package,
				Message: fmt.Sprintf("%s came in as a dependency and nothing needs it any more; it can be removed", b.Name)})
		}
	}
}

// forcedNode reports whether the request forces a bundle.
func (p *resolution) forcedNode(n problem.NodeID) bool {
	for i := range p.Force {
		if p.IsForced(int32(i), n) {
			return true
		}
	}
	return false
}

// sortedWarnings orders warnings by kind and then by what they are about.
func (p *resolution) sortedWarnings() []Warning {
	slices.SortStableFunc(p.warnings, func(a, b Warning) int {
		return cmp.Or(
			strings.Compare(string(a.Kind), string(b.Kind)),
			strings.Compare(a.Catalog, b.Catalog),
			strings.Compare(a.Package, b.Package),
			strings.Compare(a.Bundle, b.Bundle),
			strings.Compare(a.Channel, b.Channel),
			strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(p.warnings)
}

// resolve answers the problem.
func (p *resolution) resolve() (*Solution, error) {
	if p.req.Policy.Failures == FailuresPartial {
		return p.resolvePartial()
	}
	return p.finish(p.settle())
}

// unexplained notes in an error that stopped an explanation that there is no
// solution. Others it leaves as they are.
func unexplained(err error) error {
	var stopped *IncompleteError
	if !errors.As(err, &stopped) {
		return err
	}
	known := *stopped
	known.Unsatisfiable = true
	return &known
}

// finish writes down the outcome of a search.
func (p *resolution) finish(st *search.State) (*Solution, error) {
	switch {
	case p.Stopped():
		return nil, p.failed(p.Err())
	case st == nil:
		return nil, unexplained(p.conflict())
	}
	sol := p.solution(st)
	if p.Stopped() {
		return nil, p.failed(p.Err())
	}
	return sol, nil
}
