package resolver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// describer turns the facts behind a conflict into values that say all about
// themselves.
type describer struct {
	p     *resolution
	keys  []formula.Fact
	index map[formula.Fact]int
	facts []argument.Fact
	cands map[formula.Fact][]problem.NodeID     // what candidates found
	near  map[*problem.Atom][]argument.Rejected // what atomMisses found

	// context of each fact: the bundles, by package, that lead to it from what was
	// asked for. Facts whose contexts have different bundles of a package are about
	// alternatives, and do not speak for each other.
	context map[formula.Fact]*lead

	each  int              // candidates to list of each fact
	work  int              // steps that may still be made to find rivals
	bans  []formula.Fact   // constraints with a prohibition in them
	apis  map[int32]string // what gvkName found
	parts map[formula.Fact][]part
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
func (p *resolution) describe(keys []formula.Fact) *Conflict {
	d := &describer{p: p, keys: keys, index: make(map[formula.Fact]int, len(keys)),
		cands: make(map[formula.Fact][]problem.NodeID, len(keys)), near: make(map[*problem.Atom][]argument.Rejected),
		each: max(rejectedEach, maxRejected/max(1, len(keys))), work: rivalWork, parts: make(map[formula.Fact][]part)}
	for i, k := range keys {
		d.index[k] = i
		if k.Kind == formula.FactConstraint && hasBan(p.Requirements(problem.NodeID(k.A))[k.B].Goal) {
			d.bans = append(d.bans, k)
		}
	}
	d.findContexts()
	d.facts = make([]argument.Fact, 0, len(keys))
	for _, k := range keys {
		d.facts = append(d.facts, d.fact(k))
	}
	for i, k := range keys {
		d.facts[i].Candidates, d.facts[i].Omitted = d.rejected(k)
		d.facts[i].Candidates = append(d.facts[i].Candidates, d.nearMisses(k)...)
		d.facts[i].Text = clip(d.facts[i].Text)
	}
	return &Conflict{Facts: d.facts, printer: p.config.printer}
}

// kindOf is the public code of each kind of fact.
var kindOf = [...]argument.FactKind{formula.FactSubscription: argument.FactSubscription, formula.FactHold: argument.FactHold, formula.FactForced: argument.FactForced,
	formula.FactInstalled: argument.FactInstalled, formula.FactNoCandidate: argument.FactNoCandidate, formula.FactPackage: argument.FactPackage,
	formula.FactQuarantined: argument.FactQuarantined, formula.FactForbidden: argument.FactForbidden, formula.FactDeprecated: argument.FactDeprecated,
	formula.FactIncompatible: argument.FactIncompatible, formula.FactGVK: argument.FactGVK, formula.FactConstraint: argument.FactConstraint}

// findContexts follows the facts from what was asked for down through the
// candidates and what these require, each by its shortest way.
func (d *describer) findContexts() {
	d.context = make(map[formula.Fact]*lead, len(d.keys))
	var todo []formula.Fact
	for _, k := range d.keys {
		if k.IsRoot() {
			d.context[k] = &lead{}
			todo = append(todo, k)
		}
	}
	for len(todo) > 0 {
		k := todo[0]
		todo = todo[1:]
		for _, n := range d.candidates(k) {
			if d.p.Tick(); d.p.Stopped() {
				return
			}
			for i := range d.p.Requirements(n) {
				next := formula.Fact{Kind: formula.FactConstraint, A: int32(n), B: int32(i)}
				if _, told := d.index[next]; !told || d.context[next] != nil {
					continue
				}
				d.context[next] = &lead{from: d.context[k], pkg: d.p.Nodes[n].Pkg, bundle: n}
				todo = append(todo, next)
			}
		}
	}
}

// alternatives reports whether two facts are about different ways to meet what was
// asked for.
func (d *describer) alternatives(a, b formula.Fact) bool {
	to := d.bundlesOn(d.context[a])
	for pkg, n := range d.bundlesOn(d.context[b]) {
		if m, both := to[pkg]; both && m != n {
			return true
		}
	}
	return false
}

// lead is the last step of the way that leads to a fact: a bundle, which a fact
// before it is about. Ways share what they have in common, so that a fact far away
// costs no more than one nearby.
type lead struct {
	from   *lead // nil where the way begins
	pkg    int32
	bundle problem.NodeID
}

// bundlesOn returns the bundles on the way to a fact by package; of several of one
// package, the last. It does as much as there is work left.
func (d *describer) bundlesOn(l *lead) map[int32]problem.NodeID {
	out := map[int32]problem.NodeID{}
	for ; l != nil && l.from != nil && d.work > 0; l = l.from {
		d.p.Tick()
		d.work--
		if _, later := out[l.pkg]; !later {
			out[l.pkg] = l.bundle
		}
	}
	return out
}

// fact states one fact.
func (d *describer) fact(k formula.Fact) argument.Fact {
	p := d.p
	f := argument.Fact{Kind: kindOf[k.Kind]}
	switch k.Kind {
	case formula.FactSubscription:
		d.subscriptionFact(&f, &p.asked[k.A])
	case formula.FactNoCandidate:
		sub := &p.asked[k.A]
		f.Subject, f.Package, f.Channel, f.Subscription = sub.Package, sub.Package, sub.soleChannel(), sub.Name
		f.Text = p.whyNoCandidate(&p.Subs[k.A])
		f.Told = sub.StartingCSV != "" || sub.Pin != "" || !sub.VersionRange.IsZero()
	case formula.FactHold:
		sub := &p.asked[k.A]
		d.bundle(&f, p.Subs[k.A].Owned)
		f.Subject, f.Subscription, f.Message = sub.Name, sub.Name, sub.Hold
		f.Text = fmt.Sprintf("%s %s holds %s where it is", sub.asker(), sub.Name, f.Bundle)
	case formula.FactIncompatible:
		n := problem.NodeID(k.A)
		d.bundle(&f, n)
		f.Text = fmt.Sprintf("%s does not fit: it %s", f.Bundle, text.And(p.whyUnfit(n)))
	case formula.FactInstalled:
		d.bundle(&f, p.Inst[k.A])
		f.Text = fmt.Sprintf("%s is installed and no subscription owns it, so it has to stay", f.Bundle)
	case formula.FactConstraint:
		n := problem.NodeID(k.A)
		c := p.Requirements(n)[k.B].Constraint
		d.bundle(&f, n)
		f.Ref, f.Constraint = BundleRef{Name: f.Bundle}, c
		if nd := &p.Nodes[n]; nd.Inst < 0 {
			f.Ref.Catalog = p.Cats[nd.Cat].Key
		}
		f.Message = c.Message()
		f.Text = fmt.Sprintf("%s requires %s", f.Bundle, c)
		f.Parts = p.closing(n, c)
	case formula.FactPackage:
		f.Package = d.p.PackageName(k.A)
		f.Subject = f.Package
		f.Text = fmt.Sprintf("only one version of package %s can be installed at a time", f.Package)
	case formula.FactGVK:
		f.Subject = d.gvkName(k.A)
		f.Text = fmt.Sprintf("only one installed operator can provide %s", f.Subject)
	case formula.FactForbidden:
		fb := p.req.Forbid[k.A]
		f.Subject, f.Bundle, f.Message = fb.Bundle.Name, fb.Bundle.Name, fb.Message
		if fb.Bundle.Catalog != (cache.Key{}) {
			f.Catalog = fb.Bundle.Catalog.String()
		}
		f.Text = fmt.Sprintf("the request forbids %s", fb.Bundle)
	case formula.FactForced:
		ref := p.req.Force[k.A]
		f.Subject, f.Bundle = ref.Name, ref.Name
		if ref.Catalog != (cache.Key{}) {
			f.Catalog = ref.Catalog.String()
		}
		f.Text = fmt.Sprintf("the request wants %s in the result", ref)
	case formula.FactDeprecated:
		d.bundle(&f, problem.NodeID(k.A))
		f.Text = fmt.Sprintf("%s is marked olm.deprecated, so it cannot be newly installed", f.Bundle)
	case formula.FactQuarantined:
		f.Package = d.p.PackageName(k.A)
		f.Subject = f.Package
		f.Text, f.Message = d.quarantine(k.A)
	}
	return f
}

// subscriptionFact states what a subscription asks for, with all that narrows it.
func (d *describer) subscriptionFact(f *argument.Fact, sub *Subscription) {
	f.Subject, f.Subscription, f.Package, f.Channel = sub.Name, sub.Name, sub.Package, sub.soleChannel()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", sub.asker(), sub.Name)
	if f.Generated = sub.Generated; f.Generated {
		f.DependencyOf = d.dependents(sub)
		fmt.Fprintf(&b, ", which came in as %s,", argument.DependencyOf(f.DependencyOf))
	}
	fmt.Fprintf(&b, " asks for package %s", sub.Package)
	if len(sub.Channels) > 0 {
		fmt.Fprintf(&b, " from %s%s", text.Plural(len(sub.Channels), "channel ", "channels "), text.And(sub.Channels))
	}
	if sub.Catalog != (cache.Key{}) {
		f.Catalog = sub.Catalog.String()
		fmt.Fprintf(&b, " of catalog %s", f.Catalog)
	}
	if !sub.VersionRange.IsZero() {
		fmt.Fprintf(&b, ", version %s", sub.VersionRange)
	}
	for i := range d.p.Subs {
		s := &d.p.Subs[i]
		if &d.p.asked[i] != sub {
			continue
		}
		if s.Owned != problem.NoNode {
			fmt.Fprintf(&b, ", where %s is installed", d.p.Nodes[s.Owned].Bundle.Name)
		} else if sub.StartingCSV != "" {
			fmt.Fprintf(&b, ", starting with %s", sub.StartingCSV)
		}
	}
	f.Text = b.String()
}

// dependents names the installed bundles that need what a subscription owns.
func (d *describer) dependents(sub *Subscription) []string {
	p := d.p
	i := slices.IndexFunc(p.Subs, func(s problem.Subscription) bool { return &p.asked[s.Index] == sub })
	if i < 0 || p.Subs[i].Owned == problem.NoNode {
		return nil
	}
	owned := p.Subs[i].Owned
	var names []string
	for _, n := range p.Inst {
		if n == problem.NoNode || n == owned {
			continue
		}
		needs := func(r problem.Requirement) bool {
			return slices.ContainsFunc(wanted(r.Goal, nil), func(a *problem.Atom) bool { return p.Matches(a, owned) })
		}
		if slices.ContainsFunc(p.Requirements(n), needs) {
			names = append(names, p.Nodes[n].Bundle.Name)
		}
	}
	return names
}

// bundle fills in what a fact says of a bundle.
func (d *describer) bundle(f *argument.Fact, n problem.NodeID) {
	nd := &d.p.Nodes[n]
	f.Subject, f.Bundle, f.Package = nd.Bundle.Name, nd.Bundle.Name, nd.Bundle.Package
	if nd.Cat != problem.NoCatalog {
		f.Catalog = d.p.Cats[nd.Cat].Key.String()
	}
	if pl, ok := d.p.BestPlace(nd.Bundle); ok {
		f.Channel = pl.Channel.Name
	} else if nd.Inst >= 0 {
		f.Channel = d.p.req.Installed[nd.Inst].Channel
	}
}

func (d *describer) gvkName(id int32) string {
	if d.apis == nil {
		d.apis = make(map[int32]string, len(d.p.GVKs))
		for g, i := range d.p.GVKs {
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
			if nd := &p.Nodes[n]; nd.Pkg == pkg && nd.Ban == problem.BanQuarantined {
				if q := d.setAside(k, n); q != nil {
					reasons = appendNew(reasons, q.Message)
				}
			}
		}
	}
	name := d.p.PackageName(pkg)
	return fmt.Sprintf("package %s is set aside, in whole or in part, because the catalog is broken there: %s",
		name, strings.Join(reasons, "; ")), strings.Join(reasons, "; ")
}
