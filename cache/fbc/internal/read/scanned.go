package read

import (
	"bytes"

	"github.com/seed109e2655/resolute/internal/quickjson"
	"github.com/seed109e2655/resolute/properties"
)

// name is the name of a member of blobs, or of items of their lists.
type name int

const (
	nameSchema name = iota
	nameName
	namePackage
	nameImage
	nameDefaultChannel
	nameEntries
	nameProperties
	nameRelatedImages
	nameReplaces
	nameSkipRange
	nameSkips
	nameType
	nameValue
	nameReference
	nameMessage
	nameCount
)

var names = [nameCount]string{"schema", "name", "package", "image", "defaultChannel", "entries", "properties", "relatedImages",
	"replaces", "skipRange", "skips", "type", "value", "reference", "message"}

// shapes maps a first letter and a length to a name; the pairs are unique.
var shapes = func() (all [32][16]name) {
	for n, text := range names {
		all[text[0]%32][len(text)] = name(n)
	}
	return all
}()

// nameOf returns the name with a text, or -1.
func nameOf(text []byte) name {
	if len(text) == 0 || len(text) >= len(shapes[0]) {
		return -1
	}
	if n := shapes[text[0]%32][len(text)]; names[n] == string(text) {
		return n
	}
	return -1
}

// object is a JSON object: its position, and those of the values of its members. A list item that
// is not an object has only a position.
type object struct {
	span
	values [nameCount]span      // empty if absent
	twice  bool                 // a member is given more than once
	known  *properties.Property // an item known from the previous bundle
}

// scanned is a blob and the objects in its lists, scanned independent of the schema: a blob may
// name its schema last.
type scanned struct {
	object
	entries, properties []object

	limit   int // maximum number of items of a list, plus one
	scanner quickjson.Scanner
	last    lastBundle
}

// span is a part of a text.
type span = quickjson.Span

// scan reads the object that begins at i in the scanner's text, and returns where
// it ends.
func (s *scanned) scan(i int) (end int, ok bool) {
	s.object, s.entries, s.properties, s.last.at = object{}, s.entries[:0], s.properties[:0], 0
	in, ok := s.scanner.Open(i)
	ok = ok && s.members(&in, &s.object, true)
	s.span = span{From: i, To: in.End}
	return in.End, ok
}

// members reads the members of an object, and the items of its lists if it is a blob.
func (s *scanned) members(in *quickjson.Inside, o *object, blob bool) bool {
	for in.Begin() {
		n := nameOf(quickjson.Unquote(in.Name.Of(s.scanner.Text)))
		var list *[]object
		items, ok := in.Open()
		if ok && blob && n >= 0 && o.values[n].To == 0 && s.scanner.Text[in.Value.From] == '[' {
			list = s.list(n)
		}
		switch {
		case list == nil && !in.Skip():
			return false
		case list != nil && !(s.items(&items, list) && in.Leave(&items)):
			return false
		}
		switch {
		case n < 0:
		case o.values[n].To > 0:
			o.twice = true
		default:
			o.values[n] = in.Value
		}
	}
	return in.Closed
}

// list returns the destination of the items of a list, nil if they are dropped.
func (s *scanned) list(n name) *[]object {
	switch n {
	case nameEntries:
		return &s.entries
	case nameProperties:
		return &s.properties
	}
	return nil
}

// items scans the items of a list. Properties of the previous bundle are not scanned again.
func (s *scanned) items(in *quickjson.Inside, list *[]object) bool {
	for in.Begin() {
		if len(*list) <= s.limit {
			*list = append(*list, object{})
		}
		o, length := &(*list)[len(*list)-1], 0
		if list == &s.properties {
			o.known, length = s.last.next(s.scanner.Text[in.Value.From:])
		}
		switch members, ok := in.Open(); {
		case length > 0:
			in.Pass(length)
		case ok && s.scanner.Text[in.Value.From] == '{':
			if !s.members(&members, o, false) || !in.Leave(&members) {
				return false
			}
		case !in.Skip():
			return false
		}
		o.span = in.Value
	}
	return in.Closed
}

// lastBundle has the properties of the previous bundle: the next one usually repeats them, and a
// property with the same text is shared.
type lastBundle struct {
	text []byte // of the properties, concatenated
	list []lastProperty
	at   int // the most likely next one
	sets properties.Interner
}

// lastProperty is a property of the previous bundle, and the end of its text.
type lastProperty struct {
	property *properties.Property
	end      int
}

// ahead is the number of properties compared with the next text.
const ahead = 4

// next returns the property at the start of a text, and the length of its text, if the previous
// bundle has it at about the same position.
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

// forget clears the properties for another bundle.
func (b *lastBundle) forget() { b.text, b.list = b.text[:0], b.list[:0] }

// add records a property of the bundle with its text, which is an object.
func (b *lastBundle) add(text []byte, p *properties.Property) {
	if len(text) > maxShared {
		return
	}
	b.text = append(b.text, text...)
	b.list = append(b.list, lastProperty{p, len(b.text)})
}

// isNull reports whether a JSON value is null, which means an absent field.
func isNull(raw []byte) bool { return len(raw) > 0 && raw[0] == 'n' }
