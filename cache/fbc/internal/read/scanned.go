package read

import (
	"bytes"
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
	fieldRelatedImages
	fieldCount
)

// fieldNames are the names of the fields.
var fieldNames = [fieldCount]string{"schema", "name", "package", "image", "defaultChannel", "entries", "properties", "relatedImages"}

// member is a field that an item of some list of a blob has.
type member int

const (
	memberName member = iota
	memberReplaces
	memberSkipRange
	memberSkips
	memberType
	memberValue
	memberReference
	memberSchema
	memberMessage
	memberCount
)

// memberNames are the names of the members.
var memberNames = [memberCount]string{"name", "replaces", "skipRange", "skips", "type", "value", "reference", "schema", "message"}

// item is an item of a list of a blob.
type item struct {
	span
	known   *properties.Property // or nil
	members [memberCount]span    // of an object; empty for one that is absent
	twice   bool                 // a member is given more than once
}

// scanned is the top level of a blob and of the items in its lists: where the values are.
// It is the same for every schema, since the schema may come last.
type scanned struct {
	values [fieldCount]span // empty for a field that is absent
	items  [fieldCount][]item
	array  [fieldCount]bool // the value is an array; its items are in items
	twice  []field          // fields that are given more than once

	most    int // how many items of a field are kept, and one more
	scanner quickjson.Scanner
	last    lastBundle
}

// span is a part of a text.
type span = quickjson.Span

// scan reads the object that begins at i in the scanner's text, and returns where
// it ends.
func (o *scanned) scan(i int) (end int, ok bool) {
	o.values, o.array = [fieldCount]span{}, [fieldCount]bool{}
	for f := range o.items {
		o.items[f] = o.items[f][:0]
	}
	o.twice, o.last.at = o.twice[:0], 0
	in, ok := o.scanner.Open(i)
	for ok && in.Begin() {
		name := quickjson.Unquote(in.Name.Of(o.scanner.Text))
		ok = o.value(&in, field(slices.Index(fieldNames[:], string(name))))
	}
	return in.End, in.Closed
}

// value reads the value of a field, or of another member if f is negative.
func (o *scanned) value(in *quickjson.Inside, f field) bool {
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

// itemsOf reads the items of a field. Properties that the bundle before has as well need
// no second look.
func (o *scanned) itemsOf(in *quickjson.Inside, f field) bool {
	for in.Begin() {
		var it item
		length := 0
		if f == fieldProperties {
			it.known, length = o.last.next(o.scanner.Text[in.Value.From:])
		}
		switch members, ok := in.Open(); {
		case length > 0:
			in.Pass(length)
		case ok && o.scanner.Text[in.Value.From] == '{':
			if !o.membersOf(&members, &it) || !in.Leave(&members) {
				return false
			}
		case !in.Skip():
			return false
		}
		if it.span = in.Value; len(o.items[f]) <= o.most {
			o.items[f] = append(o.items[f], it)
		}
	}
	return in.Closed
}

// membersOf reads the members of an item.
func (o *scanned) membersOf(in *quickjson.Inside, it *item) bool {
	for in.Next() {
		name := quickjson.Unquote(in.Name.Of(o.scanner.Text))
		switch m := slices.Index(memberNames[:], string(name)); {
		case m < 0:
		case it.members[m].To > 0:
			it.twice = true
		default:
			it.members[m] = in.Value
		}
	}
	return in.Closed
}

// lastBundle is what the last bundle declares: the next one mostly repeats it, and a
// property with the same text is the same property.
type lastBundle struct {
	text []byte // of the properties, one behind the other
	list []lastProperty
	at   int // the one that is likely to come next
	set  properties.Set
}

// lastProperty is a property of the last bundle, and where its text ends.
type lastProperty struct {
	property *properties.Property
	end      int
}

// ahead is how many properties are looked at for the one that comes next.
const ahead = 4

// next returns the property with which a text begins, and the length of its own
// text, if the last bundle has it at about the same place.
func (b *lastBundle) next(text []byte) (*properties.Property, int) {
	for i := b.at; i < min(b.at+ahead, len(b.list)); i++ {
		from := 0
		if i > 0 {
			from = b.list[i-1].end
		}
		if own := b.text[from:b.list[i].end]; bytes.HasPrefix(text, own) {
			b.at = i + 1
			return b.list[i].property, len(own)
		}
	}
	return nil, 0
}

// forget makes room for another bundle.
func (b *lastBundle) forget() { b.text, b.list = b.text[:0], b.list[:0] }

// add keeps a property of the bundle with its text, which is an object.
func (b *lastBundle) add(text []byte, p *properties.Property) {
	if len(text) > maxShared {
		return
	}
	b.text = append(b.text, text...)
	b.list = append(b.list, lastProperty{p, len(b.text)})
}

// isNull reports whether a JSON value is null, which stands for an absent field.
func isNull(raw []byte) bool { return len(raw) > 0 && raw[0] == 'n' }
