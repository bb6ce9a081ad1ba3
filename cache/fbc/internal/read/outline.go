package read

import (
	"slices"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// field is a field that some blob has.
type field int

const (
	fieldSchema field = iota
	fieldName
	fieldPackage
	fieldImage
	fieldDefaultChannel
	fieldEntries
	fieldProperties
	fieldCount
)

// fieldNames are the names of the fields.
var fieldNames = [fieldCount]string{"schema", "name", "package", "image", "defaultChannel", "entries", "properties"}

// outline is the top level of a blob: where the values of its fields are. It
// is the same for every schema, since the schema may come last.
type outline struct {
	values [fieldCount]span // empty for a field that is absent
	items  [fieldCount][]span
	array  [fieldCount]bool // the value is an array; its items are in items
	twice  []field          // fields that are given more than once

	most    int // how many items of a field are kept, and one more
	scanner quickjson.Scanner

	previous previous               // what the last bundle has
	opts     *Options               // what is kept of it
	interner *properties.Interner   // of its properties; nil if nothing is kept
	known    []*properties.Property // of the items of properties, as far as they are known
	entries  []plainEntry           // of the items of entries
}

// span is a part of a text.
type span = quickjson.Span

// reset makes the outline empty, and keeps its memory.
func (o *outline) reset() {
	o.values, o.array = [fieldCount]span{}, [fieldCount]bool{}
	for i := range o.items {
		o.items[i] = o.items[i][:0]
	}
	o.twice, o.known, o.entries = o.twice[:0], o.known[:0], o.entries[:0]
	o.previous.at = 0
}

// scan reads the object that begins at i in the scanner's text, and returns where
// it ends.
func (o *outline) scan(i int) (end int, ok bool) {
	o.reset()
	in, ok := o.scanner.Open(i)
	for ok && in.Begin() {
		name := quickjson.Unquote(in.Name.Of(o.scanner.Text))
		ok = o.value(&in, field(slices.Index(fieldNames[:], string(name))))
	}
	return in.End, in.Closed
}

// value reads the value of a field, or of another member if f is negative.
func (o *outline) value(in *quickjson.Inside, f field) bool {
	switch {
	case f < 0:
		return in.Skip()
	case o.values[f].To > 0:
		o.twice = append(o.twice, f)
		return in.Skip()
	}
	items, ok := in.Open()
	o.array[f] = ok && o.scanner.Text[in.Value.From] == '['
	if o.array[f] {
		ok = o.itemsOf(&items, f) && in.Leave(&items)
	} else {
		ok = in.Skip()
	}
	o.values[f] = in.Value
	return ok
}

// itemsOf reads the items of a field. Properties that the bundle before has as well,
// and what is written as nearly all is, need no second look.
func (o *outline) itemsOf(in *quickjson.Inside, f field) bool {
	for in.Begin() {
		length := 0
		room := len(o.items[f]) <= o.most
		switch text := o.scanner.Text[in.Value.From:]; {
		case f == fieldProperties && room:
			var known *properties.Property
			known, length = o.property(text)
			o.known = append(o.known, known)
		case f == fieldEntries && room:
			var entry plainEntry
			entry, length = readPlainEntry(text[:min(len(text), maxShared)])
			o.entries = append(o.entries, entry)
		}
		if length > 0 {
			in.Pass(length)
		} else if !in.Skip() {
			return false
		}
		if room {
			o.items[f] = append(o.items[f], in.Value)
		}
	}
	return in.Closed
}

// property returns the property with which a text begins, and the length of its own
// text, if both can be told at once.
func (o *outline) property(text []byte) (*properties.Property, int) {
	known, length := o.previous.next(text)
	if known == nil && o.interner != nil {
		known, length = o.interner.Leading(text, min(maxShared, o.opts.MaxPropertyBytes))
		if known != nil && !o.opts.keeps(known.Type()) {
			return nil, 0
		}
	}
	return known, length
}

// isNull reports whether a JSON value is null, which stands for an absent field.
func isNull(raw []byte) bool { return len(raw) > 0 && raw[0] == 'n' }
