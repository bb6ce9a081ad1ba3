package explain

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/properties"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// describer turns the facts of a conflict into self-contained descriptions.
type describer struct {
	p       *problem.Problem
	u       *problem.Universe // of p
	keys    []formula.Fact
	apis    []properties.GVK // by number
	pkgs    []string         // by number
	bundles []known          // by node; grown when needed
	facts   []argument.Fact
	cands   [][]problem.NodeID                    // by fact: results of candidates
	parts   [][]part                              // by fact: results of partsOf
	near    map[*problem.Atom][]argument.Rejected // results of atomMisses
	nothing map[*problem.Atom]string              // results of nothingMatches
	missing map[string]string                     // results of packageMissing
	lists   map[*problem.Candidates]rejectedList  // results of rejected that facts share

	// context is, by fact, the path of bundles from a root to it. Facts whose contexts have
	// different bundles of a package belong to alternatives, and are not cited as rivals of each
	// other.
	context []*lead

	each int   // max candidates listed for each fact
	work int   // steps left for finding rivals
	bans []int // constraints that contain a prohibition
}

// known caches what the describer has found about a bundle.
type known struct {
	// first is the number, from 1, of the first fact about its constraints, which are consecutive.
	first   int
	reached bool               // by findContexts
	ruled   *argument.Rejected // the general result of reject
}

// of returns the entry of a bundle, growing the table for new nodes.
func (d *describer) of(n problem.NodeID) *known {
	if more := int(n) + 1 - len(d.bundles); more > 0 {
		d.bundles = append(d.bundles, make([]known, more)...)
	}
	return &d.bundles[n]
}

// The size of a description is bounded, because it grows with the number of facts times the
// number of candidates of each.
const (
	// maxRejected is the max number of candidates that all facts of a conflict list together.
	// Each fact may always list rejectedEach.
	maxRejected  = 10_000
	rejectedEach = 20
	// rivalWork is the max number of candidates that are compared to find rivals.
	rivalWork = 2_000_000
)

// Facts describes an unsatisfiable set of facts. If the budget is exhausted meanwhile, some facts
// have no candidates; the result is nil if it is exhausted before all facts are described.
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

// participants adds, to each rule of a package or an API, the candidates of other facts that it
// applies to.
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
				d.addParticipant(n, formula.FactGVK, g)
			}
			d.addParticipant(n, formula.FactPackage, d.u.Nodes[n].Pkg)
		}
	}
}

// addParticipant adds a bundle to a rule that is part of the conflict.
func (d *describer) addParticipant(n problem.NodeID, rule formula.Kind, number int32) {
	if i, ok := d.find(rule, number); ok {
		_, channel := d.origin(n)
		d.facts[i].Participants = append(d.facts[i].Participants, argument.Participant{Bundle: d.u.RefOf(n), Channel: channel, Payload: d.u.Nodes[n].Bundle.Payload})
	}
}

// find returns the index of a fact, and whether it is part of the conflict.
func (d *describer) find(kind formula.Kind, number int32) (int, bool) {
	return slices.BinarySearchFunc(d.keys, formula.Fact{Kind: kind, A: number}, formula.Fact.Compare)
}

// constraintsOf yields the indexes of the facts about constraints of a bundle.
func (d *describer) constraintsOf(n problem.NodeID) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := d.of(n).first - 1; i >= 0 && i < len(d.keys) && d.keys[i].A == int32(n) && yield(i); i++ {
		}
	}
}

// requirement returns the requirement of the i-th fact, a FactConstraint.
func (d *describer) requirement(i int) problem.Requirement {
	return d.p.Requirements(problem.NodeID(d.keys[i].A))[d.keys[i].B]
}

// byNumber inverts a numbering from 0.
func byNumber[K comparable](numbers map[K]int32) []K {
	out := make([]K, len(numbers))
	for k, i := range numbers {
		out[i] = k
	}
	return out
}

// kindOf has the public code of each kind of fact, in the order of the kinds.
var kindOf = [...]argument.FactKind{argument.FactSubscription, argument.FactHold, argument.FactForced, argument.FactInstalled, argument.FactNoCandidate,
	argument.FactPackage, argument.FactQuarantined, argument.FactForbidden, argument.FactDeprecated, argument.FactIncompatible, argument.FactGVK,
	argument.FactConstraint}

// KindOf returns the public code of a fact.
func KindOf(k formula.Fact) argument.FactKind { return kindOf[k.Kind] }

// fact describes one fact.
func (d *describer) fact(i int) argument.Fact {
	p, k := d.p, d.keys[i]
	f := argument.Fact{Kind: kindOf[k.Kind], Terms: d.u.Terms}
	switch k.Kind {
	case formula.FactSubscription:
		d.subscriptionFact(&f, &p.Demands.List[k.A])
	case formula.FactNoCandidate:
		s := &p.Demands.List[k.A]
		f.Subject, f.Package, f.Channel, f.Subscription = s.Package, s.Package, s.SoleChannel(), s.Name
		none := whyNoCandidate(d.u, s)
		f.Text, f.Cause, f.Names, f.Catalogs = none.Text, none.Cause, none.Names, none.Catalogs
		f.Specific = s.StartingCSV != "" || s.Pin != "" || s.Range != nil
	case formula.FactHold:
		s := &p.Demands.List[k.A]
		d.bundle(&f, s.Owned)
		f.Subject, f.Subscription, f.Message = s.Name, s.Name, s.Hold
		f.Text = fmt.Sprintf("%s %s holds %s where it is", noun(d.u, s), s.Name, f.Bundle)
	case formula.FactIncompatible:
		n := problem.NodeID(k.A)
		d.bundle(&f, n)
		f.Text = fmt.Sprintf("%s is incompatible: it %s", f.Bundle, text.And(WhyIncompatible(d.u, n)))
		for _, l := range Losses(d.u, n) {
			if l.Breaks {
				f.Cause, f.Names = argument.CauseStoredVersionRemoved, append(f.Names, l.CRD)
			}
		}
	case formula.FactInstalled:
		d.bundle(&f, p.Universe.Inst[k.A])
		f.Text = fmt.Sprintf("%s is installed and no %s owns it, so it has to stay", f.Bundle, lexicon.Demand(d.u.Terms, false))
	case formula.FactConstraint:
		n, c := problem.NodeID(k.A), d.requirement(i).Constraint
		d.bundle(&f, n)
		f.Ref, f.Constraint = p.Universe.RefOf(n), c
		f.Message = c.Message()
		f.Text = f.Bundle + " requires " + constraints.Describe(c, d.u.Terms.Operator)
		f.Parts, f.Newest = d.details(i)
	case formula.FactPackage:
		f.Package, f.Subject = d.pkgs[k.A], d.pkgs[k.A]
		f.Text = fmt.Sprintf("only one version of package %s can be installed at a time", f.Package)
	case formula.FactGVK:
		f.API, f.Subject = d.apis[k.A], d.apis[k.A].String()
		f.Text = fmt.Sprintf("only one installed %s can provide %s", lexicon.Operator(d.u.Terms), f.Subject)
	case formula.FactForbidden:
		forbidden := &p.Universe.Forbid[k.A]
		d.ref(&f, forbidden.Bundle)
		f.Message, f.Rule = forbidden.Message, forbidden.Rule
		f.Text = forbiddenText(forbidden)
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

// forbiddenText says what forbids a bundle.
func forbiddenText(f *problem.Forbidden) string {
	if f.Rule == "" {
		return fmt.Sprintf("the request forbids %s", f.Bundle)
	}
	return fmt.Sprintf("%s is forbidden by %s", f.Bundle, forbidder(f))
}

// forbidder names what forbids a bundle.
func forbidder(f *problem.Forbidden) string {
	rule := text.Inert(strings.Join(strings.Fields(text.Clip(f.Rule, maxRuleText)), " "))
	switch {
	case f.Failed != "":
		return fmt.Sprintf("the policy, because its rule %s failed: %s", rule, strings.TrimPrefix(f.Failed, "the rule failed: "))
	case f.Rule != "":
		return "the policy rule " + rule
	}
	return "the request"
}

// maxRuleText is the maximum length of a rule in a text, in bytes.
const maxRuleText = 500

// noun names the kind of a demand.
func noun(u *problem.Universe, s *problem.Demand) string {
	return lexicon.Demand(u.Terms, s.Extension != nil)
}

// subscriptionFact describes a demand with everything that narrows it.
func (d *describer) subscriptionFact(f *argument.Fact, s *problem.Demand) {
	f.Subject, f.Subscription, f.Package, f.Channel = s.Name, s.Name, s.Package, s.SoleChannel()
	var b strings.Builder
	f.Extension = s.Extension != nil
	fmt.Fprintf(&b, "%s %s", noun(d.u, s), s.Name)
	if f.Generated = s.Generated; f.Generated {
		f.DependencyOf = d.dependents(s)
		fmt.Fprintf(&b, ", which came in as %s,", lexicon.DependencyOf(f.DependencyOf))
	}
	fmt.Fprintf(&b, " asks for package %s", s.Package)
	if len(s.Channels) > 0 {
		fmt.Fprintf(&b, " from %s%s", text.Plural(len(s.Channels), "channel ", "channels "), text.And(s.Channels))
	}
	if s.Catalog != nil {
		f.Catalog = *s.Catalog
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

// onlyBroken names the channels of a subscription and the reason if all of them are quarantined,
// so that its installed bundle cannot upgrade. It is empty otherwise.
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

// dependents names the installed bundles that require the bundle that a subscription owns.
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

// bundle sets the fields of a fact about a bundle.
func (d *describer) bundle(f *argument.Fact, n problem.NodeID) {
	b := d.u.Nodes[n].Bundle
	f.Subject, f.Bundle, f.Package = b.Name, b.Name, b.Package
	f.Catalog, f.Channel = d.origin(n)
}

// origin returns the catalog of a bundle, and its best channel or the one that it was installed
// from. They are empty if unknown.
func (d *describer) origin(n problem.NodeID) (catalog cache.Key, channel string) {
	nd := &d.u.Nodes[n]
	if nd.Cat != problem.NoCatalog {
		catalog = d.u.Cats[nd.Cat].Key
	}
	if pl, ok := d.u.BestPlace(nd.Bundle); ok {
		channel = pl.Channel.Name
	} else if nd.Inst >= 0 {
		channel = d.u.Channels[nd.Inst]
	}
	return catalog, channel
}

// ref sets the fields of a fact about a bundle that the request names.
func (d *describer) ref(f *argument.Fact, ref cache.BundleRef) {
	f.Subject, f.Bundle = ref.Name, ref.Name
	f.Catalog = ref.Catalog
}

// quarantine joins the distinct problems that quarantine bundles of a package, as far as the
// bundles are candidates of other facts.
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
