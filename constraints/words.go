package constraints

import (
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// anOperator is the noun for what packages deliver, in the descriptions of [Constraint].
const anOperator = "an operator"

// Describe describes a constraint like its String method, with another noun for what packages
// deliver, such as "provider"; empty means "operator".
func Describe(c Constraint, operator string) string {
	if operator == "" {
		return c.String()
	}
	return c.words(text.A(text.Inert(operator)))
}

// String implements [Constraint].
func (c *GVK) String() string { return c.words(anOperator) }

func (c *GVK) words(an string) string { // each part by itself, for one allocation
	return an + " that provides " + text.Inert(c.GVK.Group) + "/" + text.Inert(c.GVK.Version) + "/" + text.Inert(c.GVK.Kind)
}

// String implements [Constraint].
func (c *Package) String() string { return c.words(anOperator) }

func (c *Package) words(string) string {
	return "package " + text.Inert(c.Name) + " in range " + text.Inert(c.Range.String())
}

// String implements [Constraint].
func (c *Label) String() string { return c.words(anOperator) }

func (c *Label) words(an string) string {
	return an + " with the label '" + text.Inert(c.Label) + "'"
}

// String implements [Constraint].
func (c *CEL) String() string { return c.words(anOperator) }

func (c *CEL) words(an string) string {
	return an + " for which the rule '" + text.Inert(c.Rule) + "' holds"
}

// String implements [Constraint].
func (c *compound) String() string { return c.words(anOperator) }

func (c *compound) words(an string) string {
	prefix := map[string]string{kindAll: "all of", kindAny: "any of", kindNot: "none of"}[c.kind]
	if len(c.Constraints) == 0 {
		return prefix + " nothing"
	}
	words := make([]string, len(c.Constraints))
	for i, child := range c.Constraints {
		if child != nil {
			words[i] = child.words(an)
		}
	}
	return prefix + " (" + strings.Join(words, "; ") + ")"
}
