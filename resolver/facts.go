package resolver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
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

	each  int              // candidates to list of each fact
	work  int              // steps that may still be made to find rivals
	bans  []factKey        // constraints with a prohibition in them
	apis  map[int32]string // what gvkName found
	parts map[factKey][]part
}

// What is said of a conflict is bounded, for it grows with the number of facts
// times that of the candidates of each.
const (
	// maxRejected is how many candidates all facts of a conflict list together;
	// each lists rejectedEach of its own in any case.
	maxRejected  = 10_000
	rejectedEach = 20
	// rivalWork is how many candidates of other facts are looked at altogether to
	// tell which of them a candidate cannot stand beside.
	rivalWork = 2_000_000
)

// describe makes a *Conflict of a minimal set of facts.
func (e *explainer) describe(keys []factKey) *Conflict {
	d := &describer{p: e.p, keys: keys, index: make(map[factKey]int, len(keys)),
		cands: make(map[factKey][]nodeID, len(keys)), near: make(map[*atom][]Rejected),
		each: max(rejectedEach, maxRejected/max(1, len(keys))), work: rivalWork, parts: make(map[factKey][]part)}
	for i, k := range keys {
		d.index[k] = i
		if k.kind == FactConstraint && hasBan(e.p.requirements(nodeID(k.a))[k.b].goal) {
			d.bans = append(d.bans, k)
		}
	}
	d.findContexts()
	for _, k := range keys {
		d.facts = append(d.facts, d.fact(k))
	}
	for i, k := range keys {
		d.facts[i].Candidates, d.facts[i].Omitted = d.rejected(k)
		d.facts[i].Candidates = append(d.facts[i].Candidates, d.nearMisses(k)...)
		d.facts[i].Text = clip(d.facts[i].Text)
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
			if d.p.tick(); d.p.err != nil {
				return
			}
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
		d.subscriptionFact(&f, &p.asked[k.a])
	case FactNoCandidate:
		sub := &p.asked[k.a]
		f.Subject, f.Package, f.Channel, f.Subscription = sub.Package, sub.Package, sub.soleChannel(), sub.Name
		f.Text = p.whyNoCandidate(&p.subs[k.a])
	case FactHold:
		sub := &p.asked[k.a]
		d.bundle(&f, p.subs[k.a].owned)
		f.Subject, f.Subscription, f.Message = sub.Name, sub.Name, sub.Hold
		f.Text = fmt.Sprintf("subscription %s holds %s where it is", sub.Name, f.Bundle)
	case FactIncompatible:
		n := nodeID(k.a)
		d.bundle(&f, n)
		f.Text = fmt.Sprintf("%s does not fit: it %s", f.Bundle, enumerate(p.misfits(n)))
	case FactInstalled:
		d.bundle(&f, p.inst[k.a])
		f.Text = fmt.Sprintf("%s is installed and no subscription owns it, so it has to stay", f.Bundle)
	case FactConstraint:
		n := nodeID(k.a)
		c := p.requirements(n)[k.b].constraint
		d.bundle(&f, n)
		f.ref, f.Constraint = BundleRef{Name: f.Bundle}, c
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
	f.Subject, f.Subscription, f.Package, f.Channel = sub.Name, sub.Name, sub.Package, sub.soleChannel()
	var b strings.Builder
	fmt.Fprintf(&b, "subscription %s", sub.Name)
	if f.Generated = sub.Generated; f.Generated {
		f.DependencyOf = d.dependents(sub)
		fmt.Fprintf(&b, ", which came in as %s,", dependencyOf(f.DependencyOf))
	}
	fmt.Fprintf(&b, " asks for package %s", sub.Package)
	if len(sub.Channels) > 0 {
		fmt.Fprintf(&b, " from %s%s", plural(len(sub.Channels), "channel ", "channels "), enumerate(sub.Channels))
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
		if &d.p.asked[i] != sub {
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

// dependents names the installed bundles that need what a subscription owns.
func (d *describer) dependents(sub *Subscription) []string {
	p := d.p
	i := slices.IndexFunc(p.subs, func(s subscription) bool { return &p.asked[s.index] == sub })
	if i < 0 || p.subs[i].owned == noNode {
		return nil
	}
	owned := p.subs[i].owned
	var names []string
	for _, n := range p.inst {
		if n == noNode || n == owned {
			continue
		}
		needs := func(r requirement) bool {
			return slices.ContainsFunc(wanted(r.goal, nil), func(a *atom) bool { return p.matches(a, owned) })
		}
		if slices.ContainsFunc(p.requirements(n), needs) {
			names = append(names, p.nodes[n].bundle.Name)
		}
	}
	return names
}

// dependencyOf says what came in for the sake of others.
func dependencyOf(dependents []string) string {
	if len(dependents) == 0 {
		return "a dependency"
	}
	return "a dependency of " + shorten(dependents, 3)
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
	if d.apis == nil {
		d.apis = make(map[int32]string, len(d.p.gvks))
		for g, i := range d.p.gvks {
			d.apis[i] = g.String()
		}
	}
	return d.apis[id]
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
