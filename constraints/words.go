package constraints

import (
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// String implements [Constraint].
func (c *GVK) String() string { // each part by itself, for one allocation
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
func (c *compound) String() string {
	prefix := map[string]string{kindAll: "all of", kindAny: "any of", kindNot: "none of"}[c.kind]
	if len(c.Constraints) == 0 {
		return prefix + " nothing"
	}
	words := make([]string, len(c.Constraints))
	for i, child := range c.Constraints {
		if child != nil {
			words[i] = child.String()
		}
	}
	return prefix + " (" + strings.Join(words, "; ") + ")"
}
