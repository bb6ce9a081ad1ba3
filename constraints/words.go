package constraints

import (
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// String implements [Constraint].
func (c *GVK) String() string {
	return "an operator that provides " + text.Inert(c.GVK.Group) + "/" + text.Inert(c.GVK.Version) + "/" + text.Inert(c.GVK.Kind)
}

// String implements [Constraint].
func (c *Package) String() string {
	return "package " + text.Inert(c.Name) + " in range " + text.Inert(c.Range.String())
}

// String implements [Constraint].
func (c *Label) String() string { return "an operator with the label '" + text.Inert(c.Label) + "'" }

// String implements [Constraint].
func (c *CEL) String() string {
	return "an operator for which the rule '" + text.Inert(c.Rule) + "' holds"
}

// String implements [Constraint].
func (c *All) String() string { return compoundWords("all of", c.Constraints) }

// String implements [Constraint].
func (c *Any) String() string { return compoundWords("any of", c.Constraints) }

// String implements [Constraint].
func (c *Not) String() string { return compoundWords("none of", c.Constraints) }

// compoundWords joins the words of the children.
func compoundWords(prefix string, children []Constraint) string {
	if len(children) == 0 {
		return prefix + " nothing"
	}
	var b strings.Builder
	b.WriteString(prefix)
	b.WriteString(" (")
	for i, c := range children {
		if i > 0 {
			b.WriteString("; ")
		}
		if c != nil {
			b.WriteString(c.String())
		}
	}
	b.WriteString(")")
	return b.String()
}
