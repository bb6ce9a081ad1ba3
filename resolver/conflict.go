package resolver

import (
	"encoding/json"

	"github.com/seed109e2655/resolute/resolver/argument"
)

// Conflict is the error of a request that has no solution: a set of facts that
// cannot hold together (section 7 of the semantics). Get it with [errors.As].
//
// The kinds are stable and meant for programs; the texts are meant for people
// and may change in any release.
type Conflict struct {
	// Facts are in the order of the argument: from what was asked for to what
	// closes the case.
	Facts []argument.Fact `json:"facts,omitempty"`
	// Minimal says that dropping any one of the facts makes the rest satisfiable. That
	// is so unless a deadline came near or the solver calls were used up while the
	// facts were made fewer, or the deadline while they were written down: then these
	// are the facts as far as that got, and Omitted of some may count candidates that
	// have reasons to be left out. They cannot hold together all the same.
	// Conflicts whose time a deadline cut short may differ from run to run; those
	// that are minimal do not.
	Minimal bool `json:"minimal"`
	// Words are the text of a conflict that was read from JSON, or that a program found
	// out by itself, to be shown beside those of a resolver. They are all that is known for
	// sure then: facts of such a conflict leave things out. A resolver leaves them empty; the
	// JSON has the Text.
	Words string `json:"text,omitempty"`
	// Corrections are what package whatif found, nil before it is
	// asked. If it found none in all that it looks at, Tried is how many sets of
	// changes it tried.
	Corrections []Correction `json:"corrections,omitempty"`
	Tried       int          `json:"tried,omitempty"`
	// Further are the conflicts of the same request that have nothing to do with
	// this one and each other: no two of them have a subscription, an installed
	// bundle that has to stay or a forced bundle in common. All are in the order of
	// the request. There are at most 50; MoreFurther says that there would
	// be more, or that it was not found out whether there are.
	Further     []*Conflict `json:"further,omitempty"`
	MoreFurther bool        `json:"moreFurther,omitempty"`
	// Stats says how much work it was to find out and to explain.
	Stats Stats `json:"-"`
}

// Error returns the headline of the conflict, what closes the case, and a name that is near
// one that is not there: one line.
func (c *Conflict) Error() string { return argument.Summary(c.Facts) }

// Headline says in one line what cannot be.
func (c *Conflict) Headline() string { return argument.Headline(c.Facts) }

// Text renders the conflict for people: Words if there are any, else the text of
// [Conflict.Argument] without those of Further.
func (c *Conflict) Text() string {
	if c.Words != "" {
		return c.Words
	}
	return c.alone().Text()
}

// Argument makes a tree of statements of the conflict, and of those of Further: from
// what was asked for down to the facts that close the case. What was said once is
// referred to by its number from then on.
func (c *Conflict) Argument() *argument.Argument {
	a := c.alone()
	for _, f := range c.Further {
		a.Further = append(a.Further, f.alone())
	}
	a.MoreFurther = c.MoreFurther
	for _, correction := range c.Corrections {
		a.Corrections = append(a.Corrections, correction.Text)
	}
	return a
}

// alone is the argument without those of Further.
func (c *Conflict) alone() *argument.Argument {
	a := argument.Of(c.Facts)
	a.NotMinimal = !c.Minimal
	return a
}

// All returns the conflict and those of Further.
func (c *Conflict) All() []*Conflict { return append([]*Conflict{c}, c.Further...) }

// Correction is a smallest set of changes after which a conflict is gone, verified
// by resolving the changed request. [Request.Apply] makes the changes.
type Correction struct {
	Changes []Change `json:"changes,omitempty"`
	// Text says the changes in words.
	Text string `json:"text,omitempty"`
	// Result is the result set after the changes, in ascending order; where others
	// remain, without what these are about.
	Result []string `json:"result,omitempty"`
	// Remaining is how many other conflicts the request has after the changes; 0
	// means that it has a solution.
	Remaining int `json:"remaining,omitempty"`
	// Downgrade says that something installed is downgraded or removed by it. Such
	// corrections come after all others.
	Downgrade bool `json:"downgrade,omitempty"`
}

// conflictJSON is a conflict with its text as its words: the stable shape of the
// "conflict" of an answer.
type conflictJSON Conflict

// MarshalJSON renders the conflict in the stable shape of the answer's "conflict":
// the facts with their candidates, the argument as text, and the corrections if
// they were asked for.
func (c *Conflict) MarshalJSON() ([]byte, error) { return json.Marshal(c.JSONShape(nil)) }

// JSONShape returns a struct whose tags are the keys of a conflict in JSON and whose
// values are those of this one: for programs that hold JSON against it, and for encoders
// that write it without the bytes in between. That of nil is empty. The argument is ignored: it is
// there so that conflicts and steps ([Step.JSONShape]) are written by the same interface.
func (c *Conflict) JSONShape(any) any {
	if c == nil {
		return conflictJSON{}
	}
	shape := conflictJSON(*c)
	shape.Words = c.Text()
	return shape
}

// UnmarshalJSON reads what MarshalJSON wrote. The conflict has the facts as far as
// the JSON has them, and the same text.
func (c *Conflict) UnmarshalJSON(data []byte) error {
	var in conflictJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*c = Conflict(in)
	return nil
}
