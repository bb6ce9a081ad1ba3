package resolver

import (
	"encoding/json"

	"github.com/seed109e2655/resolute/resolver/argument"
)

// Conflict is the error of an unsatisfiable request: a set of facts that cannot all hold
// (section 7 of the semantics). Use [errors.As] to get it.
//
// Kinds are stable; texts are for people and may change in any release.
type Conflict struct {
	// Facts are the facts of the conflict in the order of the argument, starting with the
	// demands.
	Facts []argument.Fact `json:"facts,omitempty"`
	// Minimal reports whether Facts is a minimal unsatisfiable core: without any one of the
	// facts, the others can hold. It is false if a deadline or the limit on solver calls stopped
	// the minimization. The facts are then still unsatisfiable, but some may be redundant,
	// Omitted may count too many candidates, and the result may differ between runs. A minimal
	// conflict is deterministic.
	Minimal bool `json:"minimal"`
	// Words is the text of a conflict that was read from JSON or made by another program. It is
	// then authoritative: Facts may be incomplete. A resolver leaves Words empty; the JSON form
	// always has the text.
	Words string `json:"text,omitempty"`
	// Corrections are the corrections that package whatif found; nil before a search. Tried is
	// the number of sets of changes tried by a search that found none.
	Corrections []Correction `json:"corrections,omitempty"`
	Tried       int          `json:"tried,omitempty"`
	// Further are independent conflicts of the same request, in the order of the request. No two
	// conflicts share a subscription, an unowned installed bundle or a forced bundle. There are
	// at most 50. MoreFurther reports whether there are, or may be, more.
	Further     []*Conflict `json:"further,omitempty"`
	MoreFurther bool        `json:"moreFurther,omitempty"`
	// Stats counts the work, including that of the explanation.
	Stats Stats `json:"-"`
}

// Error returns the headline and the main cause in one line, with a similar name if one is
// unknown.
func (c *Conflict) Error() string { return argument.Summary(c.Facts) }

// Headline returns a one-line summary of the conflict.
func (c *Conflict) Headline() string { return argument.Headline(c.Facts) }

// Text returns a multi-line explanation for people: Words if it is set, else the text of
// [Conflict.Argument]. It does not include Further.
func (c *Conflict) Text() string {
	if c.Words != "" {
		return c.Words
	}
	return c.alone().Text()
}

// Argument returns the explanation as a tree of statements, from the demands down to the facts
// that they contradict, with the arguments of Further. A fact that was explained once is
// referred to by its number after that.
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

// alone returns the argument of the conflict without Further.
func (c *Conflict) alone() *argument.Argument {
	a := argument.Of(c.Facts)
	a.NotMinimal = !c.Minimal
	return a
}

// All returns the conflict followed by those of Further.
func (c *Conflict) All() []*Conflict { return append([]*Conflict{c}, c.Further...) }

// Correction is a minimal set of changes that removes a conflict. It is verified: the changed
// request was resolved.
type Correction struct {
	// Changes are the changes, which must be made together.
	Changes []CorrectionChange `json:"changes,omitempty"`
	// Text describes the changes in one line.
	Text string `json:"text,omitempty"`
	// Result is the result set after the changes, in ascending order. If other conflicts remain,
	// it omits their bundles.
	Result []string `json:"result,omitempty"`
	// Remaining is the number of other conflicts after the changes; 0 means that the request has
	// a solution.
	Remaining int `json:"remaining,omitempty"`
	// Downgrade reports whether the correction downgrades or removes an installed bundle. Such
	// corrections are sorted last.
	Downgrade bool `json:"downgrade,omitempty"`
}

// CorrectionChange is one change of a [Correction].
type CorrectionChange struct {
	Change Change
	// Who is the role that can make the change.
	Who Role
	// Commands are the commands that make the change on a cluster, in order and quoted for a
	// shell. Commands is empty if no command makes it: for a change of the request alone, or of
	// an object whose name is not valid on a cluster.
	Commands []string
}

// Role is a role that can make a change of a [Correction].
type Role string

// The roles.
const (
	RoleAdministrator Role = "administrator"
	RoleAuthor        Role = "author" // only the publisher of the bundle can
)

// List returns the changes in order, as [Request.Apply] takes them.
func (c *Correction) List() []Change {
	list := make([]Change, len(c.Changes))
	for i := range c.Changes {
		list[i] = c.Changes[i].Change
	}
	return list
}

// conflictJSON is the JSON form of a conflict.
type conflictJSON Conflict

// MarshalJSON implements [json.Marshaler]. The form is stable: the facts with their candidates,
// the argument as text, and the corrections.
func (c *Conflict) MarshalJSON() ([]byte, error) {
	if c == nil {
		return []byte("null"), nil
	}
	form := conflictJSON(*c)
	form.Words = c.Text()
	return marshal(form)
}

// UnmarshalJSON implements [json.Unmarshaler]. Fields that the JSON omits are empty; the text is
// preserved in Words.
func (c *Conflict) UnmarshalJSON(data []byte) error {
	var in conflictJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*c = Conflict(in)
	return nil
}
