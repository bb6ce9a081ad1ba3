package resolver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
)

// describer turns the facts behind a conflict into values that say all about
// themselves.
type describer struct {
	p     *problem
	keys  []factKey
	index map[factKey]int
	facts []Fact
	cands map[factKey][]nodeID // what candidates found
	near  map[*atom][]Rejected // what atomMisses found

	// context of each fact: the bundles, by package, that lead to it from what was
	// asked for. Facts whose contexts have different bundles of a package are about
	// alternatives, and do not speak for each other.
	context map[factKey]map[int32]nodeID
}

// describe makes a *Conflict of a minimal set of facts.
func (e *explainer) describe(keys []factKey) *Conflict {
	d := &describer{p: e.p, keys: keys, index: make(map[factKey]int, len(keys)),
		cands: make(map[factKey][]nodeID, len(keys)), near: make(map[*atom][]Rejected)}
	for i, k := range keys {
		d.index[k] = i
	}
	d.findContexts()
	for _, k := range keys {
		d.facts = append(d.facts, d.fact(k))
	}
	for i, k := range keys {
		d.facts[i].Candidates = append(d.rejected(k), d.nearMisses(k)...)
	}
	return &Conflict{Facts: d.facts, printer: e.p.config.printer}
}

// findContexts follows the facts from what was asked for down through the
// candidates and what these require, each by its shortest way.
func (d *describer) findContexts() {
	d.context = make(map[factKey]map[int32]nodeID, len(d.keys))
	var todo []factKey
	for _, k := range d.keys {
		if isRoot(k.kind) {
			d.context[k] = map[int32]nodeID{}
			todo = append(todo, k)
		}
	}
	for len(todo) > 0 {
		k := todo[0]
		todo = todo[1:]
		for _, n := range d.candidates(k) {
			for i := range d.p.requirements(n) {
				next := factKey{FactConstraint, int32(n), int32(i)}
				if _, told := d.index[next]; !told || d.context[next] != nil {
					continue
				}
				d.context[next] = maps.Clone(d.context[k])
				d.context[next][d.p.nodes[n].pkg] = n
				todo = append(todo, next)
			}
		}
	}
}

// alternatives reports whether two facts are about different ways to meet what was
// asked for.
func (d *describer) alternatives(a, b factKey) bool {
	for pkg, n := range d.context[a] {
		if m, both := d.context[b][pkg]; both && m != n {
			return true
		}
	}
	return false
}

// fact states one fact.
func (d *describer) fact(k factKey) Fact {
	p := d.p
	f := Fact{Kind: k.kind}
	switch k.kind {
	case FactSubscription:
		d.subscriptionFact(&f, &p.req.Subscriptions[k.a])
	case FactNoCandidate:
		sub := &p.req.Subscriptions[k.a]
		f.Subject, f.Package, f.Channel, f.Subscription = sub.Package, sub.Package, sub.Channel, sub.Name
		f.Text = p.whyNoCandidate(&p.subs[k.a])
	case FactInstalled:
		d.bundle(&f, p.inst[k.a])
		f.Text = fmt.Sprintf("%s is installed and no subscription owns it, so it has to stay", f.Bundle)
	case FactConstraint:
		n := nodeID(k.a)
		c := p.requirements(n)[k.b].constraint
		d.bundle(&f, n)
		f.ref, f.constraint = BundleRef{Name: f.Bundle}, c
		if nd := &p.nodes[n]; nd.inst < 0 {
			f.ref.Catalog = p.cats[nd.cat].Key
		}
		f.Message = c.Message()
		f.Text = fmt.Sprintf("%s requires %s", f.Bundle, c)
		f.Closing = p.closing(n, c)
	case FactPackage:
		f.Package = d.packageName(k.a)
		f.Subject = f.Package
		f.Text = fmt.Sprintf("only one version of package %s can be installed at a time", f.Package)
	case FactGVK:
		f.Subject = d.gvkName(k.a)
		f.Text = fmt.Sprintf("only one installed operator can provide %s", f.Subject)
	case FactForbidden:
		fb := p.req.Forbid[k.a]
		f.Subject, f.Bundle, f.Message = fb.Bundle.Name, fb.Bundle.Name, fb.Message
		if fb.Bundle.Catalog != (cache.Key{}) {
			f.Catalog = fb.Bundle.Catalog.String()
		}
		f.Text = fmt.Sprintf("the request forbids %s", fb.Bundle)
	case FactForced:
		ref := p.req.Force[k.a]
		f.Subject, f.Bundle = ref.Name, ref.Name
		if ref.Catalog != (cache.Key{}) {
			f.Catalog = ref.Catalog.String()
		}
		f.Text = fmt.Sprintf("the request wants %s in the result", ref)
	case FactDeprecated:
		d.bundle(&f, nodeID(k.a))
		f.Text = fmt.Sprintf("%s is marked olm.deprecated, so it cannot be newly installed", f.Bundle)
	case FactQuarantined:
		f.Package = d.packageName(k.a)
		f.Subject = f.Package
		f.Text, f.Message = d.quarantine(k.a)
	}
	return f
}

// subscriptionFact states what a subscription asks for, with all that narrows it.
func (d *describer) subscriptionFact(f *Fact, sub *Subscription) {
	f.Subject, f.Subscription, f.Package, f.Channel = sub.Name, sub.Name, sub.Package, sub.Channel
	var b strings.Builder
	fmt.Fprintf(&b, "subscription %s asks for package %s", sub.Name, sub.Package)
	if sub.Channel != "" {
		fmt.Fprintf(&b, " from channel %s", sub.Channel)
	}
	if sub.Catalog != (cache.Key{}) {
		f.Catalog = sub.Catalog.String()
		fmt.Fprintf(&b, " of catalog %s", f.Catalog)
	}
	if !sub.VersionRange.IsZero() {
		fmt.Fprintf(&b, ", version %s", sub.VersionRange)
	}
	for i := range d.p.subs {
		s := &d.p.subs[i]
		if &d.p.req.Subscriptions[i] != sub {
			continue
		}
		if s.owned != noNode {
			fmt.Fprintf(&b, ", where %s is installed", d.p.nodes[s.owned].bundle.Name)
		} else if sub.StartingCSV != "" {
			fmt.Fprintf(&b, ", starting with %s", sub.StartingCSV)
		}
	}
	f.Text = b.String()
}

// bundle fills in what a fact says of a bundle.
func (d *describer) bundle(f *Fact, n nodeID) {
	nd := &d.p.nodes[n]
	f.Subject, f.Bundle, f.Package = nd.bundle.Name, nd.bundle.Name, nd.bundle.Package
	if nd.cat != noCatalog {
		f.Catalog = d.p.cats[nd.cat].Key.String()
	}
	if pl, ok := d.p.bestPlace(nd.bundle); ok {
		f.Channel = pl.Channel.Name
	} else if nd.inst >= 0 {
		f.Channel = d.p.req.Installed[nd.inst].Channel
	}
}

func (d *describer) packageName(id int32) string {
	for name, i := range d.p.pkgs {
		if i == id {
			return name
		}
	}
	return ""
}

func (d *describer) gvkName(id int32) string {
	for g, i := range d.p.gvks {
		if i == id {
			return g.String()
		}
	}
	return ""
}

// quarantine says why bundles of a package are set aside, each reason once: the
// reasons for those that the other facts look for.
func (d *describer) quarantine(pkg int32) (text, message string) {
	p := d.p
	var reasons []string
	for _, k := range d.keys {
		for _, n := range d.candidates(k) {
			if nd := &p.nodes[n]; nd.pkg == pkg && nd.ban == banQuarantined {
				if q := d.setAside(k, n); q != nil {
					reasons = appendNew(reasons, q.Message)
				}
			}
		}
	}
	name := d.packageName(pkg)
	return fmt.Sprintf("package %s is set aside, in whole or in part, because the catalog is broken there: %s",
		name, strings.Join(reasons, "; ")), strings.Join(reasons, "; ")
}

// rejected lists the candidates of a fact with what rules each of them out.
func (d *describer) rejected(k factKey) []Rejected {
	var out []Rejected
	for _, n := range d.candidates(k) {
		if r, ok := d.reject(k, n); ok {
			r.part = d.partFor(k, n)
			out = append(out, r)
		}
	}
	return out
}

// partFor is what the author says of the part of a constraint that a candidate is
// for.
func (d *describer) partFor(k factKey, n nodeID) string {
	if k.kind != FactConstraint {
		return ""
	}
	for _, part := range d.p.partsOf(d.p.requirements(nodeID(k.a))[k.b].constraint) {
		if d.p.matches(part.atom, n) {
			return strings.Join(part.messages, "; ")
		}
	}
	return ""
}

// candidates are the bundles by which a fact could be met.
func (d *describer) candidates(k factKey) []nodeID {
	list, ok := d.cands[k]
	if !ok {
		list = d.listCandidates(k)
		d.cands[k] = list
	}
	return list
}

func (d *describer) listCandidates(k factKey) []nodeID {
	p := d.p
	switch k.kind {
	case FactSubscription:
		return p.allCandidates(&p.subs[k.a])
	case FactForced:
		return p.forcedNodes(k.a)
	case FactInstalled:
		return []nodeID{p.inst[k.a]}
	case FactConstraint:
		var out []nodeID
		n := nodeID(k.a)
		for _, part := range p.partsOf(p.requirements(n)[k.b].constraint) {
			for _, c := range p.all(p.candidatesOf(part.atom, p.nodes[n].cat)) {
				if !slices.Contains(out, c) {
					out = append(out, c)
				}
			}
		}
		return out
	}
	return nil
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
func (d *describer) reject(of factKey, n nodeID) (Rejected, bool) {
	p := d.p
	nd := &p.nodes[n]
	r := Rejected{Bundle: nd.bundle.Name}
	if nd.cat != noCatalog {
		r.Catalog = p.cats[nd.cat].Key.String()
	}
	for _, rule := range []func(factKey, nodeID, *Rejected) bool{
		d.byBan, d.byRequirement, d.byProhibition, d.byPackage, d.byGVK, d.byGroup,
	} {
		if rule(of, n, &r) {
			return r, true
		}
	}
	return r, false
}

// cite adds a fact to what rules a candidate out, if it is one of the conflict's.
func (d *describer) cite(r *Rejected, k factKey) bool {
	i, ok := d.index[k]
	if ok && !slices.Contains(r.By, i) {
		r.By = append(r.By, i)
	}
	return ok
}

// byBan: the candidate is set aside, forbidden or barred.
func (d *describer) byBan(of factKey, n nodeID, r *Rejected) bool {
	nd := &d.p.nodes[n]
	if nd.ban == banQuarantined && d.cite(r, factKey{FactQuarantined, nd.pkg, 0}) {
		r.Reason, r.Text = RejectedQuarantined, "is set aside, the catalog is broken there"
		if q := d.setAside(of, n); q != nil {
			r.Text = "is set aside: " + q.Message
		}
		return true
	}
	for _, f := range d.p.forbiddenBy(nd) {
		if d.cite(r, factKey{FactForbidden, f, 0}) {
			r.Reason, r.Text = RejectedForbidden, "is forbidden by the request"
			return true
		}
	}
	if nd.bundle.Barred && d.cite(r, factKey{FactDeprecated, int32(n), 0}) {
		r.Reason, r.Text = RejectedDeprecated, "is marked olm.deprecated"
		return true
	}
	return false
}

// setAside is the problem for which a candidate is set aside: for a subscription
// that of the channel it asks for.
func (d *describer) setAside(of factKey, n nodeID) *graph.Problem {
	nd := &d.p.nodes[n]
	if of.kind == FactSubscription && nd.bundle.Quarantine == nil {
		if ch, ok := d.p.offers(&d.p.subs[of.a], n); ok && ch.Quarantined() != nil {
			return ch.Quarantined()
		}
	}
	return d.p.quarantineOf(nd.cat, nd.bundle)
}

// byRequirement: the candidate has constraints that cannot hold, together with the
// rest.
func (d *describer) byRequirement(of factKey, n nodeID, r *Rejected) bool {
	var texts []string
	for i, req := range d.p.requirements(n) {
		k := factKey{FactConstraint, int32(n), int32(i)}
		if k != of && d.cite(r, k) {
			texts = append(texts, "requires "+req.constraint.String())
		}
	}
	r.Reason, r.Text = RejectedByConstraint, strings.Join(texts, " and ")
	return len(texts) > 0
}

// byProhibition: the candidate matches what another bundle does not tolerate.
func (d *describer) byProhibition(of factKey, n nodeID, r *Rejected) bool {
	for _, k := range d.keys {
		if k == of || k.kind != FactConstraint || k.a == int32(n) {
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

// prohibits reports whether a goal has a prohibition that a bundle can violate.
func (d *describer) prohibits(g *goal, n nodeID) bool {
	if g.kind == goalBan {
		return slices.ContainsFunc(wanted(g.kids[0], nil), func(a *atom) bool { return d.p.matches(a, n) })
	}
	return slices.ContainsFunc(g.kids, func(k *goal) bool { return d.prohibits(k, n) })
}

// byPackage: another bundle of the package is needed for another fact.
func (d *describer) byPackage(of factKey, n nodeID, r *Rejected) bool {
	nd := &d.p.nodes[n]
	if !d.cite(r, factKey{FactPackage, nd.pkg, 0}) {
		return false
	}
	r.Reason = RejectedByPackage
	r.Text = fmt.Sprintf("cannot be installed beside another version of package %s", nd.bundle.Package)
	d.rivals(of, n, r, func(m *node) bool { return m.pkg == nd.pkg })
	return true
}

// byGVK: another provider of one of its APIs is needed for another fact.
func (d *describer) byGVK(of factKey, n nodeID, r *Rejected) bool {
	nd := &d.p.nodes[n]
	for _, g := range nd.gvks {
		if !d.cite(r, factKey{FactGVK, g, 0}) {
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
func (d *describer) byGroup(of factKey, n nodeID, r *Rejected) bool {
	for i := range d.p.subs {
		k := factKey{FactSubscription, int32(i), 0}
		g := d.p.subs[i].group
		if g != noGroup && k != of && slices.Contains(d.p.groups[g], n) && d.cite(r, k) {
			r.Reason = RejectedBySubscription
			r.Text = fmt.Sprintf("cannot be installed beside another candidate of subscription %s", d.p.req.Subscriptions[i].Name)
			return true
		}
	}
	return false
}

// rivals cites the facts that want another bundle in the same place: those that
// can speak for each other, unless there are none.
func (d *describer) rivals(of factKey, n nodeID, r *Rejected, same func(*node) bool) {
	r.beside = make(map[int][]string)
	cite := func(others bool) {
		for _, k := range d.keys {
			if k == of || !others && d.alternatives(of, k) {
				continue
			}
			for _, m := range d.candidates(k) {
				if m == n || !same(&d.p.nodes[m]) || !d.cite(r, k) {
					continue
				}
				i := d.index[k]
				r.beside[i] = appendNew(r.beside[i], d.p.nodes[m].bundle.Name)
			}
		}
	}
	if cite(false); len(r.beside) == 0 {
		cite(true)
	}
}
