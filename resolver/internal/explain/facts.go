package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// describer turns the facts behind a conflict into values that say all about
// themselves.
type describer struct {
	p     Causes
	keys  []formula.Fact
	apis  []properties.GVK // by number
	pkgs  []string         // by number
	index map[formula.Fact]int
	facts []argument.Fact
	cands map[formula.Fact][]problem.NodeID     // what candidates found
	near  map[*problem.Atom][]argument.Rejected // what atomMisses found

	// context of each fact: the bundles, by package, that lead to it from what was
	// asked for. Facts whose contexts have different bundles of a package are about
	// alternatives, and do not speak for each other.
	context map[formula.Fact]*lead

	each  int            // candidates to list of each fact
	work  int            // steps that may still be made to find rivals
	bans  []formula.Fact // constraints with a prohibition in them
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
	// find out which of them a candidate cannot stand beside.
	rivalWork = 2_000_000
)

// Facts states a set of facts that cannot hold together. Where the work is stopped
// meanwhile, the candidates of some are left out; nil if even the facts were not stated
// by then.
func (p Causes) Facts(keys []formula.Fact) []argument.Fact {
	d := &describer{p: p, keys: keys, index: make(map[formula.Fact]int, len(keys)),
		cands: make(map[formula.Fact][]problem.NodeID, len(keys)), near: make(map[*problem.Atom][]argument.Rejected),
		each: max(rejectedEach, maxRejected/max(1, len(keys))), work: rivalWork, parts: make(map[formula.Fact][]part)}
	for i, k := range keys {
		d.index[k] = i
		if k.Kind == formula.FactConstraint && hasBan(p.Requirements(problem.NodeID(k.A))[k.B].Goal) {
			d.bans = append(d.bans, k)
		}
	}
	d.apis, d.pkgs = byNumber(p.GVKs), byNumber(p.Pkgs)
	d.facts = make([]argument.Fact, 0, len(keys))
	for _, k := range keys {
		d.facts = append(d.facts, d.fact(k))
	}
	if p.Stopped() {
		return nil
	}
	d.findContexts()
	for i, k := range keys {
		if p.Stopped() {
			d.facts[i].Omitted = len(d.cands[k])
			continue
		}
		d.facts[i].Candidates, d.facts[i].Omitted = d.rejected(k)
		d.facts[i].Candidates = append(d.facts[i].Candidates, d.nearMisses(k)...)
		d.facts[i].Text = text.Clip(d.facts[i].Text, argument.MaxText)
	}
	return d.facts
}

// byNumber lists what was numbered from 0.
func byNumber[K comparable](numbers map[K]int32) []K {
	out := make([]K, len(numbers))
	for k, i := range numbers {
		out[i] = k
	}
	return out
}

// kindOf is the public code of each kind of fact.
var kindOf = [...]argument.FactKind{formula.FactSubscription: argument.FactSubscription, formula.FactHold: argument.FactHold, formula.FactForced: argument.FactForced,
	formula.FactInstalled: argument.FactInstalled, formula.FactNoCandidate: argument.FactNoCandidate, formula.FactPackage: argument.FactPackage,
	formula.FactQuarantined: argument.FactQuarantined, formula.FactForbidden: argument.FactForbidden, formula.FactDeprecated: argument.FactDeprecated,
	formula.FactIncompatible: argument.FactIncompatible, formula.FactGVK: argument.FactGVK, formula.FactConstraint: argument.FactConstraint}

// fact states one fact.
func (d *describer) fact(k formula.Fact) argument.Fact {
	p := d.p
	f := argument.Fact{Kind: kindOf[k.Kind]}
	switch k.Kind {
	case formula.FactSubscription:
		d.subscriptionFact(&f, &p.Subs[k.A])
	case formula.FactNoCandidate:
		s := &p.Subs[k.A]
		f.Subject, f.Package, f.Channel, f.Subscription = s.Package, s.Package, s.SoleChannel(), p.asked(s).Name
		f.Text = p.whyNoCandidate(s)
		f.Specific = s.StartingCSV != "" || s.Pin != "" || s.Range != nil
	case formula.FactHold:
		s := &p.Subs[k.A]
		asked := p.asked(s)
		d.bundle(&f, s.Owned)
		f.Subject, f.Subscription, f.Message = asked.Name, asked.Name, asked.Hold
		f.Text = fmt.Sprintf("%s %s holds %s where it is", argument.Asker(s.Given != nil), asked.Name, f.Bundle)
	case formula.FactIncompatible:
		n := problem.NodeID(k.A)
		d.bundle(&f, n)
		f.Text = fmt.Sprintf("%s does not fit: it %s", f.Bundle, text.And(p.WhyUnfit(n)))
	case formula.FactInstalled:
		d.bundle(&f, p.Inst[k.A])
		f.Text = fmt.Sprintf("%s is installed and no subscription owns it, so it has to stay", f.Bundle)
	case formula.FactConstraint:
		n := problem.NodeID(k.A)
		c := p.Requirements(n)[k.B].Constraint
		d.bundle(&f, n)
		f.Ref, f.Constraint = cache.BundleRef{Name: f.Bundle}, c
		if nd := &p.Nodes[n]; nd.Inst < 0 {
			f.Ref.Catalog = p.Cats[nd.Cat].Key
		}
		f.Message = c.Message()
		f.Text = fmt.Sprintf("%s requires %s", f.Bundle, c)
		f.Parts = d.closing(k)
	case formula.FactPackage:
		f.Package, f.Subject = d.pkgs[k.A], d.pkgs[k.A]
		f.Text = fmt.Sprintf("only one version of package %s can be installed at a time", f.Package)
	case formula.FactGVK:
		f.Subject = d.apis[k.A].String()
		f.Text = fmt.Sprintf("only one installed operator can provide %s", f.Subject)
	case formula.FactForbidden:
		d.ref(&f, p.Forbid[k.A])
		f.Message = p.Request.ForbidMessage(k.A)
		f.Text = fmt.Sprintf("the request forbids %s", p.Forbid[k.A])
	case formula.FactForced:
		d.ref(&f, p.Force[k.A].Bundle)
		f.Text = fmt.Sprintf("the request wants %s in the result", p.Force[k.A].Bundle)
	case formula.FactDeprecated:
		d.bundle(&f, problem.NodeID(k.A))
		f.Text = fmt.Sprintf("%s is marked olm.deprecated, so it cannot be newly installed", f.Bundle)
	case formula.FactQuarantined:
		f.Package, f.Subject, f.Message = d.pkgs[k.A], d.pkgs[k.A], d.quarantine(k.A)
		f.Text = fmt.Sprintf("package %s is set aside, in whole or in part, because the catalog is broken there: %s", f.Package, f.Message)
	}
	return f
}

// subscriptionFact states what a subscription asks for, with all that narrows it.
func (d *describer) subscriptionFact(f *argument.Fact, s *problem.Subscription) {
	asked := d.p.asked(s)
	f.Subject, f.Subscription, f.Package, f.Channel = asked.Name, asked.Name, s.Package, s.SoleChannel()
	var b strings.Builder
	f.Extension = s.Given != nil
	fmt.Fprintf(&b, "%s %s", argument.Asker(f.Extension), asked.Name)
	if f.Generated = asked.Generated; f.Generated {
		f.DependencyOf = d.dependents(s)
		fmt.Fprintf(&b, ", which came in as %s,", argument.DependencyOf(f.DependencyOf))
	}
	fmt.Fprintf(&b, " asks for package %s", s.Package)
	if len(s.Channels) > 0 {
		fmt.Fprintf(&b, " from %s%s", text.Plural(len(s.Channels), "channel ", "channels "), text.And(s.Channels))
	}
	if s.Catalog != nil {
		f.Catalog = s.Catalog.String()
		fmt.Fprintf(&b, " of catalog %s", f.Catalog)
	}
	if s.Range != nil {
		fmt.Fprintf(&b, ", version %s", s.Range)
	}
	if s.Owned != problem.NoNode {
		fmt.Fprintf(&b, ", where %s is installed", d.p.Nodes[s.Owned].Bundle.Name)
	} else if s.StartingCSV != "" {
		fmt.Fprintf(&b, ", starting with %s", s.StartingCSV)
	}
	f.Text = b.String()
}

// dependents names the installed bundles that need what a subscription owns.
func (d *describer) dependents(s *problem.Subscription) []string {
	if s.Owned == problem.NoNode {
		return nil
	}
	p := d.p
	var names []string
	for _, n := range p.Inst {
		if n == problem.NoNode || n == s.Owned {
			continue
		}
		needs := func(r problem.Requirement) bool {
			return slices.ContainsFunc(r.Goal.Wanted(nil), func(a *problem.Atom) bool { return p.Matches(a, s.Owned) })
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
		f.Channel = d.p.Channels[nd.Inst]
	}
}

// ref fills in what a fact says of a bundle that the request names.
func (d *describer) ref(f *argument.Fact, ref cache.BundleRef) {
	f.Subject, f.Bundle = ref.Name, ref.Name
	if !ref.Catalog.IsZero() {
		f.Catalog = ref.Catalog.String()
	}
}

// quarantine says why bundles of a package are set aside, each reason once: the
// reasons for those that the other facts look for.
func (d *describer) quarantine(pkg int32) string {
	var reasons []string
	for _, k := range d.keys {
		for _, n := range d.candidates(k) {
			if d.p.Tick(); d.p.Stopped() {
				return ""
			}
			if nd := &d.p.Nodes[n]; nd.Pkg == pkg && nd.Ban == problem.BanQuarantined {
				if q := d.quarantineOf(k, n); q != nil {
					reasons = text.AppendNew(reasons, q.Message)
				}
			}
		}
	}
	return strings.Join(reasons, "; ")
}
