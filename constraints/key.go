package constraints

import (
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// A key is the kind and, in parentheses, either the quoted texts of the atom
// or the keys of the children. Quoting keeps texts from running into each
// other. An atom that was not made by its New function has no stored key
// and computes it each time, rather than write to what others may read.

// Key implements [Constraint].
func (c *GVK) Key() string { return keyOf(c, c.key) }

// Key implements [Constraint].
func (c *Package) Key() string { return keyOf(c, c.key) }

// Key implements [Constraint].
func (c *Label) Key() string { return keyOf(c, c.key) }

// Key implements [Constraint].
func (c *CEL) Key() string { return keyOf(c, c.key) }

// Key implements [Constraint].
func (c *compound) Key() string { return c.key }

func keyOf(c Constraint, stored string) string {
	if stored != "" {
		return stored
	}
	return string(c.appendKey(nil))
}

func (c *GVK) appendKey(b []byte) []byte {
	return appendKey(b, c.key, "gvk", c.GVK.Group, c.GVK.Version, c.GVK.Kind)
}

func (c *Package) appendKey(b []byte) []byte {
	return appendKey(b, c.key, "package", c.Name, c.Range.String())
}

func (c *Label) appendKey(b []byte) []byte { return appendKey(b, c.key, "label", c.Label) }

func (c *CEL) appendKey(b []byte) []byte { return appendKey(b, c.key, "cel", c.Rule) }

func (c *compound) appendKey(b []byte) []byte {
	if c.key != "" {
		return append(b, c.key...)
	}
	b = append(append(b, c.kind...), '(')
	for i, child := range c.Constraints {
		if i > 0 {
			b = append(b, ',')
		}
		if child != nil {
			b = child.appendKey(b)
		}
	}
	return append(b, ')')
}

// appendKey appends the key of an atom, unless it is stored.
func appendKey(b []byte, stored, kind string, texts ...string) []byte {
	if stored != "" {
		return append(b, stored...)
	}
	b = append(append(b, kind...), '(')
	for i, t := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, t)
	}
	return append(b, ')')
}

// keyRoom is what the key of nearly every atom fits into, in bytes.
const keyRoom = 192

// appendQuoted is strconv.AppendQuote, which it leaves to do what is not plain.
func appendQuoted(b []byte, t string) []byte {
	if !text.Plain(t) || strings.ContainsAny(t, `"\`) {
		return strconv.AppendQuote(b, t)
	}
	return append(append(append(b, '"'), t...), '"')
}
