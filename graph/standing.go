package graph

import "github.com/seed109e2655/resolute/internal/text"

// Standing says whether a channel offers a bundle, and if not, why not.
type Standing struct {
	// Offered is true if the bundle can be newly chosen.
	Offered bool
	// Problem is why the bundle, its channel or its package is quarantined, if
	// that keeps it from being offered (section 10 of the semantics).
	Problem *Problem
	// SkippedBy is the entry that skips it (section 2 of the semantics), and
	// Stranded is true if its entry is neither on the chain below the head nor
	// skipped, if that is why.
	SkippedBy string
	Stranded  bool

	words string // without the channel
	in    string // the channel, or empty
}

// String returns a predicate, for a sentence that begins with the bundle.
func (s Standing) String() string {
	out := s.words
	if s.in != "" {
		out += " in channel " + text.Name(s.in)
	}
	if s.Problem != nil {
		out += ": " + text.Inert(s.Problem.Message)
	}
	return out
}

// Standing is how an entry stands in its channel: the first of virtual,
// quarantined, barred, skipped and stranded that applies.
func (c *Channel) Standing(e *Entry) Standing {
	s := Standing{in: c.Name}
	switch q := c.Quarantined(); {
	case e.Bundle == nil:
		s.words = "is not in the catalog, though something names it"
	case e.Bundle.Quarantine != nil:
		s.words, s.Problem = "is ignored", e.Bundle.Quarantine
	case q != nil:
		s.words, s.Problem = "is ignored", q
	case e.Bundle.Barred:
		s.words, s.in = "is barred from being newly chosen by an olm.deprecated property", ""
	case e.SkippedBy() != "":
		s.words, s.SkippedBy = "is skipped by "+text.Name(e.SkippedBy()), e.SkippedBy()
	case e.Position < 0:
		s.words, s.Stranded = "is neither on the chain below the head nor skipped", true
	default:
		s.words, s.Offered = "is offered", true
	}
	return s
}

// standing says how a node stands in the channels of the graph: offered if one of
// them does offer it, else as in the first that lists it.
func (u *Updates) standing(n *node) Standing {
	if n.bundle == nil {
		return Standing{words: "is not in the catalog, though something names it"}
	}
	var first Standing
	for _, c := range u.channels {
		e := c.Entry(n.name)
		if e == nil {
			continue
		}
		s := c.Standing(e)
		if s.Offered {
			return s
		}
		if first.words == "" {
			first = s
		}
	}
	if first.words == "" {
		first.words = "is in none of the channels"
	}
	return first
}
