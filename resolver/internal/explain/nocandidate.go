package explain

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/internal/text"
	"github.com/seed109e2655/resolute/resolver/argument"
	"github.com/seed109e2655/resolute/resolver/internal/lexicon"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// whyNoCandidate returns the step that dropped the last candidate of a demand.
func whyNoCandidate(u *problem.Universe, s *problem.Demand) None {
	if s.Extension != nil {
		if why := whyNoneDeclared(u, s); why.Text != "" {
			return why
		}
	}
	if len(s.Scanned) == 0 {
		return WhyNothing(u, s)
	}
	for _, l := range s.Scanned {
		if q := l.Channel.Quarantined(); q != nil && len(l.Channel.Entries) == 0 {
			return None{Cause: argument.CauseQuarantined, Names: []string{l.Channel.Name}, Text: fmt.Sprintf("channel %s is ignored, because it is broken: %s", l.Channel.Name, q.Message)}
		}
	}
	for _, named := range []struct {
		cause      argument.Cause
		name, said string
	}{{argument.CausePin, s.Pin, s.Pin}, {argument.CauseStartingCSV, s.StartingCSV, "the " + lexicon.Start(u.Terms) + " " + s.StartingCSV}} {
		if why := whyNotNamed(u, s, named.cause, named.name, named.said); why.Text != "" {
			return why
		}
	}
	if !slices.ContainsFunc(s.Scanned, func(l problem.ScannedChannel) bool { return len(l.Channel.Entries) > 0 }) {
		return None{Cause: argument.CauseEmpty, Names: namesOf(s.Scanned), Text: fmt.Sprintf("%s has no entries", ChannelNames(s.Scanned))}
	}
	if s.Range != nil {
		var versions []string
		for _, l := range s.Scanned {
			for _, b := range l.Channel.Candidates() {
				u.Budget.Step()
				versions = append(versions, b.Version.String())
			}
		}
		if versions = text.Distinct(versions); len(versions) > 0 {
			return None{Cause: argument.CauseRange, Names: []string{s.Range.String()}, Text: fmt.Sprintf("no version in %s is inside %s; its versions are %s",
				ChannelNames(s.Scanned), s.Range, text.Short(versions, 6))}
		}
	}
	return None{Cause: argument.CauseEmpty, Names: namesOf(s.Scanned), Text: fmt.Sprintf("no entry of %s is a candidate", ChannelNames(s.Scanned))}
}

// whyNotNamed returns why a bundle that a subscription names is not a candidate. The name is empty
// if it names none, and said is the name as the text gives it. The result is empty if the
// channels give no reason.
func whyNotNamed(u *problem.Universe, s *problem.Demand, cause argument.Cause, name, said string) None {
	listed := name == ""
	for _, l := range s.Scanned {
		if e := l.Channel.Entry(name); e != nil {
			listed = true
			if code, why := entryMiss(u, s, l.Channel, e); why != "" {
				if code == argument.NearMissNoEdge {
					cause = argument.CauseEdge
				}
				return None{Cause: cause, Names: []string{name}, Text: fmt.Sprintf("%s %s%s", said, why, nextOffered(u, s, name))}
			}
		}
	}
	if listed {
		return None{}
	}
	var names []string
	for _, l := range s.Scanned {
		names = append(names, text.Each(l.Channel.Entries, func(e graph.Entry) string { return e.Name })...)
	}
	return None{Cause: cause, Names: []string{name}, Text: fmt.Sprintf("%s is not in %s%s", said, ChannelNames(s.Scanned), didYouMean(u, name, slices.Values(names)))}
}

// nextOffered names the alternative to a dropped entry in its channel: the candidate with the
// lowest higher version, else the candidate nearest to the head. It is empty if there is none.
func nextOffered(u *problem.Universe, s *problem.Demand, entry string) string {
	for _, l := range s.Scanned {
		e := l.Channel.Entry(entry)
		if e == nil {
			continue
		}
		var next, first *graph.Bundle
		forbidden := func(b *graph.Bundle) bool {
			return slices.ContainsFunc(u.Forbid, func(f problem.Forbidden) bool { return f.Bundle.Name == b.Name })
		}
		for _, b := range l.Channel.Candidates() {
			why := s.Drops(u, l.Channel, b)
			if why == problem.DropNoEdge || why == problem.DropVersion || b.Barred || forbidden(b) ||
				s.Range != nil && !s.Range.Contains(*b.Version) {
				continue
			}
			if first == nil {
				first = b
			}
			if e.Bundle != nil && b.Version.GT(*e.Bundle.Version) && (next == nil || b.Version.LT(*next.Version)) {
				next = b
			}
		}
		switch {
		case next != nil:
			return fmt.Sprintf("; the next version that channel %s offers is %s", l.Channel.Name, next.Name)
		case first != nil:
			return fmt.Sprintf("; channel %s offers %s", l.Channel.Name, first.Name)
		}
	}
	return ""
}
