package resolver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/constraints"
	"github.com/seed109e2655/resolute/graph"
)

// maxNearMisses bounds the near misses told of one fact.
const maxNearMisses = 20

// nearMisses lists bundles that nearly were candidates of a fact.
func (d *describer) nearMisses(k factKey) []Rejected {
	var out []Rejected
	switch k.kind {
	case FactSubscription:
		out = d.forcedElsewhere(&d.p.subs[k.a])
	case FactNoCandidate:
		out = d.p.subscriptionMisses(&d.p.subs[k.a])
	case FactForced:
		out = d.p.forcedMisses(k.a)
	case FactConstraint:
		n := nodeID(k.a)
		for _, part := range d.p.partsOf(d.p.requirements(n)[k.b].constraint) {
			if len(d.p.all(d.p.candidatesOf(part.atom, d.p.nodes[n].cat))) == 0 {
				out = append(out, d.missesOf(part.atom)...)
			}
		}
	}
	if len(out) > maxNearMisses {
		out = out[:maxNearMisses]
	}
	return out
}

// missesOf is atomMisses, once for each atom.
func (d *describer) missesOf(a *atom) []Rejected {
	list, ok := d.near[a]
	if !ok {
		list = d.p.atomMisses(a)
		d.near[a] = list
	}
	return list
}

// forcedElsewhere tells why a bundle that the request forces is no candidate of a
// subscription.
func (d *describer) forcedElsewhere(s *subscription) []Rejected {
	forced := func(name string) bool {
		return slices.ContainsFunc(d.keys, func(k factKey) bool {
			return k.kind == FactForced && d.p.req.Force[k.a].Name == name
		})
	}
	if !slices.ContainsFunc(d.keys, func(k factKey) bool { return k.kind == FactForced }) {
		return nil
	}
	return slices.DeleteFunc(d.p.subscriptionMisses(s), func(r Rejected) bool { return !forced(r.Bundle) })
}

// forcedMisses tells why a forced bundle cannot be chosen from any channel.
func (p *problem) forcedMisses(i int32) []Rejected {
	var out []Rejected
	ref := p.req.Force[i]
	for c := range p.cats {
		if !p.refersTo(ref, int32(c)) {
			continue
		}
		for _, id := range p.cats[c].Content.Named(ref.Name) {
			b := p.cats[c].Content.Bundle(id)
			if len(b.Places) > 0 {
				continue
			}
			r := Rejected{Bundle: b.Name, Catalog: p.cats[c].Key.String()}
			if q := p.quarantineOf(int32(c), b); q != nil {
				r.Reason, r.Text = NearMissQuarantined, "is set aside: "+q.Message
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
func (p *problem) subscriptionMisses(s *subscription) []Rejected {
	var out []Rejected
	if p.asked[s.index].offers != nil {
		return nil // the rules of its channels are others
	}
	for _, l := range s.looked {
		for _, e := range headFirst(l.channel) {
			r := Rejected{Bundle: e.Name, Catalog: p.cats[l.cat].Key.String()}
			r.Reason, r.Text = p.entryMiss(s, l, e)
			if r.Reason != "" && !slices.ContainsFunc(out, func(o Rejected) bool { return o.Bundle == r.Bundle && o.Catalog == r.Catalog }) {
				out = append(out, r)
			}
		}
	}
	start := p.asked[s.index].StartingCSV
	slices.SortStableFunc(out, func(a, b Rejected) int { return first(a.Bundle == start, b.Bundle == start) })
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
func (p *problem) entryMiss(s *subscription, l lookedAt, e *graph.Entry) (Rejection, string) {
	sub := &p.asked[s.index]
	if q := l.channel.Quarantined(); q != nil {
		return NearMissQuarantined, "is set aside: " + q.Message
	}
	switch {
	case e.Bundle == nil:
		return NearMissVirtual, "is listed in the channel, but the catalog has no such bundle"
	case e.Bundle.Quarantine != nil:
		return NearMissQuarantined, "is set aside: " + e.Bundle.Quarantine.Message
	case e.SkippedBy != "":
		return NearMissSkipped, "is skipped by " + e.SkippedBy
	case e.Position < 0:
		return NearMissOffChain, "is not on the chain of replaces that leads down from the head"
	}
	if p.isOwn(s, e.Bundle) {
		return "", "" // it is a candidate in any case
	}
	switch reason := rejectCandidate(p, s, l.channel, e.Bundle); reason {
	case NearMissNoEdge:
		return reason, fmt.Sprintf("has no update edge from %s", p.nodes[s.owned].bundle.Name)
	case NearMissStartingCSV:
		return reason, fmt.Sprintf("is not the startingCSV %s", sub.StartingCSV)
	case NearMissVersion:
		return reason, fmt.Sprintf("has version %s, outside %s", e.Bundle.Version, sub.VersionRange)
	default:
		return "", ""
	}
}

// whyNoCandidate tells which step emptied the candidates of a subscription.
func (p *problem) whyNoCandidate(s *subscription) string {
	sub := &p.asked[s.index]
	if sub.offers != nil && sub.offers.why != "" {
		return sub.offers.why
	}
	if len(s.looked) == 0 {
		return p.whyNothing(s)
	}
	for _, l := range s.looked {
		if q := l.channel.Quarantined(); q != nil && len(l.channel.Entries) == 0 {
			return fmt.Sprintf("channel %s is set aside: %s", l.channel.Name, q.Message)
		}
	}
	if sub.Pin != "" {
		return p.whyNotPinned(s)
	}
	misses := p.subscriptionMisses(s)
	if sub.StartingCSV != "" {
		for _, m := range misses {
			if m.Bundle == sub.StartingCSV {
				return fmt.Sprintf("the startingCSV %s %s", m.Bundle, m.Text)
			}
		}
		if p.startsNowhere(s) {
			return fmt.Sprintf("the startingCSV %s is not in %s%s", sub.StartingCSV, channelNames(s.looked), p.didYouMean(sub.StartingCSV, entryNames(s)))
		}
	}
	if len(misses) == 0 {
		return fmt.Sprintf("%s has no entries", channelNames(s.looked))
	}
	if !sub.VersionRange.IsZero() {
		var versions []string
		for _, l := range s.looked {
			for _, b := range l.channel.Candidates() {
				versions = appendNew(versions, b.Version.String())
			}
		}
		if len(versions) > 0 {
			return fmt.Sprintf("no version in %s is inside %s; its versions are %s",
				channelNames(s.looked), sub.VersionRange, shorten(versions, 6))
		}
	}
	return fmt.Sprintf("no entry of %s can be chosen: %s %s", channelNames(s.looked), misses[0].Bundle, misses[0].Text)
}

// whyNotPinned tells why the bundle that a subscription is pinned to is none of
// its candidates.
func (p *problem) whyNotPinned(s *subscription) string {
	pin := p.asked[s.index].Pin
	for _, l := range s.looked {
		if e := l.channel.Entry(pin); e != nil {
			if _, text := p.entryMiss(s, l, e); text != "" {
				return fmt.Sprintf("the pinned %s %s", pin, text)
			}
		}
	}
	return fmt.Sprintf("the pinned %s is not in %s%s", pin, channelNames(s.looked), p.didYouMean(pin, entryNames(s)))
}

// startsNowhere reports whether no channel lists the startingCSV at all.
func (p *problem) startsNowhere(s *subscription) bool {
	start := p.asked[s.index].StartingCSV
	return !slices.ContainsFunc(s.looked, func(l lookedAt) bool { return l.channel.Entry(start) != nil })
}

// shorten joins a list, leaving out its middle where it is long.
func shorten(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	head := most - 1
	return fmt.Sprintf("%s, … %s (%d in all)", strings.Join(list[:head], ", "), list[len(list)-1], len(list))
}

// atomMisses lists bundles that an atom without candidates nearly matches: those
// that match but cannot be chosen, and those of another version.
func (p *problem) atomMisses(a *atom) []Rejected {
	var out []Rejected
	for c := range p.cats {
		switch a.kind {
		case atomPackage:
			out = p.packageMisses(a, int32(c), out)
		case atomGVK:
			out = p.apiMisses(a, int32(c), out)
		}
	}
	return out
}

// packageMisses lists the versions of a package, best first, with why each is no
// match.
func (p *problem) packageMisses(a *atom, cat int32, out []Rejected) []Rejected {
	content := p.cats[cat].Content
	for _, id := range content.InPackage(a.what.Name) {
		b := content.Bundle(id)
		r := Rejected{Bundle: b.Name, Catalog: p.cats[cat].Key.String()}
		if a.what.Range.Contains(b.Version) {
			r.Reason, r.Text = p.unplaced(b)
		} else {
			r.Reason, r.Text = NearMissVersion, fmt.Sprintf("has version %s, outside %s", b.Version, a.what.Range)
		}
		if r.Reason != "" && len(out) < maxNearMisses {
			out = append(out, r)
		}
	}
	return out
}

// apiMisses lists the bundles that provide an API but cannot be chosen, and those
// that provide another version of it.
func (p *problem) apiMisses(a *atom, cat int32, out []Rejected) []Rejected {
	content, key := p.cats[cat].Content, p.cats[cat].Key.String()
	for _, id := range content.Providers(*a.api) {
		b := content.Bundle(id)
		if reason, text := p.unplaced(b); reason != "" && len(out) < maxNearMisses {
			out = append(out, Rejected{Bundle: b.Name, Catalog: key, Reason: reason, Text: text})
		}
	}
	for g := range content.APIs() {
		p.tick()
		if g.Group != a.api.Group || g.Kind != a.api.Kind || g == *a.api {
			continue
		}
		for _, id := range content.Providers(g) {
			if len(out) < maxNearMisses {
				out = append(out, Rejected{Bundle: content.Bundle(id).Name, Catalog: key, Reason: NearMissAPIVersion,
					Text: fmt.Sprintf("provides %s, another version of that API", g)})
			}
		}
	}
	return out
}

// unplaced says why a bundle that matches can be chosen from no channel.
func (p *problem) unplaced(b *graph.Bundle) (Rejection, string) {
	if len(b.Places) > 0 {
		return "", ""
	}
	reason, text := NearMissUnlisted, "is in no channel"
	for c := range p.cats {
		pkg := p.cats[c].Content.Package(b.Package)
		if pkg == nil || pkg.Bundle(b.Name) != b {
			continue
		}
		for _, ch := range pkg.Channels {
			switch e := ch.Entry(b.Name); {
			case e == nil:
			case e.SkippedBy != "":
				return NearMissSkipped, fmt.Sprintf("is skipped by %s in channel %s", e.SkippedBy, ch.Name)
			case e.Position < 0:
				reason, text = NearMissOffChain, fmt.Sprintf("is not on the chain that leads down from the head of channel %s", ch.Name)
			}
		}
	}
	return reason, text
}

// part is one atom that a constraint wants, with the messages of the compounds
// below the constraint itself that it is in, and its own.
type part struct {
	atom     *atom
	messages []string
}

// partsOf lists the atoms that a constraint of a bundle wants, in their order.
func (p *problem) partsOf(c constraints.Constraint) []part {
	if p.req.Policy.Compounds == CompoundsPerBundle {
		return []part{{atom: p.atomOf(c)}}
	}
	return p.partsUnder(c, true, nil, nil)
}

// partsUnder walks down a constraint; inside a negation, what is wanted is what a
// further negation asks for.
func (p *problem) partsUnder(c constraints.Constraint, positive bool, messages []string, out []part) []part {
	var kids []constraints.Constraint
	switch c := c.(type) {
	case *constraints.All:
		kids = c.Constraints
	case *constraints.Any:
		kids = c.Constraints
	case *constraints.Not:
		kids, positive = c.Constraints, !positive
	default:
		if a := p.atomOf(c); positive && !a.always {
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

// closing says of each part of a constraint that has no candidate at all why that
// is so.
func (p *problem) closing(n nodeID, c constraints.Constraint) []string {
	var why []string
	for _, part := range p.partsOf(c) {
		if len(p.all(p.candidatesOf(part.atom, p.nodes[n].cat))) > 0 {
			continue
		}
		why = appendNew(why, p.nothingMatches(part.atom)+quoted(part.messages))
	}
	return why
}

// quoted appends messages to a clause.
func quoted(messages []string) string {
	if len(messages) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%q)", clean(strings.Join(messages, "; ")))
}

// nothingMatches says in a clause why an atom has no candidate at all.
func (p *problem) nothingMatches(a *atom) string {
	switch a.kind {
	case atomGVK:
		return "nothing in the catalogs that could be installed provides " + a.api.String()
	case atomPackage:
		for c := range p.cats {
			if p.cats[c].Content.Package(a.what.Name) != nil {
				return fmt.Sprintf("no version of package %s that could be installed is inside %s", a.what.Name, a.what.Range)
			}
		}
		return p.packageNotFound(&Subscription{Package: a.what.Name})
	}
	switch c := a.tests.constraint.(type) {
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
