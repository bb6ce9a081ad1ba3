package fbc

import (
	"bytes"
	"context"
	"sort"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// blob is a part of text that holds one JSON value, or several on one line.
// The text is good until the next one is read: what is kept has to be copied.
type blob struct {
	raw   []byte
	line  int    // of the first byte
	marks []mark // for JSON that was made of YAML: where its lines come from

	seen counted
}

// counted is a place in a text whose line is known. From one place to the next
// only the newlines in between need to be counted.
type counted struct{ offset, newlines int }

// at returns the number of newlines before an offset.
func (c *counted) at(text []byte, offset int) int {
	offset = min(max(offset, 0), len(text))
	if offset >= c.offset {
		c.newlines += bytes.Count(text[c.offset:offset], newline)
	} else {
		c.newlines -= bytes.Count(text[offset:c.offset], newline)
	}
	c.offset = offset
	return c.newlines
}

// mark says that from an offset on, text comes from a line.
type mark struct{ offset, line int }

// manyLines reports whether lineAt needs to be asked at all.
func (b *blob) manyLines() bool {
	return b.marks != nil || bytes.IndexByte(b.raw, '\n') >= 0
}

// lineAt returns the line that the text at an offset comes from.
func (b *blob) lineAt(offset int) int {
	if b.marks == nil {
		return b.line + b.seen.at(b.raw, offset)
	}
	i := sort.Search(len(b.marks), func(i int) bool { return b.marks[i].offset > offset })
	if i == 0 {
		return b.line
	}
	return b.marks[i-1].line
}

// span is a part of a text.
type span struct{ from, to int }

// of returns the part.
func (s span) of(text []byte) []byte { return text[s.from:s.to] }

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

// fieldNames are the names of the fields, for messages.
var fieldNames = [fieldCount]string{"schema", "name", "package", "image", "defaultChannel", "entries", "properties"}

// fieldOf returns the field of a quoted name, or -1 for any other.
func fieldOf(quoted []byte) field {
	switch string(quoted) {
	case `"schema"`:
		return fieldSchema
	case `"name"`:
		return fieldName
	case `"package"`:
		return fieldPackage
	case `"image"`:
		return fieldImage
	case `"defaultChannel"`:
		return fieldDefaultChannel
	case `"entries"`:
		return fieldEntries
	case `"properties"`:
		return fieldProperties
	}
	return -1
}

// outline is the top level of a blob: where the values of its fields are. It
// is the same for every schema, since the schema need not come first.
type outline struct {
	all    span             // the object itself
	values [fieldCount]span // empty for a field that is absent
	items  [fieldCount][]span
	array  [fieldCount]bool // the value is an array; its items are in items
	twice  []field          // fields that are given more than once

	most  int             // how many items of a field are kept, and one more
	watch quickjson.Watch // ends the reading of what is long

	previous previous               // what the last bundle has
	known    []*properties.Property // of the items of properties, as far as they are known
}

// reset makes the outline empty, and keeps its memory.
func (o *outline) reset() {
	o.values, o.array = [fieldCount]span{}, [fieldCount]bool{}
	for i := range o.items {
		o.items[i] = o.items[i][:0]
	}
	o.twice, o.known = o.twice[:0], o.known[:0]
	o.previous.at = 0
}

// read reads the object that dec is at, and finds where its fields are.
func (o *outline) read(ctx context.Context, dec *jsontext.Decoder) error {
	o.reset()
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	o.all.from = int(dec.InputOffset()) - 1
	for dec.PeekKind() != '}' {
		name, err := dec.ReadValue()
		if err != nil {
			return err
		}
		f := fieldOf(plainName(name))
		if f < 0 {
			err = dec.SkipValue()
		} else {
			err = o.value(ctx, dec, f)
		}
		if err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	o.all.to = int(dec.InputOffset())
	return err
}

// value reads the value of a field.
func (o *outline) value(ctx context.Context, dec *jsontext.Decoder, f field) error {
	if o.values[f].to > 0 {
		o.twice = append(o.twice, f)
		return dec.SkipValue()
	}
	o.array[f] = dec.PeekKind() == '['
	if !o.array[f] {
		at, err := readSpan(dec)
		o.values[f] = at
		return err
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	o.values[f].from = int(dec.InputOffset()) - 1
	n := 0
	for dec.PeekKind() != ']' {
		at, err := readSpan(dec)
		if err != nil {
			return err
		}
		if len(o.items[f]) <= o.most {
			o.items[f] = append(o.items[f], at)
		}
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	_, err := dec.ReadToken()
	o.values[f].to = int(dec.InputOffset())
	return err
}

// scan is read for a text that holds nothing but one object, written plainly. It
// returns false for what it does not recognize, which may be valid all the same.
func (o *outline) scan(text []byte) bool {
	o.reset()
	o.all = span{0, len(text)}
	m := quickjson.Members{Text: text, Watch: &o.watch}
	if !m.Open(0) {
		return false
	}
	for m.NextName() {
		f := fieldOf(plainName(text[m.Name.From:m.Name.To]))
		if !o.scanValue(&m, f) {
			return false
		}
	}
	return m.Closed && m.End == len(text)
}

// scanValue reads the value of a field, or of another member if f is negative.
func (o *outline) scanValue(m *quickjson.Members, f field) bool {
	switch {
	case f < 0:
		return m.Skip()
	case o.values[f].to > 0:
		o.twice = append(o.twice, f)
		return m.Skip()
	}
	o.array[f] = m.Value.From < len(m.Text) && m.Text[m.Value.From] == '['
	ok := false
	if !o.array[f] {
		ok = m.Skip()
	} else {
		ok = o.scanItems(m, f)
	}
	o.values[f] = span{m.Value.From, m.Value.To}
	return ok
}

// scanItems reads the items of a field. Properties that the bundle before has as
// well need no second look.
func (o *outline) scanItems(m *quickjson.Members, f field) bool {
	items := m.Items()
	for items.NextStart() {
		var known *properties.Property
		length := 0
		room := len(o.items[f]) <= o.most
		if f == fieldProperties && room {
			known, length = o.previous.next(m.Text[items.Value.From:])
			o.known = append(o.known, known)
		}
		if known != nil {
			items.Pass(length)
		} else if !items.Skip() {
			return false
		}
		if room {
			o.items[f] = append(o.items[f], span{items.Value.From, items.Value.To})
		}
	}
	return m.Behind(&items)
}

// readSpan reads a value and returns where it is.
func readSpan(dec *jsontext.Decoder) (span, error) {
	v, err := dec.ReadValue()
	end := int(dec.InputOffset())
	return span{end - len(v), end}, err
}

// plainName returns a quoted name without needless escapes, so that it can be
// compared.
func plainName(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return quoted
	}
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return quoted
	}
	plain, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return quoted
	}
	return plain
}

// decoder is a decoder of text that is in memory, to be used again and again.
type decoder struct {
	*jsontext.Decoder
	text *bytes.Buffer
}

// newDecoder returns a decoder without text.
func newDecoder() decoder {
	text := &bytes.Buffer{}
	return decoder{jsontext.NewDecoder(text), text}
}

// on sets the decoder on a text. It does not look for names that are given
// twice: where that matters its users do.
func (d *decoder) on(text []byte) {
	*d.text = *bytes.NewBuffer(text)
	d.Reset(d.text, jsontext.AllowDuplicateNames(true))
}

// members calls fn for each member of a valid JSON object; at is where its
// value is in raw.
func members(dec decoder, raw []byte, fn func(quoted []byte, at span)) {
	m := quickjson.Members{Text: raw}
	n := 0
	for ok := m.Open(0); ok && m.Next(); n++ {
		fn(plainName(raw[m.Name.From:m.Name.To]), span{m.Value.From, m.Value.To})
	}
	if !m.Closed {
		restOfMembers(dec, raw, n, fn)
	}
}

// restOfMembers is members for those behind the first n.
func restOfMembers(dec decoder, raw []byte, n int, fn func(quoted []byte, at span)) {
	dec.on(raw)
	if _, err := dec.ReadToken(); err != nil {
		return
	}
	for i := 0; dec.PeekKind() == '"'; i++ {
		name, err := readSpan(dec.Decoder)
		if err != nil {
			return
		}
		at, err := readSpan(dec.Decoder)
		if err != nil {
			return
		}
		if i >= n {
			fn(plainName(name.of(raw)), at)
		}
	}
}

// items calls fn for each item of a valid JSON array.
func items(dec decoder, raw []byte, fn func(at span)) {
	dec.on(raw)
	if _, err := dec.ReadToken(); err != nil {
		return
	}
	for {
		if kind := dec.PeekKind(); kind == ']' || kind == 0 {
			return
		}
		at, err := readSpan(dec.Decoder)
		if err != nil {
			return
		}
		fn(at)
	}
}

// kindOf says in words what a JSON value is.
func kindOf(raw []byte) string {
	switch jsontext.Value(raw).Kind() {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "null"
}

// isNull reports whether a JSON value is null, which stands for an absent field.
func isNull(raw []byte) bool { return len(raw) > 0 && raw[0] == 'n' }

// deeperThan reports whether arrays and objects are nested deeper than most in a
// valid JSON value.
func deeperThan(raw []byte, most int) bool {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString:
			if c == '\\' {
				i++
			} else if c == '"' {
				inString = false
			}
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
