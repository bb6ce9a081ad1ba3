package explain

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// rejectedList lists rejected candidates, and counts those beyond the limit.
type rejectedList struct {
	out     []argument.Rejected
	omitted int
}

// rejected lists the rejected candidates of a fact with the reasons, and counts those beyond the
// limit. Constraints with the same single atom share a list whose reasons hold for all of them.
func (d *describer) rejected(i int) (_ []argument.Rejected, omitted int) {
	var same *problem.Candidates
	if d.keys[i].Kind == formula.FactConstraint && len(d.partsOf(i)) == 1 {
		same = d.listOf(i, d.partsOf(i)[0].atom)
		if known, ok := d.lists[same]; ok && !slices.Contains(d.candidates(i), problem.NodeID(d.keys[i].A)) {
			return known.out, known.omitted
		}
	}
	list := d.candidates(i)
	out := make([]argument.Rejected, 0, min(len(list), d.each))
	for k, n := range list {
		if d.p.Budget.Step() || len(out) >= d.each {
			omitted = len(list) - k
			break
		}
		r, general := d.reject(i, n)
		if !general {
			same = nil
		}
		if len(r.By) > 0 {
			r.Part = d.partFor(i, n)
			if d.keys[i].Kind == formula.FactSubscription {
				if ch, ok := d.p.Demands.List[d.keys[i].A].Offers(d.u, n); ok && ch != nil {
					r.Channel = ch.Name
				}
			}
			out = append(out, r)
		}
	}
	if out = slices.Clip(out); same != nil && !d.p.Budget.Stopped() {
		d.lists[same] = rejectedList{out, omitted}
	}
	return out, omitted
}

// partFor returns the index of the part of a constraint that a candidate matches.
func (d *describer) partFor(i int, n problem.NodeID) int {
	if d.keys[i].Kind != formula.FactConstraint || len(d.partsOf(i)) == 1 {
		return 0
	}
	return max(0, slices.IndexFunc(d.partsOf(i), func(p part) bool { return d.u.Matches(p.atom, n) }))
}

// candidates lists the bundles that could satisfy a fact.
func (d *describer) candidates(i int) []problem.NodeID {
	if d.cands[i] == nil {
		d.cands[i] = d.listCandidates(i)
	}
	return d.cands[i]
}

func (d *describer) listCandidates(i int) []problem.NodeID {
	p, k := d.p, d.keys[i]
	if k.IsRoot() {
		return formula.Options(p, k)
	}
	if k.Kind != formula.FactConstraint {
		return nil
	}
	parts := d.partsOf(i)
	if len(parts) == 1 {
		return p.Universe.All(d.listOf(i, parts[0].atom))
	}
	var all []problem.NodeID
	for _, part := range parts {
		all = append(all, p.Universe.All(d.listOf(i, part.atom))...)
	}
	return text.Distinct(all)
}

// reject finds the first fact of the conflict that rejects a candidate, and cites it; By is empty
// if there is none. general reports whether the reason holds for the constraints of all other
// bundles too.
func (d *describer) reject(of int, n problem.NodeID) (_ argument.Rejected, general bool) {
	other := d.keys[of].Kind == formula.FactConstraint && d.keys[of].A != int32(n)
	if known := d.of(n).ruled; known != nil && other {
		return *known, true
	}
	nd := &d.u.Nodes[n]
	r := &argument.Rejected{Bundle: nd.Bundle.Name, Payload: nd.Bundle.Payload}
	r.Catalog, r.Channel = d.origin(n)
	ruled := d.byBan(of, n, r) || d.byRequirement(of, n, r)
	if ruled && other {
		d.of(n).ruled = r
	}
	if !ruled && !d.byProhibition(of, n, r) && !d.byPlace(of, n, r) && !d.byGroup(of, n, r) {
		return argument.Rejected{}, false
	}
	r.Text = text.Clip(r.Text, lexicon.MaxText)
	return *r, ruled && other
}

// cite adds a fact to the reasons of a rejection.
func cite(r *argument.Rejected, i int) {
	if !slices.Contains(r.By, i) {
		r.By = append(r.By, i)
	}
}

// citeFact cites a fact if it is part of the conflict.
func (d *describer) citeFact(r *argument.Rejected, kind formula.Kind, number int32) bool {
	i, ok := d.find(kind, number)
	if ok {
		cite(r, i)
	}
	return ok
}

// byBan: the candidate is quarantined, forbidden, deprecated, incompatible or held back.
func (d *describer) byBan(of int, n problem.NodeID, r *argument.Rejected) bool {
	nd, k := &d.u.Nodes[n], d.keys[of]
	cited := func(kind formula.Kind, number int32) bool { return d.citeFact(r, kind, number) }
	switch {
	case nd.Ban == problem.BanQuarantined && cited(formula.FactQuarantined, nd.Pkg):
		r.Reason, r.Text = argument.RejectedQuarantined, "is ignored, because the catalog is broken"
		if q := d.quarantineOf(of, n); q != nil {
			_, r.Text = quarantined(q)
		}
	case slices.ContainsFunc(d.u.ForbiddenBy(nd), func(f int32) bool {
		r.Text = "is forbidden by " + forbidder(&d.u.Forbid[f])
		return cited(formula.FactForbidden, f)
	}):
		r.Reason = argument.RejectedForbidden
	case nd.Bundle.Barred && cited(formula.FactDeprecated, int32(n)):
		r.Reason, r.Text = argument.RejectedDeprecated, lexicon.Deprecated(d.u.Terms)
	case cited(formula.FactIncompatible, int32(n)):
		r.Reason, r.Text = argument.RejectedIncompatible, text.And(WhyIncompatible(d.u, n))
	case k.Kind == formula.FactSubscription && n != d.p.Demands.List[k.A].Owned && cited(formula.FactHold, k.A):
		r.Reason, r.Text = argument.RejectedHeld, "is not chosen, the "+lexicon.Demand(d.u.Terms, false)+" is on hold"
	default:
		return false
	}
	return true
}

// quarantineOf returns the problem that quarantines a candidate. For a subscription it prefers
// the problem of the channel that offers the candidate.
func (d *describer) quarantineOf(of int, n problem.NodeID) *graph.Problem {
	nd, k := &d.u.Nodes[n], d.keys[of]
	if k.Kind == formula.FactSubscription && nd.Bundle.Quarantine == nil {
		if ch, ok := d.p.Demands.List[k.A].Offers(d.u, n); ok && ch.Quarantined() != nil {
			return ch.Quarantined()
		}
	}
	return d.u.QuarantineOf(nd.Cat, nd.Bundle)
}

// byRequirement: the candidate has constraints that are part of the conflict.
func (d *describer) byRequirement(of int, n problem.NodeID, r *argument.Rejected) bool {
	for i := range d.constraintsOf(n) {
		if i == of {
			continue
		}
		if f := &d.facts[i]; len(r.By) == 0 {
			r.Reason, r.Text = argument.RejectedByConstraint, f.Text[len(f.Bundle)+1:]
		} else {
			r.Text += " and " + f.Text[len(f.Bundle)+1:]
		}
		cite(r, i)
	}
	return len(r.By) > 0
}

// byProhibition: the candidate matches a prohibition of another bundle.
func (d *describer) byProhibition(of int, n problem.NodeID, r *argument.Rejected) bool {
	for _, i := range d.bans {
		if d.p.Budget.Step() {
			return false
		}
		by := d.keys[i].A
		if i == of || by == int32(n) {
			continue
		}
		if req := d.requirement(i); finds(d.u, req.Goal, n, true) {
			cite(r, i)
			r.Reason = argument.RejectedByProhibition
			r.Text = fmt.Sprintf("is ruled out by %s, which requires %s", d.u.Name(problem.NodeID(by)), constraints.Describe(req.Constraint, d.u.Terms.Operator))
			return true
		}
	}
	return false
}

// hasBan reports whether a goal contains a prohibition.
func hasBan(g *problem.Goal) bool {
	return g.Kind == problem.GoalBan || slices.ContainsFunc(g.Kids, hasBan)
}

// finds reports whether a bundle matches an atom that a goal requires, or one that it prohibits.
func finds(u *problem.Universe, g *problem.Goal, n problem.NodeID, prohibited bool) bool {
	for a, banned := range g.Atoms() {
		if banned == prohibited && u.Matches(a, n) {
			return true
		}
	}
	return false
}

// byPlace: other facts require another bundle of the package, or another provider of one of its
// APIs.
func (d *describer) byPlace(of int, n problem.NodeID, r *argument.Rejected) bool {
	nd := &d.u.Nodes[n]
	beside := func(code argument.Rejection, what, name string, same func(problem.NodeID) bool) bool {
		r.Reason, r.Text = code, fmt.Sprintf("cannot be installed beside another %s %s", what, name)
		d.rivals(of, n, r, same)
		return true
	}
	if d.citeFact(r, formula.FactPackage, nd.Pkg) {
		return beside(argument.RejectedByPackage, "version of package", nd.Bundle.Package, func(m problem.NodeID) bool { return d.u.Nodes[m].Pkg == nd.Pkg })
	}
	for _, g := range nd.GVKs {
		if d.citeFact(r, formula.FactGVK, g) {
			return beside(argument.RejectedByGVK, "provider of", d.apis[g].String(), func(m problem.NodeID) bool { return slices.Contains(d.u.Nodes[m].GVKs, g) })
		}
	}
	return false
}

// byGroup: a subscription that owns an installed bundle requires another candidate.
func (d *describer) byGroup(of int, n problem.NodeID, r *argument.Rejected) bool {
	for i := range d.p.Demands.List {
		if d.p.Budget.Step() {
			return false
		}
		s := &d.p.Demands.List[i]
		k := formula.Fact{Kind: formula.FactSubscription, A: int32(i)}
		if s.Group != problem.NoGroup && k != d.keys[of] && slices.Contains(d.p.Demands.Groups[s.Group], n) && d.citeFact(r, k.Kind, k.A) {
			r.Reason = argument.RejectedBySubscription
			r.Text = fmt.Sprintf("cannot be installed beside another candidate of %s %s", noun(d.u, s), s.Name)
			by := r.By[len(r.By)-1]
			d.rivals(of, n, r, func(m problem.NodeID) bool { return slices.Contains(d.p.Demands.GroupsOf(m), s.Group) })
			delete(r.Beside, by) // the subscription is the rule, not a rival
			return true
		}
	}
	return false
}

// rivals cites the facts that require another bundle in the same place. It skips facts about
// alternatives of the fact itself, unless there are no others.
func (d *describer) rivals(of int, n problem.NodeID, r *argument.Rejected, same func(problem.NodeID) bool) {
	r.Beside = make(map[int][]string)
	find := func(others bool) {
		for i := range d.keys {
			if d.work -= 1 + len(r.By); d.work < 0 {
				return // the facts cited so far suffice
			}
			if i == of {
				continue
			}
			comparable := others
			for _, m := range d.candidates(i) {
				if d.work--; d.work < 0 {
					return
				}
				if m == n || !same(m) {
					continue
				}
				if comparable = comparable || !d.alternatives(of, i); !comparable {
					break
				}
				cite(r, i)
				d.work -= len(r.Beside[i])
				r.Beside[i] = text.AppendNew(r.Beside[i], d.u.Name(m))
			}
		}
	}
	if find(false); len(r.Beside) == 0 {
		find(true)
	}
}
