package properties

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxQuoted bounds, in bytes, how much of an offending value an error quotes:
// catalogs are foreign input, and an error has to stay readable in a log.
const maxQuoted = 80

// Error tells why one property cannot be used. It is the only kind of error
// that this package returns for a property, alone or inside [errors.Join].
type Error struct {
	// Type is the type of the property, such as "olm.gvk". It is empty when
	// the property has none.
	Type string
	// Field is the field that is wrong, such as "group" for one inside the
	// value, or "type" or "value" for the property itself. It is empty when
	// the list of properties as a whole is wrong.
	Field string
	// Value is the offending text, shortened where it is long, or empty when
	// there is none (a field that is missing).
	Value string
	// Reason tells in words what is wrong and what was wanted. Prose: it may
	// change between releases.
	Reason string
	// Index is the position of the property in the list that it came from,
	// counted from 0, or -1 when it was parsed on its own.
	Index int
}

// Error returns the whole story in one line.
func (e *Error) Error() string {
	var b strings.Builder
	switch {
	case e.Type == "" && e.Field == "":
		b.WriteString("properties")
	case e.Type == "":
		b.WriteString("property")
	default:
		b.WriteString("property ")
		b.WriteString(inert(e.Type))
	}
	if e.Index >= 0 && e.Field != "" {
		b.WriteString(" (number ")
		b.WriteString(strconv.Itoa(e.Index + 1))
		b.WriteString(")")
	}
	if e.Field != "" {
		b.WriteString(": field ")
		b.WriteString(inert(e.Field))
	}
	b.WriteString(": ")
	if e.Value != "" {
		b.WriteString(strconv.Quote(e.Value))
		b.WriteString(" ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// newError returns an error about a field of a property of type typ.
func newError(typ, field, value, reason string) *Error {
	return &Error{Type: shorten(typ), Field: field, Value: shorten(value), Reason: reason, Index: -1}
}

// shorten cuts s to what an error quotes, at a rune boundary.
func shorten(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	cut := maxQuoted
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// inert returns s so that it prints on one line: as it is when every rune
// prints, else quoted.
func inert(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) || r == utf8.RuneError }) {
		return strconv.Quote(s)
	}
	return s
}
