package explain

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// describer turns the facts behind a conflict into values that say all about
// themselves.
type describer struct {
	p       *problem.Problem
	u       *problem.Universe // of p
	keys    []formula.Fact
	apis    []properties.GVK // by number
	pkgs    []string         // by number
	cats    []string         // by number
	bundles []known          // by number, as far as anything is known of them
	facts   []argument.Fact
	cands   [][]problem.NodeID                    // by fact: what candidates found
	parts   [][]part                              // by fact: what partsOf found
	near    map[*problem.Atom][]argument.Rejected // what atomMisses found
	nothing map[*problem.Atom]string              // what nothingMatches found
	missing map[string]string                     // what packageMissing found
	lists   map[*problem.Candidates]rejectedList  // what rejected found that does

	// context of each fact: the bundles, by package, that lead to it from what was
	// asked for. Facts whose contexts have different bundles of a package are about
	// alternatives, and do not speak for each other.
	context []*lead

	each int   // candidates to list of each fact
	work int   // steps that may still be made to find rivals
	bans []int // constraints with a prohibition in them
}

// known is what is known of a bundle.
type known struct {
	// first is the number, from 1, of the first fact about one of its constraints, which
	// follow each other.
	first   int
	reached bool               // by findContexts
	ruled   *argument.Rejected // what reject found that holds for the constraints of all others
}

// of is what is known of a bundle, which may have been reached just now.
func (d *describer) of(n problem.NodeID) *known {
	if more := int(n) + 1 - len(d.bundles); more > 0 {
		d.bundles = append(d.bundles, make([]known, more)...)
	}
	return &d.bundles[n]
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
func Facts(p *problem.Problem, keys []formula.Fact) []argument.Fact {
	d := &describer{p: p, u: p.Universe, keys: keys, bundles: make([]known, len(p.Universe.Nodes)),
		cands: make([][]problem.NodeID, len(keys)), parts: make([][]part, len(keys)), near: make(map[*problem.Atom][]argument.Rejected), nothing: make(map[*problem.Atom]string), missing: make(map[string]string),
		lists: make(map[*problem.Candidates]rejectedList),
		each:  max(rejectedEach, maxRejected/max(1, len(keys))), work: rivalWork, context: make([]*lead, len(keys))}
	for i, k := range slices.Backward(keys) {
		if k.Kind != formula.FactConstraint {
			break // they come last
		}
		d.bundles[k.A].first = i + 1
		if hasBan(d.requirement(i).Goal) {
			d.bans = append(d.bans, i)
		}
	}
	slices.Reverse(d.bans)
	d.apis, d.pkgs = byNumber(p.Universe.GVKs), byNumber(p.Universe.Pkgs)
	for _, c := range p.Universe.Cats {
		d.cats = append(d.cats, c.Key.String())
	}
	d.facts = make([]argument.Fact, 0, len(keys))
	for i := range keys {
		d.facts = append(d.facts, d.fact(i))
	}
	if p.Budget.Stopped() {
		return nil
	}
	d.findContexts()
	for i := range keys {
		if p.Budget.Stopped() {
			d.facts[i].Omitted = len(d.cands[i])
			continue
		}
		d.facts[i].Candidates, d.facts[i].Omitted = d.rejected(i)
		d.facts[i].Candidates = append(d.facts[i].Candidates, d.nearMisses(i)...)
	}
	d.participants()
	for i := range d.facts {
		d.facts[i].Text = text.Clip(d.facts[i].Text, lexicon.MaxText)
	}
	return d.facts
}

// participants lists, of the rules of packages and APIs, the bundles that other facts want.
func (d *describer) participants() {
	seen := make(map[problem.NodeID]bool)
	for i := range d.keys {
		for _, n := range d.cands[i][:min(len(d.cands[i]), d.each)] {
			if d.p.Budget.Step() {
				return
			}
			if seen[n] {
				continue
			}
			seen[n] = true
			for _, g := range d.u.Nodes[n].GVKs {
				d.takesPart(n, formula.FactGVK, g)
			}
			d.takesPart(n, formula.FactPackage, d.u.Nodes[n].Pkg)
		}
	}
}

func (d *describer) takesPart(n problem.NodeID, rule formula.Kind, number int32) {
	if i, ok := d.find(rule, number); ok {
		d.facts[i].Participants = append(d.facts[i].Participants, d.u.RefOf(n))
	}
}

// find is where a fact is among those of the conflict, if it is one of them.
func (d *describer) find(kind formula.Kind, number int32) (int, bool) {
	return slices.BinarySearchFunc(d.keys, formula.Fact{Kind: kind, A: number}, formula.Fact.Compare)
}

// constraintsOf goes through the facts about constraints of a bundle.
func (d *describer) constraintsOf(n problem.NodeID) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := d.of(n).first - 1; i >= 0 && i < len(d.keys) && d.keys[i].A == int32(n) && yield(i); i++ {
		}
	}
}

// requirement is what the constraint of a fact says.
func (d *describer) requirement(i int) problem.Requirement {
	return d.p.Requirements(problem.NodeID(d.keys[i].A))[d.keys[i].B]
}

// byNumber lists what was numbered from 0.
func byNumber[K comparable](numbers map[K]int32) []K {
	out := make([]K, len(numbers))
	for k, i := range numbers {
		out[i] = k
	}
	return out
}

// kindOf is the public code of each kind of fact, in their order.
var kindOf = [...]argument.FactKind{argument.FactSubscription, argument.FactHold, argument.FactForced, argument.FactInstalled, argument.FactNoCandidate,
	argument.FactPackage, argument.FactQuarantined, argument.FactForbidden, argument.FactDeprecated, argument.FactIncompatible, argument.FactGVK,
	argument.FactConstraint}

// KindOf is the public code of a kind of fact.
func KindOf(k formula.Fact) argument.FactKind { return kindOf[k.Kind] }

// fact states one fact.
func (d *describer) fact(i int) argument.Fact {
	p, k := d.p, d.keys[i]
	f := argument.Fact{Kind: kindOf[k.Kind]}
	switch k.Kind {
	case formula.FactSubscription:
		d.subscriptionFact(&f, &p.Demands.List[k.A])
	case formula.FactNoCandidate:
		s := &p.Demands.List[k.A]
		f.Subject, f.Package, f.Channel, f.Subscription = s.Package, s.Package, s.SoleChannel(), s.Name
		none := whyNoCandidate(d.u, s)
		f.Text, f.Cause, f.Names = none.Text, none.Cause, none.Names
		f.Specific = s.StartingCSV != "" || s.Pin != "" || s.Range != nil
	case formula.FactHold:
		s := &p.Demands.List[k.A]
		d.bundle(&f, s.Owned)
		f.Subject, f.Subscription, f.Message = s.Name, s.Name, s.Hold
		f.Text = fmt.Sprintf("%s %s holds %s where it is", noun(s), s.Name, f.Bundle)
	case formula.FactIncompatible:
		n := problem.NodeID(k.A)
		d.bundle(&f, n)
		f.Text = fmt.Sprintf("%s does not fit: it %s", f.Bundle, text.And(WhyUnfit(d.u, n)))
		for _, l := range Losses(d.u, n) {
			if l.Breaks {
				f.Cause, f.Names = argument.CauseStoredVersionRemoved, append(f.Names, l.CRD)
			}
		}
	case formula.FactInstalled:
		d.bundle(&f, p.Universe.Inst[k.A])
		f.Text = fmt.Sprintf("%s is installed and no subscription owns it, so it has to stay", f.Bundle)
	case formula.FactConstraint:
		n, c := problem.NodeID(k.A), d.requirement(i).Constraint
		d.bundle(&f, n)
		f.Ref, f.Constraint = p.Universe.RefOf(n), c
		f.Message = c.Message()
		f.Text = f.Bundle + " requires " + c.String()
		f.Parts, f.Newest = d.closing(i)
	case formula.FactPackage:
		f.Package, f.Subject = d.pkgs[k.A], d.pkgs[k.A]
		f.Text = fmt.Sprintf("only one version of package %s can be installed at a time", f.Package)
	case formula.FactGVK:
		f.Subject = d.apis[k.A].String()
		f.Text = fmt.Sprintf("only one installed operator can provide %s", f.Subject)
	case formula.FactForbidden:
		forbidden := &p.Universe.Forbid[k.A]
		d.ref(&f, forbidden.Bundle)
		f.Message = forbidden.Message
		f.Text = fmt.Sprintf("the request forbids %s", forbidden.Bundle)
	case formula.FactForced:
		d.ref(&f, p.Demands.Forced[k.A])
		f.Text = fmt.Sprintf("the request wants %s in the result", p.Demands.Forced[k.A])
	case formula.FactDeprecated:
		d.bundle(&f, problem.NodeID(k.A))
		f.Text = fmt.Sprintf("%s is marked olm.deprecated, so it cannot be newly installed", f.Bundle)
	case formula.FactQuarantined:
		f.Package, f.Subject, f.Message = d.pkgs[k.A], d.pkgs[k.A], d.quarantine(k.A)
		f.Text = fmt.Sprintf("package %s is ignored, in whole or in part, because the catalog is broken: %s", f.Package, f.Message)
	}
	return f
}

// noun is the word for a demand.
func noun(s *problem.Demand) string { return lexicon.Demand(s.Extension != nil) }

// subscriptionFact states what a subscription asks for, with all that narrows it.
func (d *describer) subscriptionFact(f *argument.Fact, s *problem.Demand) {
	f.Subject, f.Subscription, f.Package, f.Channel = s.Name, s.Name, s.Package, s.SoleChannel()
	var b strings.Builder
	f.Extension = s.Extension != nil
	fmt.Fprintf(&b, "%s %s", noun(s), s.Name)
	if f.Generated = s.Generated; f.Generated {
		f.DependencyOf = d.dependents(s)
		fmt.Fprintf(&b, ", which came in as %s,", lexicon.DependencyOf(f.DependencyOf))
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
		f.Owns = d.u.Name(s.Owned)
		fmt.Fprintf(&b, ", where %s is installed", f.Owns)
		b.WriteString(onlyBroken(s))
	} else if s.StartingCSV != "" {
		fmt.Fprintf(&b, ", starting with %s", s.StartingCSV)
	}
	f.Text = b.String()
}

// onlyBroken says of a subscription that owns something and looks at quarantined channels
// alone which they are and why: it has nothing else to move to. It is empty for all others.
func onlyBroken(s *problem.Demand) string {
	var q *graph.Problem
	for _, l := range s.Scanned {
		of := l.Channel.Quarantined()
		if of == nil {
			return ""
		}
		q = cmp.Or(q, of)
	}
	if q == nil {
		return ""
	}
	return fmt.Sprintf("; %s cannot be followed, because the catalog is broken: %s", ChannelNames(s.Scanned), strings.TrimSuffix(q.Message, "."))
}

// dependents names the installed bundles that need what a subscription owns.
func (d *describer) dependents(s *problem.Demand) []string {
	if s.Owned == problem.NoNode {
		return nil
	}
	p := d.p
	var names []string
	for _, n := range p.Universe.Inst {
		if n == problem.NoNode || n == s.Owned {
			continue
		}
		needs := func(r problem.Requirement) bool { return finds(p.Universe, r.Goal, s.Owned, false) }
		if slices.ContainsFunc(p.Requirements(n), needs) {
			names = append(names, p.Universe.Name(n))
		}
	}
	return names
}

// bundle fills in what a fact says of a bundle.
func (d *describer) bundle(f *argument.Fact, n problem.NodeID) {
	b := d.u.Nodes[n].Bundle
	f.Subject, f.Bundle, f.Package = b.Name, b.Name, b.Package
	f.Catalog, f.Channel = d.origin(n)
}

// origin is the catalog that a bundle is of and the channel that offers it best, or that it
// was installed from; empty where they are not known.
func (d *describer) origin(n problem.NodeID) (catalog, channel string) {
	nd := &d.u.Nodes[n]
	if nd.Cat != problem.NoCatalog {
		catalog = d.cats[nd.Cat]
	}
	if pl, ok := d.u.BestPlace(nd.Bundle); ok {
		channel = pl.Channel.Name
	} else if nd.Inst >= 0 {
		channel = d.u.Channels[nd.Inst]
	}
	return catalog, channel
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
	for i := range d.keys {
		for _, n := range d.candidates(i) {
			if d.p.Budget.Step() {
				return ""
			}
			if nd := &d.u.Nodes[n]; nd.Pkg == pkg && nd.Ban == problem.BanQuarantined {
				if q := d.quarantineOf(i, n); q != nil {
					reasons = text.AppendNew(reasons, q.Message)
				}
			}
		}
	}
	return strings.Join(reasons, "; ")
}
