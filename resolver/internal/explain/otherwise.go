package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
	"github.com/seed109e2655/resolute/resolver/internal/search"
)

// Inside says what channels offer inside the range of a subscription: the best version, or
// that there is none and what the newest is.
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

// BrokenChannel is a channel that a subscription looks at and that is quarantined, alone or with its
// package.
type BrokenChannel struct {
	problem.ScannedChannel
	// Instead is what the subscription has because of that, or NoNode: the bundle of a
	// channel that comes later, or the one that stays.
	Instead problem.NodeID
	Text    string
}

// Broken lists the channels of a subscription that are broken, and a broken package once.
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

// servedBy finds the bundle that a subscription is met by, and the place of the channel
// that it comes from among those that are looked at. For a bundle that stays, this is the
// first channel that is not broken.
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

// instead says of the i-th channel that a subscription looks at, which is broken, what the
// subscription has instead.
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
		return fmt.Sprintf("%s; a subscription that names channel %s would keep %s", said, ch.Name, u.Name(s.Owned))
	}
	return fmt.Sprintf("%s; a subscription that names channel %s would have no candidate", said, ch.Name)
}
