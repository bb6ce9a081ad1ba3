package explain

import (
	"fmt"
	"slices"

	"github.com/seed109e2655/resolute/cache"
	"github.com/seed109e2655/resolute/graph"
	"github.com/seed109e2655/resolute/resolver/internal/problem"
)

// nextOffered says, of an entry that a subscription cannot have, what its channel
// offers next: the least higher version that could be chosen instead, else the one
// nearest to the head. It is empty if there is none.
func (p Causes) nextOffered(s *problem.Subscription, entry string) string {
	for _, l := range s.Looked {
		e := l.Channel.Entry(entry)
		if e == nil {
			continue
		}
		var next, first *graph.Bundle
		forbidden := func(b *graph.Bundle) bool {
			return slices.ContainsFunc(p.Forbid, func(f cache.BundleRef) bool { return f.Name == b.Name })
		}
		for _, b := range l.Channel.Candidates() {
			why := p.Drops(s, l.Channel, b)
			if why == problem.DropNoEdge || why == problem.DropVersion || b.Barred || forbidden(b) ||
				s.Range != nil && !s.Range.Contains(b.Version) {
				continue
			}
			if first == nil {
				first = b
			}
			if e.Bundle != nil && b.Version.GT(e.Bundle.Version) && (next == nil || b.Version.LT(next.Version)) {
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
