package resolver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// maxNearMisses bounds the near misses told of one fact.
const maxNearMisses = 20

// nearMisses lists bundles that nearly were candidates of a fact.
func (d *describer) nearMisses(k formula.Fact) []argument.Rejected {
	var out []argument.Rejected
	switch k.Kind {
	case formula.FactSubscription:
		out = d.forcedElsewhere(&d.p.Subs[k.A])
	case formula.FactNoCandidate:
		out = d.p.subscriptionMisses(&d.p.Subs[k.A])
	case formula.FactForced:
		out = d.p.forcedMisses(k.A)
	case formula.FactConstraint:
		n := problem.NodeID(k.A)
		for i, part := range d.partsOf(k) {
			if len(d.p.All(d.p.CandidatesOf(part.atom, d.p.Nodes[n].Cat))) > 0 {
				continue
			}
			for _, r := range d.missesOf(part.atom) {
				r.Part = i
				out = append(out, r)
			}
		}
	}
	if len(out) > maxNearMisses {
		out = out[:maxNearMisses]
	}
	return out
}

// missesOf is atomMisses, once for each atom.
func (d *describer) missesOf(a *problem.Atom) []argument.Rejected {
	list, ok := d.near[a]
	if !ok {
		list = d.p.atomMisses(a)
		d.near[a] = list
	}
	return list
}

// forcedElsewhere tells why a bundle that the request forces is no candidate of a
// subscription.
func (d *describer) forcedElsewhere(s *problem.Subscription) []argument.Rejected {
	forced := func(name string) bool {
		return slices.ContainsFunc(d.keys, func(k formula.Fact) bool {
			return k.Kind == formula.FactForced && d.p.req.Force[k.A].Name == name
		})
	}
	if !slices.ContainsFunc(d.keys, func(k formula.Fact) bool { return k.Kind == formula.FactForced }) {
		return nil
	}
	return slices.DeleteFunc(d.p.subscriptionMisses(s), func(r argument.Rejected) bool { return !forced(r.Bundle) })
}

// forcedMisses tells why a forced bundle cannot be chosen from any channel.
func (p *causes) forcedMisses(i int32) []argument.Rejected {
	var out []argument.Rejected
	of := p.Force[i].Bundle
	for c := range p.Cats {
		if !p.RefersTo(of, int32(c)) {
			continue
		}
		for _, id := range p.Cats[c].Content.Named(of.Name) {
			b := p.Cats[c].Content.Bundle(id)
			if len(b.Places) > 0 {
				continue
			}
			r := argument.Rejected{Bundle: b.Name, Catalog: p.Cats[c].Key.String()}
			if q := p.QuarantineOf(int32(c), b); q != nil {
				r.Reason, r.Text = argument.NearMissQuarantined, "is set aside: "+q.Message
			} else {
				r.Reason, r.Text = p.unplaced(b)
			}
			out = append(out, r)
		}
	}
	return out
}

// subscriptionMisses goes through the channels that a subscription looks at, and
// tells of each entry which step dropped it.
func (p *causes) subscriptionMisses(s *problem.Subscription) []argument.Rejected {
	type entry struct {
		catalog int32
		name    string
	}
	var out []argument.Rejected
	if p.asked[s.Index].offers != nil {
		return nil // the rules of its channels are others
	}
	told := make(map[entry]bool)
	for _, l := range s.Looked {
		key := p.Cats[l.Cat].Key.String()
		for _, e := range headFirst(l.Channel) {
			if p.Tick(); p.Stopped() {
				return out
			}
			if told[entry{l.Cat, e.Name}] {
				continue
			}
			r := argument.Rejected{Bundle: e.Name, Catalog: key}
			if r.Reason, r.Text = p.entryMiss(s, l, e); r.Reason != "" {
				told[entry{l.Cat, e.Name}] = true
				out = append(out, r)
			}
		}
	}
	start := p.asked[s.Index].StartingCSV
	slices.SortStableFunc(out, func(a, b argument.Rejected) int { return problem.First(a.Bundle == start, b.Bundle == start) })
	return out
}

// headFirst lists the entries of a channel from the head down the chain, then those
// off it as they are declared.
func headFirst(ch *graph.Channel) []*graph.Entry {
	entries := make([]*graph.Entry, len(ch.Entries))
	for i := range ch.Entries {
		entries[i] = &ch.Entries[i]
	}
	slices.SortStableFunc(entries, func(a, b *graph.Entry) int {
		return cmp.Compare(uint(a.Position), uint(b.Position))
	})
	return entries
}

// entryMiss is the first step that drops an entry of a channel.
func (p *causes) entryMiss(s *problem.Subscription, l problem.LookedAt, e *graph.Entry) (argument.Rejection, string) {
	sub := &p.asked[s.Index]
	if q := l.Channel.Quarantined(); q != nil {
		return argument.NearMissQuarantined, "is set aside: " + q.Message
	}
	switch {
	case e.Bundle == nil:
		return argument.NearMissVirtual, "is listed in the channel, but the catalog has no such bundle"
	case e.Bundle.Quarantine != nil:
		return argument.NearMissQuarantined, "is set aside: " + e.Bundle.Quarantine.Message
	case e.SkippedBy != "":
		return argument.NearMissSkipped, "is skipped by " + e.SkippedBy
	case e.Position < 0:
		return argument.NearMissOffChain, "is not on the chain of replaces that leads down from the head"
	}
	if p.IsOwn(s, e.Bundle) {
		return "", "" // it is a candidate in any case
	}
	switch p.Drops(s, l.Channel, e.Bundle) {
	case problem.DropNoEdge:
		return argument.NearMissNoEdge, fmt.Sprintf("has no update edge from %s", p.Nodes[s.Owned].Bundle.Name)
	case problem.DropNotStart:
		return argument.NearMissStartingCSV, fmt.Sprintf("is not the startingCSV %s", sub.StartingCSV)
	case problem.DropVersion:
		return argument.NearMissVersion, fmt.Sprintf("has version %s, outside %s", e.Bundle.Version, sub.VersionRange)
	default:
		return "", ""
	}
}

// whyNoCandidate tells which step emptied the candidates of a subscription.
func (p *causes) whyNoCandidate(s *problem.Subscription) string {
	sub := &p.asked[s.Index]
	if sub.offers != nil && sub.offers.why != "" {
		return sub.offers.why
	}
	if len(s.Looked) == 0 {
		return p.whyNothing(s)
	}
	for _, l := range s.Looked {
		if q := l.Channel.Quarantined(); q != nil && len(l.Channel.Entries) == 0 {
			return fmt.Sprintf("channel %s is set aside: %s", l.Channel.Name, q.Message)
		}
	}
	if sub.Pin != "" {
		return p.whyNotPinned(s)
	}
	misses := p.subscriptionMisses(s)
	if sub.StartingCSV != "" {
		for _, m := range misses {
			if m.Bundle == sub.StartingCSV {
				return fmt.Sprintf("the startingCSV %s %s", m.Bundle, m.Text) + p.nextOffered(s, m.Bundle)
			}
		}
		if p.startsNowhere(s) {
			return fmt.Sprintf("the startingCSV %s is not in %s%s", sub.StartingCSV, channelNames(s.Looked), p.didYouMean(sub.StartingCSV, entryNames(s)))
		}
	}
	if len(misses) == 0 {
		return fmt.Sprintf("%s has no entries", channelNames(s.Looked))
	}
	if !sub.VersionRange.IsZero() {
		var versions []string
		told := make(map[string]bool)
		for _, l := range s.Looked {
			for _, b := range l.Channel.Candidates() {
				p.Tick()
				if v := b.Version.String(); !told[v] {
					told[v] = true
					versions = append(versions, v)
				}
			}
		}
		if len(versions) > 0 {
			return fmt.Sprintf("no version in %s is inside %s; its versions are %s",
				channelNames(s.Looked), sub.VersionRange, text.Short(versions, 6))
		}
	}
	return fmt.Sprintf("no entry of %s can be chosen", channelNames(s.Looked))
}

// whyNotPinned tells why the bundle that a subscription is pinned to is none of
// its candidates.
func (p *causes) whyNotPinned(s *problem.Subscription) string {
	pin := p.asked[s.Index].Pin
	for _, l := range s.Looked {
		if e := l.Channel.Entry(pin); e != nil {
			if _, text := p.entryMiss(s, l, e); text != "" {
				return fmt.Sprintf("the pinned %s %s", pin, text) + p.nextOffered(s, pin)
			}
		}
	}
	return fmt.Sprintf("the pinned %s is not in %s%s", pin, channelNames(s.Looked), p.didYouMean(pin, entryNames(s)))
}

// startsNowhere reports whether no channel lists the startingCSV at all.
func (p *causes) startsNowhere(s *problem.Subscription) bool {
	start := p.asked[s.Index].StartingCSV
	return !slices.ContainsFunc(s.Looked, func(l problem.LookedAt) bool { return l.Channel.Entry(start) != nil })
}

// atomMisses lists bundles that an atom without candidates nearly matches: those
// that match but cannot be chosen, and those of another version.
func (p *causes) atomMisses(a *problem.Atom) []argument.Rejected {
	var out []argument.Rejected
	for c := range p.Cats {
		switch a.Kind {
		case problem.AtomPackage:
			out = p.packageMisses(a, int32(c), out)
		case problem.AtomGVK:
			out = p.apiMisses(a, int32(c), out)
		}
	}
	return out
}

// packageMisses lists the versions of a package, best first, with why each is no
// match.
func (p *causes) packageMisses(a *problem.Atom, cat int32, out []argument.Rejected) []argument.Rejected {
	content := p.Cats[cat].Content
	for _, id := range content.InPackage(a.Want.Name) {
		if p.Tick(); len(out) == maxNearMisses || p.Stopped() {
			break
		}
		b := content.Bundle(id)
		r := argument.Rejected{Bundle: b.Name, Catalog: p.Cats[cat].Key.String()}
		if a.Want.Range.Contains(b.Version) {
			r.Reason, r.Text = p.unplaced(b)
		} else {
			r.Reason, r.Text = argument.NearMissVersion, fmt.Sprintf("has version %s, outside %s", b.Version, a.Want.Range)
		}
		if r.Reason != "" {
			out = append(out, r)
		}
	}
	return out
}

// apiMisses lists the bundles that provide an API but cannot be chosen, and those
// that provide another version of it.
func (p *causes) apiMisses(a *problem.Atom, cat int32, out []argument.Rejected) []argument.Rejected {
	content, key := p.Cats[cat].Content, p.Cats[cat].Key.String()
	for _, id := range content.Providers(*a.API) {
		if p.Tick(); len(out) == maxNearMisses || p.Stopped() {
			break
		}
		b := content.Bundle(id)
		if reason, text := p.unplaced(b); reason != "" {
			out = append(out, argument.Rejected{Bundle: b.Name, Catalog: key, Reason: reason, Text: text})
		}
	}
	for g := range content.APIs() {
		if p.Tick(); len(out) == maxNearMisses || p.Stopped() {
			break
		}
		if g.Group != a.API.Group || g.Kind != a.API.Kind || g == *a.API {
			continue
		}
		for _, id := range content.Providers(g) {
			if len(out) < maxNearMisses {
				out = append(out, argument.Rejected{Bundle: content.Bundle(id).Name, Catalog: key, Reason: argument.NearMissAPIVersion,
					Text: fmt.Sprintf("provides %s, another version of that API", g)})
			}
		}
	}
	return out
}

// unplaced says why a bundle that matches can be chosen from no channel.
func (p *causes) unplaced(b *graph.Bundle) (argument.Rejection, string) {
	if len(b.Places) > 0 {
		return "", ""
	}
	reason, text := argument.NearMissUnlisted, "is in no channel"
	for c := range p.Cats {
		pkg := p.Cats[c].Content.Package(b.Package)
		if pkg == nil || pkg.Bundle(b.Name) != b {
			continue
		}
		for _, ch := range pkg.Channels {
			if p.Tick(); p.Stopped() {
				return reason, text
			}
			switch e := ch.Entry(b.Name); {
			case e == nil:
			case e.SkippedBy != "":
				return argument.NearMissSkipped, fmt.Sprintf("is skipped by %s in channel %s", e.SkippedBy, ch.Name)
			case e.Position < 0:
				reason, text = argument.NearMissOffChain, fmt.Sprintf("is not on the chain that leads down from the head of channel %s", ch.Name)
			}
		}
	}
	return reason, text
}

// part is one atom that a constraint wants, with the messages of the compounds
// below the constraint itself that it is in, and its own.
type part struct {
	atom     *problem.Atom
	messages []string
}

// partsOf lists the atoms that a constraint of a bundle wants, in their order.
func (p *causes) partsOf(c constraints.Constraint) []part {
	if p.Rules.PerBundle {
		return []part{{atom: p.AtomOf(c)}}
	}
	return p.partsUnder(c, true, nil, nil)
}

// partsUnder walks down a constraint; inside a negation, what is wanted is what a
// further negation asks for.
func (p *causes) partsUnder(c constraints.Constraint, positive bool, messages []string, out []part) []part {
	var kids []constraints.Constraint
	switch c := c.(type) {
	case *constraints.All:
		kids = c.Constraints
	case *constraints.Any:
		kids = c.Constraints
	case *constraints.Not:
		kids, positive = c.Constraints, !positive
	default:
		if a := p.AtomOf(c); positive && !a.Always {
			out = append(out, part{a, messages})
		}
		return out
	}
	for _, k := range kids {
		below := messages
		if m := k.Message(); m != "" {
			below = append(slices.Clone(messages), m)
		}
		out = p.partsUnder(k, positive, below, out)
	}
	return out
}

// closing says of each part of a constraint what its author says, and if it has no
// candidate at all why that is so. It is nil where there is nothing to say.
func (p *causes) closing(n problem.NodeID, c constraints.Constraint) []argument.Part {
	list := p.partsOf(c)
	var parts []argument.Part
	for i, part := range list {
		out := argument.Part{Message: strings.Join(part.messages, "; ")}
		if len(p.All(p.CandidatesOf(part.atom, p.Nodes[n].Cat))) == 0 {
			out.Nothing = p.nothingMatches(part.atom)
		}
		if out == (argument.Part{}) {
			continue
		}
		if parts == nil {
			parts = make([]argument.Part, len(list))
		}
		parts[i] = out
	}
	return parts
}

// nothingMatches says in a clause why an atom has no candidate at all.
func (p *causes) nothingMatches(a *problem.Atom) string {
	switch a.Kind {
	case problem.AtomGVK:
		return "nothing in the catalogs that could be installed provides " + a.API.String()
	case problem.AtomPackage:
		for c := range p.Cats {
			if p.Cats[c].Content.Package(a.Want.Name) != nil {
				return fmt.Sprintf("no version of package %s that could be installed is inside %s", a.Want.Name, a.Want.Range)
			}
		}
		return p.packageNotFound(&Subscription{Package: a.Want.Name})
	}
	switch c := a.Tests.Constraint.(type) {
	case *constraints.CEL:
		if c.Program != nil && c.Program.Needs().ClusterOnly {
			return "the rule asks about the cluster alone, and this cluster does not fulfil it"
		}
		return "the rule holds for nothing in the catalogs that could be installed"
	case *constraints.Label:
		return "nothing in the catalogs that could be installed has that label"
	default:
		return "no single bundle in the catalogs that could be installed satisfies the whole of it, as policy PerBundle asks"
	}
}
