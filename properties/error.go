package properties

import (
	"strconv"
	"strings"

	"github.com/seed109e2655/resolute/internal/text"
)

// maxQuoted limits how much of an invalid value an error quotes, in bytes: catalogs are untrusted
// input.
const maxQuoted = 80

// Error reports an invalid property, alone or inside [errors.Join].
type Error struct {
	// Type is the type of the property, such as "olm.gvk", or empty.
	Type string
	// Field is the invalid field: one of the value such as "group", or "type" or "value" of the
	// property. It is empty if the list of properties is invalid.
	Field string
	// Value is the invalid text, shortened if it is long, or empty for a missing field.
	Value string
	// Reason describes the error and the expected value. Its text may change.
	Reason string
	// Index is the index of the property in its list, or -1 if it was parsed alone.
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

// shorten cuts s for an error.
func shorten(s string) string { return text.Clip(s, maxQuoted) }

// quote quotes a shortened s.
func quote(s string) string { return text.Quote(shorten(s)) }
