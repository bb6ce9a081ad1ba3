package constraints

import (
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// A key is the kind and, in parentheses, either the quoted texts of the atom
// or the keys of the children. Quoting keeps texts from running into each
// other. A constraint that was not made by a constructor, and an atom that is no
// rule, have no stored key and compute it each time: catalogs have many of them,
// and most are never asked.

// Key implements [Constraint].
func (c *GVK) Key() string { return keyOf(c, "") }

// Key implements [Constraint].
func (c *Package) Key() string { return keyOf(c, "") }

// Key implements [Constraint].
func (c *Label) Key() string { return keyOf(c, "") }

// Key implements [Constraint].
func (c *CEL) Key() string { return keyOf(c, c.key) }

// Key implements [Constraint].
func (c *All) Key() string { return keyOf(c, c.key) }

// Key implements [Constraint].
func (c *Any) Key() string { return keyOf(c, c.key) }

// Key implements [Constraint].
func (c *Not) Key() string { return keyOf(c, c.key) }

func keyOf(c Constraint, stored string) string {
	if stored != "" {
		return stored
	}
	return string(c.appendKey(make([]byte, 0, 192))) // which nearly every atom fits into
}

func (c *GVK) appendKey(b []byte) []byte {
	return appendTexts(b, "gvk", c.GVK.Group, c.GVK.Version, c.GVK.Kind)
}

func (c *Package) appendKey(b []byte) []byte {
	return appendTexts(b, "package", c.Name, c.Range.String())
}

func (c *Label) appendKey(b []byte) []byte { return appendTexts(b, "label", c.Label) }

func (c *CEL) appendKey(b []byte) []byte {
	if c.key != "" {
		return append(b, c.key...)
	}
	return appendTexts(b, "cel", c.Rule)
}

func (c *All) appendKey(b []byte) []byte { return appendChildren(b, c.key, "all", c.Constraints) }

func (c *Any) appendKey(b []byte) []byte { return appendChildren(b, c.key, "any", c.Constraints) }

func (c *Not) appendKey(b []byte) []byte { return appendChildren(b, c.key, "not", c.Constraints) }

// appendTexts appends the key of an atom.
func appendTexts(b []byte, kind string, texts ...string) []byte {
	b = append(append(b, kind...), '(')
	for i, t := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, t)
	}
	return append(b, ')')
}

// appendQuoted is strconv.AppendQuote, which it leaves to do what is not plain.
func appendQuoted(b []byte, t string) []byte {
	if !text.Plain(t) || strings.ContainsAny(t, `"\`) {
		return strconv.AppendQuote(b, t)
	}
	return append(append(append(b, '"'), t...), '"')
}

// appendChildren appends the key of a compound, unless it is stored.
func appendChildren(b []byte, stored, kind string, children []Constraint) []byte {
	if stored != "" {
		return append(b, stored...)
	}
	b = append(append(b, kind...), '(')
	for i, c := range children {
		if i > 0 {
			b = append(b, ',')
		}
		if c != nil {
			b = c.appendKey(b)
		}
	}
	return append(b, ')')
}
