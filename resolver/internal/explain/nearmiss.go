package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/formula"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// maxNearMisses is the maximum number of near misses of one fact.
const maxNearMisses = 20

// nearMisses lists bundles that almost became candidates of a fact, with the reasons why they
// did not.
func (d *describer) nearMisses(of int) []argument.Rejected {
	var out []argument.Rejected
	k := d.keys[of]
	switch k.Kind {
	case formula.FactSubscription:
		out = d.forcedElsewhere(&d.p.Demands.List[k.A])
	case formula.FactNoCandidate:
		out = subscriptionMisses(d.u, &d.p.Demands.List[k.A], nil)
	case formula.FactForced:
		out = forcedMisses(d.u, d.p.Demands.Forced[k.A])
	case formula.FactConstraint:
		for i, part := range d.facts[of].Parts {
			if part.Nothing == "" {
				continue
			}
			atom := d.partsOf(of)[i].atom
			misses, known := d.near[atom]
			if !known {
				misses = atomMisses(d.u, atom)
				d.near[atom] = misses
			}
			for _, r := range misses {
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

// forcedElsewhere lists the forced bundles that a subscription does not have as candidates.
func (d *describer) forcedElsewhere(s *problem.Demand) []argument.Rejected {
	forced := make(map[string]bool)
	for _, k := range d.keys {
		if k.Kind == formula.FactForced {
			forced[d.p.Demands.Forced[k.A].Name] = true
		}
	}
	if len(forced) == 0 {
		return nil
	}
	return subscriptionMisses(d.u, s, forced)
}

// misses appends the bundles of a catalog for which why returns a reason.
func misses(u *problem.Universe, out []argument.Rejected, cat int, ids []int32, why func(*graph.Bundle) (argument.Rejection, string)) []argument.Rejected {
	for _, id := range ids {
		if u.Budget.Step() || len(out) == maxNearMisses {
			break
		}
		b := u.Cats[cat].Content.Bundle(id)
		if reason, said := why(b); reason != "" {
			r := argument.Rejected{Bundle: b.Name, Catalog: u.Cats[cat].Key, Payload: b.Payload, Reason: reason, Text: said}
			if ch := listing(u.Cats[cat].Content.Package(b.Package), b); ch != nil {
				r.Channel = ch.Name
			}
			out = append(out, r)
		}
	}
	return out
}

// listing returns the channel with the best place of a bundle, else the first channel that lists
// it, or nil.
func listing(pkg *graph.Package, b *graph.Bundle) *graph.Channel {
	if len(b.Places) > 0 {
		return b.Places[0].Channel
	}
	if pkg != nil {
		for _, ch := range pkg.Channels {
			if ch.Entry(b.Name) != nil {
				return ch
			}
		}
	}
	return nil
}

// forcedMisses lists why a forced bundle is a candidate in no channel.
func forcedMisses(u *problem.Universe, of cache.BundleRef) []argument.Rejected {
	var out []argument.Rejected
	for c := range u.Cats {
		if u.RefersTo(of, int32(c)) {
			out = misses(u, out, c, u.Cats[c].Content.Named(of.Name), unplaced(u))
		}
	}
	return out
}

// subscriptionMisses lists the first dropped entries of the scanned channels, and the bundle that
// the subscription pins or starts with, each with the step that dropped it. If names is not nil,
// only entries with these names count.
func subscriptionMisses(u *problem.Universe, s *problem.Demand, names map[string]bool) []argument.Rejected {
	if s.Extension != nil {
		return extensionMisses(u, s, names)
	}
	var out []argument.Rejected
	named := cmp.Or(s.Pin, s.StartingCSV)
	seen := make(map[cache.BundleRef]bool)
	for _, l := range s.Scanned {
		ref := cache.BundleRef{Catalog: u.Cats[l.Cat].Key}
		for _, e := range headFirst(l.Channel) {
			if u.Budget.Step() {
				return out
			}
			if names != nil && !names[e.Name] || len(out) >= maxNearMisses && e.Name != named {
				continue
			}
			ref.Name = e.Name
			if reason, said := entryMiss(u, s, l.Channel, e); reason != "" && !seen[ref] {
				seen[ref] = true
				r := argument.Rejected{Bundle: e.Name, Catalog: ref.Catalog, Channel: l.Channel.Name, Reason: reason, Text: said}
				if e.Bundle != nil {
					r.Payload = e.Bundle.Payload
				}
				out = append(out, r)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b argument.Rejected) int { return problem.First(a.Bundle == named, b.Bundle == named) })
	return out
}

// extensionMisses lists why bundles with some names are no candidates of an extension. For all
// other bundles Extension.Counts has the number that each rule drops.
func extensionMisses(u *problem.Universe, s *problem.Demand, names map[string]bool) []argument.Rejected {
	var out []argument.Rejected
	for _, cat := range s.Extension.In {
		var ids []int32
		for name := range names {
			ids = append(ids, u.Cats[cat].Content.Named(name)...)
		}
		slices.Sort(ids)
		out = misses(u, out, int(cat), ids, func(b *graph.Bundle) (argument.Rejection, string) {
			pkg := u.Cats[cat].Content.Package(s.Package)
			if b.Package != s.Package || pkg == nil {
				return "", ""
			}
			switch s.DropsDeclared(u, pkg, b) {
			case problem.DropBroken:
				if b.Quarantine == nil {
					return "", ""
				}
				return quarantined(b.Quarantine)
			case problem.DropVersion:
				return argument.NearMissVersion, fmt.Sprintf("has version %s, outside %s", b.Version, s.Extension.Range)
			case problem.DropNoEdge:
				return argument.NearMissNoEdge, "has no update edge from " + s.Extension.Installed.Name
			case problem.DropDeprecated:
				return argument.RejectedDeprecated, lexicon.Deprecated(u.Terms)
			}
			if top := s.Extension.Top; !s.Extension.Plan && b.Deprecated && top != nil && !top.Deprecated {
				return argument.RejectedDeprecated, deprecatedBelow(u, top.Name)
			}
			return "", ""
		})
	}
	return out
}

// deprecatedBelow is the predicate for a deprecated version of an extension that another comes before.
func deprecatedBelow(u *problem.Universe, top string) string {
	if lexicon.OLM(u.Terms) {
		return fmt.Sprintf("is deprecated, and OLM v1 selects %s, which is not", top)
	}
	return fmt.Sprintf("is deprecated, and %s, which is not, comes first", top)
}

// headFirst lists the entries of a channel from the head down the chain, then the entries off
// the chain in declared order.
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

// entryMiss returns the first step that drops an entry of a channel.
func entryMiss(u *problem.Universe, s *problem.Demand, ch *graph.Channel, e *graph.Entry) (argument.Rejection, string) {
	switch {
	case ch.Quarantined() != nil:
		return quarantined(ch.Quarantined())
	case e.Bundle == nil:
		return argument.NearMissVirtual, "is listed in the channel, but the catalog has no such " + lexicon.Bundle(u.Terms)
	case e.Bundle.Quarantine != nil:
		return quarantined(e.Bundle.Quarantine)
	case e.SkippedBy() != "":
		return argument.NearMissSkipped, "is skipped by " + e.SkippedBy()
	case e.Position < 0:
		return argument.NearMissOffChain, "is not on the chain of replaces that leads down from the head"
	}
	if s.IsOwn(u, e.Bundle) {
		return "", "" // always a candidate
	}
	switch s.Drops(u, ch, e.Bundle) {
	case problem.DropNoEdge:
		return argument.NearMissNoEdge, fmt.Sprintf("has no update edge from %s", u.Name(s.Owned))
	case problem.DropNotStart:
		return argument.NearMissStartingCSV, fmt.Sprintf("is not the %s %s", lexicon.Start(u.Terms), s.StartingCSV)
	case problem.DropVersion:
		return outside(e.Bundle, s.Range)
	default:
		return "", ""
	}
}

// quarantined is the reason for a bundle that a problem of the catalog quarantines.
func quarantined(q *graph.Problem) (argument.Rejection, string) {
	return argument.RejectedQuarantined, "is ignored, because the catalog is broken: " + q.Message
}

// outside is the reason for a bundle whose version is outside a range.
func outside(b *graph.Bundle, versions fmt.Stringer) (argument.Rejection, string) {
	return argument.NearMissVersion, fmt.Sprintf("has version %s, outside %s", b.Version, versions)
}

// atomMisses lists the near misses of an atom without candidates: bundles that match but are in
// no channel, and bundles of another version, best first.
func atomMisses(u *problem.Universe, a *problem.Atom) []argument.Rejected {
	var out []argument.Rejected
	for c := range u.Cats {
		content := u.Cats[c].Content
		switch a.Kind {
		case problem.AtomPackage:
			out = misses(u, out, c, content.InPackage(a.Want.Name), func(b *graph.Bundle) (argument.Rejection, string) {
				if a.Want.Range.Contains(*b.Version) {
					return unplaced(u)(b)
				}
				return outside(b, a.Want.Range)
			})
		case problem.AtomGVK:
			out = misses(u, out, c, content.Providers(*a.API), unplaced(u))
			for g := range content.APIs() {
				if u.Budget.Step() || len(out) == maxNearMisses {
					break
				}
				if g.Group == a.API.Group && g.Kind == a.API.Kind && g != *a.API {
					out = misses(u, out, c, content.Providers(g), func(*graph.Bundle) (argument.Rejection, string) {
						return argument.NearMissAPIVersion, fmt.Sprintf("provides %s, another version of that API", g)
					})
				}
			}
		}
	}
	return out
}

// unplaced returns a function that explains why a matching bundle is a candidate in no channel.
func unplaced(u *problem.Universe) func(*graph.Bundle) (argument.Rejection, string) {
	return func(b *graph.Bundle) (reason argument.Rejection, said string) {
		if len(b.Places) > 0 {
			return "", ""
		}
		reason, said = argument.NearMissUnlisted, "is in no channel"
		for c := range u.Cats {
			pkg := u.Cats[c].Content.Package(b.Package)
			if pkg == nil || pkg.Bundle(b.Name) != b {
				continue
			}
			if q := u.QuarantineOf(int32(c), b); q != nil {
				return quarantined(q)
			}
			for _, ch := range pkg.Channels {
				if u.Budget.Step() {
					return reason, said
				}
				switch e := ch.Entry(b.Name); {
				case e == nil:
				case e.SkippedBy() != "":
					return argument.NearMissSkipped, fmt.Sprintf("is skipped by %s in channel %s", e.SkippedBy(), ch.Name)
				case e.Position < 0:
					reason, said = argument.NearMissOffChain, fmt.Sprintf("is not on the chain that leads down from the head of channel %s", ch.Name)
				}
			}
		}
		return reason, said
	}
}
