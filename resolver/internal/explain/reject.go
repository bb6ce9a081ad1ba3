package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// rejected lists the candidates of a fact with what rules each of them out, and
// counts those beyond what is listed.
func (d *describer) rejected(k formula.Fact) (out []argument.Rejected, omitted int) {
	list := d.candidates(k)
	for i, n := range list {
		if d.p.Tick(); len(out) >= d.each || d.p.Stopped() {
			return out, len(list) - i
		}
		if r, ok := d.reject(k, n); ok {
			r.Part, r.Text = d.partFor(k, n), text.Clip(r.Text, argument.MaxText)
			out = append(out, r)
		}
	}
	return out, 0
}

// partFor is the part of a constraint that a candidate is for.
func (d *describer) partFor(k formula.Fact, n problem.NodeID) int {
	if k.Kind != formula.FactConstraint {
		return 0
	}
	return max(0, slices.IndexFunc(d.partsOf(k), func(p part) bool { return d.p.Matches(p.atom, n) }))
}

// candidates are the bundles by which a fact could be met.
func (d *describer) candidates(k formula.Fact) []problem.NodeID {
	list, ok := d.cands[k]
	if !ok {
		list = d.listCandidates(k)
		d.cands[k] = list
	}
	return list
}

func (d *describer) listCandidates(k formula.Fact) []problem.NodeID {
	p := d.p
	switch k.Kind {
	case formula.FactSubscription:
		return p.AllCandidates(&p.Subs[k.A])
	case formula.FactForced:
		return p.ForcedNodes(k.A)
	case formula.FactInstalled:
		return []problem.NodeID{p.Inst[k.A]}
	case formula.FactConstraint:
		var out []problem.NodeID
		seen := make(map[problem.NodeID]bool)
		for _, part := range d.partsOf(k) {
			for _, c := range p.All(p.CandidatesOf(part.atom, p.Nodes[k.A].Cat)) {
				if !seen[c] {
					seen[c] = true
					out = append(out, c)
				}
			}
		}
		return out
	}
	return nil
}

// reject finds the first rule among the facts that rules a candidate out.
func (d *describer) reject(of formula.Fact, n problem.NodeID) (argument.Rejected, bool) {
	p := d.p
	nd := &p.Nodes[n]
	r := argument.Rejected{Bundle: nd.Bundle.Name}
	if nd.Cat != problem.NoCatalog {
		r.Catalog = p.Cats[nd.Cat].Key.String()
	}
	for _, rule := range []func(formula.Fact, problem.NodeID, *argument.Rejected) bool{
		d.byBan, d.byRequirement, d.byProhibition, d.byPackage, d.byGVK, d.byGroup,
	} {
		if rule(of, n, &r) {
			return r, true
		}
	}
	return r, false
}

// cite adds a fact to what rules a candidate out, if it is one of the conflict's.
func (d *describer) cite(r *argument.Rejected, k formula.Fact) bool {
	i, ok := d.index[k]
	if ok && !slices.Contains(r.By, i) {
		r.By = append(r.By, i)
	}
	return ok
}

// byBan: the candidate is set aside, forbidden, barred or held back.
func (d *describer) byBan(of formula.Fact, n problem.NodeID, r *argument.Rejected) bool {
	nd := &d.p.Nodes[n]
	about := func(kind formula.Kind, number int32) bool { return d.cite(r, formula.Fact{Kind: kind, A: number}) }
	switch {
	case nd.Ban == problem.BanQuarantined && about(formula.FactQuarantined, nd.Pkg):
		r.Reason, r.Text = argument.RejectedQuarantined, "is set aside, the catalog is broken there"
		if q := d.quarantineOf(of, n); q != nil {
			_, r.Text = setAside(q)
		}
	case slices.ContainsFunc(d.p.ForbiddenBy(nd), func(f int32) bool { return about(formula.FactForbidden, f) }):
		r.Reason, r.Text = argument.RejectedForbidden, "is forbidden by the request"
	case nd.Bundle.Barred && about(formula.FactDeprecated, int32(n)):
		r.Reason, r.Text = argument.RejectedDeprecated, "is marked olm.deprecated"
	case about(formula.FactIncompatible, int32(n)):
		r.Reason, r.Text = argument.RejectedIncompatible, text.And(d.p.WhyUnfit(n))
	case of.Kind == formula.FactSubscription && n != d.p.Subs[of.A].Owned && about(formula.FactHold, of.A):
		r.Reason, r.Text = argument.RejectedHeld, "is not chosen, the subscription is on hold"
	default:
		return false
	}
	return true
}

// quarantineOf is the problem for which a candidate is set aside: for a subscription
// that of the channel it asks for.
func (d *describer) quarantineOf(of formula.Fact, n problem.NodeID) *graph.Problem {
	nd := &d.p.Nodes[n]
	if of.Kind == formula.FactSubscription && nd.Bundle.Quarantine == nil {
		if ch, ok := d.p.Offers(&d.p.Subs[of.A], n); ok && ch.Quarantined() != nil {
			return ch.Quarantined()
		}
	}
	return d.p.QuarantineOf(nd.Cat, nd.Bundle)
}

// byRequirement: the candidate has constraints that cannot hold, together with the
// rest.
func (d *describer) byRequirement(of formula.Fact, n problem.NodeID, r *argument.Rejected) bool {
	var texts []string
	for i, req := range d.p.Requirements(n) {
		k := formula.Fact{Kind: formula.FactConstraint, A: int32(n), B: int32(i)}
		if k != of && d.cite(r, k) {
			texts = append(texts, "requires "+req.Constraint.String())
		}
	}
	r.Reason, r.Text = argument.RejectedByConstraint, strings.Join(texts, " and ")
	return len(texts) > 0
}

// byProhibition: the candidate matches what another bundle does not tolerate.
func (d *describer) byProhibition(of formula.Fact, n problem.NodeID, r *argument.Rejected) bool {
	for _, k := range d.bans {
		if d.p.Tick(); d.p.Stopped() {
			return false
		}
		if k == of || k.A == int32(n) {
			continue
		}
		req := d.p.Requirements(problem.NodeID(k.A))[k.B]
		if d.prohibits(req.Goal, n) && d.cite(r, k) {
			r.Reason = argument.RejectedByProhibition
			r.Text = fmt.Sprintf("is ruled out by %s, which requires %s", d.p.Nodes[k.A].Bundle.Name, req.Constraint)
			return true
		}
	}
	return false
}

// hasBan reports whether a goal has a prohibition in it.
func hasBan(g *problem.Goal) bool {
	return g.Kind == problem.GoalBan || slices.ContainsFunc(g.Kids, hasBan)
}

// prohibits reports whether a goal has a prohibition that a bundle can violate.
func (d *describer) prohibits(g *problem.Goal, n problem.NodeID) bool {
	if g.Kind == problem.GoalBan {
		return slices.ContainsFunc(g.Kids[0].Wanted(nil), func(a *problem.Atom) bool { return d.p.Matches(a, n) })
	}
	return slices.ContainsFunc(g.Kids, func(k *problem.Goal) bool { return d.prohibits(k, n) })
}

// byPackage: another bundle of the package is needed for another fact.
func (d *describer) byPackage(of formula.Fact, n problem.NodeID, r *argument.Rejected) bool {
	nd := &d.p.Nodes[n]
	if !d.cite(r, formula.Fact{Kind: formula.FactPackage, A: nd.Pkg}) {
		return false
	}
	r.Reason = argument.RejectedByPackage
	r.Text = fmt.Sprintf("cannot be installed beside another version of package %s", nd.Bundle.Package)
	d.rivals(of, n, r, func(m *problem.Node) bool { return m.Pkg == nd.Pkg })
	return true
}

// byGVK: another provider of one of its APIs is needed for another fact.
func (d *describer) byGVK(of formula.Fact, n problem.NodeID, r *argument.Rejected) bool {
	nd := &d.p.Nodes[n]
	for _, g := range nd.GVKs {
		if !d.cite(r, formula.Fact{Kind: formula.FactGVK, A: g}) {
			continue
		}
		r.Reason = argument.RejectedByGVK
		r.Text = fmt.Sprintf("cannot be installed beside another provider of %s", d.facts[r.By[len(r.By)-1]].Subject)
		d.rivals(of, n, r, func(m *problem.Node) bool { return slices.Contains(m.GVKs, g) })
		return true
	}
	return false
}

// byGroup: the subscription that owns an installed bundle wants another one.
func (d *describer) byGroup(of formula.Fact, n problem.NodeID, r *argument.Rejected) bool {
	for i := range d.p.Subs {
		if d.p.Tick(); d.p.Stopped() {
			return false
		}
		k := formula.Fact{Kind: formula.FactSubscription, A: int32(i)}
		g := d.p.Subs[i].Group
		if g != problem.NoGroup && k != of && slices.Contains(d.p.Groups[g], n) && d.cite(r, k) {
			r.Reason = argument.RejectedBySubscription
			r.Text = fmt.Sprintf("cannot be installed beside another candidate of %s %s", argument.Asker(d.p.Subs[i].Given != nil), d.p.Request.Asked(int32(i)).Name)
			d.rivals(of, n, r, func(m *problem.Node) bool { return slices.Contains(m.Exclusive, g) })
			delete(r.Beside, d.index[k]) // it is the rule, not a rival
			return true
		}
	}
	return false
}

// rivals cites the facts that want another bundle in the same place: those that
// can speak for each other, unless there are none.
func (d *describer) rivals(of formula.Fact, n problem.NodeID, r *argument.Rejected, same func(*problem.Node) bool) {
	r.Beside = make(map[int][]string)
	cite := func(others bool) {
		for _, k := range d.keys {
			if d.work -= 1 + len(r.By); d.work < 0 {
				return // what is cited by then has to do
			}
			if k == of || !others && d.alternatives(of, k) {
				continue
			}
			for _, m := range d.candidates(k) {
				if d.work--; d.work < 0 {
					return
				}
				if m == n || !same(&d.p.Nodes[m]) || !d.cite(r, k) {
					continue
				}
				i := d.index[k]
				d.work -= len(r.Beside[i])
				r.Beside[i] = text.AppendNew(r.Beside[i], d.p.Nodes[m].Bundle.Name)
			}
		}
	}
	if cite(false); len(r.Beside) == 0 {
		cite(true)
	}
}
