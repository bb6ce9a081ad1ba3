package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
)

// rejected lists the candidates of a fact with what rules each of them out, and
// counts those beyond what is listed.
func (d *describer) rejected(k fact) (out []Rejected, omitted int) {
	list := d.candidates(k)
	for i, n := range list {
		if d.p.tick(); len(out) >= d.each || d.p.stopped() {
			return out, len(list) - i
		}
		if r, ok := d.reject(k, n); ok {
			r.part, r.Text = d.partFor(k, n), clip(r.Text)
			out = append(out, r)
		}
	}
	return out, 0
}

// partFor is what the author says of the part of a constraint that a candidate is
// for.
func (d *describer) partFor(k fact, n nodeID) string {
	if k.kind != factConstraint {
		return ""
	}
	for _, part := range d.partsOf(k) {
		if d.p.matches(part.atom, n) {
			return strings.Join(part.messages, "; ")
		}
	}
	return ""
}

// candidates are the bundles by which a fact could be met.
func (d *describer) candidates(k fact) []nodeID {
	list, ok := d.cands[k]
	if !ok {
		list = d.listCandidates(k)
		d.cands[k] = list
	}
	return list
}

func (d *describer) listCandidates(k fact) []nodeID {
	p := d.p
	switch k.kind {
	case factSubscription:
		return p.allCandidates(&p.subs[k.a])
	case factForced:
		return p.forcedNodes(k.a)
	case factInstalled:
		return []nodeID{p.inst[k.a]}
	case factConstraint:
		var out []nodeID
		seen := make(map[nodeID]bool)
		for _, part := range d.partsOf(k) {
			for _, c := range p.all(p.candidatesOf(part.atom, p.nodes[k.a].cat)) {
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

// partsOf is the problem's, once for each fact.
func (d *describer) partsOf(k fact) []part {
	list, ok := d.parts[k]
	if !ok {
		list = d.p.partsOf(d.p.requirements(nodeID(k.a))[k.b].constraint)
		d.parts[k] = list
	}
	return list
}

// wanted lists the atoms of a goal that are to be found, not kept out.
func wanted(g *goal, out []*atom) []*atom {
	switch g.kind {
	case goalAtom:
		out = append(out, g.atom)
	case goalAll, goalAny:
		for _, k := range g.kids {
			out = wanted(k, out)
		}
	}
	return out
}

// reject finds the first rule among the facts that rules a candidate out.
func (d *describer) reject(of fact, n nodeID) (Rejected, bool) {
	p := d.p
	nd := &p.nodes[n]
	r := Rejected{Bundle: nd.bundle.Name}
	if nd.cat != noCatalog {
		r.Catalog = p.cats[nd.cat].Key.String()
	}
	for _, rule := range []func(fact, nodeID, *Rejected) bool{
		d.byBan, d.byRequirement, d.byProhibition, d.byPackage, d.byGVK, d.byGroup,
	} {
		if rule(of, n, &r) {
			return r, true
		}
	}
	return r, false
}

// cite adds a fact to what rules a candidate out, if it is one of the conflict's.
func (d *describer) cite(r *Rejected, k fact) bool {
	i, ok := d.index[k]
	if ok && !slices.Contains(r.By, i) {
		r.By = append(r.By, i)
	}
	return ok
}

// byBan: the candidate is set aside, forbidden or barred.
func (d *describer) byBan(of fact, n nodeID, r *Rejected) bool {
	nd := &d.p.nodes[n]
	if nd.ban == banQuarantined && d.cite(r, fact{kind: factQuarantined, a: nd.pkg}) {
		r.Reason, r.Text = RejectedQuarantined, "is set aside, the catalog is broken there"
		if q := d.setAside(of, n); q != nil {
			r.Text = "is set aside: " + q.Message
		}
		return true
	}
	for _, f := range d.p.forbiddenBy(nd) {
		if d.cite(r, fact{kind: factForbidden, a: f}) {
			r.Reason, r.Text = RejectedForbidden, "is forbidden by the request"
			return true
		}
	}
	if nd.bundle.Barred && d.cite(r, fact{kind: factDeprecated, a: int32(n)}) {
		r.Reason, r.Text = RejectedDeprecated, "is marked olm.deprecated"
		return true
	}
	if d.cite(r, fact{kind: factIncompatible, a: int32(n)}) {
		r.Reason, r.Text = RejectedIncompatible, enumerate(d.p.whyUnfit(n))
		return true
	}
	if of.kind == factSubscription && n != d.p.subs[of.a].owned && d.cite(r, fact{kind: factHold, a: of.a}) {
		r.Reason, r.Text = RejectedHeld, "is not chosen, the subscription is on hold"
		return true
	}
	return false
}

// setAside is the problem for which a candidate is set aside: for a subscription
// that of the channel it asks for.
func (d *describer) setAside(of fact, n nodeID) *graph.Problem {
	nd := &d.p.nodes[n]
	if of.kind == factSubscription && nd.bundle.Quarantine == nil {
		if ch, ok := d.p.offers(&d.p.subs[of.a], n); ok && ch.Quarantined() != nil {
			return ch.Quarantined()
		}
	}
	return d.p.quarantineOf(nd.cat, nd.bundle)
}

// byRequirement: the candidate has constraints that cannot hold, together with the
// rest.
func (d *describer) byRequirement(of fact, n nodeID, r *Rejected) bool {
	var texts []string
	for i, req := range d.p.requirements(n) {
		k := fact{kind: factConstraint, a: int32(n), b: int32(i)}
		if k != of && d.cite(r, k) {
			texts = append(texts, "requires "+req.constraint.String())
		}
	}
	r.Reason, r.Text = RejectedByConstraint, strings.Join(texts, " and ")
	return len(texts) > 0
}

// byProhibition: the candidate matches what another bundle does not tolerate.
func (d *describer) byProhibition(of fact, n nodeID, r *Rejected) bool {
	for _, k := range d.bans {
		if k == of || k.a == int32(n) {
			continue
		}
		req := d.p.requirements(nodeID(k.a))[k.b]
		if d.prohibits(req.goal, n) && d.cite(r, k) {
			r.Reason = RejectedByProhibition
			r.Text = fmt.Sprintf("is ruled out by %s, which requires %s", d.p.nodes[k.a].bundle.Name, req.constraint)
			return true
		}
	}
	return false
}

// hasBan reports whether a goal has a prohibition in it.
func hasBan(g *goal) bool { return g.kind == goalBan || slices.ContainsFunc(g.kids, hasBan) }

// prohibits reports whether a goal has a prohibition that a bundle can violate.
func (d *describer) prohibits(g *goal, n nodeID) bool {
	if g.kind == goalBan {
		return slices.ContainsFunc(wanted(g.kids[0], nil), func(a *atom) bool { return d.p.matches(a, n) })
	}
	return slices.ContainsFunc(g.kids, func(k *goal) bool { return d.prohibits(k, n) })
}

// byPackage: another bundle of the package is needed for another fact.
func (d *describer) byPackage(of fact, n nodeID, r *Rejected) bool {
	nd := &d.p.nodes[n]
	if !d.cite(r, fact{kind: factPackage, a: nd.pkg}) {
		return false
	}
	r.Reason = RejectedByPackage
	r.Text = fmt.Sprintf("cannot be installed beside another version of package %s", nd.bundle.Package)
	d.rivals(of, n, r, func(m *node) bool { return m.pkg == nd.pkg })
	return true
}

// byGVK: another provider of one of its APIs is needed for another fact.
func (d *describer) byGVK(of fact, n nodeID, r *Rejected) bool {
	nd := &d.p.nodes[n]
	for _, g := range nd.gvks {
		if !d.cite(r, fact{kind: factGVK, a: g}) {
			continue
		}
		r.Reason = RejectedByGVK
		r.Text = fmt.Sprintf("cannot be installed beside another provider of %s", d.gvkName(g))
		d.rivals(of, n, r, func(m *node) bool { return slices.Contains(m.gvks, g) })
		return true
	}
	return false
}

// byGroup: the subscription that owns an installed bundle wants another one.
func (d *describer) byGroup(of fact, n nodeID, r *Rejected) bool {
	for i := range d.p.subs {
		k := fact{kind: factSubscription, a: int32(i)}
		g := d.p.subs[i].group
		if g != noGroup && k != of && slices.Contains(d.p.groups[g], n) && d.cite(r, k) {
			r.Reason = RejectedBySubscription
			r.Text = fmt.Sprintf("cannot be installed beside another candidate of subscription %s", d.p.asked[i].Name)
			return true
		}
	}
	return false
}

// rivals cites the facts that want another bundle in the same place: those that
// can speak for each other, unless there are none.
func (d *describer) rivals(of fact, n nodeID, r *Rejected, same func(*node) bool) {
	r.beside = make(map[int][]string)
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
				if m == n || !same(&d.p.nodes[m]) || !d.cite(r, k) {
					continue
				}
				i := d.index[k]
				d.work -= len(r.beside[i])
				r.beside[i] = appendNew(r.beside[i], d.p.nodes[m].bundle.Name)
			}
		}
	}
	if cite(false); len(r.beside) == 0 {
		cite(true)
	}
}
