package resolver

import (
	"slices"
	"sync"

	"github.com/seed109e2655/resolute/graph"
)

// reasons lists why each bundle is in the set: the subscriptions that it meets,
// that it is installed or forced, then the constraints of others, by package. The
// second result is the channel that the first subscription which a bundle meets
// takes it from, nil if there is none.
func (r *account) reasons(byPackage []int32) ([][]Reason, []*graph.Channel) {
	p, chosen := r.p, r.st.chosen
	out, channels := r.room(), make([]*graph.Channel, len(chosen))
	for i := range p.subs {
		if p.subs[i].left {
			continue
		}
		for n, ch := range r.st.metBy(&p.subs[i]) {
			k := r.at[n]
			out[k] = append(out[k], Reason{Subscription: p.asked[i].Name})
			if channels[k] == nil {
				channels[k] = ch
			}
		}
	}
	owned := p.ownedInstalled()
	for k, n := range chosen {
		if nd := &p.nodes[n]; nd.inst >= 0 && (!owned[nd.inst] || p.isBroken(n)) {
			out[k] = append(out[k], Reason{Installed: true})
		}
		if p.forcedNode(n) {
			out[k] = append(out[k], Reason{Forced: true})
		}
	}
	r.constraintReasons(byPackage, out)
	for _, c := range r.st.trail {
		if c.fresh && len(out[r.at[c.opt.node]]) == 0 {
			out[r.at[c.opt.node]] = []Reason{r.occasion(c)}
		}
	}
	return out, channels
}

// room makes the lists for the reasons, all from one allocation: as many as needs
// lead to a bundle, and one more for what asks for it.
func (r *account) room() [][]Reason {
	out := make([][]Reason, len(r.needs))
	total := len(r.needs)
	count := make([]int32, len(r.needs))
	for _, ns := range r.needs {
		total += len(ns)
		for _, d := range ns {
			count[d.on]++
		}
	}
	all := make([]Reason, total)
	for i, n := range count {
		out[i], all = all[:0:n+1], all[n+1:]
	}
	return out
}

// constraintReasons adds the constraints of other bundles, each once.
func (r *account) constraintReasons(byPackage []int32, out [][]Reason) {
	p := r.p
	unique := sync.OnceValue(r.uniqueNames)
	for _, k := range byPackage {
		n := r.st.chosen[k]
		reqs, name := p.requirements(n), p.nodes[n].bundle.Name
		last, text := need{on: -1, req: -1}, ""
		for _, d := range r.needs[k] {
			if d == last {
				continue
			}
			if d.req != last.req {
				text = clip(reqs[d.req].constraint.String()) // one text for all that it is a reason for
				if p.tick(); p.stopped() {
					return
				}
			}
			last = d
			because := Reason{Bundle: name, Constraint: text}
			told := out[d.on]
			if len(told) > fewReasons && unique() {
				told = latestOf(told, name)
			}
			if !slices.Contains(told, because) {
				out[d.on] = append(out[d.on], because)
			}
		}
	}
}

// fewReasons is how many reasons are searched faster than names are compared.
const fewReasons = 8

// latestOf returns the reasons at the end of a list that a bundle gives.
func latestOf(told []Reason, bundle string) []Reason {
	first := len(told)
	for first > 0 && told[first-1].Bundle == bundle {
		first--
	}
	return told[first:]
}

// uniqueNames reports whether no two bundles of the set have the same name, as
// those of different packages may. Then all reasons that a bundle gives another
// one stand together.
func (r *account) uniqueNames() bool {
	seen := make(map[string]struct{}, len(r.st.chosen))
	for _, n := range r.st.chosen {
		seen[r.p.nodes[n].bundle.Name] = struct{}{}
	}
	return len(seen) == len(r.st.chosen)
}
