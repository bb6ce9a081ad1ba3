package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// Inside describes the best version that the channels of a subscription offer inside its range.
// If there is none, it names the newest version on offer.
func Inside(u *problem.Universe, s *problem.Demand) string {
	var newest *graph.Bundle
	for _, l := range s.Scanned {
		for _, b := range l.Channel.Candidates() {
			if u.Budget.Step() || b.Barred {
				continue
			}
			if s.Range.Contains(*b.Version) {
				return fmt.Sprintf("the best version on offer inside that range is %s (%s)", b.Version, b.Name)
			}
			if newest == nil || b.Version.GT(*newest.Version) {
				newest = b
			}
		}
	}
	none := "no version on offer is inside that range"
	if newest != nil {
		none += fmt.Sprintf("; the newest is %s (%s)", newest.Version, newest.Name)
	}
	return none
}

// BrokenChannel is a quarantined channel among those that a subscription scans. Its whole package
// may be quarantined.
type BrokenChannel struct {
	problem.ScannedChannel
	// Instead is the bundle that satisfies the subscription instead: one from a later channel, or
	// the installed one. It is NoNode if the channel made no difference.
	Instead problem.NodeID
	Text    string
}

// Broken lists the quarantined channels of a subscription, and a quarantined package once.
func Broken(u *problem.Universe, s *problem.Demand, st *search.State) []BrokenChannel {
	var out []BrokenChannel
	var seen *graph.Problem
	for i, l := range s.Scanned {
		q := l.Channel.Quarantined()
		if q == nil || q == seen {
			continue
		}
		seen = q
		b := BrokenChannel{ScannedChannel: l, Instead: problem.NoNode, Text: q.Message}
		if met, from := servedBy(s, st); met != problem.NoNode && i < from {
			b.Instead, b.Text = met, instead(u, s, i, met)
		}
		out = append(out, b)
	}
	return out
}

// servedBy returns the bundle that satisfies a subscription, and the index of its channel in
// Scanned. For an installed bundle that is kept, this is the first channel that is not quarantined.
func servedBy(s *problem.Demand, st *search.State) (problem.NodeID, int) {
	met := problem.NoNode
	var by *graph.Channel
	if s.Owned != problem.NoNode && st.Has(s.Owned) {
		met = s.Owned
	} else {
		for n, ch := range st.MetBy(s) {
			met, by = n, ch
			break
		}
	}
	from := slices.IndexFunc(s.Scanned, func(l problem.ScannedChannel) bool {
		return l.Channel.Quarantined() == nil && (by == nil || l.Channel == by)
	})
	if from < 0 {
		from = len(s.Scanned)
	}
	return met, from
}

// instead words which bundle satisfies a subscription because its i-th scanned channel is
// quarantined.
func instead(u *problem.Universe, s *problem.Demand, i int, met problem.NodeID) string {
	ch, bundle := s.Scanned[i].Channel, u.Name(met)
	what := "channel " + ch.Name
	if ch.Quarantined().Quarantined == "package" {
		what = "package " + ch.Package.Name
	} else if ch.Default() {
		what += ", the default channel of package " + ch.Package.Name + ","
	}
	broken := fmt.Sprintf("%s is ignored because it is broken (%s)", what, strings.TrimSuffix(ch.Quarantined().Message, "."))
	by, _ := s.Offers(u, met)
	if by == nil {
		return fmt.Sprintf("%s; %s stays as it is", broken, bundle)
	}
	said := fmt.Sprintf("%s; %s comes from channel %s instead", broken, bundle, by.Name)
	sound := func(l problem.ScannedChannel) bool {
		if l.Channel.Name == ch.Name {
			for _, b := range l.Channel.Candidates() {
				if u.Budget.Step(); s.Drops(u, l.Channel, b) == 0 {
					return true
				}
			}
		}
		return false
	}
	switch {
	case slices.ContainsFunc(s.Scanned, sound):
		return said
	case s.Owned != problem.NoNode:
		return fmt.Sprintf("%s; %s that names channel %s would keep %s", said, text.A(lexicon.Demand(u.Terms, false)), ch.Name, u.Name(s.Owned))
	}
	return fmt.Sprintf("%s; %s that names channel %s would have no candidate", said, text.A(lexicon.Demand(u.Terms, false)), ch.Name)
}
