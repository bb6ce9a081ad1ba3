package plan

import (
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// Reasons lists why each bundle is in the set: the subscriptions that it satisfies, that it is
// installed or forced, then the constraints of others, by package. The second result is the channel
// from which it satisfies its first subscription, or nil.
func (r *Result) Reasons(byPackage []int32) ([][]argument.Reason, []*graph.Channel) {
	p, chosen := r.p, r.st.Chosen
	out, channels := r.room(), make([]*graph.Channel, len(chosen))
	for s := range p.Active() {
		for n, ch := range r.st.MetBy(s) {
			k := r.At[n]
			out[k] = append(out[k], argument.Reason{Subscription: s.Name})
			if channels[k] == nil {
				channels[k] = ch
			}
		}
	}
	for k, n := range chosen {
		if nd := &p.Universe.Nodes[n]; nd.Inst >= 0 && (!p.Demands.Owned[nd.Inst] || p.Assumptions.IsBroken(n)) {
			out[k] = append(out[k], argument.Reason{Installed: true})
		}
		if p.Demands.Forces(p.Universe, n) {
			out[k] = append(out[k], argument.Reason{Forced: true})
		}
	}
	r.constraintReasons(byPackage, out)
	for _, c := range r.st.Trail {
		if c.Fresh && len(out[r.At[c.Picked.Node]]) == 0 {
			out[r.At[c.Picked.Node]] = []argument.Reason{r.decidingConstraint(c)}
		}
	}
	return out, channels
}

// room allocates the lists of reasons at once: for each bundle one entry per dependent, and one for
// its demand.
func (r *Result) room() [][]argument.Reason {
	out := make([][]argument.Reason, len(r.Needs))
	total := len(r.Needs)
	count := make([]int32, len(r.Needs))
	for _, ns := range r.Needs {
		total += len(ns)
		for _, d := range ns {
			count[d.On]++
		}
	}
	all := make([]argument.Reason, total)
	for i, n := range count {
		out[i], all = all[:0:n+1], all[n+1:]
	}
	return out
}

// constraintReasons adds the constraints of other bundles, each once.
func (r *Result) constraintReasons(byPackage []int32, out [][]argument.Reason) {
	p := r.p
	few := true // no bundle has more than fewReasons so far, and unique is not set
	unique := false
	for _, k := range byPackage {
		n := r.st.Chosen[k]
		reqs, name := p.Requirements(n), p.Universe.Name(n)
		last, said := Need{On: -1, Req: -1}, ""
		for _, d := range r.Needs[k] {
			if d == last {
				continue
			}
			if d.Req != last.Req {
				said = r.words(reqs[d.Req]) // shared by all reasons of the requirement
				if p.Budget.Step() {
					return
				}
			}
			last = d
			because := argument.Reason{Bundle: name, Constraint: said}
			given := out[d.On]
			if len(given) > fewReasons {
				if few {
					few, unique = false, r.uniqueNames()
				}
				if unique {
					given = latestOf(given, name)
				}
			}
			if !slices.Contains(given, because) {
				out[d.On] = append(out[d.On], because)
			}
		}
	}
}

// fewReasons is the length up to which all reasons are searched.
const fewReasons = 8

// latestOf returns the reasons of a bundle at the end of a list.
func latestOf(given []argument.Reason, bundle string) []argument.Reason {
	first := len(given)
	for first > 0 && given[first-1].Bundle == bundle {
		first--
	}
	return given[first:]
}

// uniqueNames reports whether the names of all bundles of the set differ; those of different packages
// may be equal. If they differ, all reasons with the same dependent are consecutive.
func (r *Result) uniqueNames() bool {
	seen := make(map[string]struct{}, len(r.st.Chosen))
	for _, n := range r.st.Chosen {
		seen[r.u.Name(n)] = struct{}{}
	}
	return len(seen) == len(r.st.Chosen)
}

// maxWords is the maximum number of bytes of a constraint in a reason.
const maxWords = 4000

func (r *Result) words(of problem.Requirement) string {
	return text.Clip(of.Words(r.u.Terms.Operator), maxWords)
}

// decidingConstraint returns the constraint for which a bundle was selected, although the finished
// set satisfies it without that bundle.
func (r *Result) decidingConstraint(c search.Choice) argument.Reason {
	d := r.st.Queue[c.Decision]
	return argument.Reason{Bundle: r.u.Name(d.From), Constraint: r.words(r.p.Requirements(d.From)[d.Req])}
}

// PassedOver lists, by index into Chosen, the better placed candidates that the decision
// which selected a bundle rejected.
func (r *Result) PassedOver() [][]cache.BundleRef {
	type passed struct {
		chosen int32
		ref    cache.BundleRef
	}
	out, seen := make([][]cache.BundleRef, len(r.st.Chosen)), make(map[passed]bool, len(r.st.Rejected))
	for _, over := range r.st.Rejected {
		if r.p.Budget.Step() {
			break
		}
		c := r.st.Trail[over.Choice]
		if !c.Fresh || c.Picked.Node == over.Node {
			continue
		}
		if k := (passed{r.At[c.Picked.Node], r.u.RefOf(over.Node)}); !seen[k] {
			seen[k] = true
			out[k.chosen] = append(out[k.chosen], k.ref)
		}
	}
	return out
}

// Chain returns the shortest path from a demand to a bundle of the set.
func (r *Result) Chain(n problem.NodeID) []argument.Reason {
	because, _ := r.Reasons(r.ByPackage())
	from := make([]int32, len(because)) // the dependent by which a bundle is reached
	via := make([]argument.Reason, len(because))
	seen := make([]bool, len(because))
	var todo []int32
	for i, rs := range because {
		for _, why := range rs {
			if why.Bundle == "" {
				from[i], via[i], seen[i] = -1, why, true
				todo = append(todo, int32(i))
				break
			}
		}
	}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		reqs := r.p.Requirements(r.st.Chosen[i])
		for _, d := range r.Needs[i] {
			if !seen[d.On] {
				seen[d.On], from[d.On] = true, i
				via[d.On] = argument.Reason{Bundle: r.u.Name(r.st.Chosen[i]), Constraint: reqs[d.Req].Words(r.u.Terms.Operator)}
				todo = append(todo, d.On)
			}
		}
	}
	i := r.At[n]
	if !seen[i] { // only the decision that selected it explains it
		for _, c := range r.st.Trail {
			if c.Picked.Node == n && c.Fresh {
				return append(r.Chain(r.st.Queue[c.Decision].From), r.decidingConstraint(c))
			}
		}
		return because[i]
	}
	var out []argument.Reason
	for ; i >= 0; i = from[i] {
		out = append(out, via[i])
	}
	slices.Reverse(out)
	return out
}
