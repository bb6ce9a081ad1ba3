package constraints

import (
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// The kinds, as they are called in JSON and in keys; a label is none of the language.
const (
	kindGVK     = "gvk"
	kindPackage = "package"
	kindLabel   = "label"
	kindCEL     = "cel"
	kindAll     = "all"
	kindAny     = "any"
	kindNot     = "not"
)

// parts is what a formula is made of: the texts of an atom, or the children of a compound.
type parts struct {
	kind     string
	texts    [3]string
	count    int // of texts
	children []Constraint
	key      string // if it is stored
}

func (c *GVK) parts() parts {
	return parts{kind: kindGVK, texts: [3]string{c.GVK.Group, c.GVK.Version, c.GVK.Kind}, count: 3}
}

func (c *Package) parts() parts {
	return parts{kind: kindPackage, texts: [3]string{c.Name, c.Range.String()}, count: 2}
}

func (c *Label) parts() parts {
	return parts{kind: kindLabel, texts: [3]string{c.Label}, count: 1}
}

func (c *CEL) parts() parts {
	return parts{kind: kindCEL, texts: [3]string{c.Rule}, count: 1, key: c.key}
}

func (c *compound) parts() parts {
	return parts{kind: c.kind, children: c.Constraints, key: c.key}
}

// A key is the kind and, in parentheses, either the quoted texts of the atom
// or the keys of the children. Quoting keeps texts from running into each
// other. An atom that is no rule has no stored key and computes it each time:
// catalogs have many of them, and most are never asked.

// Key implements [Constraint].
func (c *GVK) Key() string { return keyOf(c.parts()) }

// Key implements [Constraint].
func (c *Package) Key() string { return keyOf(c.parts()) }

// Key implements [Constraint].
func (c *Label) Key() string { return keyOf(c.parts()) }

// Key implements [Constraint].
func (c *CEL) Key() string { return keyOf(c.parts()) }

// Key implements [Constraint].
func (c *compound) Key() string { return keyOf(c.parts()) }

func keyOf(p parts) string {
	if p.key != "" {
		return p.key
	}
	return string(p.appendKey(make([]byte, 0, 192))) // which nearly every atom fits into
}

func (p *parts) appendKey(b []byte) []byte {
	if p.key != "" {
		return append(b, p.key...)
	}
	b = append(append(b, p.kind...), '(')
	for i, t := range p.texts[:p.count] {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, t)
	}
	for i, c := range p.children {
		if i > 0 {
			b = append(b, ',')
		}
		if c != nil {
			child := c.parts()
			b = child.appendKey(b)
		}
	}
	return append(b, ')')
}

// appendQuoted is strconv.AppendQuote, with a fast path for plain text.
func appendQuoted(b []byte, t string) []byte {
	if !text.Plain(t) || strings.ContainsAny(t, `"\`) {
		return strconv.AppendQuote(b, t)
	}
	return append(append(append(b, '"'), t...), '"')
}
