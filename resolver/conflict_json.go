package resolver

import (
	"encoding/json"

	"github.com/seed109e2655/resolute/resolver/argument"
)

// conflictJSON is a conflict with its text in its place: the stable shape of the
// "conflict" of an answer.
type conflictJSON struct {
	Facts       []argument.Fact `json:"facts,omitempty"`
	Text        string          `json:"text,omitempty"`
	Corrections []Correction    `json:"corrections,omitempty"`
	Tried       int             `json:"tried,omitempty"`
	Further     []*Conflict     `json:"further,omitempty"`
	MoreFurther bool            `json:"moreFurther,omitempty"`
}

// JSONShape returns a struct whose tags are the keys of a conflict in JSON, for
// programs that hold JSON against them.
func (*Conflict) JSONShape() any { return conflictJSON{} }

// MarshalJSON renders the conflict in the stable shape of the answer's "conflict":
// the facts with their candidates, the argument as text, and the corrections if
// they were asked for.
func (c *Conflict) MarshalJSON() ([]byte, error) {
	return json.Marshal(conflictJSON{Facts: c.Facts, Text: c.Text(), Corrections: c.Corrections, Tried: c.Tried,
		Further: c.Further, MoreFurther: c.MoreFurther})
}

// UnmarshalJSON reads what MarshalJSON wrote. The conflict has the facts as far as
// the JSON has them, and the same text.
func (c *Conflict) UnmarshalJSON(data []byte) error {
	var in conflictJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*c = Conflict{Facts: in.Facts, Corrections: in.Corrections, Tried: in.Tried,
		Further: in.Further, MoreFurther: in.MoreFurther, text: in.Text}
	return nil
}

// ConflictInWords returns a conflict of which nothing is known but its text: what a
// program found out by itself, to be shown beside conflicts of a resolver.
func ConflictInWords(text string) *Conflict { return &Conflict{text: text} }
