package resolver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
)

// solution writes down a finished result set (section 7).
func (p *problem) solution(st *state) *Solution {
	r := newResult(st)
	waves := r.waves()
	sol := &Solution{Steps: make([]Step, len(st.chosen))}
	because := r.reasons()
	replaced := r.replacements()
	for i, n := range st.chosen {
		sol.Steps[i] = r.step(n, waves[i])
		sol.Steps[i].Because = because[i]
		if from := replaced[i]; len(from) > 0 {
			sol.Steps[i].Action, sol.Steps[i].Replaces = Upgrade, from
		}
	}
	r.passedOver(sol)
	for i, n := range st.chosen {
		channel := sol.Steps[i].Channel
		if p.nodes[n].inst >= 0 && channel == "" {
			channel = p.subscribedChannel(n)
		}
		p.warnDeprecated(n, channel)
	}
	slices.SortStableFunc(sol.Steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Wave, b.Wave), strings.Compare(a.Package, b.Package), strings.Compare(a.Bundle, b.Bundle))
	})
	r.warnOrphans()
	sol.Warnings = p.sortedWarnings()
	sol.Stats = p.stats()
	return sol
}

// step fills in what a bundle says of itself.
func (r *result) step(n nodeID, wave int) Step {
	p := r.p
	nd := &p.nodes[n]
	b := nd.bundle
	s := Step{Wave: wave, Action: Install, Bundle: b.Name, Package: b.Package, Version: b.Version}
	if nd.inst >= 0 {
		in := &p.req.Installed[nd.inst]
		s.Action, s.Catalog, s.Channel = Keep, in.Catalog, in.Channel
		return s
	}
	s.Catalog = p.cats[nd.cat].Key
	s.Channel = r.channel(n)
	return s
}

// channel is the channel that a bundle is taken from: that of the first
// subscription it meets, else its best place.
func (r *result) channel(n nodeID) string {
	p := r.p
	for i := range p.subs {
		if p.subs[i].left {
			continue
		}
		if ch, ok := p.offers(&p.subs[i], n); ok && ch != nil {
			return ch.Name
		}
	}
	if pl, ok := p.bestPlace(p.nodes[n].bundle); ok {
		return pl.Channel.Name
	}
	return ""
}

// subscribedChannel is the channel of the subscription that owns an installed
// bundle.
func (p *problem) subscribedChannel(n nodeID) string {
	for i := range p.subs {
		if p.subs[i].owned == n {
			return p.req.Subscriptions[i].Channel
		}
	}
	return ""
}

// reasons lists why each bundle is in the set: the subscriptions that it meets,
// that it is installed or forced, then the constraints of others, by package.
func (r *result) reasons() [][]Reason {
	p, chosen := r.p, r.st.chosen
	out := make([][]Reason, len(chosen))
	for i := range p.subs {
		if p.subs[i].left {
			continue
		}
		for _, n := range r.st.metBy(&p.subs[i]) {
			k := r.at[n]
			out[k] = append(out[k], Reason{Subscription: p.req.Subscriptions[i].Name})
		}
	}
	for k, n := range chosen {
		if p.nodes[n].inst >= 0 && !p.owned(n) {
			out[k] = append(out[k], Reason{Installed: true})
		}
		for i := range p.req.Force {
			if p.isForced(int32(i), n) {
				out[k] = append(out[k], Reason{Forced: true})
				break
			}
		}
	}
	for _, k := range r.byPackage() {
		reqs := p.requirements(chosen[k])
		last := need{on: -1}
		for _, d := range r.needs[k] {
			if d == last {
				continue
			}
			last = d
			because := Reason{Bundle: p.nodes[chosen[k]].bundle.Name, Constraint: reqs[d.req].constraint.String()}
			if !slices.Contains(out[d.on], because) {
				out[d.on] = append(out[d.on], because)
			}
		}
	}
	for _, c := range r.st.trail {
		if c.fresh && len(out[r.at[c.opt.node]]) == 0 {
			out[r.at[c.opt.node]] = []Reason{r.occasion(c)}
		}
	}
	return out
}

// occasion is the constraint for which a bundle was chosen, although it holds
// without that bundle now that all are chosen.
func (r *result) occasion(c choice) Reason {
	d := r.st.queue[c.decision]
	return Reason{Bundle: r.p.nodes[d.from].bundle.Name, Constraint: r.p.requirements(d.from)[d.req].constraint.String()}
}

// byPackage lists the chosen bundles in the order of their packages.
func (r *result) byPackage() []int {
	order := make([]int, len(r.st.chosen))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := r.p.nodes[r.st.chosen[a]].bundle, r.p.nodes[r.st.chosen[b]].bundle
		return cmp.Or(strings.Compare(x.Package, y.Package), strings.Compare(x.Name, y.Name))
	})
	return order
}

// replacements finds which installed bundles each new one takes the place of: it
// is a candidate of the subscription that owns them, and they are not in the set.
func (r *result) replacements() [][]string {
	p := r.p
	out := make([][]string, len(r.st.chosen))
	for i := range p.subs {
		s := &p.subs[i]
		if s.left || s.owned == noNode || r.st.has(s.owned) {
			continue
		}
		for _, n := range r.st.metBy(s) {
			k := r.at[n]
			out[k] = appendNew(out[k], p.nodes[s.owned].bundle.Name)
		}
	}
	return out
}

// passedOver adds to each bundle the better placed candidates that the decision
// which chose it had to refuse.
func (r *result) passedOver(sol *Solution) {
	p := r.p
	for _, over := range r.st.passed {
		c := r.st.trail[over.choice]
		if !c.fresh || c.opt.node == over.node {
			continue
		}
		nd := &p.nodes[over.node]
		ref := BundleRef{Name: nd.bundle.Name}
		if nd.cat != noCatalog {
			ref.Catalog = p.cats[nd.cat].Key
		}
		if nd.inst >= 0 {
			ref.Catalog = cache.Key{}
		}
		step := &sol.Steps[r.at[c.opt.node]]
		if !slices.Contains(step.PassedOver, ref) {
			step.PassedOver = append(step.PassedOver, ref)
		}
	}
}

// warnOrphans names the bundles that came in as dependencies and that nothing
// that is wanted for itself leads to any more.
func (r *result) warnOrphans() {
	p := r.p
	auto := func(n nodeID) bool {
		nd := &p.nodes[n]
		return nd.inst >= 0 && p.req.Installed[nd.inst].Automatic && !p.owned(n) && !p.forcedNode(n)
	}
	needed := make([]bool, len(r.st.chosen))
	var todo []int
	for i, n := range r.st.chosen {
		if !auto(n) {
			needed[i] = true
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range r.needs[i] {
			if !needed[d.on] {
				needed[d.on] = true
				todo = append(todo, d.on)
			}
		}
	}
	for i, n := range r.st.chosen {
		if b := p.nodes[n].bundle; !needed[i] {
			p.warnings = append(p.warnings, Warning{Kind: WarnOrphan, Bundle: b.Name, Package: b.Package,
				Message: fmt.Sprintf("%s came in as a dependency and nothing needs it any more; it can be removed", b.Name)})
		}
	}
}

// forcedNode reports whether the request forces a bundle.
func (p *problem) forcedNode(n nodeID) bool {
	for i := range p.req.Force {
		if p.isForced(int32(i), n) {
			return true
		}
	}
	return false
}

// sortedWarnings orders warnings by kind and then by what they are about.
func (p *problem) sortedWarnings() []Warning {
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
func (p *problem) resolve() (*Solution, error) {
	if p.req.Policy.Failures == Partial {
		return p.resolvePartial()
	}
	return p.finish(p.settle())
}

// finish writes down the outcome of a search.
func (p *problem) finish(st *state) (*Solution, error) {
	switch {
	case p.err != nil:
		return nil, p.err
	case st == nil:
		return nil, p.conflict()
	}
	sol := p.solution(st)
	if p.err != nil {
		return nil, p.err
	}
	return sol, nil
}
