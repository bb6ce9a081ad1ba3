package properties

import (
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// maxQuoted bounds, in bytes, how much of an offending value an error quotes:
// catalogs are foreign input, and an error has to stay readable in a log.
const maxQuoted = 80

// Error describes why one property cannot be used. It is the only kind of error
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
	// Reason describes the error and the expected value. Prose: it may
	// change between releases.
	Reason string
	// Index is the position of the property in the list that it came from,
	// counted from 0, or -1 when it was parsed on its own.
	Index int
}

// Error returns the error on one line.
func (e *Error) Error() string {
	var b strings.Builder
	switch {
	case e.Type == "" && e.Field == "":
		b.WriteString("properties")
	case e.Type == "":
		b.WriteString("property")
	default:
		b.WriteString("property ")
		b.WriteString(text.Name(e.Type))
	}
	if e.Index >= 0 && e.Field != "" {
		b.WriteString(" (number ")
		b.WriteString(strconv.Itoa(e.Index + 1))
		b.WriteString(")")
	}
	if e.Field != "" {
		b.WriteString(": field ")
		b.WriteString(text.Name(e.Field))
	}
	b.WriteString(": ")
	if e.Value != "" {
		b.WriteString(text.Quote(e.Value))
		b.WriteString(" ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// newError returns an error about a field of a property of type typ.
func newError(typ, field, value, reason string) *Error {
	return &Error{Type: shorten(typ), Field: field, Value: shorten(value), Reason: reason, Index: -1}
}

// shorten cuts s to what an error quotes.
func shorten(s string) string { return text.Clip(s, maxQuoted) }

// quote quotes what shorten leaves of s.
func quote(s string) string { return text.Quote(shorten(s)) }
