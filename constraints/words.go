package constraints

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// String implements [Constraint].
func (c *GVK) String() string {
	return "an operator that provides " + inert(c.GVK.Group) + "/" + inert(c.GVK.Version) + "/" + inert(c.GVK.Kind)
}

// String implements [Constraint].
func (c *Package) String() string {
	return "package " + inert(c.Name) + " in range " + inert(c.Range.String())
}

// String implements [Constraint].
func (c *Label) String() string { return "an operator with the label '" + inert(c.Label) + "'" }

// String implements [Constraint].
func (c *CEL) String() string {
	return "an operator for which the rule '" + inert(oneLine(c.Rule)) + "' holds"
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

// oneLine replaces each run of white space that contains a line break or tab
// by one space, so that a rule that was written over several lines reads as
// one. Other spaces stay: they may be part of a text that the rule compares.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\n\r\t") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		n := strings.IndexFunc(s[i:], func(r rune) bool { return !unicode.IsSpace(r) })
		if n < 0 {
			n = len(s) - i
		}
		switch run := s[i : i+n]; {
		case !strings.ContainsAny(run, "\n\r\t"):
			b.WriteString(run)
		case i > 0 && i+n < len(s):
			b.WriteByte(' ')
		}
		if i += n; i < len(s) {
			_, size := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+size])
			i += size
		}
	}
	return b.String()
}

// inert escapes what does not print, so that foreign text can neither break
// a line nor steer a terminal.
func inert(s string) string {
	if plainText(s) {
		return s
	}
	clean := true
	for _, r := range s {
		if r == utf8.RuneError || !strconv.IsPrint(r) {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != utf8.RuneError && strconv.IsPrint(r) {
			b.WriteString(s[i : i+size])
		} else {
			quoted := strconv.Quote(s[i : i+size])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

// plainText tells whether a text is printable ASCII, as nearly every one is.
func plainText(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
