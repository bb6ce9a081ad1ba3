package resolver

import (
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/plan"
)

// reasons lists why each bundle is in the set: the subscriptions that it meets,
// that it is installed or forced, then the constraints of others, by package. The
// second result is the channel that the first subscription which a bundle meets
// takes it from, nil if there is none.
func (r *account) reasons(byPackage []int32) ([][]Reason, []*graph.Channel) {
	p, chosen := r.p, r.st.Chosen
	out, channels := r.room(), make([]*graph.Channel, len(chosen))
	for i := range p.Subs {
		if p.Subs[i].Left {
			continue
		}
		for n, ch := range r.st.MetBy(&p.Subs[i]) {
			k := r.At[n]
			out[k] = append(out[k], Reason{Subscription: p.asked[i].Name})
			if channels[k] == nil {
				channels[k] = ch
			}
		}
	}
	owned := p.OwnedInstalled()
	for k, n := range chosen {
		if nd := &p.Nodes[n]; nd.Inst >= 0 && (!owned[nd.Inst] || p.IsBroken(n)) {
			out[k] = append(out[k], Reason{Installed: true})
		}
		if p.forcedNode(n) {
			out[k] = append(out[k], Reason{Forced: true})
		}
	}
	r.constraintReasons(byPackage, out)
	for _, c := range r.st.Trail {
		if c.Fresh && len(out[r.At[c.Picked.Node]]) == 0 {
			out[r.At[c.Picked.Node]] = []Reason{r.occasion(c)}
		}
	}
	return out, channels
}

// room makes the lists for the reasons, all from one allocation: as many as needs
// lead to a bundle, and one more for what asks for it.
func (r *account) room() [][]Reason {
	out := make([][]Reason, len(r.Needs))
	total := len(r.Needs)
	count := make([]int32, len(r.Needs))
	for _, ns := range r.Needs {
		total += len(ns)
		for _, d := range ns {
			count[d.On]++
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
	few := true // no bundle has many reasons so far, so that names were not compared
	unique := false
	for _, k := range byPackage {
		n := r.st.Chosen[k]
		reqs, name := p.Requirements(n), p.Nodes[n].Bundle.Name
		last, text := plan.Need{On: -1, Req: -1}, ""
		for _, d := range r.Needs[k] {
			if d == last {
				continue
			}
			if d.Req != last.Req {
				text = clip(reqs[d.Req].Constraint.String()) // one text for all that it is a reason for
				if p.Tick(); p.Stopped() {
					return
				}
			}
			last = d
			because := Reason{Bundle: name, Constraint: text}
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

// fewReasons is how many reasons are searched faster than names are compared.
const fewReasons = 8

// latestOf returns the reasons at the end of a list that a bundle gives.
func latestOf(given []Reason, bundle string) []Reason {
	first := len(given)
	for first > 0 && given[first-1].Bundle == bundle {
		first--
	}
	return given[first:]
}

// uniqueNames reports whether no two bundles of the set have the same name, as
// those of different packages may. Then all reasons that a bundle gives another
// one stand together.
func (r *account) uniqueNames() bool {
	seen := make(map[string]struct{}, len(r.st.Chosen))
	for _, n := range r.st.Chosen {
		seen[r.p.Nodes[n].Bundle.Name] = struct{}{}
	}
	return len(seen) == len(r.st.Chosen)
}
